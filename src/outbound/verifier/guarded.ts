import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { PlayerVerifier, Proof, Verdict } from '../../app/ports/player-verifier.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { Throttle } from '../../kernel/throttle.ts';
import { type Check, failed, VERIFIED } from './check.ts';

export interface GuardSettings {
  readonly timeoutMs: number;
  /** How long a success is believed; 0: not at all. A failure is never kept. */
  readonly cacheMs: number;
}

const MOST_KEPT = 50_000;
const LONGEST_TOKEN = 8_192;
/** Checks under way at once. Beyond it a slow service would fill the memory with waiting players. */
const MOST_AT_ONCE = 500;
/** Proofs that do not hold, of one client in one project within a minute. */
const MOST_REJECTED = 10;
/** Failures of the service in a row, until it is left alone for a while. */
const BREAKS_AFTER = 5;
const BREAK_MS = 5_000;

/**
 * A check with what any of them needs around it: a time limit, successes believed for a short time, one check for any number of
 * callers with the same proof, a service that is down left alone (one caller tries it again, the others fail at once), and a client
 * that keeps guessing kept out.
 */
export class GuardedVerifier implements PlayerVerifier {
  readonly #check: Check;
  readonly #settings: GuardSettings;
  readonly #scheduler: Scheduler;
  readonly #proven: LRUCache<string, number>;
  readonly #running = new Map<string, Promise<Verdict>>();
  readonly #throttle: Throttle;
  #failures = 0;
  #brokenUntil = Number.NEGATIVE_INFINITY;

  constructor(check: Check, settings: GuardSettings, scheduler: Scheduler) {
    this.#check = check;
    this.#settings = settings;
    this.#scheduler = scheduler;
    this.#proven = new LRUCache({ max: MOST_KEPT });
    this.#throttle = new Throttle(MOST_REJECTED, () => scheduler.monotonic());
  }

  async verify({ projectId, platformId, token, address }: Proof): Promise<Verdict> {
    const wait = this.#throttle.blockedFor(address, projectId);
    if (wait > 0) return { ...failed('rate_limited', 'Too many failed attempts to verify a player'), retryAfter: Math.ceil(wait / 1000) };
    if (!platformId || !token) return failed('missing', 'The player id or its token is missing');
    if (token.length > LONGEST_TOKEN) return failed('rejected', 'The token is too long');
    const key = keyOf(platformId, token);
    if ((this.#proven.get(key) ?? 0) > this.#scheduler.monotonic()) return VERIFIED;
    const verdict = await this.#shared(key, platformId, token);
    if (!verdict.ok && (verdict.kind === 'rejected' || verdict.kind === 'mismatch')) this.#throttle.failed(address, projectId);
    return verdict;
  }

  rejected({ projectId, address }: Pick<Proof, 'projectId' | 'address'>): void {
    this.#throttle.failed(address, projectId);
  }

  #shared(key: string, platformId: string, token: string): Promise<Verdict> {
    const running = this.#running.get(key);
    if (running) return running;
    const now = this.#scheduler.monotonic();
    if (now < this.#brokenUntil || this.#running.size >= MOST_AT_ONCE) return Promise.resolve(DOWN);
    // Half open: this one finds out, the others go on failing at once.
    if (this.#failures >= BREAKS_AFTER) this.#brokenUntil = now + BREAK_MS;
    const work = this.#run(key, platformId, token).finally(() => this.#running.delete(key));
    this.#running.set(key, work);
    return work;
  }

  async #run(key: string, platformId: string, token: string): Promise<Verdict> {
    const { timeoutMs, cacheMs } = this.#settings;
    const verdict = await this.#check({ platformId, token }, AbortSignal.timeout(timeoutMs)).catch(asFailure);
    const isDown = !verdict.ok && (verdict.kind === 'unavailable' || verdict.kind === 'timeout');
    this.#failures = isDown ? this.#failures + 1 : 0;
    this.#brokenUntil = this.#failures >= BREAKS_AFTER ? this.#scheduler.monotonic() + BREAK_MS : Number.NEGATIVE_INFINITY;
    if (verdict.ok && cacheMs > 0) this.#proven.set(key, this.#scheduler.monotonic() + cacheMs);
    return verdict;
  }
}

const DOWN = { ...failed('unavailable', 'The service that verifies players cannot be reached; try again shortly'), retryAfter: 5 };

function asFailure(error: unknown): Verdict {
  const isLate = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  return isLate ? { ...DOWN, kind: 'timeout', message: 'The service that verifies players did not answer in time' } : DOWN;
}

/** A token is never kept. */
function keyOf(platformId: string, token: string): string {
  return createHash('sha256').update(`${platformId}\0${token}`).digest('base64');
}
