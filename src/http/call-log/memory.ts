import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { CallWindow, RequestFilter, ServedRequest } from '../../app/app.ts';
import type { LoggedRequest } from '../../contract/answers.ts';
import type { CallLog, Following, GroupsRead, LogPage, LogRead } from './call-log.ts';
import { Listeners } from './listeners.ts';
import { masked, passes, shown } from './shown.ts';
import { groupsOf } from './summary.ts';

/** Most requests kept for one project, and most projects. Together some megabytes. */
const MAX_KEPT = 100;
const MAX_PROJECTS = 250;

/** The last requests of one project. They are masked and printed only when somebody reads them, which is rare. */
interface Ring {
  /** The id of this ring. A process that restarts begins another one. */
  readonly id: string;
  readonly requests: ServedRequest[];
  /** How many requests were ever put into it. */
  count: number;
}

/** The call log in the memory of this process: the last requests that it served itself. */
export class MemoryCallLog implements CallLog {
  readonly #rings = new LRUCache<string, Ring>({ max: MAX_PROJECTS });
  readonly #listeners = new Listeners();
  readonly #process = randomBytes(4).toString('hex');
  #made = 0;

  /** Whether the project has a ring. None is made for a project before a valid key has proven that it exists. */
  knows(project: string): boolean {
    return this.#rings.has(project);
  }

  note(project: string, request: ServedRequest, isProven: boolean): void {
    if (!isProven && !this.knows(project)) return;
    const ring = this.#ringOf(project);
    const number = ring.count;
    ring.requests[number % MAX_KEPT] = request;
    ring.count += 1;
    if (this.#listeners.size > 0) this.#tell(project, ring, number, request);
  }

  miss(project: string, missed: number): void {
    this.#listeners.miss(project, missed);
  }

  async read(project: string, filter: RequestFilter, page: LogPage): Promise<LogRead> {
    return this.readNow(project, filter, page);
  }

  /** As `read`. `missed` is how many of those after `page.after` are no longer kept. */
  readNow(project: string, filter: RequestFilter, { limit, cursor, after }: LogPage): LogRead {
    const ring = this.#rings.get(project);
    if (ring === undefined) return { requests: [], cursor: null, missed: after === null ? 0 : null, isPartial: false };
    const oldest = Math.max(0, ring.count - MAX_KEPT);
    const from = after === null ? oldest : numberAfter(ring, after);
    const end = cursor === null ? ring.count : (numberAfter(ring, cursor) ?? 1) - 1;
    const found: number[] = [];
    for (let number = Math.max(from ?? oldest, oldest); number < end; number += 1) {
      const request = ring.requests[number % MAX_KEPT];
      if (request !== undefined && passes(filter, request)) found.push(number);
    }
    const numbers = after === null ? found.slice(Math.max(0, found.length - limit)) : found;
    const requests = numbers.flatMap((number) => {
      const request = ring.requests[number % MAX_KEPT];
      return request === undefined ? [] : [shownOf(ring, number, request)];
    });
    const missed = after === null ? 0 : from === null ? null : Math.max(0, oldest - from);
    return { requests, cursor: numbers.length < found.length && limit > 0 ? (requests[0]?.id ?? null) : null, missed, isPartial: false };
  }

  async groups(project: string, window: CallWindow): Promise<GroupsRead> {
    return this.groupsNow(project, window);
  }

  groupsNow(project: string, { from, to }: CallWindow): GroupsRead {
    const { requests = [], count = 0 } = this.#rings.get(project) ?? {};
    const oldest = count > MAX_KEPT ? Math.max(from, Math.min(...requests.map(({ at }) => at))) : null;
    const groups = groupsOf(requests.filter(({ at }) => at >= from && at < to));
    return { groups, since: { succeeded: oldest, failed: oldest }, missed: 0, isPartial: false };
  }

  async follow(project: string, filter: RequestFilter, page: LogPage): Promise<Following> {
    const delivery = this.#listeners.join(project, filter);
    const leave = () => this.#listeners.leave(project, delivery);
    const { requests, missed } = this.readNow(project, filter, page);
    return {
      requests,
      missed,
      start: (listener) => {
        this.#listeners.start(delivery, listener);
        return leave;
      },
      cancel: leave,
    };
  }

  async close(): Promise<void> {}

  #ringOf(project: string): Ring {
    const known = this.#rings.get(project);
    if (known !== undefined) return known;
    this.#made += 1;
    const ring: Ring = { id: `${this.#process}${this.#made.toString(36)}`, requests: [], count: 0 };
    this.#rings.set(project, ring);
    return ring;
  }

  #tell(project: string, ring: Ring, number: number, request: ServedRequest): void {
    let logged: LoggedRequest | null = null;
    for (const delivery of this.#listeners.of(project)) {
      if (!passes(delivery.filter, request)) continue;
      logged ??= shownOf(ring, number, request);
      this.#listeners.deliver(delivery, logged);
    }
  }
}

/** The number that follows an id's; `null` for an id of another ring. */
function numberAfter(ring: Ring, id: string): number | null {
  const [of, number] = id.split('.');
  if (of !== ring.id || number === undefined || !/^\d{1,15}$/.test(number)) return null;
  return Math.min(Number(number) + 1, ring.count);
}

function shownOf(ring: Ring, number: number, request: ServedRequest): LoggedRequest {
  return shown(`${ring.id}.${number}`, masked(request));
}
