import { Refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { AppendTooLarge, type Log, OutcomeUnknown } from '../../log/port.ts';
import type { SealedGroup } from './seal-group.ts';

export interface SenderObserver {
  /** An append failed or got no answer; it is repeated. */
  failed(): void;
}

export interface SenderOptions {
  readonly stream: string;
  readonly log: Log;
  readonly scheduler: Scheduler;
  readonly observer: SenderObserver;
  /**
   * Reads the log from the head to revision `to` and folds it. Notes in `found` the command ids that it met, with the revision of their
   * last event, even if it fails half way: what is folded is not read a second time.
   */
  readGap(to: number, found: Map<string, number>): Promise<void>;
}

/**
 * `withdrawn`: the group was certainly never stored, and a command in it has given up since, so it must be formed anew. `too large`: it can
 * never be stored.
 */
export type SendResult = { readonly ok: true } | { readonly ok: false; readonly actual: number | 'none' } | 'withdrawn' | 'too large';

/** Once the log has failed for this long, new commands are refused at once, ms. */
const FAILING_MS = 1000;
const MAX_PAUSE_MS = 1000;

/**
 * Repeats the writer's requests to the log until they are answered. Knows whether an append without an answer may have been stored, and
 * since when the log has been failing.
 */
export class Sender {
  /** The group in flight may have been stored without an answer. The writer resets it when the next group leaves. */
  maybeStored = false;
  /** When the last attempt left, by the monotonic clock. An outage before it does not count as the duration of an append. */
  sentAt = 0;
  readonly #options: SenderOptions;
  #failingSince: number | null = null;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  isFailing(): boolean {
    return this.#failingSince !== null && this.#options.scheduler.monotonic() - this.#failingSince > FAILING_MS;
  }

  /** Sends the identical append until its outcome is known. `head`: −1 for an empty stream. */
  async append(sealed: SealedGroup, head: number): Promise<SendResult> {
    const { log, stream, scheduler } = this.#options;
    for (let attempt = 0; ; attempt += 1) {
      if (!this.maybeStored && sealed.commits.some((commit) => commit.settled)) return 'withdrawn';
      for (const commit of sealed.commits) commit.sent = true;
      this.sentAt = scheduler.monotonic();
      try {
        const result = await log.append(stream, head < 0 ? 'none' : head, sealed.events);
        this.#failingSince = null;
        return result;
      } catch (error) {
        if (error instanceof AppendTooLarge) return 'too large';
        this.#options.observer.failed();
        if (error instanceof OutcomeUnknown) this.maybeStored = true;
        this.#failingSince ??= scheduler.monotonic();
        if (!this.maybeStored) for (const commit of sealed.commits) commit.sent = false;
      }
      await scheduler.sleep(pauseMs(attempt));
    }
  }

  /**
   * Reads and folds up to the revision that a conflict named: if the group was stored, it lies before that. Resolves with the command ids
   * that were met. Throws the `Refusal` of events that cannot be folded.
   */
  async readGap(to: number): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#options.readGap(to, found);
        this.#failingSince = null;
        return found;
      } catch (error) {
        if (error instanceof Refusal) throw error;
        this.#failingSince ??= this.#options.scheduler.monotonic();
      }
      await this.#options.scheduler.sleep(pauseMs(attempt));
    }
  }
}

function pauseMs(attempt: number): number {
  return Math.min(50 * 2 ** attempt, MAX_PAUSE_MS);
}
