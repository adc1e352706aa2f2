import { refusal } from './errors.ts';

/**
 * How many items a page may hold, from the `limit` of a request. More than `most` are as many as `most`; a text that is no whole number
 * from 1 is 400 INVALID_REQUEST, since a page of another size is not what was asked for.
 */
export function pageLimit(text: string | null, initial: number, most: number): number {
  if (text === null) return initial;
  if (/^\d+$/.test(text) && Number(text) >= 1) return Math.min(Number(text), most);
  throw refusal('INVALID_REQUEST', '`limit` must be a whole number from 1');
}
