import { Bulkhead } from '../../kernel/bulkhead.ts';
import { refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';

/** Bounds of scans. A scan takes a connection and processor time as long as it runs. */
export interface ScanLimits {
  /** Scans that run at a time, over all projects. */
  readonly slots: number;
  /** Longest time of a scan since it was asked for, with its wait, ms. */
  readonly timeoutMs: number;
}

/** Observes scans, for metrics. */
export interface ScanObserver {
  /** A scan that had a slot has ended; `ms`: how long it had the slot. */
  ended(ms: number): void;
  refused(): void;
}

/** Scans of one project that may wait behind the running one. */
const MAX_WAITING = 8;

const full = () => refusal('BUSY', 'Too many queries of this project wait to pass over its documents; try again shortly');

/** Runs scans: one of each project at a time, few over all, a short queue for each project, a deadline. */
export class Scans {
  readonly #bulkhead: Bulkhead;
  readonly #limits: ScanLimits;
  readonly #scheduler: Scheduler;
  readonly #observer: ScanObserver;

  constructor(limits: ScanLimits, scheduler: Scheduler, observer: ScanObserver) {
    this.#bulkhead = new Bulkhead({ slots: limits.slots, perKey: 1, queue: MAX_WAITING });
    this.#limits = limits;
    this.#scheduler = scheduler;
    this.#observer = observer;
  }

  get running(): number {
    return this.#bulkhead.inUse;
  }

  get waiting(): number {
    return this.#bulkhead.waiting;
  }

  /**
   * Runs a scan of a project in its turn. `stop`: nobody waits for it any more. `work` must check its own signal between pages and throw
   * the signal's reason. Throws 503 `BUSY` if the scan never began, 503 `QUERY_TIMEOUT` if its time ran out.
   */
  async run<T>(projectId: string, stop: AbortSignal, work: (stop: AbortSignal) => Promise<T>): Promise<T> {
    const deadline = new AbortController();
    let begun = Number.NaN;
    const cancel = this.#scheduler.after(this.#limits.timeoutMs, () => deadline.abort(this.#tooLate(!Number.isNaN(begun))));
    const signal = AbortSignal.any([stop, deadline.signal]);
    try {
      const begin = () => {
        begun = this.#scheduler.monotonic();
        return work(signal);
      };
      return await this.#bulkhead.run(projectId, begin, { onReject: full, signal });
    } catch (error) {
      if (Number.isNaN(begun) || deadline.signal.aborted) this.#observer.refused();
      throw error;
    } finally {
      cancel();
      if (!Number.isNaN(begun)) this.#observer.ended(this.#scheduler.monotonic() - begun);
    }
  }

  #tooLate(hasBegun: boolean): Error {
    const ms = this.#limits.timeoutMs;
    if (!hasBegun) return refusal('BUSY', `This query waited ${ms} ms for others to end, and did not begin; try again shortly`);
    return refusal('QUERY_TIMEOUT', `This query passes over all documents of its collections, and was not done after ${ms} ms`);
  }
}
