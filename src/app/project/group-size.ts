import type { Scheduler } from '../../kernel/scheduler.ts';

/** How long the node may compute for one group of a project while another project is in use, ms. */
const SHARED_MS = 2;
/** Smaller groups would cost more in calls to the log than the other project gains. */
const LEAST_COMMITS = 8;
/** Weight of the last group in the average. */
const WEIGHT = 0.1;

/**
 * How many commits of a project may go out in one group. The commits of a group are answered together, and their senders ask again
 * together, so every other request waits behind that many. A project alone on its node loses nothing by large groups. Beside others, a
 * group is what the node computes in {@link SHARED_MS}; that is measured, because a machine may be slow. How long the log takes does not
 * delay others, so a slow disk makes no group smaller.
 */
export class GroupSize {
  readonly #scheduler: Pick<Scheduler, 'computed'>;
  readonly #isAlone: () => boolean;
  #commitMs: number | null = null;
  #sentAt = 0;

  constructor(scheduler: Pick<Scheduler, 'computed'>, isAlone: () => boolean) {
    this.#scheduler = scheduler;
    this.#isAlone = isAlone;
  }

  /** A group leaves. */
  sent(): void {
    this.#sentAt = this.#scheduler.computed();
  }

  /** The group was stored. */
  stored(commits: number): void {
    const ms = (this.#scheduler.computed() - this.#sentAt) / commits;
    this.#commitMs = this.#commitMs === null ? ms : this.#commitMs + (ms - this.#commitMs) * WEIGHT;
  }

  /** The most commits of the next group; at most `limit`. */
  most(limit: number): number {
    if (this.#isAlone()) return limit;
    const share = this.#commitMs ? Math.floor(SHARED_MS / this.#commitMs) : limit;
    return Math.min(limit, Math.max(LEAST_COMMITS, share));
  }
}
