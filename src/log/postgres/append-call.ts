import type { AppendResult, ExpectedRevision, NewEvent, RecordedEvent } from '../port.ts';
import { bigintArray, intArray, textArray, uuidArray } from './arrays.ts';

/** One call of `log_append`: what goes into it, its parameters, and its answer. */

/** An append that waits for its turn or for its answer. */
export interface PendingAppend {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
  /** Length of its texts. */
  readonly characters: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/** Bounds of one call. A single append may be larger than `CHARACTERS`. */
const APPENDS = 1000;
const CHARACTERS = 4 * 1024 * 1024;

/** Revision, position (`null`: a conflict), repeated, as the server prints them. */
export type Answer = [revision: string, position: string | null, repeated: 't' | 'f' | null];

export function resultOf(row: Answer | undefined): { readonly result: AppendResult; readonly repeated: boolean } {
  if (!row) throw new Error('the log answered fewer appends than it was given');
  const [revision, position, repeated] = row;
  if (position === null) return { result: { ok: false, actual: revision === '-1' ? 'none' : Number(revision) }, repeated: false };
  return { result: { ok: true, revision: Number(revision), position: BigInt(position) }, repeated: repeated === 't' };
}

/** The events as the log now holds them. Positions and revisions are dense within an append. */
export function recorded(
  { stream, events }: PendingAppend,
  last: { readonly revision: number; readonly position: bigint },
): RecordedEvent[] {
  const before = last.revision - events.length;
  const start = last.position - BigInt(events.length);
  return events.map(({ id, type, data, metadata }, index) => ({
    id,
    type,
    data,
    metadata,
    stream,
    revision: before + index + 1,
    position: start + BigInt(index + 1),
  }));
}

/**
 * Takes what fits into one call, in order of arrival, grouped by stream as the function requires. Appends of one stream go together only if
 * each builds on the one before; then the function can decide each from what lay in the log before the call. Once an append of a stream has
 * to wait, all later ones of that stream wait, too.
 */
export function nextCall(queue: readonly PendingAppend[]): { readonly group: readonly PendingAppend[]; readonly rest: PendingAppend[] } {
  const streams = new Map<string, { readonly appends: PendingAppend[]; next: number }>();
  const rest: PendingAppend[] = [];
  let count = 0;
  let characters = 0;
  for (const [index, waiting] of queue.entries()) {
    if (count > 0 && (count >= APPENDS || characters + waiting.characters > CHARACTERS)) {
      rest.push(...queue.slice(index));
      break;
    }
    const start = startOf(waiting.expected);
    const stream = streams.get(waiting.stream) ?? { appends: [], next: start };
    streams.set(waiting.stream, stream);
    const builds = stream.next !== BLOCKED && (start === ANY || start === stream.next);
    if (!builds) {
      stream.next = BLOCKED;
      rest.push(waiting);
      continue;
    }
    stream.appends.push(waiting);
    stream.next = start === ANY ? ANY : start + waiting.events.length;
    count++;
    characters += waiting.characters;
  }
  return { group: [...streams.values()].flatMap(({ appends }) => appends), rest };
}

/** What `log_append` calls "any revision". */
const ANY = -2;
/** Marks a stream of which an append has to wait for the next call. */
const BLOCKED = -3;

/** The last revision of the stream that the append expects; −1 for no stream, {@link ANY} for any. */
function startOf(expected: ExpectedRevision): number {
  if (expected === 'any') return ANY;
  return expected === 'none' ? -1 : expected;
}

export function parameters(group: readonly PendingAppend[]): Buffer[] {
  const events = group.flatMap((waiting) => waiting.events);
  return [
    textArray(group.map((waiting) => waiting.stream)),
    bigintArray(group.map((waiting) => startOf(waiting.expected))),
    intArray(group.map((waiting) => waiting.events.length)),
    intArray(group.flatMap((waiting, index) => waiting.events.map(() => index + 1))),
    uuidArray(events.map((event) => event.id)),
    textArray(events.map((event) => event.type)),
    textArray(
      events.map((event) => event.data),
      'json',
    ),
    textArray(
      events.map((event) => event.metadata),
      'json',
    ),
  ];
}
