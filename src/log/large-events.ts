import type { ProjectEvent } from '../domain/events.ts';
import { readProjectEvent } from './decode.ts';
import type { Log, RecordedEvent } from './port.ts';

/** Characters of an event's data from which it is large. What was redacted is shorter, so it is never given from here. */
const LARGE = 64 * 1024;
/** Characters of all that are kept. Decoded, they take about twice as many bytes. */
const KEPT = 8 * 1024 * 1024;

interface KeptEvent extends Pick<RecordedEvent, 'stream' | 'metadata'> {
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
  const { id, stream, metadata, data } = recorded;
  if (data.length < LARGE) return readProjectEvent(recorded);
  const known = kept.get(id);
  const event = isOf(known, recorded) ? known.event : readProjectEvent(recorded);
  return keep(id, { stream, metadata, event, size: data.length });
}

/** An event that came from the log, and was not decoded yet. */
export interface StoredEvent extends Pick<RecordedEvent, 'revision' | 'metadata'> {
  /** Characters of its data. */
  readonly size: number;
  /** {@link readLargeOnce}. */
  read(): ProjectEvent;
}

/** Events of a stream, forwards. Data of large ones that are kept stay where they are, as far as the engine can leave them out. */
export async function readStored(log: Pick<Log, 'read'>, stream: string, from: number, limit: number): Promise<readonly StoredEvent[]> {
  const range = { from, limit, direction: 'forwards' } as const;
  // By the time of the answer others may be kept.
  const had = new Map([...kept].filter(([, event]) => event.stream === stream));
  const found = await log.read(stream, { ...range, known: [...had.keys()] });
  const isWhole = found.every((event) => event.data !== '' || isOf(had.get(event.id), event));
  return (isWhole ? found : await log.read(stream, range)).map((event) => stored(event, event.data === '' ? had.get(event.id) : undefined));
}

function stored(event: RecordedEvent, had: KeptEvent | undefined): StoredEvent {
  const { id, revision, metadata, data } = event;
  if (had === undefined) return { revision, metadata, size: data.length, read: () => readLargeOnce(event) };
  return { revision, metadata, size: had.size, read: () => keep(id, had) };
}

function isOf(known: KeptEvent | undefined, { revision, metadata }: RecordedEvent): known is KeptEvent {
  return known?.metadata === metadata && known.event.revision === revision;
}

function keep(id: string, read: KeptEvent): ProjectEvent {
  forget(id);
  kept.set(id, read);
  keptSize += read.size;
  for (const [oldest] of kept) {
    if (keptSize <= KEPT) break;
    forget(oldest);
  }
  return read.event;
}

function forget(id: string): void {
  keptSize -= kept.get(id)?.size ?? 0;
  kept.delete(id);
}
