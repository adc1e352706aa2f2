import type { ProjectEvent } from '../domain/events.ts';
import { readProjectEvent } from './decode.ts';
import type { RecordedEvent } from './port.ts';

/** Characters of an event's data from which it is large. What was redacted is shorter, so it is never given from here. */
const LARGE = 64 * 1024;
/** Characters of all that are kept. Decoded, they take about twice as many bytes. */
const KEPT = 8 * 1024 * 1024;

interface KeptEvent extends Pick<RecordedEvent, 'metadata'> {
  readonly event: ProjectEvent;
  readonly size: number;
}

/** By id, the least lately read first. */
const kept = new Map<string, KeptEvent>();
let keptSize = 0;

/**
 * {@link readProjectEvent}, but a large event is decoded once while it is kept: whoever looks at what a large document was looks at one
 * moment after the other, and each is made of much the same events. The event comes from the log all the same: its metadata hold the hash
 * that covers every byte of it.
 */
export function readLargeOnce(recorded: RecordedEvent): ProjectEvent {
  const { id, revision, metadata, data } = recorded;
  if (data.length < LARGE) return readProjectEvent(recorded);
  const known = kept.get(id);
  const isKnown = known?.metadata === metadata && known.event.revision === revision;
  const event = isKnown ? known.event : readProjectEvent(recorded);
  forget(id);
  kept.set(id, { event, metadata, size: data.length });
  keptSize += data.length;
  for (const [oldest] of kept) {
    if (keptSize <= KEPT) break;
    forget(oldest);
  }
  return event;
}

function forget(id: string): void {
  keptSize -= kept.get(id)?.size ?? 0;
  kept.delete(id);
}
