import { stringifyJson } from './json-text.ts';
import { isArray, isNumber, isObject, type Json } from './json-value.ts';

/** Most characters that `\u0000` and the like make of one. */
const ESCAPED = 6;
/** Most characters of a number that is a double. */
const DOUBLE = 25;

/** Whether the JSON text of a value has more bytes. Most values are small, so they are printed only where a rough sum cannot tell. */
export function isLargerThan(value: Json, bytes: number): boolean {
  return roomAfter(value, bytes) < 0 && Buffer.byteLength(stringifyJson(value)) > bytes;
}

/** What is left of `room` if every character takes as many bytes as it may; negative: too little, perhaps. Values share parts, so it ends there. */
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
