import { type CryptoKey, decodeProtectedHeader, errors, type JWTHeaderParameters, type JWTVerifyOptions, jwtVerify } from 'jose';
import type { Failure } from '../../app/ports/player-verifier.ts';
import { isObject, tryParseJson } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import { type Check, failed, type Service, verifiedUntil } from './check.ts';
import { idText } from './http.ts';

export interface JwtSettings {
  /** Either `secret` or `keys` is given. */
  readonly secret: string | null;
  readonly keys: IssuerKeys | null;
  /** Compared if given. */
  readonly issuer: string | null;
  readonly audience: string | null;
  /** The claim that holds the player's id. */
  readonly claim: string;
}

/** The issuer's keys. */
export interface IssuerKeys {
  /** Keys that may have signed a token with this header. Rejects if they cannot be fetched. */
  find(header: JWTHeaderParameters, service: Service): Promise<readonly CryptoKey[]>;
  /** Unix ms after which a success must be checked again, because a key may have been withdrawn. */
  freshUntil(): number;
}

/** The clocks of issuer and server may differ by this many seconds. */
const LEEWAY = 30;

const MALFORMED = failed('rejected', 'The token is no signed token');
const UNSIGNED = failed('rejected', 'The signature of the token does not hold');
const EXPIRED = failed('rejected', 'The token has expired');
const BY_CLAIM: ReadonlyMap<string, Failure> = new Map([
  ['exp', failed('rejected', 'The token has no `exp`, or one that is no time')],
  ['nbf', failed('rejected', 'The token does not count yet')],
  ['iss', failed('rejected', 'The token is of another issuer')],
  ['aud', failed('rejected', 'The token is for another audience')],
]);

/**
 * Signed tokens (RFC 7519): HS256 with a shared secret, or RS256 and ES256 with the issuer's public keys. Never both, so that a public key
 * cannot be used as a secret. `exp` is required. `now` returns unix ms.
 */
export function jwtCheck({ secret, keys, issuer, audience, claim }: JwtSettings, now: () => number): Check {
  const algorithms = secret === null ? ['RS256', 'ES256'] : ['HS256'];
  const shared = secret === null ? [] : [Buffer.from(secret)];
  const options: JWTVerifyOptions = { algorithms, requiredClaims: ['exp'], clockTolerance: LEEWAY };
  if (issuer !== null) options.issuer = issuer;
  if (audience !== null) options.audience = audience;

  return async ({ platformId, token }, service) => {
    const header = headerOf(token);
    if (header === null) return MALFORMED;
    // Keys are not fetched for an algorithm that is not accepted.
    const candidates = keys === null ? shared : algorithms.includes(header.alg) ? await keys.find(header, service) : [];
    for (const key of candidates) {
      const judged = await expiryIn(token, key, { ...options, currentDate: new Date(now()) });
      if (judged === UNSIGNED) continue;
      if (typeof judged !== 'number') return judged;
      if (idIn(token, claim) !== platformId) return failed('mismatch', "The token is another player's");
      return verifiedUntil(keys === null ? judged : Math.min(judged, keys.freshUntil()));
    }
    return UNSIGNED;
  };
}

function headerOf(token: string): JWTHeaderParameters | null {
  try {
    const { alg, ...header } = decodeProtectedHeader(token);
    return { ...header, alg: alg ?? 'none' };
  } catch {
    return null;
  }
}

/** When a valid token expires, in unix ms. */
async function expiryIn(token: string, key: CryptoKey | Uint8Array, options: JWTVerifyOptions): Promise<number | Failure> {
  try {
    const { payload } = await jwtVerify(token, key, options);
    return (payload.exp ?? 0) * 1000;
  } catch (error) {
    if (error instanceof errors.JWTExpired) return EXPIRED;
    if (error instanceof errors.JWTClaimValidationFailed) return BY_CLAIM.get(error.claim) ?? MALFORMED;
    if (error instanceof errors.JWTInvalid) return MALFORMED;
    return UNSIGNED;
  }
}

/** The player that the claims name. An id that is a number is read by its exact digits, because jose reads numbers as doubles. */
function idIn(token: string, claim: string): string | null {
  const claims = tryParseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(), { maxDepth: 16 });
  return isObject(claims) ? idText(member(claims, claim)) : null;
}
