import { hash as digest } from 'node:crypto';
import { hashOf, NO_HASH } from './chain.ts';
import type { Log, NewEvent, RecordedEvent } from './port.ts';

/**
 * Foreign events. In an engine that others can reach, another program may append to a project's stream. Such an event carries no seal of
 * ours. It changes nothing, and the chain passes over it: the next sealed event links to the last sealed one before it. It keeps its
 * revision, and it is told of wherever it is met. A sealed event that does not link is something else: a broken chain.
 */

/** What stands where a sealed event would have its hash: in a checkpoint, and in a decoded event. */
export const FOREIGN_HASH = 'foreign';

/** The type that a foreign event is read as, and that a copy puts in its place. */
export const FOREIGN = 'log.foreign';

/** Whether another program wrote this event of a project's stream. */
export function isForeign({ metadata }: Pick<NewEvent, 'metadata'>): boolean {
  return hashOf(metadata) === null;
}

/** What a checkpoint at this event says: its hash, or {@link FOREIGN_HASH}. */
export function checkpointHash({ metadata }: Pick<NewEvent, 'metadata'>): string {
  return hashOf(metadata) ?? FOREIGN_HASH;
}

/**
 * The event that a copy puts in the place of a missing or foreign event, so that the events behind keep their revisions. Every copy makes
 * the same event, so that one copy can go on where another broke off.
 */
export function fillerOf(type: string, { stream, position }: RecordedEvent, revision: number): RecordedEvent {
  const hex = digest('sha256', `${type} ${stream}@${revision}`);
  const id = [hex.slice(0, 8), hex.slice(8, 12), `5${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
  return { id, type, data: '{}', metadata: '{"schemaVersion":1}', stream, revision, position };
}

/** Whether a copy put this event in the place of a foreign one. */
export function isForeignFiller(event: RecordedEvent): boolean {
  if (event.type !== FOREIGN) return false;
  const filler = fillerOf(FOREIGN, event, event.revision);
  return event.id === filler.id && event.data === filler.data && event.metadata === filler.metadata;
}

/**
 * The hash that the next sealed event of a project's stream links to, by what its checkpoint says (`checkpointHash`). Throws
 * `LogUnavailable`.
 */
export async function linkAfter(
  log: Log,
  stream: string,
  { revision, hash }: { readonly revision: number; readonly hash: string },
): Promise<string> {
  if (hash !== FOREIGN_HASH) return hash;
  const sealed = await lastSealed(log, stream, revision);
  return (sealed && hashOf(sealed.metadata)) ?? NO_HASH;
}

/** How many events are read at once while one that is sealed is looked for. */
const PAGE = 100;

/** The last sealed event of a project's stream, up to the revision `from`; `null` if there is none. Throws `LogUnavailable`. */
export async function lastSealed(log: Log, stream: string, from?: number): Promise<RecordedEvent | null> {
  const [last] = await log.read(stream, { ...(from === undefined ? {} : { from }), limit: 1, direction: 'backwards' });
  if (last === undefined || !isForeign(last)) return last ?? null;
  for (let before = last.revision - 1; before >= 0; before -= PAGE) {
    const page = await log.read(stream, { from: before, limit: PAGE, direction: 'backwards' });
    const sealed = page.find((event) => !isForeign(event));
    if (sealed !== undefined || page.length === 0) return sealed ?? null;
  }
  return null;
}
