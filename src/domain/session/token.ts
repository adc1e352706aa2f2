import { createHash } from 'node:crypto';
import { WIRE_TEXTS } from '../wire-names.ts';

/**
 * Session tokens: `{prefix}{family}.{session}.{expiresAt}.{secret}`, opaque to clients. Kept as a hash only, and found by the ids in it.
 * When it expires is in it, so that an expired one is told as such however long ago what was known of it was swept.
 */

export interface SessionToken {
  /** Id of the session that all of its family were refreshed from. */
  readonly family: string;
  readonly sessionId: string;
  /** Unix ms. */
  readonly expiresAt: number;
  /** SHA-256 (hex). */
  readonly hash: string;
}

const ID_BYTES = 16;
const SECRET_BYTES = 32;
/** What a new session is made of: id and secret. */
export const SESSION_RANDOM_BYTES = ID_BYTES + SECRET_BYTES;

const PREFIXES: readonly string[] = Object.values(WIRE_TEXTS.sessionPrefix);
const TOKEN = /^([0-9a-f]{32})\.([0-9a-f]{32})\.([0-9]{1,15})\.[A-Za-z0-9_-]{43}$/;

/** `random`: {@link SESSION_RANDOM_BYTES} random bytes. `family`: `null` for the first of its own. */
export function formToken(
  random: Uint8Array,
  family: string | null,
  expiresAt: number,
): { readonly token: SessionToken; readonly text: string } {
  const bytes = Buffer.from(random);
  if (bytes.length < SESSION_RANDOM_BYTES) throw new RangeError(`A session needs ${SESSION_RANDOM_BYTES} random bytes`);
  const sessionId = bytes.toString('hex', 0, ID_BYTES);
  const rest = `${family ?? sessionId}.${sessionId}.${expiresAt}.${bytes.toString('base64url', ID_BYTES, SESSION_RANDOM_BYTES)}`;
  const token = { family: family ?? sessionId, sessionId, expiresAt, hash: hashOf(rest) };
  return { token, text: `${WIRE_TEXTS.sessionPrefix.neutral}${rest}` };
}

/** The token in a text, under either prefix; `null` for what is none. */
export function readToken(text: string): SessionToken | null {
  const prefix = PREFIXES.find((known) => text.startsWith(known));
  const rest = text.slice(prefix?.length ?? 0);
  const [, family = '', sessionId = '', expiresAt] = (prefix === undefined ? null : TOKEN.exec(rest)) ?? [];
  return expiresAt === undefined ? null : { family, sessionId, expiresAt: Number(expiresAt), hash: hashOf(rest) };
}

/** Without the prefix, which may be spelled either way. */
function hashOf(rest: string): string {
  return createHash('sha256').update(rest).digest('hex');
}
