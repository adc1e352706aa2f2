import { createHash } from 'node:crypto';
import type { KeyKind } from '../events.ts';

/** API keys and project ids as texts. Random bytes are arguments, so these functions are pure. */

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_LENGTH = 48;
/** 48 characters of 62 hold 286 bits; 64 bytes leave no measurable bias in them. */
export const KEY_RANDOM_BYTES = 64;
/** Characters that a secret key's display form shows at each end. */
const SHOWN = 4;

const PROJECT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** A path segment of the storage routes, which no project may have as its id. */
const RESERVED_PROJECT = 'deploy-canary';

export function isProjectId(id: string): boolean {
  return PROJECT_ID.test(id) && id !== RESERVED_PROJECT;
}

/** `{prefix}ns_…` or `{prefix}sk_…` with 48 random characters. `random`: {@link KEY_RANDOM_BYTES} random bytes; throws on fewer. */
export function formatKey(kind: KeyKind, prefix: string, random: Uint8Array): string {
  if (random.length < KEY_RANDOM_BYTES) throw new RangeError(`A key needs ${KEY_RANDOM_BYTES} random bytes`);
  let rest = BigInt(`0x${Buffer.from(random).toString('hex')}`);
  let text = '';
  for (let i = 0; i < RANDOM_LENGTH; i += 1) {
    text += ALPHABET[Number(rest % 62n)];
    rest /= 62n;
  }
  return `${prefix}${marker(kind)}${text}`;
}

/** SHA-256 as hex, the only form in which a secret key is kept. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key, 'utf8').digest('hex');
}

/** What may be shown of a key: a public one whole; of a secret one its prefix and both ends of its random part. */
export function displayKey(kind: KeyKind, key: string): string {
  if (kind === 'public') return key;
  const at = key.indexOf(marker(kind));
  const random = at < 0 ? key : key.slice(at + marker(kind).length);
  if (random.length <= 2 * SHOWN) return '...';
  return `${key.slice(0, key.length - random.length + SHOWN)}...${key.slice(-SHOWN)}`;
}

/** Whether a text has the form of a public key. */
export function isPublicKey(key: string): boolean {
  return new RegExp(`^\\w{0,32}${marker('public')}[A-Za-z0-9]{${RANDOM_LENGTH}}$`).test(key);
}

function marker(kind: KeyKind): string {
  return kind === 'public' ? 'ns_' : 'sk_';
}
