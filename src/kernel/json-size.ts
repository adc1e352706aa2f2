import { stringifyJson } from './json-text.ts';
import { isArray, isNumber, isObject, type Json } from './json-value.ts';

/** Most characters of an escaped character: `\u0000`. */
const ESCAPED = 6;
/** Most characters of a number that is a double. */
const DOUBLE = 25;

/** Whether the JSON text of a value has more bytes than this. The value is printed only if an upper bound is not enough. */
export function isLargerThan(value: Json, bytes: number): boolean {
  return roomAfter(value, bytes) < 0 && Buffer.byteLength(stringifyJson(value)) > bytes;
}

/**
 * The rest of `room` if every character takes its most bytes; negative: perhaps too little. It stops there, because values may share parts.
 */
function roomAfter(value: Json, room: number): number {
  if (typeof value === 'string') return room - ESCAPED * value.length - 2;
  if (isNumber(value)) return room - (typeof value === 'number' ? DOUBLE : value.toString().length);
  if (isArray(value)) {
    let left = room - 2;
    for (const item of value) {
      if (left < 0) return left;
      left = roomAfter(item, left - 1);
    }
    return left;
  }
  if (!isObject(value)) return room - 5;
  let left = room - 2;
  for (const [name, item] of Object.entries(value)) {
    if (left < 0) return left;
    left = roomAfter(item, left - ESCAPED * name.length - 4);
  }
  return left;
}
