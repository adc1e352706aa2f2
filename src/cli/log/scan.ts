import type { Log, RecordedEvent } from '../../log/port.ts';
import { isProductStream } from '../../log/streams.ts';

/** Every event of the product up to the end of the log, in order: the way to ask an engine that answers no other questions. */
export async function* scan(log: Log, prefix = ''): AsyncGenerator<RecordedEvent> {
  const stop = new AbortController();
  try {
    for await (const step of log.follow({ prefix, after: null, signal: stop.signal })) {
      for (const event of step.events) if (isProductStream(event.stream)) yield event;
      if (step.caughtUp) return;
    }
  } finally {
    stop.abort();
  }
}
