import type { NewCall } from '../src/app/ports/call-table.ts';
import { intArray, textArray } from '../src/log/postgres/arrays.ts';

/** What the call log's table is given of requests. What requests have in common, such as their path, is sent once. */

/** A request, and its place among those of its statement. */
export interface PlacedCall extends NewCall {
  readonly place: number;
}

export const MAX_INT = 2 ** 31 - 1;
const NO_REQUEST = { status: 0, target: '', method: '', path: '', slug: null, code: null, message: null, step: null } as const;

/** Each request's kind, from 1, and a request of each kind: the others differ in time, player, request id and revision alone. */
export interface Kinds {
  readonly alike: readonly number[];
  readonly kinds: readonly NewCall[];
}

export function kindsAmong(calls: readonly NewCall[]): Kinds {
  const places = new Map<string, number>();
  const kinds: NewCall[] = [];
  const alike = calls.map((call) => {
    const { project, missed, isProven, request } = call;
    const { status, target, method, path, slug, code, message, step } = request ?? NO_REQUEST;
    // With the lengths of what clients choose, no two kinds have the same text.
    const lengths = `${path.length} ${slug?.length} ${code?.length} ${message?.length}`;
    const kind = `${project} ${missed} ${isProven} ${status} ${target} ${method} ${lengths} ${path}${slug}${code}${message}${step}`;
    const known = places.get(kind);
    if (known !== undefined) return known;
    places.set(kind, kinds.push(call));
    return kinds.length;
  });
  return { alike, kinds };
}

/** A list of texts. Nothing is an empty text, and Postgres takes none with U+0000. */
export function texts<T>(from: readonly T[], of: (item: T) => string | null | undefined): Buffer {
  return textArray(from.map((item) => storable(of(item) ?? '')));
}

export function numbers<T>(from: readonly T[], of: (item: T) => number): Buffer {
  return intArray(from.map(of));
}

export function tenthsOf({ request }: NewCall): number {
  return Math.min(Math.round((request?.ms ?? 0) * 10), MAX_INT);
}

const storable = (text: string): string => (text.includes('\0') ? text.replaceAll('\0', '\ufffd') : text);
