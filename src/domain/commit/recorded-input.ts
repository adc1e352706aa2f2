import type { EventData } from '../../contract/events/index.ts';
import { isArray, isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { isLargerThan } from '../../kernel/json-size.ts';
import { maskSecrets } from '../../kernel/secrets.ts';

/** What the log keeps of the input of a call. */
type RecordedInput = Pick<EventData['call.recorded'], 'input' | 'left'>;

/** Bytes of an input's JSON that are kept. */
const MAX_BYTES = 4_096;

/** The input without what looks like a secret. A member for which there is no room is left out whole, and counted. */
export function recordedInput(input: JsonObject): RecordedInput {
  const kept = new Map<string, Json>();
  let room = MAX_BYTES;
  let left = 0;
  for (const [name, value] of Object.entries(input)) {
    const member: [string, Json] | null = isLargerThan(value, room) ? null : [maskSecrets(name), masked(value)];
    const bytes = member === null ? Number.POSITIVE_INFINITY : Buffer.byteLength(stringifyJson(Object.fromEntries([member])));
    // Two names that are secrets may read the same.
    if (member === null || bytes > room || kept.has(member[0])) left += 1;
    else {
      kept.set(...member);
      room -= bytes;
    }
  }
  return { input: Object.fromEntries(kept), ...(left === 0 ? {} : { left }) };
}

function masked(value: Json): Json {
  if (typeof value === 'string') return maskSecrets(value);
  if (isArray(value)) return value.map(masked);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [maskSecrets(name), masked(item)]));
}
