import { stringifyJson } from './json-text.ts';
import { isArray, isNumber, isObject, type Json } from './json-value.ts';

/** What parts of a JSON text take, in bytes. */
interface Taken {
  /** A character of a text. */
  readonly character: number;
  /** A number that is a double. */
  readonly double: number;
  /** `true`, `false` or `null`. */
  readonly word: number;
  /** Between two items or members. */
  readonly comma: number;
}

/** A character may be escaped: `\u0000`. */
const MOST: Taken = { character: 6, double: 25, word: 5, comma: 1 };
/** Two characters of JavaScript that are one take four. There is no comma behind the last. */
const LEAST: Taken = { character: 1, double: 1, word: 4, comma: 0 };

/** Whether the JSON text of a value has more bytes than this. The value is printed only where bounds are not enough. */
export function isLargerThan(value: Json, bytes: number): boolean {
  if (roomAfter(value, bytes, MOST) >= 0) return false;
  return roomAfter(value, bytes, LEAST) < 0 || Buffer.byteLength(stringifyJson(value)) > bytes;
}

/** The rest of `room`, if parts take this; negative: it is too little. It stops there, because values may share parts. */
function roomAfter(value: Json, room: number, taken: Taken): number {
  if (typeof value === 'string') return room - taken.character * value.length - 2;
  if (isNumber(value)) return room - (typeof value === 'number' ? taken.double : value.toString().length);
  if (isArray(value)) {
    let left = room - 2;
    for (const item of value) {
      if (left < 0) return left;
      left = roomAfter(item, left - taken.comma, taken);
    }
    return left;
  }
  if (!isObject(value)) return room - taken.word;
  let left = room - 2;
  for (const name of Object.keys(value)) {
    if (left < 0) return left;
    left = roomAfter(value[name] ?? null, left - taken.character * name.length - 3 - taken.comma, taken);
  }
  return left;
}
