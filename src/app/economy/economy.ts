import type * as contract from '../../contract/answers.ts';
import { isShared } from '../../domain/definition/model/shared.ts';
import { dayOf, startOfDay } from '../../domain/economy/fold.ts';
import type { EntryClass } from '../../domain/economy/parts.ts';
import type { PublishTarget, Space } from '../../domain/events.ts';
import { notFound, refusal } from '../../kernel/errors.ts';
import { queryTimeOf } from '../../kernel/instant.ts';
import { isArray, parseJson, tryParseJson } from '../../kernel/json.ts';
import { invalidCursor, revisionCursor } from '../../kernel/page-cursor.ts';
import { accessAt, requirePermissions, requireStorable } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import { calledOf } from '../called.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf, viewsReached } from '../context.ts';
import type { Past } from '../past/past.ts';
import type { Direction, EconomyFlowRow, EconomyRange, EconomySupplyRow, FlowFilter, FlowGrouping, MoverOrder } from '../ports/economy.ts';
import type { Project } from '../project/project.ts';
import { countedBy, entriesOf, entryOf, placeOf, reasonsOf, requireAlone } from './entries.ts';

/** What a request for a range of days says. */
interface RangeQuery {
  readonly from: string | null;
  readonly to: string | null;
  readonly limit: number;
  readonly cursor: string | null;
}

interface EntriesQuery extends RangeQuery, FlowFilter {
  readonly player: string | null;
  readonly direction: Direction | null;
  readonly class: EntryClass | null;
  /** The revision at which an alarm was raised. */
  readonly alarm: number | null;
}

/**
 * What became of the money of all players. Every read throws 400 `INVALID_REQUEST`, `ECONOMY_RANGE_TOO_LARGE`, 403 `FORBIDDEN`, and 503
 * `BEHIND`.
 */
export interface Economy {
  days(
    caller: Caller,
    target: PublishTarget,
    query: RangeQuery & Pick<FlowFilter, 'currency'>,
  ): Promise<ManageAnswer<contract.EconomyDays>>;
  flows(
    caller: Caller,
    target: PublishTarget,
    query: RangeQuery & FlowFilter & { readonly by: Exclude<FlowGrouping, 'none'> | null },
  ): Promise<ManageAnswer<contract.EconomyFlows>>;
  players(
    caller: Caller,
    target: PublishTarget,
    query: RangeQuery & FlowFilter & { readonly order: MoverOrder },
  ): Promise<ManageAnswer<contract.EconomyPlayers>>;
  /** The entries of ledgers that sums are made of, the newest first. Throws 404 `NOT_FOUND` for an alarm that was not raised. */
  entries(caller: Caller, target: PublishTarget, query: EntriesQuery): Promise<ManageAnswer<contract.EconomyEntries>>;
  /** Alarms that were raised, the newest first. */
  alarms(caller: Caller, page: { readonly before: string | null; readonly limit: number }): Promise<ManageAnswer<contract.EconomyAlarms>>;
  /** Throws 404 `NOT_FOUND` for a currency that never moved. */
  supply(caller: Caller, target: PublishTarget, currency: string | null): Promise<ManageAnswer<contract.EconomySupply>>;
}

const SCOPE = ['economy'];
/** How many days back a range begins that says no beginning. */
const DAYS_BACK = 30;

export function createEconomy(context: AppContext, past: Past): Economy {
  const open = async (caller: Caller, target: PublishTarget) => {
    const project = await projectOf(context, caller);
    const { key, space } = accessAt(project, caller, target);
    requirePermissions(key, SCOPE, 'r');
    const reached = await viewsReached(context, project, 'economy', project.set.head);
    return { project, space, key, at: () => positioned(context, project, caller, reached) };
  };
  const today = () => dayOf(context.scheduler.now());
  return {
    async days(caller, target, { currency, limit, cursor, ...query }) {
      const { project, space, at } = await open(caller, target);
      const range = rangeOf(space, query, today());
      const before = cursorOf(cursor, 2);
      if (before !== null && !/^\d{1,7}$/.test(before[0] ?? '')) throw invalidCursor('cursor');
      const page = { ...range, currency, before: before && ([Number(before[0]), before[1] ?? ''] as const), limit };
      const { rows } = await context.views.economyDays(project.id, page);
      const { shown, cursor: next } = paged(rows, limit, ({ day, currency: of }) => [String(day), of]);
      const days = shown.map(({ day, active, topHolders, topBalance, share, ...row }) => ({
        ...row,
        ...exact(row, ['opening', 'inflow', 'outflow', 'closing', 'faucet', 'sink', 'transfer', 'correctedIn', 'correctedOut']),
        day: dateOf(day),
        active: active === null ? null : parseJson(active),
        top: topHolders === null || topBalance === null || share === null ? null : topOf({ topHolders, topBalance, share }),
        flows: linkOf(project, 'flows', { currency: row.currency, from: dateOf(day), to: dateOf(day + 1) }),
      }));
      return { ...at(), result: { ok: true, days, cursor: next } };
    },

    async flows(caller, target, { by, limit, cursor, from, to, ...filter }) {
      const { project, space, at } = await open(caller, target);
      const range = rangeOf(space, { from, to }, today());
      const { rows } = await context.views.economyFlows(project.id, {
        ...range,
        ...filter,
        by: by ?? 'none',
        after: cursorOf(cursor),
        limit,
      });
      const { shown, cursor: next } = paged(rows, limit, ({ key }) => key);
      const flows = shown.map((row) => flowOf(project, range, filter, row));
      return { ...at(), result: { ok: true, flows, cursor: next } };
    },

    async players(caller, target, { order, limit, cursor, from, to, ...filter }) {
      const { project, space, at, key } = await open(caller, target);
      if (filter.currency === null) throw refusal('INVALID_REQUEST', '`currency` must be named: amounts of two currencies have no order');
      const range = rangeOf(space, { from, to }, today());
      const before = cursorOf(cursor, 2);
      if (before !== null && !/^-?\d{1,400}(?:\.\d{1,400})?$/.test(before[0] ?? '')) throw invalidCursor('cursor');
      const page = { ...range, ...filter, order, before: before && ([before[0] ?? '', before[1] ?? ''] as const), limit };
      const { rows } = await context.views.economyMovers(project.id, page);
      const { shown, cursor: next } = paged(rows, limit, (row) => [row[order], row.player]);
      const players = shown.map(({ collections, ...row }) => ({
        ...row,
        ...exact(row, ['inflow', 'outflow', 'net']),
        ...sharedIn(project, collections),
        ledgers: collections.map((collection) => ledgerLink(project, collection, row.player, range)),
      }));
      const called = await calledOf(
        context,
        project.id,
        key,
        players.map(({ player, shared }) => (shared === undefined ? player : undefined)),
      );
      return { ...at(), result: { ok: true, players, ...called, cursor: next } };
    },

    async entries(caller, target, { limit, cursor, from, to, alarm, ...filter }) {
      const { project, space, at } = await open(caller, target);
      const { currency, player } = filter;
      if (currency === null) throw refusal('INVALID_REQUEST', '`currency` must be named: a sum is of one currency');
      requireStorable(player);
      const before = placeOf(cursor);
      if (alarm !== null) requireAlone({ from, to, ...filter, currency: null });
      const which =
        alarm === null
          ? { ...rangeOf(space, { from, to }, today()), ...filter, within: null, before }
          : await countedBy(past, project, alarm, currency);
      const wanted = { ...which, before: before ?? which.before, limit };
      const { rows, next, hasOthers } = await entriesOf(context, past, project, currency, wanted);
      const reasons = await reasonsOf(past, project, rows);
      const entries = rows.map((row) => ({ ...entryOf(row, currency, reasons.get(row.revision)), ...sharedIn(project, [row.collection]) }));
      const cursorOfNext = next === null ? null : next.join('.');
      return { ...at(), result: { ok: true, entries, ...(hasOthers ? { hasOthers: true as const } : {}), cursor: cursorOfNext } };
    },

    async alarms(caller, { before, limit }) {
      const { project, at } = await open(caller, 'live');
      const page = await context.views.alarms(project.id, { before: revisionCursor(before, 'before') ?? Number.MAX_SAFE_INTEGER, limit });
      const alarms = page.alarms.map(({ at: time, ...alarm }) => {
        const { currency, source, window } = alarm;
        const day = dayOf(Date.parse(window.slice(0, 10)));
        const opens = linkOf(project, 'flows', { currency, source, from: dateOf(day), to: dateOf(day + 1) });
        const entries = linkOf(project, 'entries', { currency, alarm: String(alarm.revision) });
        return { ...alarm, at: new Date(time).toISOString(), opens, entries };
      });
      return { ...at(), result: { ok: true, alarms, before: page.next } };
    },

    async supply(caller, target, currency) {
      const { project, space, at } = await open(caller, target);
      if (currency === null) throw refusal('INVALID_REQUEST', '`currency` must be named');
      const { rows } = await context.views.economySupply(project.id, { space, currency, today: today() });
      const row = rows[0];
      if (!row?.known) throw notFound('currency', `Nothing ever moved of the currency ${JSON.stringify(currency.slice(0, 200))}`);
      const { supply, active, holders } = row;
      return { ...at(), result: { ok: true, currency, supply: parseJson(supply), active: parseJson(active), holders, top: topOf(row) } };
    },
  };
}

/** The days that a request asks for, the last 30 at first. */
function rangeOf(space: Space, { from, to }: Pick<RangeQuery, 'from' | 'to'>, today: number): EconomyRange {
  const end = to === null ? today : dayWithin(timeOf(to, 'to') - 1);
  return { space, from: from === null ? end - DAYS_BACK + 1 : dayWithin(timeOf(from, 'from')), to: end };
}

/** The day of a time, of the years 1970 to 9999, which dates of four digits can name. */
function dayWithin(time: number): number {
  return Math.min(Math.max(dayOf(time), 0), LAST_DAY);
}

const LAST_DAY = dayOf(Date.UTC(9999, 11, 30));

function timeOf(text: string, name: string): number {
  const time = queryTimeOf(text);
  if (time !== null) return time;
  throw refusal(
    'INVALID_REQUEST',
    `\`${name}\` must be a date, an ISO time with a zone, such as 2026-03-29T10:00:00Z, or unix milliseconds`,
  );
}

/** The rows of a page, of which one more than asked for was read, and the cursor behind it; `null`: these are all. */
function paged<Row>(rows: readonly Row[], limit: number, placeIn: (row: Row) => readonly string[]) {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { shown: rows.slice(0, limit), cursor: last === undefined ? null : JSON.stringify(placeIn(last)) };
}

/** The texts of a cursor. Throws 400 `INVALID_REQUEST` for one that no answer held. */
function cursorOf(cursor: string | null, length?: number): readonly string[] | null {
  if (cursor === null) return null;
  const parts = tryParseJson(cursor);
  const texts = isArray(parts) ? parts.filter((part) => typeof part === 'string') : [];
  if (!isArray(parts) || texts.length !== parts.length || (length ?? parts.length) !== parts.length || cursor.includes('\\u0000'))
    throw invalidCursor('cursor');
  return texts;
}

/** Whether what moved is of nobody: the collections in which it did are all shared. */
function sharedIn({ definitions }: Project, collections: readonly string[]): { readonly shared?: true } {
  return collections.every((collection) => isShared(definitions, collection)) ? { shared: true } : {};
}

function dateOf(day: number): string {
  return new Date(startOfDay(day)).toISOString().slice(0, 10);
}

/** What the richest hundredth have. */
function topOf({ topHolders, topBalance, share }: Pick<EconomySupplyRow, 'topHolders' | 'topBalance' | 'share'>) {
  return { holders: topHolders, balance: parseJson(topBalance), share };
}

/** Members of a row that are texts of exact numbers, as numbers. */
function exact<Row extends Readonly<Record<Name, string>>, Name extends string>(row: Row, names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, parseJson(row[name])])) as Record<Name, contract.EconomySupply['supply']>;
}

function flowOf(project: Project, range: EconomyRange, filter: FlowFilter, { key: _, day, ...row }: EconomyFlowRow) {
  const days = day === undefined ? range : { from: day, to: day };
  const { currency, collection, field, source, endpoint } = { ...filter, ...row };
  const where = { currency, collection, field, source, endpoint, from: dateOf(days.from), to: dateOf(days.to + 1) };
  return {
    ...row,
    ...(day === undefined ? {} : { day: dateOf(day) }),
    ...exact(row, ['inflow', 'outflow', 'faucet', 'sink']),
    opens: linkOf(project, 'players', where),
  };
}

function linkOf(project: Project, what: 'flows' | 'players' | 'entries', filter: Readonly<Record<string, string | null>>): string {
  const named = Object.entries(filter).flatMap(([name, value]) => (value === null ? [] : [[name, value] as [string, string]]));
  return `/v3/manage/${project.id}/economy/${what}?${new URLSearchParams(named)}`;
}

function ledgerLink(project: Project, collection: string, player: string, { from, to }: EconomyRange): string {
  const range = { from: new Date(startOfDay(from)).toISOString(), to: new Date(startOfDay(to + 1)).toISOString() };
  return `/v3/storage/${project.id}/${collection}/${player}/ledger?${new URLSearchParams(range)}`;
}
