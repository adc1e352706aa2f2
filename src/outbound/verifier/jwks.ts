import { type CryptoKey, createLocalJWKSet, errors, type JSONWebKeySet, type JWTHeaderParameters } from 'jose';
import { isArray, isObject, type Json } from '../../kernel/json.ts';
import { member } from '../../kernel/path.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { type Service, ServiceUnavailable } from './check.ts';
import { fetchJson } from './fetch-json.ts';
import type { IssuerKeys } from './jwt.ts';

const FRESH_MS = 10 * 60_000;
/**
 * The minimum time between two fetches caused by an unknown key, ms. An issuer changes its keys rarely, but a guesser can send new key ids
 * all the time.
 */
const MIN_REFETCH_MS = 30_000;

/** Finds the keys of a set that may have signed a token with this header. */
type KeySet = (header: JWTHeaderParameters) => Promise<readonly CryptoKey[]>;

/**
 * The key set of an issuer at an address (RFC 7517). Fetched keys stay in use while the issuer does not answer, and fetches go through the
 * guard of all services. jose's own remote set does neither.
 */
export function jwksAt(url: string, scheduler: Scheduler): IssuerKeys {
  let keys: KeySet | null = null;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let triedAt = Number.NEGATIVE_INFINITY;
  /** Whether the last fetch failed. */
  let isDown = false;

  const refresh = async (service: Service): Promise<void> => {
    await service.ask(async (signal) => {
      triedAt = scheduler.monotonic();
      try {
        const { status, body } = await fetchJson(url, { method: 'GET', headers: { Accept: 'application/json' } }, signal);
        if (status !== 200) throw new Error(`it answered ${status} to a request for its keys`);
        keys = keySetIn(body);
        fetchedAt = triedAt;
        isDown = false;
      } catch (error) {
        isDown = true;
        throw error;
      }
    });
  };
  /** The fetch under way, which concurrent callers share. */
  let refreshing: Promise<void> | null = null;
  const refreshed = (service: Service): Promise<void> => {
    refreshing ??= refresh(service).finally(() => {
      refreshing = null;
    });
    return refreshing;
  };

  return {
    async find(header, service) {
      const fitting = async () => (keys === null ? [] : keys(header));
      const known = await fitting();
      const isFresh = scheduler.monotonic() - fetchedAt < FRESH_MS;
      const mayAsk = refreshing !== null || keys === null || scheduler.monotonic() - triedAt >= MIN_REFETCH_MS;
      if (known.length > 0 && isFresh) return known;
      if (!mayAsk) {
        // Another caller's fetch may just have ended.
        const found = await fitting();
        // The key may be one that could not be fetched: nothing is known of the token.
        if (found.length === 0 && isDown) throw new ServiceUnavailable();
        return found;
      }
      const asked = refreshed(service);
      // An issuer that did not answer the last time is not waited for again: it would stall every player at each try.
      if (known.length > 0 && isDown) {
        asked.catch(() => undefined);
        return known;
      }
      return asked.then(fitting, (error: unknown) => {
        if (known.length === 0) throw error;
        return known;
      });
    },
    freshUntil: () => scheduler.now() + fetchedAt + FRESH_MS - scheduler.monotonic(),
  };
}

function keySetIn(body: Json | undefined): KeySet {
  const listed = isObject(body) ? member(body, 'keys') : undefined;
  if (!isArray(listed)) throw new Error('it answered no key set (RFC 7517)');
  // Types are asserted here and not checked: jose checks the members itself, and ignores keys that it cannot use.
  const keys = listed.filter(isObject) as unknown as JSONWebKeySet['keys'];
  const named = createLocalJWKSet({ keys });
  const nameless = createLocalJWKSet({ keys: keys.filter(({ kid }) => typeof kid !== 'string') });
  return async ({ alg, kid }) => {
    if (typeof kid !== 'string') return keysFor(named, { alg });
    // An issuer whose keys have no ids may still name one in its tokens.
    return [...(await keysFor(named, { alg, kid })), ...(await keysFor(nameless, { alg }))];
  };
}

/** The keys that fit the header. Empty if none fits, or the one that fits cannot be used. */
async function keysFor(set: ReturnType<typeof createLocalJWKSet>, header: JWTHeaderParameters): Promise<readonly CryptoKey[]> {
  try {
    return [await set(header)];
  } catch (error) {
    const several: CryptoKey[] = [];
    if (error instanceof errors.JWKSMultipleMatchingKeys) for await (const key of error) several.push(key);
    return several;
  }
}
