import { isArray, isObject, type Json } from '../../kernel/json.ts';
import type { Change, Parts } from '../events.ts';

/** After so many events of changes the next write carries the whole document. */
const MAX_PARTS = 128;

const NONE: Parts = { events: 0, bytes: 0 };

export function partsAfter(before: Parts | undefined, changes: readonly Change[]): Parts {
  const { events, bytes } = before ?? NONE;
  return { events: events + 1, bytes: changes.reduce((sum, [path, value]) => sum + path.length + sizeOf(value) + 6, bytes) };
}

/** Whether a write whose changes come to these parts carries the whole document, of so many characters, in their place. */
export function needsWhole({ events, bytes }: Parts, length: number): boolean {
  return events > MAX_PARTS || bytes > length;
}

/** About the characters of a value's JSON text. Printing it would cost more than the bound is worth. */
function sizeOf(value: Json): number {
  if (typeof value === 'string') return value.length + 2;
  if (isArray(value)) return value.reduce((sum: number, item) => sum + sizeOf(item) + 1, 2);
  if (!isObject(value)) return 4;
  let sum = 2;
  for (const name in value) sum += name.length + 4 + sizeOf(value[name] ?? null);
  return sum;
}
