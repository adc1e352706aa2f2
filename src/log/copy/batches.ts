import { bytesOf, type RecordedEvent } from '../port.ts';

/** How large one append may be. */
export interface BatchLimits {
  readonly events: number;
  /** Bytes of data and metadata; a single event may be larger. */
  readonly bytes: number;
}

/** Divides events into appends. Each append holds consecutive events of one stream, in their order, without a gap and within the limits. */
export function* batches(events: readonly RecordedEvent[], limits: BatchLimits): Generator<readonly RecordedEvent[]> {
  let batch: RecordedEvent[] = [];
  let bytes = 0;
  for (const event of events) {
    const size = bytesOf(event);
    const last = batch.at(-1);
    const isNext = last?.stream === event.stream && last.revision + 1 === event.revision;
    const fits = batch.length < limits.events && bytes + size <= limits.bytes && isNext;
    if (batch.length > 0 && !fits) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(event);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Groups of consecutive appends that may be sent at once: all of different streams, at most `most`, together within the limits of one
 * append.
 */
export function* windows(
  appends: Iterable<readonly RecordedEvent[]>,
  most: number,
  limits: BatchLimits,
): Generator<readonly (readonly RecordedEvent[])[]> {
  let window: (readonly RecordedEvent[])[] = [];
  let [events, bytes] = [0, 0];
  for (const append of appends) {
    const size = append.reduce((sum, event) => sum + bytesOf(event), 0);
    const fits = window.length < most && events + append.length <= limits.events && bytes + size <= limits.bytes;
    const isOther = window.every(([first]) => first?.stream !== append[0]?.stream);
    if (window.length > 0 && !(fits && isOther)) {
      yield window;
      window = [];
      [events, bytes] = [0, 0];
    }
    window.push(append);
    events += append.length;
    bytes += size;
  }
  if (window.length > 0) yield window;
}
