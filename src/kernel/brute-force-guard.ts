import { LRUCache } from 'lru-cache';

const COUNTED_MS = 60_000;
const BLOCKED_MS = 120_000;
/** How long to wait when attempts under way could be all that is left. */
const PENDING_MS = 1_000;
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
  /** Attempts whose outcome is not known yet, by pair. */
  readonly #pending = new Map<string, number>();

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
    const counted = this.#counted(pair);
    if (counted) counted.count += 1;
    else this.#failures.set(pair, { since: this.#now(), count: 1 });
  }

  /**
   * Admits an attempt that takes time. It counts as failed until `settle`, so attempts at once are no more than attempts one after another.
   * Answers ms to wait; 0: it is admitted, and must be settled.
   */
  admit(address: string | null, projectId: string): number {
    if (address === null) return 0;
    const blocked = this.blockedFor(address, projectId);
    if (blocked > 0) return blocked;
    const pair = `${projectId} ${address}`;
    const pending = this.#pending.get(pair) ?? 0;
    if ((this.#counted(pair)?.count ?? 0) + pending >= this.#maxFailures) return PENDING_MS;
    this.#pending.set(pair, pending + 1);
    return 0;
  }

  /** Ends an attempt that was admitted. */
  settle(address: string | null, projectId: string, hasFailed: boolean): void {
    if (address === null) return;
    const pair = `${projectId} ${address}`;
    const left = (this.#pending.get(pair) ?? 0) - 1;
    if (left > 0) this.#pending.set(pair, left);
    else this.#pending.delete(pair);
    if (hasFailed) this.failed(address, projectId);
  }

  /** The failures that still count. */
  #counted(pair: string): Failures | undefined {
    const known = this.#failures.get(pair);
    return known && this.#now() - known.since < COUNTED_MS ? known : undefined;
  }
}
