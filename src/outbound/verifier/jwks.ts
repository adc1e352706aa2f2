import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { isArray, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { Service } from './check.ts';
import { fetchJson } from './fetch-json.ts';
import type { IssuerKeys } from './jwt.ts';

const FRESH_MS = 10 * 60_000;
/** A key that nobody knows is looked for again this often at most: an issuer changes its keys, a guesser only their names. */
const AGAIN_MS = 30_000;
const LEAST_RSA_BITS = 2048;

interface IssuerKey {
  readonly kid: string | null;
  readonly algorithm: 'RS256' | 'ES256';
  readonly key: KeyObject;
}

/** An issuer's key set behind an address (RFC 7517). Keys that were had once are used on while it does not answer. */
export function jwksAt(url: string, scheduler: Scheduler): IssuerKeys {
  let keys: readonly IssuerKey[] = [];
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;

  const refresh = async (service: Service): Promise<void> => {
    await service.ask(async (signal) => {
      triedAt = scheduler.monotonic();
      const { status, body } = await fetchJson(url, { method: 'GET', headers: { Accept: 'application/json' } }, signal);
      if (status !== 200) throw new Error(`the key set answers ${status}`);
      keys = keysIn(body);
      fetchedAt = triedAt;
    });
  };
  /** One for all who need it now. */
  let refreshing: Promise<void> | null = null;
  const refreshed = (service: Service): Promise<void> => {
    if (refreshing !== null) return refreshing;
    refreshing = refresh(service).finally(() => {
      refreshing = null;
    });
    return refreshing;
  };

  return {
    find(kid, algorithm, service) {
      const fitting = () =>
        keys.filter((key) => key.algorithm === algorithm && (kid === null || key.kid === null || key.kid === kid)).map(({ key }) => key);
      const age = scheduler.monotonic() - fetchedAt;
      const known = fitting();
      const mayAsk = refreshing !== null || keys.length === 0 || scheduler.monotonic() - triedAt >= AGAIN_MS;
      if ((known.length > 0 && age < FRESH_MS) || !mayAsk) return known;
      return refreshed(service).then(fitting, (error: unknown) => {
        if (known.length === 0) throw error;
        return known;
      });
    },
    freshUntil: () => scheduler.now() + fetchedAt + FRESH_MS - scheduler.monotonic(),
  };
}

function keysIn(body: Json | undefined): readonly IssuerKey[] {
  const listed = isObject(body) ? member(body, 'keys') : undefined;
  if (!isArray(listed)) throw new Error('the key set has no keys');
  return listed.filter(isObject).flatMap(keyIn);
}

/** Nothing for a key of another kind or use, or too weak. */
function keyIn(jwk: JsonObject): IssuerKey[] {
  const algorithm = member(jwk, 'kty') === 'RSA' ? 'RS256' : 'ES256';
  if ((member(jwk, 'alg') ?? algorithm) !== algorithm || (member(jwk, 'use') ?? 'sig') !== 'sig') return [];
  const key = publicKey(jwk);
  if (key === null || !fits(key, algorithm)) return [];
  const kid = member(jwk, 'kid');
  return [{ kid: typeof kid === 'string' ? kid : null, algorithm, key }];
}

/** The boundary: Node checks the members itself. */
function publicKey(jwk: JsonObject): KeyObject | null {
  try {
    return createPublicKey({ key: jwk as unknown as JsonWebKey, format: 'jwk' });
  } catch {
    return null;
  }
}

function fits({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject, algorithm: 'RS256' | 'ES256'): boolean {
  if (algorithm === 'RS256') return asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= LEAST_RSA_BITS;
  return asymmetricKeyType === 'ec' && asymmetricKeyDetails?.namedCurve === 'prime256v1';
}
