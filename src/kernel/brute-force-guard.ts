import { LRUCache } from 'lru-cache';

const COUNTED_MS = 60_000;
const BLOCKED_MS = 120_000;
const MAX_PAIRS = 50_000;

interface Failures {
  readonly since: number;
  count: number;
}

/**
 * Blocks callers who guess. After so many failures of one client address in one project within a minute, the pair is blocked until two
 * minutes after the first failure. The player's id is not part of the pair, so trying many ids gains nothing.
 */
export class BruteForceGuard {
  readonly #maxFailures: number;
  readonly #now: () => number;
  readonly #failures = new LRUCache<string, Failures>({ max: MAX_PAIRS });

  /** `most`: failures that block. `now`: monotonic ms. */
  constructor(most: number, now: () => number) {
    this.#maxFailures = most;
    this.#now = now;
  }

  /** Remaining ms of a block; 0: not blocked. An address of `null` is this machine, which is not counted. */
  blockedFor(address: string | null, projectId: string): number {
    if (address === null) return 0;
    const known = this.#failures.get(`${projectId} ${address}`);
    if (!known || known.count < this.#maxFailures) return 0;
    return Math.max(0, known.since + BLOCKED_MS - this.#now());
  }

  failed(address: string | null, projectId: string): void {
    if (address === null) return;
    const pair = `${projectId} ${address}`;
    const known = this.#failures.get(pair);
    const now = this.#now();
    if (known && now - known.since < COUNTED_MS) known.count += 1;
    else this.#failures.set(pair, { since: now, count: 1 });
  }
}
