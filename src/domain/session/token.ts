import { createHash } from 'node:crypto';
import { WIRE_TEXTS } from '../wire-names.ts';

/**
 * Session tokens: `{prefix}{family}.{session}.{expiresAt}.{secret}`, opaque to clients. Only a hash is stored, found by the ids in the
 * token. The token carries its expiry, so an expired one is refused as such even after its session was swept.
 */

export interface SessionToken {
  /** Id of the first session of the family. */
  readonly family: string;
  readonly sessionId: string;
  /** Unix ms. */
  readonly expiresAt: number;
  /** SHA-256 (hex). */
  readonly hash: string;
}

const ID_BYTES = 16;
const SECRET_BYTES = 32;
/** Random bytes of a new session: id and secret. */
export const SESSION_RANDOM_BYTES = ID_BYTES + SECRET_BYTES;

const PREFIXES: readonly string[] = Object.values(WIRE_TEXTS.sessionPrefix);
const TOKEN = /^([0-9a-f]{32})\.([0-9a-f]{32})\.([0-9]{1,15})\.[A-Za-z0-9_-]{43}$/;

/** `random`: {@link SESSION_RANDOM_BYTES} random bytes. `family`: `null` for a new family. */
export function formatToken(
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

/** The token in a text, under either prefix; `null`: the text is not a token. */
export function readToken(text: string): SessionToken | null {
  const prefix = PREFIXES.find((known) => text.startsWith(known));
  const rest = text.slice(prefix?.length ?? 0);
  const [, family = '', sessionId = '', expiresAt] = (prefix === undefined ? null : TOKEN.exec(rest)) ?? [];
  return expiresAt === undefined ? null : { family, sessionId, expiresAt: Number(expiresAt), hash: hashOf(rest) };
}

/** The hash does not cover the prefix, because that has two spellings. */
function hashOf(rest: string): string {
  return createHash('sha256').update(rest).digest('hex');
}
