import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerEvent } from '../../client/events.ts';
import type { LoggedRequest } from '../../contract/answers.ts';
import { listOf, members, optional, type Shape, something, text, wholeNumber } from '../../folder/answer-shape.ts';
import { jsonIn } from '../../folder/exchange.ts';
import { RemoteRefusal, RemoteUnreachable } from '../../folder/refusal.ts';
import { checkedBody, type Remote } from '../../folder/remote.ts';
import { openEvents } from './event-stream.ts';
import { pathOf } from './requests.ts';

/** The call log of a project, read over HTTP. */

/** Most requests of one page. */
const MAX_PAGE = 200;

export interface LogFilter {
  readonly slug?: string | undefined;
  readonly player?: string | undefined;
  readonly errors: boolean;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly request?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** How many of the last requests to start with. */
  readonly lines: number;
}

/** Requests, oldest first. `missed`: so many of the project were left out meanwhile; `null`: an unknown number. */
interface FoundLogs {
  readonly requests: readonly LoggedRequest[];
  readonly missed: number | null;
  /** Only what the node itself has served, because its database does not answer. */
  readonly isPartial: boolean;
}

export interface LogListener {
  request(request: LoggedRequest): void;
  /** Requests are missing at this point; `null`: an unknown number. */
  gap(missed: number | null): void;
  /** The connection is lost and will be retried. Called once for each loss. */
  broken(why: string): void;
  /** The key is no longer valid. Following ends with what this throws. */
  refused(code: string, message: string): never;
}

const REQUEST = members({
  at: text,
  slug: optional(text),
  method: text,
  path: text,
  status: wholeNumber,
  ms: something,
  code: optional(text),
  message: optional(text),
  platformId: optional(text),
  requestId: text,
});
const GAP = members({ missed: optional(wholeNumber) });
const REFUSED = members({ code: text, message: text });
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;

/** Members of a page. An older node knows neither pages nor how many it left out. */
const LOGS = members({ requests: listOf(REQUEST), cursor: optional(text), missed: optional(wholeNumber), partial: optional(something) });

interface LogsPage {
  readonly requests: readonly LoggedRequest[];
  readonly cursor?: string | null;
  readonly missed?: number | null;
  readonly partial?: true;
}

/** The last requests that pass the filter, by as many pages as that takes. */
export async function lastLogs(remote: Remote, filter: LogFilter): Promise<FoundLogs> {
  let found: FoundLogs = { requests: [], missed: 0, isPartial: false };
  let cursor: string | null | undefined;
  do {
    const lines = Math.min(filter.lines - found.requests.length, MAX_PAGE);
    const query = { ...queryOf({ ...filter, lines }), ...(cursor ? { cursor } : {}) };
    const page = checkedBody<LogsPage>(await remote.request('GET', pathOf(remote, 'manage', 'logs'), { query }), LOGS);
    const missed = found.missed === null || page.missed === null ? null : found.missed + (page.missed ?? 0);
    found = { requests: [...page.requests, ...found.requests], missed, isPartial: found.isPartial || page.partial === true };
    cursor = page.requests.length === 0 ? null : page.cursor;
  } while (cursor && found.requests.length < filter.lines);
  return found;
}

/**
 * Follows the call log until `signal` aborts. After a loss it resumes behind the last request that it got. Throws if it cannot begin, and
 * what `listener.refused` throws.
 */
export async function followLogs(remote: Remote, filter: LogFilter, signal: AbortSignal, listener: LogListener): Promise<void> {
  let last: string | null = null;
  let hasBegun = false;
  let pause = FIRST_PAUSE_MS;
  const tell = ({ id, event, data }: ServerEvent) => {
    // A comment, which only keeps the connection alive.
    if (data === null) return;
    if (event === 'request') listener.request(dataOf(remote, data, REQUEST));
    else if (event === 'gap') listener.gap(dataOf<{ readonly missed: number | null }>(remote, data, GAP).missed);
    else if (event === 'refused') refusedWith(dataOf(remote, data, REFUSED), listener);
    last = id ?? last;
    pause = FIRST_PAUSE_MS;
  };
  while (!signal.aborted) {
    try {
      const query = { ...queryOf(hasBegun && last === null ? { ...filter, lines: 0 } : filter), follow: 'true' };
      const events = await openEvents(remote, { path: pathOf(remote, 'manage', 'logs'), query, after: last, signal });
      hasBegun = true;
      await events(tell);
      if (!signal.aborted) listener.broken('the server has ended it');
    } catch (error) {
      if (signal.aborted) return;
      if (!hasBegun || isFinal(error)) throw error;
      if (pause === FIRST_PAUSE_MS) listener.broken(error instanceof Error ? error.message : String(error));
    }
    await sleep(pause, undefined, { signal }).catch(() => undefined);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
}

/** Whether the same request would fail again: it is refused, or no server of ours answers. */
function isFinal(error: unknown): boolean {
  return error instanceof RemoteRefusal ? error.status < 500 : error instanceof RemoteUnreachable && error.code === 'BAD_ANSWER';
}

/** The data of an event. Throws `RemoteUnreachable` if a server of ours did not send it. */
function dataOf<Data>({ server }: Remote, data: string, shape: Shape): Data {
  return checkedBody({ url: server.address, body: jsonIn(data) }, shape);
}

function refusedWith({ code, message }: { readonly code: string; readonly message: string }, listener: LogListener): never {
  return listener.refused(code, message);
}

function queryOf({
  slug,
  player,
  errors,
  status,
  code,
  request,
  from,
  to,
  lines,
}: LogFilter): Readonly<Record<string, string | undefined>> {
  const flags = { errors: errors ? 'true' : undefined, status: status === undefined ? undefined : String(status) };
  return { slug, platformId: player, ...flags, code, requestId: request, from, to, limit: String(Math.min(lines, MAX_PAGE)) };
}
