import { type CallTable, isOfFailures, type NewRow, type ReadTo, type RequestFilter } from '../../app/app.ts';
import type { Listeners } from './listeners.ts';
import { idOf, passes, shown } from './shown.ts';

/** How often the table is asked for what is new while somebody follows, ms. */
const POLL_MS = 250;
/** How soon it is asked after this process has stored something, ms. */
const HURRY_MS = 100;
/** Most rows of a project that are read at once. */
const MAX_ROWS = 500;

/**
 * Follows the table, for those in this process who follow the call log, and reads nothing while nobody does. Calls that succeeded are by
 * far the most, so they are read only while somebody follows them.
 */
export class CallTail {
  readonly #table: CallTable;
  readonly #listeners: Listeners;
  readonly #onError: (error: unknown) => void;
  /** How far each followed project is. */
  readonly #read = new Map<string, ReadTo>();
  #timer: NodeJS.Timeout | null = null;
  #isReading = false;
  #isHurried = false;
  #isClosed = false;

  constructor(table: CallTable, listeners: Listeners, onError: (error: unknown) => void) {
    this.#table = table;
    this.#listeners = listeners;
    this.#onError = onError;
  }

  /** Follows a project behind `seq`, unless it is followed already. */
  begin(project: string, filter: RequestFilter, seq: number): void {
    const { failed, succeeded } = this.#read.get(project) ?? { failed: seq, succeeded: null };
    this.#read.set(project, { failed, succeeded: isOfFailures(filter) ? succeeded : (succeeded ?? seq) });
    if (this.#timer === null) this.#pollIn(POLL_MS);
  }

  /** Something was stored just now. */
  hurry(): void {
    if (this.#read.size === 0 || this.#isHurried || this.#isReading) return;
    this.#isHurried = true;
    this.#pollIn(HURRY_MS);
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #pollIn(ms: number): void {
    if (this.#isReading || this.#isClosed) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#poll(), ms).unref();
  }

  async #poll(): Promise<void> {
    this.#timer = null;
    this.#isHurried = false;
    this.#forget();
    if (this.#read.size === 0) return;
    this.#isReading = true;
    let isMore = false;
    try {
      // Who joins meanwhile is told of calls that succeeded by the next reading: this one may not have asked for them.
      const asked = new Map(this.#read);
      const rows = await this.#table.after(asked, MAX_ROWS);
      for (const row of rows) this.#deliver(row, asked.get(row.project)?.succeeded ?? null);
      isMore = rows.length >= MAX_ROWS;
    } catch (error) {
      this.#onError(error);
    }
    this.#isReading = false;
    this.#pollIn(isMore ? 0 : POLL_MS);
  }

  /** Forgets what nobody follows any more. */
  #forget(): void {
    for (const [project, { failed }] of this.#read) {
      const followers = [...this.#listeners.of(project)];
      if (followers.length === 0) this.#read.delete(project);
      else if (followers.every(({ filter }) => isOfFailures(filter))) this.#read.set(project, { failed, succeeded: null });
    }
  }

  /** `asked`: behind which place calls that succeeded were asked for, too. */
  #deliver({ project, seq, request, missed }: NewRow, asked: number | null): void {
    const read = this.#read.get(project);
    if (read === undefined) return;
    const { failed, succeeded } = read;
    this.#read.set(project, {
      failed: Math.max(failed, seq),
      succeeded: succeeded === null || asked === null ? succeeded : Math.max(succeeded, seq),
    });
    if (missed > 0) this.#listeners.miss(project, missed);
    if (request === null) return;
    for (const delivery of this.#listeners.of(project)) {
      if (passes(delivery.filter, request)) this.#listeners.deliver(delivery, shown(idOf(request), request));
    }
  }
}
