import { createHmac, type KeyObject, timingSafeEqual, verify } from 'node:crypto';
import type { Verdict } from '../../app/ports/player-verifier.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { isNumber, isObject, type Json, type JsonObject, jsonIn, toDouble } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { type Check, failed, type Service, verifiedUntil } from './check.ts';
import { textOf } from './http.ts';

/**
 * Signed tokens (RFC 7519), checked narrowly with Node's own cryptography: HS256 with a shared secret, or RS256 and ES256 with the
 * issuer's public keys; never both, so that a public key cannot be taken for a secret. `exp` must be there.
 */

export interface JwtSettings {
  /** One of the two. */
  readonly secret: string | null;
  readonly keys: IssuerKeys | null;
  /** Compared when given. */
  readonly issuer: string | null;
  readonly audience: string | null;
  /** The claim that holds the player's id. */
  readonly claim: string;
}

/** The issuer's keys. */
export interface IssuerKeys {
  /** Keys that a token with this `kid` and algorithm may be signed with. May throw when they cannot be had. */
  find(kid: string | null, algorithm: 'RS256' | 'ES256', service: Service): Awaitable<readonly KeyObject[]>;
  /** Unix ms; what they prove is to be looked at again then, since one of them may have been taken back. */
  freshUntil(): number;
}

/** Clocks of issuer and server may be this much apart. */
const LEEWAY_MS = 30_000;
const PART = /^[A-Za-z0-9_-]+$/;

interface Parts {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly signed: string;
  readonly signature: Buffer;
}

/** `now` answers unix ms. */
export function jwtCheck(settings: JwtSettings, now: () => number): Check {
  return ({ platformId, token }, service) => {
    const parts = partsOf(token);
    if (parts === null) return failed('rejected', 'The token is no signed token');
    return andThen(isSigned(parts, settings, service), (signed) =>
      signed ? judged(parts.claims, settings, platformId, now()) : failed('rejected', 'The signature of the token does not hold'),
    );
  };
}

function partsOf(token: string): Parts | null {
  const [head = '', body = '', tail = '', ...more] = token.split('.');
  if (more.length > 0 || ![head, body, tail].every((part) => PART.test(part))) return null;
  const [header, claims] = [objectIn(head), objectIn(body)];
  if (header === null || claims === null) return null;
  return { header, claims, signed: `${head}.${body}`, signature: Buffer.from(tail, 'base64url') };
}

function objectIn(part: string): JsonObject | null {
  const value = jsonIn(Buffer.from(part, 'base64url').toString(), { maxDepth: 16 });
  return isObject(value) ? value : null;
}

function isSigned({ header, signed, signature }: Parts, { secret, keys }: JwtSettings, service: Service): Awaitable<boolean> {
  const algorithm = member(header, 'alg');
  // Extensions that a token demands and we do not know make it unreadable (RFC 7515, 4.1.11).
  if (member(header, 'crit') !== undefined) return false;
  if (secret !== null) return algorithm === 'HS256' && sameBytes(createHmac('sha256', secret).update(signed).digest(), signature);
  if (keys === null || (algorithm !== 'RS256' && algorithm !== 'ES256')) return false;
  const kid = member(header, 'kid');
  const holds = (key: KeyObject) => verify('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, signature);
  return andThen(keys.find(typeof kid === 'string' ? kid : null, algorithm, service), (candidates) => candidates.some(holds));
}

function sameBytes(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

function judged(claims: JsonObject, { issuer, audience, claim, keys }: JwtSettings, platformId: string, now: number): Verdict {
  const expires = timeIn(claims, 'exp');
  if (expires === null || expires + LEEWAY_MS <= now) return failed('rejected', 'The token has expired');
  const from = timeIn(claims, 'nbf');
  if (from !== null && from - LEEWAY_MS > now) return failed('rejected', 'The token does not count yet');
  if (issuer !== null && member(claims, 'iss') !== issuer) return failed('rejected', 'The token is of another issuer');
  if (audience !== null && !audiences(member(claims, 'aud')).includes(audience))
    return failed('rejected', 'The token is for another audience');
  if (textOf(member(claims, claim)) !== platformId) return failed('mismatch', "The token is another player's");
  return verifiedUntil(keys === null ? expires : Math.min(expires, keys.freshUntil()));
}

function audiences(value: Json | undefined): readonly Json[] {
  if (Array.isArray(value)) return value;
  return value === undefined ? [] : [value];
}

/** Unix ms. */
function timeIn(claims: JsonObject, name: string): number | null {
  const value = member(claims, name);
  return value !== undefined && isNumber(value) ? toDouble(value) * 1000 : null;
}
