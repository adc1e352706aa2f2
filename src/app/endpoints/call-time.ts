import { refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';

/**
 * How long a call computes, all its decisions together: the backstop behind the count of its work. A decision is one turn of the whole
 * node, so this is how long one call may keep every other waiting.
 */
export class CallTime {
  readonly #scheduler: Pick<Scheduler, 'monotonic'>;
  readonly #mostMs: number;
  #spentMs = 0;
  /** `null`: this decision has not been looked at; most never are. */
  #lookedAt: number | null = null;

  constructor(scheduler: Pick<Scheduler, 'monotonic'>, mostMs: number) {
    this.#scheduler = scheduler;
    this.#mostMs = mostMs;
  }

  /** A decision begins: what was waited for since the last one is no work. */
  begin(): void {
    this.#lookedAt = null;
  }

  /** Throws 400 LIMIT_EXCEEDED once the time is used up. */
  look(): void {
    const now = this.#scheduler.monotonic();
    if (this.#lookedAt !== null) this.#spentMs += now - this.#lookedAt;
    this.#lookedAt = now;
    if (this.#spentMs <= this.#mostMs) return;
    throw refusal('LIMIT_EXCEEDED', `A call may compute for ${this.#mostMs} ms at most; whoever runs the server sets ENDPOINT_TIME_MS`);
  }
}
