import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * What a guest proves itself with. A device makes a secret of 256 random bits and keeps it; only a hash of it is stored. A secret is nothing that
 * can be guessed, so a fast hash is enough.
 */

/** A guest's token, which is its device's secret, in what the server makes of it. */
export interface GuestToken {
  /** SHA-256 (hex), the form in which it is stored. */
  readonly hash: string;
  /** The id of the guest that this secret makes when it is registered. Nobody chooses an id: it comes of a hash. */
  readonly firstGuest: string;
}

const TOKEN = /^ns_guest_[A-Za-z0-9_-]{43}$/;
const GUEST_ID = /^guest-[0-9a-f]{32}$/;

/**
 * The form of guests' ids, as a part of a regular expression. It holds no `_`, which ends the player in the key of a document: nobody called
 * `guest` may own what belongs to a guest.
 */
export const GUEST_ID_PATTERN = 'guest-[0-9a-f]{32}';

export function isGuestId(id: string | null): id is string {
  return id !== null && GUEST_ID.test(id);
}

/** The guest's token in a text; `null` if it is none. By this form it is told from the tokens of logins, and no other verifier sees it. */
export function readGuestToken(text: string | null): GuestToken | null {
  if (text === null || !TOKEN.test(text)) return null;
  return { hash: hashOf('device', text), firstGuest: `guest-${hashOf('id', text).slice(0, 32)}` };
}

/** What players see of a device: the beginning of its hash. */
export function deviceIdOf(hash: string): string {
  return hash.slice(0, 16);
}

/** Random bytes of a recovery code. */
export const CODE_BYTES = 28;
/** Crockford's: no letter is taken for a digit. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE = /^[0-9A-HJKMNP-TV-Z]{28}$/;

/** A recovery code of 140 random bits, as a person reads it: `7QK2-…`, seven groups of four. `random`: {@link CODE_BYTES} bytes. */
export function formCode(random: Uint8Array): { readonly text: string; readonly hash: string } {
  if (random.length < CODE_BYTES) throw new RangeError(`A recovery code needs ${CODE_BYTES} random bytes`);
  const letters = Array.from(random.subarray(0, CODE_BYTES), (byte) => LETTERS[byte & 31]).join('');
  return { text: letters.replace(/.{4}(?!$)/g, '$&-'), hash: hashOf('code', letters) };
}

/** The stored hash of a code as somebody typed it; `null` if it is none. */
export function readCode(text: string): string | null {
  const typed = text.slice(0, 200).toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return CODE.test(typed) ? hashOf('code', typed) : null;
}

/** In constant time. */
export function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** The purposes keep hashes of one secret apart. */
function hashOf(purpose: 'device' | 'id' | 'code', text: string): string {
  return createHash('sha256').update(`guest ${purpose}\0${text}`).digest('hex');
}
