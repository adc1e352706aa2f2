import { type Refusal, refusal } from './errors.ts';

/** Page cursors, which answers contain and clients send back. */

/**
 * 400 INVALID_REQUEST for an invalid cursor. If it were answered with the first page, a client that reads page after page would never end.
 */
export function invalidCursor(name: string): Refusal {
  return refusal('INVALID_REQUEST', `\`${name}\` must be what the page before answered; leave it out for the first page`);
}

/** The revision before which a page begins; `null` for the first page. Throws {@link invalidCursor}. */
export function revisionCursor(text: string | null, name: string): number | null {
  if (text === null) return null;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw invalidCursor(name);
}
