import { isNumber, type Json, type JsonObject, toDouble } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';

/** The time by which a record is listed: its `_timestamp`, in unix ms or ISO text. Any other value counts as 0, which sorts last. */
export function listedAt(stamp: Json | undefined): number {
  const time = isNumber(stamp) ? Math.floor(toDouble(stamp)) : typeof stamp === 'string' ? Date.parse(inUtc(stamp)) : 0;
  return Number.isSafeInteger(time) ? time : 0;
}

/** The same of a document. */
export function listedTime(document: JsonObject): number {
  return listedAt(member(document, '_timestamp'));
}

/** A time without a zone is in UTC. `Date` would take it for the server's own time, which differs between nodes. */
function inUtc(text: string): string {
  return /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text) ? `${text}Z` : text;
}
