import type * as contract from '../../contract/answers.ts';
import { allows } from '../../domain/project/permissions.ts';
import { type MergedPage, mergedPage, type PartRead, type PlacedItem } from '../../kernel/merged.ts';
import { invalidCursor } from '../../kernel/page-cursor.ts';
import { accessAt, requirePermissions, requireStorable } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf } from '../context.ts';
import type { Past } from '../past/past.ts';
import type { RequestFilter } from '../ports/call-table.ts';
import type { ReportRow } from '../ports/telemetry.ts';
import type { Project } from '../project/project.ts';
import { type Commits, HISTORY_SCOPE, timeOfBound } from './commits.ts';
import type { HistoryContext } from './moments.ts';
import { NEWEST_REPORT, reportCursor, reportPlaceIn, reportShown } from './player-facts.ts';

/**
 * What happened to one player as one list: commits, requests that were refused or failed, and what games reported. Each is read from an
 * index, a page at a time, and told as far as all of them are known. The call log is the transport's, which gives it. Throws as
 * `Commits.list` does.
 */
export type ShowTimeline = (
  caller: Caller,
  player: string,
  query: TimelineQuery,
  readCalls: ReadCalls,
) => Promise<ManageAnswer<contract.Timeline>>;

/** The newest requests of a project that pass, before a cursor; oldest first. `cursor` `null`: there are no more. */
type ReadCalls = (
  filter: RequestFilter,
  page: { readonly limit: number; readonly cursor: string | null },
) => Promise<{ readonly requests: readonly contract.LoggedRequest[]; readonly cursor: string | null; readonly isPartial: boolean }>;

type Item = contract.Timeline['items'][number];
type What = 'everything' | 'changes' | 'coins' | 'calls' | 'refused' | 'sessions' | 'reports' | 'buttons' | 'grants' | 'corrections';

/** `null`: whatever it is. */
interface TimelineQuery {
  readonly what: What;
  readonly endpoint: string | null;
  /** Dotted; what changed it is a commit. */
  readonly field: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly limit: number;
  readonly before: string | null;
}

/** What is read of each source; left out: nothing. */
interface Wanted {
  readonly commits?: { readonly kind?: string; readonly changed?: 'documents' | 'money' };
  readonly calls?: (request: contract.LoggedRequest) => boolean;
  readonly reports?: (report: ReportRow) => boolean;
}

/** A call that the server itself has reported stands among the calls. */
const isNoCall = ({ type, source }: ReportRow) => !(type === 'endpoint.call' && source === 'server');

const WANTED: Readonly<Record<What, Wanted>> = {
  everything: { commits: {}, calls: () => true, reports: isNoCall },
  changes: { commits: { changed: 'documents' } },
  coins: { commits: { changed: 'money' } },
  calls: { commits: { kind: 'endpoint' }, calls: ({ slug }) => slug !== null },
  refused: { calls: () => true },
  sessions: { commits: { kind: 'session,guest,support' }, reports: ({ type }) => type.startsWith('session.') },
  reports: { reports: () => true },
  buttons: { commits: { kind: 'button' } },
  grants: { commits: { kind: 'grant' } },
  corrections: { commits: { kind: 'document.correct,player.restore,commit.undo' } },
};

/** Requests that were refused, and reports, change no field. */
function wantedBy({ what, field }: TimelineQuery): Wanted {
  const { commits } = WANTED[what];
  return field === null ? WANTED[what] : { ...(commits === undefined ? {} : { commits }) };
}

/** Requests and reports that one page looks at, at a time and at most. */
const READ = 200;
const LOOKED_AT = 1_000;
const SOURCES = ['commits', 'calls', 'reports'] as const;
type SourceName = (typeof SOURCES)[number];
const NOTHING: PartRead<Item> = { items: [], next: null, reached: 0 };

export function createShowTimeline(context: HistoryContext, commits: Commits): ShowTimeline {
  return async (caller, player, query, readCalls) => {
    const project = await projectOf(context, caller);
    const { key } = accessAt(project, caller, 'live');
    requirePermissions(key, HISTORY_SCOPE, 'r');
    requireStorable(player);
    const positions = positionsIn(query.before);
    const wanted = wantedBy(query);
    const leftOut: contract.Timeline['leftOut'][number][] = [];
    const mayReadPlayers = allows(key, 'players', 'r');
    const reads = (source: SourceName) => {
      if (wanted[source] === undefined) return false;
      if (source === 'commits' || mayReadPlayers) return true;
      leftOut.push({ source, why: 'The key does not have r access to players' });
      return false;
    };
    let isStale = false;
    const line: Line = {
      context,
      past: context.past,
      project,
      caller,
      player,
      query,
      wanted,
      times: await timesOf(context.past, project, query),
    };
    const readers: Readonly<Record<SourceName, (position: string) => Promise<PartRead<Item>>>> = {
      commits: async (position) => {
        const { stale, ...part } = await commitsOf(line, commits, position);
        isStale ||= stale;
        return part;
      },
      calls: async (position) => {
        const { isPartial, ...part } = await callsOf(line, readCalls, position);
        if (isPartial) leftOut.push({ source: 'calls', why: 'Only those that this node has served: the database does not answer' });
        return part;
      },
      reports: (position) => reportsOf(line, position),
    };
    const head = project.set.head;
    const parts = await Promise.all(
      SOURCES.map((source, place) => {
        const position = positions[place] ?? null;
        return reads(source) && position !== null ? readers[source](position) : NOTHING;
      }),
    );
    const page = mergedPage(parts, positions, query.limit);
    const { items, reached } = page;
    const before = reached === null ? null : cursorOf(page, head);
    const result = { ok: true as const, player, items: [...items], reached: reached === null ? null : isoTime(reached), before, leftOut };
    return { ...positioned(context, project, caller, !isStale), result };
  };
}

interface Line {
  readonly context: AppContext;
  readonly past: Past;
  readonly project: Project;
  readonly caller: Caller;
  readonly player: string;
  readonly query: TimelineQuery;
  readonly wanted: Wanted;
  readonly times: Times;
}

/** Unix ms; both belong to it. */
interface Times {
  readonly from: number;
  readonly to: number;
}

/** The bounds as times, since only commits know revisions. */
async function timesOf(past: Past, project: Project, { from, to }: TimelineQuery): Promise<Times> {
  const [first, last] = await Promise.all([
    from === null ? 0 : timeOfBound(past, project, from, 'from'),
    to === null ? null : timeOfBound(past, project, to, 'to'),
  ]);
  return { from: Math.max(0, Math.ceil(first ?? LATEST)), to: Math.min(LATEST, Math.floor(last ?? LATEST)) };
}

/** The latest time that there is. */
const LATEST = 8.64e15;

async function commitsOf(
  { past, project, caller, player, query, wanted }: Line,
  commits: Commits,
  position: string,
): Promise<PartRead<Item> & { readonly stale: boolean }> {
  const { kind = null, changed = null } = wanted.commits ?? {};
  const { endpoint, field, from, to, limit } = query;
  const before = position === '' ? null : position;
  const of = { player, ticket: null, endpoint, key: null, kind, changed, field };
  const { result, stale } = await commits.list(caller, { ...of, from, to, limit, before });
  const items = result.commits.map((commit) => placed({ at: commit.at, commit }, String(commit.first)));
  if (result.before === null) return { items, next: null, reached: 0, stale };
  // The commit that was looked at last need not be among those that fit.
  const { at } = (await past.commitEnd(project, result.before)) ?? { at: 0 };
  return { items, next: String(result.before), reached: at, stale };
}

/** Where the call log is asked before a time instead of behind a request. */
const BEFORE_TIME = /^@(\d{1,16})$/;

async function callsOf(line: Line, readCalls: ReadCalls, position: string): Promise<PartRead<Item> & { readonly isPartial: boolean }> {
  const { player, query, times, wanted } = line;
  const [, time] = BEFORE_TIME.exec(position) ?? [];
  const to = Math.min(times.to + 1, Number(time ?? LATEST));
  const filter = { slug: query.endpoint, platformId: player, errors: true, status: null, code: null, requestId: null };
  const bounds = { from: times.from, to: to > LATEST ? null : to };
  let isPartial = false;
  const part = await readParts(query.limit, time === undefined ? position : '', async (cursor) => {
    const page = await readCalls({ ...filter, ...bounds }, { limit: READ, cursor: cursor === '' ? null : cursor });
    isPartial ||= page.isPartial;
    const found = page.requests.toReversed();
    return {
      rows: found.map((call) => ({
        at: Date.parse(call.at),
        after: call.id,
        item: wanted.calls?.(call) === true ? { at: call.at, call } : null,
      })),
      next: page.cursor,
    };
  });
  return { ...part, isPartial };
}

function reportsOf({ context, project, player, query, times, wanted }: Line, position: string): Promise<PartRead<Item>> {
  const newest = { at: Math.min(times.to + 1, NEWEST_REPORT.at), revision: 0 };
  return readParts(query.limit, position, async (cursor) => {
    const place = cursor === '' ? newest : reportPlaceIn(cursor, 'before');
    const rows = await context.telemetry.reader.reports(project.id, player, {
      before: place,
      from: Math.min(times.from, LATEST),
      limit: READ,
    });
    const isWanted = (report: ReportRow) =>
      wanted.reports?.(report) === true && (query.endpoint === null || report.endpointSlug === query.endpoint);
    const last = rows.at(-1);
    return {
      rows: rows.map((row) => ({
        at: Date.parse(row.at),
        after: reportCursor(row),
        item: isWanted(row) ? { at: row.at, report: reportShown(row) } : null,
      })),
      next: rows.length === READ && last !== undefined ? reportCursor(last) : null,
    };
  });
}

interface RowsRead {
  readonly rows: readonly { readonly at: number; readonly after: string; readonly item: Item | null }[];
  readonly next: string | null;
}

/** Reads rows until enough of them are wanted, or as many were looked at as one page may. */
async function readParts(limit: number, position: string, read: (cursor: string) => Promise<RowsRead>): Promise<PartRead<Item>> {
  const items: PlacedItem<Item>[] = [];
  let reached = LATEST;
  let cursor: string | null = position;
  for (let looked = 0; cursor !== null && items.length < limit && looked < LOOKED_AT; looked += READ) {
    const { rows, next }: RowsRead = await read(cursor);
    for (const { at, after, item } of rows) if (item !== null) items.push({ item, at, after });
    reached = rows.at(-1)?.at ?? reached;
    cursor = next;
  }
  return { items, next: cursor, reached };
}

function placed(item: Item, after: string): PlacedItem<Item> {
  return { item, at: Date.parse(item.at), after };
}

const END = '-';

/** Where each source goes on; '': at its newest, `null`: it has ended. Throws 400 INVALID_REQUEST. */
function positionsIn(cursor: string | null): readonly (string | null)[] {
  if (cursor === null) return SOURCES.map(() => '');
  const [, ...found] = /^(\d{1,15}|-)~(@?[\w.:-]{1,80})~(\d{1,15}\.\d{1,15}|-)$/.exec(cursor) ?? [];
  if (found.length === 0) throw invalidCursor('before');
  return found.map((position) => (position === END ? null : position));
}

/** What comes while somebody reads page after page is newer than all of it, and stays out. */
function cursorOf({ next, items, reached }: MergedPage<Item>, head: number): string {
  const time = Date.parse(items.at(-1)?.at ?? '') || (reached ?? 0);
  const newest = [String(head + 1), `@${time + 1}`, `${time + 1}.0`];
  return next.map((position, place) => (position === '' ? newest[place] : (position ?? END))).join('~');
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}
