import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { dayAfter, type EntriesFilter, NO_ENDPOINT, type Period } from '../words/economy.ts';
import * as api from './generated.ts';
import { answerOf, datedAnswerOf } from './http.ts';
import type { View } from './view.ts';

/** What the pages of the economy read. */

export type EconomyDay = api.EconomyDay;
export type EconomyFlow = api.EconomyFlow;
export type EconomyEntry = api.EconomyEntry;

/** One currency over days, both of them included. */
export interface EconomyAsked extends Period {
  readonly currency: string;
}

/** Entries of days. */
export type EntriesAsked = EntriesFilter & Period;

export type FlowsBy = 'source' | 'endpoint' | 'field';
export type MoversBy = 'net' | 'inflow' | 'outflow';

/** Rows that the server is asked for at once. */
const ROWS = 200;
/** Pages of a list that are read at most. */
const PAGES = 10;
const MOVERS = 20;
const ENTRIES = 50;

/** A list that was read whole, or as far as a page shows one. */
export interface Listed<Row> {
  readonly rows: readonly Row[];
  /** The revision of the log that its first page shows. */
  readonly revision: number;
  readonly isCut: boolean;
}

interface Page<Row> {
  readonly rows: readonly Row[];
  readonly revision: number;
  readonly cursor: string | null;
}

async function listed<Row>(read: (cursor: { readonly cursor?: string }) => Promise<Page<Row>>): Promise<Listed<Row>> {
  const first = await read({});
  const rows = [...first.rows];
  let { cursor } = first;
  for (let pages = 1; pages < PAGES && cursor !== null; pages += 1) {
    const page = await read({ cursor });
    rows.push(...page.rows);
    cursor = page.cursor;
  }
  return { rows, revision: first.revision, isCut: cursor !== null };
}

function askedOf({ project, target }: View, { from, to }: Period) {
  return { project, xNsPublishTarget: target, $from: from, to: dayAfter(to) };
}

/** The days of a currency, the newest first. */
export function daysQuery(view: View, { currency, ...period }: EconomyAsked) {
  return queryOptions({
    queryKey: [view.project, 'economy', 'days', view.target, currency, period],
    queryFn: () =>
      listed(async (cursor) => {
        const { body, revision } = await datedAnswerOf(api.readEconomy({ ...askedOf(view, period), currency, limit: ROWS, ...cursor }));
        return { rows: body.days, revision, cursor: body.cursor };
      }),
    placeholderData: keepPreviousData,
  });
}

/** The fields that moved something, with their currencies. */
export function fieldsQuery(view: View, period: Period) {
  return queryOptions({
    queryKey: [view.project, 'economy', 'fields', view.target, period],
    queryFn: () =>
      listed(async (cursor) => {
        const { body, revision } = await datedAnswerOf(
          api.listEconomyFlows({ ...askedOf(view, period), by: 'field', limit: ROWS, ...cursor }),
        );
        return { rows: body.flows, revision, cursor: body.cursor };
      }),
    placeholderData: keepPreviousData,
  });
}

/** Where a currency came from and went to. */
export function flowsQuery(view: View, { currency, ...period }: EconomyAsked, by: FlowsBy) {
  return queryOptions({
    queryKey: [view.project, 'economy', 'flows', view.target, currency, period, by],
    queryFn: () =>
      listed(async (cursor) => {
        const asked = { ...askedOf(view, period), by, currency, limit: ROWS, ...cursor };
        const { body, revision } = await datedAnswerOf(api.listEconomyFlows(asked));
        return { rows: body.flows, revision, cursor: body.cursor };
      }),
    placeholderData: keepPreviousData,
  });
}

/** Who moved most. */
export function moversQuery(view: View, { currency, ...period }: EconomyAsked, order: MoversBy) {
  return queryOptions({
    queryKey: [view.project, 'economy', 'players', view.target, currency, period, order],
    queryFn: async () => {
      const { body, revision } = await datedAnswerOf(api.listEconomyPlayers({ ...askedOf(view, period), currency, order, limit: MOVERS }));
      return { rows: body.players, called: body.called ?? {}, revision, isCut: body.cursor !== null };
    },
    placeholderData: keepPreviousData,
  });
}

/** The entries that a sum is made of, the newest first. */
export function entriesQuery(view: View, asked: EntriesAsked) {
  return infiniteQueryOptions({
    queryKey: [view.project, 'economy', 'entries', view.target, asked],
    queryFn: ({ pageParam }) =>
      datedAnswerOf(
        api.listEconomyEntries({ ...entriesAskedOf(view, asked), limit: ENTRIES, ...(pageParam === null ? {} : { cursor: pageParam }) }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ body }) => body.cursor,
  });
}

/** What an alarm counted, it says itself. */
function entriesAskedOf(view: View, { from, to, class: of, alarm, ...filter }: EntriesAsked) {
  if (alarm !== undefined) return { project: view.project, currency: filter.currency, alarm: Number(alarm) };
  return {
    ...askedOf(view, { from, to }),
    ...filter,
    ...(of === undefined ? {} : { $class: of }),
    ...(filter.endpoint === NO_ENDPOINT ? { endpoint: '' } : {}),
  };
}

export function supplyQuery({ project, target }: View, currency: string) {
  return queryOptions({
    queryKey: [project, 'economy', 'supply', target, currency],
    queryFn: () => answerOf(api.readEconomySupply({ project, currency, xNsPublishTarget: target })),
    placeholderData: keepPreviousData,
  });
}
