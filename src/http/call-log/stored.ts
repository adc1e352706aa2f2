import { setTimeout as sleep } from 'node:timers/promises';
import type { CallCursor, CallTable, CallWindow, RequestFilter, ServedRequest, StoredRequest } from '../../app/app.ts';
import type { LoggedRequest } from '../../contract/answers.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import type { CallLog, Following, GroupsRead, LogPage, LogRead } from './call-log.ts';
import { Listeners } from './listeners.ts';
import { MemoryCallLog } from './memory.ts';
import { CallRecorder, type RecorderObserver } from './recorder.ts';
import { cursorIn, idOf, shown } from './shown.ts';
import { MAX_GROUPED } from './summary.ts';
import { CallTail } from './tail.ts';

/** How long a read waits for what this process has served to be stored, ms. */
const FLUSH_MS = 250;
/** Most requests that somebody gets who comes back, and up to how many those left out are counted. */
const MAX_RESUMED = 100;
const MAX_COUNTED = 10_000;

/** The call log of all nodes, in a table. While that does not answer, readers get what this process has served itself. */
export class StoredCallLog implements CallLog {
  readonly #table: CallTable;
  readonly #memory = new MemoryCallLog();
  readonly #listeners = new Listeners();
  readonly #recorder: CallRecorder;
  readonly #tail: CallTail;
  readonly #failed: (error: unknown) => void;

  constructor(table: CallTable, observer: RecorderObserver) {
    this.#table = table;
    this.#failed = observer.failed;
    this.#tail = new CallTail(table, this.#listeners, observer.failed);
    const stored = (requests: number) => {
      observer.stored(requests);
      this.#tail.hurry();
    };
    this.#recorder = new CallRecorder(table, { ...observer, stored });
  }

  /** Requests of this process that wait to be stored. */
  get waiting(): number {
    return this.#recorder.waiting;
  }

  note(project: string, request: ServedRequest, isProven: boolean): void {
    this.#memory.note(project, request, isProven);
    this.#recorder.note(project, request, isProven);
  }

  miss(project: string, missed: number): void {
    if (this.#memory.knows(project)) this.#recorder.miss(project, missed);
  }

  async read(project: string, filter: RequestFilter, page: LogPage): Promise<LogRead> {
    return this.#orOwn(
      () => this.#stored(project, filter, page),
      () => ({ ...this.#memory.readNow(project, filter, page), missed: null, isPartial: true }),
    );
  }

  async groups(project: string, window: CallWindow): Promise<GroupsRead> {
    return this.#orOwn<GroupsRead>(
      async () => {
        await this.#flushed();
        const [grouped, missed] = await Promise.all([
          this.#table.groups(project, window, MAX_GROUPED),
          this.#table.missed(project, window.from, window.to),
        ]);
        return { ...grouped, missed, isPartial: false };
      },
      () => ({ ...this.#memory.groupsNow(project, window), missed: null, isPartial: true }),
    );
  }

  async follow(project: string, filter: RequestFilter, page: LogPage): Promise<Following> {
    const delivery = this.#listeners.join(project, filter);
    const leave = () => this.#listeners.leave(project, delivery);
    try {
      return await this.#orOwn<Following>(
        async () => {
          await this.#flushed();
          // In this order: what is stored after the end is delivered, and what is read twice is known by its place.
          const last = (await this.#table.ends(project))?.last ?? 0;
          this.#tail.begin(project, filter, last);
          const { requests, missed } = await this.#page(project, filter, page);
          const known = new Set(requests.map(({ id }) => id));
          return {
            requests,
            missed,
            start: (listener) => {
              this.#listeners.start(delivery, listener, ({ id }) => known.has(id) || (cursorIn(id)?.seq ?? 0) <= last);
              return leave;
            },
            cancel: leave,
          };
        },
        async () => {
          leave();
          return { ...(await this.#memory.follow(project, filter, page)), missed: null };
        },
      );
    } catch (error) {
      leave();
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#tail.close();
    await this.#recorder.close();
  }

  async #stored(project: string, filter: RequestFilter, page: LogPage): Promise<LogRead> {
    await this.#flushed();
    return this.#page(project, filter, page);
  }

  async #page(project: string, filter: RequestFilter, { limit, cursor, after }: LogPage): Promise<LogRead> {
    if (after !== null) return this.#since(project, filter, limit, cursorIn(after));
    const before = cursor === null ? null : cursorIn(cursor);
    if (cursor !== null && before === null) throw refusal('VALIDATION_FAILED', '`cursor` is that of the page before');
    const found = limit === 0 ? [] : await this.#table.page(project, filter, { limit, before });
    const oldest = found.length === limit ? found.at(-1) : undefined;
    const missed = await this.#table.missed(project, oldest?.at ?? filter.from ?? 0, before?.at ?? filter.to ?? Number.MAX_SAFE_INTEGER);
    return { requests: printed(found), cursor: oldest === undefined ? null : idOf(oldest), missed, isPartial: false };
  }

  /** What came after a request. `after` null: its id is none of this table's, so nobody knows what is missing. */
  async #since(project: string, filter: RequestFilter, limit: number, after: CallCursor | null): Promise<LogRead> {
    if (after === null) return { ...(await this.#page(project, filter, { limit, cursor: null, after: null })), missed: null };
    const first = (await this.#table.ends(project))?.first ?? null;
    const { requests, all } = await this.#table.since(project, filter, after.seq, { limit: MAX_RESUMED, most: MAX_COUNTED });
    const isWhole = first !== null && first <= after.seq && all < MAX_COUNTED;
    return { requests: printed(requests), cursor: null, missed: isWhole ? all - requests.length : null, isPartial: false };
  }

  async #flushed(): Promise<void> {
    const stop = new AbortController();
    await Promise.race([this.#recorder.flush(), sleep(FLUSH_MS, undefined, { signal: stop.signal }).catch(() => undefined)]);
    stop.abort();
  }

  /** What the table answers; while it does not, what this process knows. */
  async #orOwn<T>(stored: () => Promise<T>, own: () => T | Promise<T>): Promise<T> {
    try {
      return await stored();
    } catch (error) {
      if (!(error instanceof Refusal)) this.#failed(error);
      else if (error.status !== 503 && error.status !== 504) throw error;
      return own();
    }
  }
}

function printed(newestFirst: readonly StoredRequest[]): readonly LoggedRequest[] {
  return newestFirst.map((request) => shown(idOf(request), request)).reverse();
}
