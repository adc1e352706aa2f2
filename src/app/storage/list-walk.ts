import { rankOf } from '../../domain/query/board-metric.ts';
import { refusal } from '../../kernel/errors.ts';
import { queryTimeOf } from '../../kernel/instant.ts';
import { isArray, tryParseJson } from '../../kernel/json.ts';
import { invalidCursor } from '../../kernel/page-cursor.ts';
import type { DocumentWalk, WalkPlace } from '../ports/documents.ts';
import type { ListOrder } from './list-orders.ts';

/** Where a walk through an index begins and ends, from the texts of a request. */

/** What a request says of the documents that it wants. `null`: nothing. */
export interface WalkAsked {
  readonly by: string;
  readonly order: 'asc' | 'desc' | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly begins: string | null;
  readonly is: string | null;
  readonly cursor: string | null;
}

export type Walk = Pick<DocumentWalk, 'order' | 'from' | 'until'>;

/** The lowest and the highest value of the first column of an index; `null`: there is none. */
interface Range<Value> {
  readonly low: Value | null;
  readonly high: Value | null;
}

type Walkable = Exclude<ListOrder, { readonly kind: 'unique' }>;

/** The same bounds for whoever passes all documents by their keys. */
export interface Bounds {
  readonly keys: Range<string>;
  /** The number, or the time of a record, that lies between `low` and `high`; `null`: any document. */
  readonly field: { readonly path: string } | 'time' | null;
  readonly low: number | null;
  readonly high: number | null;
}

const ALL_KEYS = { low: null, high: null } as const;

/** Throws 400 INVALID_REQUEST for bounds that are none of this order. */
export function boundsOf(order: Walkable, asked: WalkAsked): Bounds {
  if (order.kind === 'key') return { keys: keysOf(asked), field: null, low: null, high: null };
  refuseBegins(asked);
  if (order.kind === 'time') return { keys: ALL_KEYS, field: 'time', ...timesOf(asked) };
  return { keys: ALL_KEYS, field: { path: order.board.field }, low: numberOf(asked, 'from'), high: numberOf(asked, 'to') };
}

/** Throws 400 INVALID_REQUEST for bounds that are none of this order, and for a cursor that no answer held. */
export function walkOf(order: Walkable, asked: WalkAsked): Walk {
  if (order.kind === 'key') return walk(asked.order ?? 'asc', keysOf(asked), (key) => [key], asked.cursor, [isText]);
  refuseBegins(asked);
  const way = asked.order ?? 'desc';
  if (order.kind === 'time') {
    const place = (time: Bound, end: End) => [time, end === 'low' ? -FARTHEST : FARTHEST];
    return walk(way, timesOf(asked), place, asked.cursor, [isWhole, isWhole]);
  }
  const { order: boardOrder } = order.board;
  const bounds = [numberOf(asked, 'from'), numberOf(asked, 'to')].map((value) => (value === null ? null : rankOf(value, boardOrder)));
  const [low = null, high = null] = boardOrder === 'asc' ? bounds : bounds.reverse();
  const place = (rank: Bound, end: End) => (end === 'low' ? [rank, -1, ''] : [rank, FARTHEST, LAST_TEXT]);
  return walk(way === boardOrder ? 'asc' : 'desc', { low, high }, place, asked.cursor, [Number.isFinite, isWhole, isText]);
}

type Bound = string | number;
type End = 'low' | 'high';

const FARTHEST = Number.MAX_SAFE_INTEGER;
/** Behind every key. */
const LAST_TEXT = '\u{10FFFF}';

function walk(
  order: 'asc' | 'desc',
  { low, high }: Range<Bound>,
  placeAt: (bound: Bound, end: End) => WalkPlace,
  cursor: string | null,
  parts: readonly ((part: unknown) => boolean)[],
): Walk {
  const [first, until, end] = order === 'asc' ? ([low, high, 'low'] as const) : ([high, low, 'high'] as const);
  if (cursor !== null) return { order, from: { place: placeIn(cursor, parts), isIncluded: false }, until };
  return { order, from: first === null ? null : { place: placeAt(first, end), isIncluded: true }, until };
}

function placeIn(cursor: string, parts: readonly ((part: unknown) => boolean)[]): WalkPlace {
  const place = tryParseJson(cursor);
  if (!isArray(place) || place.length !== parts.length || !place.every((part, index) => parts[index]?.(part)))
    throw invalidCursor('cursor');
  return place as unknown as WalkPlace;
}

const KEY_TEXT = /^[^\0]{1,256}$/;

function isText(part: unknown): boolean {
  return typeof part === 'string' && part.length <= 1_024 && !part.includes('\0');
}

function isWhole(part: unknown): boolean {
  return Number.isSafeInteger(part);
}

function keysOf({ from, to, begins }: WalkAsked): Range<string> {
  for (const [name, text] of Object.entries({ from, to, begins }))
    if (text !== null && !KEY_TEXT.test(text))
      throw refusal('INVALID_REQUEST', `\`${name}\` is a key or the beginning of one, of 1 to 256 characters`);
  const lows = [from, begins].filter((text) => text !== null).sort();
  const highs = [to, begins === null ? null : begins + LAST_TEXT].filter((text) => text !== null).sort();
  return { low: lows.at(-1) ?? null, high: highs[0] ?? null };
}

function refuseBegins({ begins, by }: WalkAsked): void {
  if (begins !== null)
    throw refusal('INVALID_REQUEST', `\`begins\` is of keys (\`by\` _key), and the order is by ${JSON.stringify(by)}: no index keeps both`);
}

function timesOf(asked: WalkAsked): Range<number> {
  return { low: timeOf(asked, 'from', Math.ceil), high: timeOf(asked, 'to', Math.floor) };
}

function timeOf(asked: WalkAsked, name: 'from' | 'to', whole: (time: number) => number): number | null {
  const text = asked[name];
  if (text === null) return null;
  const time = queryTimeOf(text);
  if (time !== null) return whole(time);
  throw refusal(
    'INVALID_REQUEST',
    `\`${name}\` must be a date, an ISO time with a zone, such as 2026-03-29T10:00:00Z, or unix milliseconds`,
  );
}

function numberOf(asked: WalkAsked, name: 'from' | 'to'): number | null {
  const text = asked[name];
  if (text === null) return null;
  const number = /^\s*$/.test(text) ? Number.NaN : Number(text);
  if (Number.isFinite(number)) return number;
  throw refusal('INVALID_REQUEST', `\`${name}\` must be a number, because the order is by ${JSON.stringify(asked.by)}`);
}
