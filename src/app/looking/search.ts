import type { Log, RecordedEvent } from '../../log/port.ts';

/** Where in a stream `access-…` a time lies. */

/** The first revision of the stream whose event is not older than `time`; behind the last one if all are. `null`: the stream is empty. */
export async function firstSince(
  log: Log,
  stream: string,
  time: number,
): Promise<{ readonly first: number; readonly since: number } | null> {
  const head = await log.head(stream);
  const [oldest] = head === null ? [] : await log.read(stream, { limit: 1, direction: 'forwards' });
  if (head === null || oldest === undefined) return null;
  let [low, high] = [oldest.revision, head.revision + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [event] = await log.read(stream, { from: middle, limit: 1, direction: 'forwards' });
    if (event !== undefined && timeOf(event) < time) low = middle + 1;
    else high = middle;
  }
  return { first: oldest.revision, since: low };
}

/** When an event was recorded, unix ms; 0 where that is not said: of the filler of a copy, or by another program. */
function timeOf({ metadata }: RecordedEvent): number {
  const { recordedAt } = JSON.parse(metadata) as { readonly recordedAt?: unknown };
  return typeof recordedAt === 'number' ? recordedAt : 0;
}
