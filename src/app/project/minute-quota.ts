import { quotaRefusals } from './quota-refusals.ts';

const MINUTE_MS = 60_000;

/** Telemetry that players of a project may report to this process in a minute. */
export class MinuteQuota {
  readonly #limit: number;
  /** Minutes since 1970. */
  #minute = 0;
  #used = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Counts one report. Answers whether it may be stored. `now`: unix ms. */
  tryTake(now: number): boolean {
    const minute = Math.floor(now / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#used = 0;
    }
    if (this.#used >= this.#limit) {
      quotaRefusals.telemetryPerMinute += 1;
      return false;
    }
    this.#used += 1;
    return true;
  }
}
