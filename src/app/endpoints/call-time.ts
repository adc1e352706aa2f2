import { refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';

/**
 * Bounds how long a call computes, over all its decisions. It is the backstop behind the count of its steps: a decision is one turn of the
 * event loop, and all other requests wait for it.
 */
export class CallTime {
  readonly #scheduler: Pick<Scheduler, 'monotonic'>;
  readonly #mostMs: number;
  #spentMs = 0;
  /** `null`: the time has not been read in this decision, and in most it never is. */
  #checkedAt: number | null = null;

  constructor(scheduler: Pick<Scheduler, 'monotonic'>, mostMs: number) {
    this.#scheduler = scheduler;
    this.#mostMs = mostMs;
  }

  /** Starts a decision. Waiting since the last one does not count. */
  begin(): void {
    this.#checkedAt = null;
  }

  /** Throws 400 LIMIT_EXCEEDED when the time is used up. */
  check(): void {
    const now = this.#scheduler.monotonic();
    if (this.#checkedAt !== null) this.#spentMs += now - this.#checkedAt;
    this.#checkedAt = now;
    if (this.#spentMs <= this.#mostMs) return;
    throw refusal('LIMIT_EXCEEDED', `A call may compute for ${this.#mostMs} ms at most; whoever runs the server sets ENDPOINT_TIME_MS`);
  }
}
