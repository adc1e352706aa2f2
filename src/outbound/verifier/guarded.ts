import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { FailureKind, PlayerVerifier, Proof, Verdict } from '../../app/ports/player-verifier.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { BruteForceGuard } from '../../kernel/brute-force-guard.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { Breaker } from './breaker.ts';
import { type Check, failed, type Service, ServiceUnavailable, VERIFIED } from './check.ts';

export interface GuardSettings {
  readonly timeoutMs: number;
  /** How long a success is cached at most; 0: not at all. Failures are never cached. */
  readonly cacheMs: number;
}

/** Is told how verifications end, for metrics and the log. */
export interface VerifierObserver {
  /** A proof was judged. Proofs that are cached are not counted. */
  judged(outcome: 'verified' | FailureKind): void;
  /** A request to the service failed. */
  serviceFailed(error: unknown): void;
  serviceAnswered(): void;
}

/** What a verifier shares with the process. */
export interface VerifierParts {
  /** Divides concurrent requests to a service among projects. */
  readonly shares?: Bulkhead;
  readonly observer?: VerifierObserver;
}

const SILENT: VerifierObserver = { judged: () => undefined, serviceFailed: () => undefined, serviceAnswered: () => undefined };

const MAX_KEPT = 50_000;
const MAX_TOKEN = 8_192;
/** Most concurrent verifications for one client address in one project. */
const MAX_PER_ADDRESS = 100;
/** Most concurrent verifications of one process with a service. Projects share them. */
export const MAX_VERIFICATIONS = 1_000;
/** Most invalid proofs of one client in one project within a minute. */
const MAX_REJECTED = 10;

/** The sender of a proof, whose failures are counted. */
type Sender = Pick<Proof, 'projectId' | 'address'>;

/** A success that is cached. */
interface CachedSuccess {
  /** End of the caching time, in monotonic ms. */
  readonly until: number;
  /** Expiry of the token itself, in unix ms. */
  readonly alive: number;
}

/**
 * A check with everything that all checks need. Successes are cached for a short time. Requests to a service get a timeout, one request for
 * all callers with the same proof, bounds per project and address, and a circuit breaker. A client that keeps guessing is throttled.
 */
export class GuardedVerifier implements PlayerVerifier {
  readonly #check: Check;
  readonly #settings: GuardSettings;
  readonly #scheduler: Scheduler;
  readonly #shares: Bulkhead;
  readonly #observer: VerifierObserver;
  readonly #proven: LRUCache<string, CachedSuccess>;
  readonly #running = new Map<string, Promise<Verdict>>();
  /** Concurrent verifications by address. */
  readonly #inFlight = new Map<string, number>();
  readonly #throttle: BruteForceGuard;
  readonly #breaker: Breaker;

  constructor(check: Check, settings: GuardSettings, scheduler: Scheduler, { shares, observer }: VerifierParts = {}) {
    this.#check = check;
    this.#settings = settings;
    this.#scheduler = scheduler;
    this.#shares = shares ?? new Bulkhead({ slots: MAX_VERIFICATIONS });
    this.#observer = observer ?? SILENT;
    this.#proven = new LRUCache({ max: MAX_KEPT });
    this.#throttle = new BruteForceGuard(MAX_REJECTED, () => scheduler.monotonic());
    this.#breaker = new Breaker(scheduler);
  }

  verify({ projectId, platformId, token, address }: Proof): Awaitable<Verdict> {
    const isUsable = platformId !== null && platformId !== '' && token !== null && token !== '' && token.length <= MAX_TOKEN;
    const key = isUsable ? keyOf(platformId, token) : null;
    // The cache comes before the throttle. It does not help a guesser, and a player who shares the guesser's address can play on.
    if (key !== null && this.#isCached(key)) return VERIFIED;
    return andThen(this.#judge({ projectId, platformId, token, address }, key), (verdict) => {
      this.#observer.judged(verdict.ok ? 'verified' : verdict.kind);
      return verdict;
    });
  }

  /** `key`: of the cache; `null` for a proof that cannot be valid. */
  #judge({ projectId, platformId, token, address }: Proof, key: string | null): Awaitable<Verdict> {
    const wait = this.#throttle.blockedFor(address, projectId);
    if (wait > 0) return { ...failed('rate_limited', 'Too many failed attempts to verify a player'), retryAfter: Math.ceil(wait / 1000) };
    if (!platformId || !token) return failed('missing', 'The player id or its token is missing');
    if (key === null) return failed('rejected', 'The token is too long');
    return andThen(this.#verdict(key, { platformId, token }, { projectId, address }), (verdict) => {
      if (!verdict.ok && (verdict.kind === 'rejected' || verdict.kind === 'mismatch')) this.#throttle.failed(address, projectId);
      return verdict;
    });
  }

  rejected({ projectId, address }: Sender): void {
    this.#throttle.failed(address, projectId);
  }

  #isCached(key: string): boolean {
    const kept = this.#proven.get(key);
    if (kept === undefined) return false;
    if (this.#scheduler.monotonic() < kept.until && this.#scheduler.now() < kept.alive) return true;
    this.#proven.delete(key);
    return false;
  }

  /** The verdict of the check, shared by concurrent callers with the same proof. */
  #verdict(key: string, claim: { readonly platformId: string; readonly token: string }, sender: Sender): Awaitable<Verdict> {
    const running = this.#running.get(key);
    if (running) return running;
    let verdict: Awaitable<Verdict>;
    try {
      verdict = this.#check(claim, this.#serviceFor(sender));
    } catch (error) {
      verdict = asFailure(error);
    }
    if (!(verdict instanceof Promise)) return this.#keep(key, verdict);
    const work = verdict.catch(asFailure).then((judged) => {
      this.#running.delete(key);
      return this.#keep(key, judged);
    });
    this.#running.set(key, work);
    return work;
  }

  #keep(key: string, verdict: Verdict): Verdict {
    const { cacheMs } = this.#settings;
    if (verdict.ok && cacheMs > 0) {
      const { until: alive = Number.POSITIVE_INFINITY } = verdict;
      this.#proven.set(key, { until: this.#scheduler.monotonic() + cacheMs, alive });
    }
    return verdict.ok ? VERIFIED : verdict;
  }

  #serviceFor(sender: Sender): Service {
    return { ask: (work) => this.#ask(sender, work) };
  }

  async #ask<T>({ projectId, address }: Sender, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const pair = address === null ? null : `${projectId} ${address}`;
    const held = pair === null ? 0 : (this.#inFlight.get(pair) ?? 0);
    if (held >= MAX_PER_ADDRESS || !this.#shares.tryAcquire(projectId)) throw new ServiceUnavailable();
    if (!this.#breaker.mayAsk(projectId, address)) {
      this.#shares.release(projectId);
      throw new ServiceUnavailable();
    }
    if (pair !== null) this.#inFlight.set(pair, held + 1);
    try {
      const answer = await work(AbortSignal.timeout(this.#settings.timeoutMs));
      this.#breaker.answered(projectId, address);
      this.#observer.serviceAnswered();
      return answer;
    } catch (error) {
      this.#breaker.failed(projectId, address);
      this.#observer.serviceFailed(error);
      throw error;
    } finally {
      this.#shares.release(projectId);
      if (pair !== null) this.#leave(pair);
    }
  }

  #leave(pair: string): void {
    const held = this.#inFlight.get(pair) ?? 0;
    if (held <= 1) this.#inFlight.delete(pair);
    else this.#inFlight.set(pair, held - 1);
  }
}

const DOWN = { ...failed('unavailable', 'The service that verifies players cannot be reached; try again shortly'), retryAfter: 5 };

function asFailure(error: unknown): Verdict {
  const isLate = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  return isLate ? { ...DOWN, kind: 'timeout', message: 'The service that verifies players did not answer in time' } : DOWN;
}

/** The key is a hash, because a token must never be stored. */
function keyOf(platformId: string, token: string): string {
  return hash('sha256', `${platformId}\0${token}`, 'base64');
}
