import { LRUCache } from 'lru-cache';
import { BruteForceGuard } from '../../kernel/brute-force-guard.ts';
import { refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { GuestLimits } from '../ports/guest-limits.ts';

/** The most wrong secrets and codes of one client in one project within a minute. */
const MAX_REJECTED = 10;
/** New guests of one project in one process: so many at once, and so many a second from then on. */
const BURST = 1_000;
const PER_SECOND = 20;
const MAX_PROJECTS = 1_000;

interface Bucket {
  tokens: number;
  /** Monotonic ms of the last refill. */
  at: number;
}

/** Counts in this process. Requests of one address are counted before they come here, over all processes (`LIMIT_GUEST_…`). */
export class LocalGuestLimits implements GuestLimits {
  readonly #scheduler: Scheduler;
  readonly #guessing: BruteForceGuard;
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_PROJECTS });

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
    this.#guessing = new BruteForceGuard(MAX_REJECTED, () => scheduler.monotonic());
  }

  blockedFor(address: string | null, projectId: string): number {
    return Math.ceil(this.#guessing.blockedFor(address, projectId) / 1000);
  }

  rejected(address: string | null, projectId: string): void {
    this.#guessing.failed(address, projectId);
  }

  admit(address: string | null, projectId: string): number {
    return Math.ceil(this.#guessing.admit(address, projectId) / 1000);
  }

  settle(address: string | null, projectId: string, isWrong: boolean): void {
    this.#guessing.settle(address, projectId, isWrong);
  }

  register(projectId: string): void {
    const now = this.#scheduler.monotonic();
    const bucket = this.#buckets.get(projectId) ?? { tokens: BURST, at: now };
    bucket.tokens = Math.min(BURST, bucket.tokens + ((now - bucket.at) / 1000) * PER_SECOND);
    bucket.at = now;
    this.#buckets.set(projectId, bucket);
    if (bucket.tokens < 1) throw refusal('RATE_LIMITED', 'Too many new players at once; try again shortly', { retryAfter: 5 });
    bucket.tokens -= 1;
  }
}
