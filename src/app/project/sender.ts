import { Refusal } from '../../kernel/errors.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import { AppendTooLarge, type Log, OutcomeUnknown } from '../../log/port.ts';
import type { Sealed } from './seal-group.ts';

export interface SenderObserver {
  /** An append was refused for a trouble of the log, or left without an answer; it is asked again. */
  failed(): void;
}

export interface SenderOptions {
  readonly stream: string;
  readonly log: Log;
  readonly scheduler: Scheduler;
  readonly observer: SenderObserver;
  /**
   * Reads the log from the head on to revision `to` and folds it; notes in `found` the command ids it met, with the revision of their
   * last event, even when it fails half way: what is folded is not read a second time.
   */
  readGap(to: number, found: Map<string, number>): Promise<void>;
}

/**
 * `withdrawn`: it was certainly never stored, and someone in it has given up since, so that the group has to be formed anew.
 * `too large`: it never can be stored.
 */
export type Sent = { readonly ok: true } | { readonly ok: false; readonly actual: number | 'none' } | 'withdrawn' | 'too large';

/** The log has not answered for this long, ms: who comes now is refused at once. */
const TROUBLED_MS = 1000;
const LONGEST_PAUSE_MS = 1000;

/**
 * What a writer asks of the log, asked again until it is answered. Knows what of it is in doubt: whether an append without an answer
 * may have been stored, and since when the log has been silent.
 */
export class Sender {
  /** The group in flight may have been stored without an answer. Taken back by the writer when the next group leaves. */
  maybeStored = false;
  /** When the last attempt left, by the monotonic clock: an outage before it is not how long appends take. */
  sentAt = 0;
  readonly #options: SenderOptions;
  #troubledSince: number | null = null;

  constructor(options: SenderOptions) {
    this.#options = options;
  }

  isTroubled(): boolean {
    return this.#troubledSince !== null && this.#options.scheduler.monotonic() - this.#troubledSince > TROUBLED_MS;
  }

  /** Sends the append, the identical one each time, until its outcome is known. `head`: −1 for an empty stream. */
  async append(sealed: Sealed, head: number): Promise<Sent> {
    const { log, stream, scheduler } = this.#options;
    for (let attempt = 0; ; attempt += 1) {
      if (!this.maybeStored && sealed.commits.some((commit) => commit.settled)) return 'withdrawn';
      for (const commit of sealed.commits) commit.sent = true;
      this.sentAt = scheduler.monotonic();
      try {
        const result = await log.append(stream, head < 0 ? 'none' : head, sealed.events);
        this.#troubledSince = null;
        return result;
      } catch (error) {
        if (error instanceof AppendTooLarge) return 'too large';
        this.#options.observer.failed();
        if (error instanceof OutcomeUnknown) this.maybeStored = true;
        this.#troubledSince ??= scheduler.monotonic();
        if (!this.maybeStored) for (const commit of sealed.commits) commit.sent = false;
      }
      await scheduler.sleep(pauseMs(attempt));
    }
  }

  /**
   * Reads and folds up to the revision that a conflict named: had the group been stored, it would lie before it. Resolves to the command
   * ids that were met. Throws the `Refusal` of what cannot be folded.
   */
  async readGap(to: number): Promise<ReadonlyMap<string, number>> {
    const found = new Map<string, number>();
    for (let attempt = 0; ; attempt += 1) {
      try {
        await this.#options.readGap(to, found);
        this.#troubledSince = null;
        return found;
      } catch (error) {
        if (error instanceof Refusal) throw error;
        this.#troubledSince ??= this.#options.scheduler.monotonic();
      }
      await this.#options.scheduler.sleep(pauseMs(attempt));
    }
  }
}

function pauseMs(attempt: number): number {
  return Math.min(50 * 2 ** attempt, LONGEST_PAUSE_MS);
}
