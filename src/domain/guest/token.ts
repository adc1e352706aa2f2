import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * How a guest proves itself. A device makes a secret of 256 random bits and keeps it; the server stores only a hash. Nobody can guess such
 * a secret, so a fast hash is enough.
 */

/** What the server derives from a guest's token, which is the secret of a device. */
export interface GuestToken {
  /** SHA-256 (hex), the form in which it is stored. */
  readonly hash: string;
  /** Id of the guest that registering this secret makes. It is part of a hash, so nobody can choose an id. */
  readonly firstGuest: string;
}

const TOKEN = /^ns_guest_[A-Za-z0-9_-]{43}$/;
const GUEST_ID = /^guest-[0-9a-f]{32}$/;

/**
 * The form of guests' ids, as part of a regular expression. It has no `_`: in a document's key the player ends at the first `_`, so a
 * player called `guest` would own the documents of all guests.
 */
export const GUEST_ID_PATTERN = 'guest-[0-9a-f]{32}';

export function isGuestId(id: string | null): id is string {
  return id !== null && GUEST_ID.test(id);
}

/** The guest's token in a text; `null`: the text is not one. Tokens of logins look otherwise, so no verifier gets to see it. */
export function readGuestToken(text: string | null): GuestToken | null {
  if (text === null || !TOKEN.test(text)) return null;
  return { hash: hashOf('device', text), firstGuest: `guest-${hashOf('id', text).slice(0, 32)}` };
}

/** The id of a device, which players see: the beginning of its hash. */
export function deviceIdOf(hash: string): string {
  return hash.slice(0, 16);
}

/** Random bytes of a recovery code. */
export const CODE_BYTES = 28;
/** Crockford's base 32: no letter looks like a digit. */
const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const CODE = /^[0-9A-HJKMNP-TV-Z]{28}$/;

/** A recovery code of 140 random bits, as a person reads it: `7QK2-…`, seven groups of four. `random`: {@link CODE_BYTES} bytes. */
export function formatCode(random: Uint8Array): { readonly text: string; readonly hash: string } {
  if (random.length < CODE_BYTES) throw new RangeError(`A recovery code needs ${CODE_BYTES} random bytes`);
  const letters = Array.from(random.subarray(0, CODE_BYTES), (byte) => LETTERS[byte & 31]).join('');
  return { text: letters.replace(/.{4}(?!$)/g, '$&-'), hash: hashOf('code', letters) };
}

/** The stored hash of a code as a person typed it; `null`: the text is not a code. */
export function readCode(text: string): string | null {
  const typed = text.slice(0, 200).toUpperCase().replace(/[\s-]/g, '').replaceAll('O', '0').replace(/[IL]/g, '1');
  return CODE.test(typed) ? hashOf('code', typed) : null;
}

/** Compares in constant time. */
export function isSameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}

/** One secret has a different hash for each purpose. */
function hashOf(purpose: 'device' | 'id' | 'code', text: string): string {
  return createHash('sha256').update(`guest ${purpose}\0${text}`).digest('hex');
}
