import { followToEnd } from '../../log/follow.ts';
import type { Log, RecordedEvent } from '../../log/port.ts';
import { isProductStream } from '../../log/streams.ts';

/** Every event of the log up to its end, in order. For engines that cannot answer narrower questions. */
export async function* scan(log: Log, prefix = ''): AsyncGenerator<RecordedEvent> {
  for await (const { events } of followToEnd(log, prefix)) {
    for (const event of events) if (isProductStream(event.stream)) yield event;
  }
}
