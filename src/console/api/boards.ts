import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { isSetBy } from '../words/board.ts';
import * as api from './generated.ts';
import { answerOf } from './http.ts';
import { ofKind, reasonFor } from './reveal.ts';
import { atOf, type View } from './view.ts';

/** What the pages of leaderboards read. */

export type RankedRow = api.RankedRow;
export type Leaderboard = api.Leaderboard;

interface QueryDefinition {
  readonly id: string;
  readonly name?: string;
  readonly type?: string;
  readonly [member: string]: unknown;
}

/** Rows of a page. */
const ROWS = 50;
/** Rows on each side of a player. */
const AROUND = 10;
/** Changes of a document that are looked at for the one that set a value, page by page. */
const CHANGES = 50;
const PAGES = 4;

/** The leaderboards that are defined. */
export function boardsQuery(view: View) {
  const { project, target } = view;
  return queryOptions({
    queryKey: [project, 'boards', target, view.at],
    queryFn: async () => {
      const { data } = await answerOf(api.listQueries({ project, ...atOf(view), xNsPublishTarget: target }));
      return (data as readonly QueryDefinition[]).filter(({ type }) => type === undefined || type === 'leaderboard');
    },
    staleTime: 30_000,
  });
}

function boardOf(answer: api.QueryResult): Leaderboard | null {
  return answer.type === 'leaderboard' ? answer : null;
}

/** A board page by page, from its first row on. */
export function boardQuery({ project, target }: View, query: string) {
  return infiniteQueryOptions({
    queryKey: [project, 'board', target, query],
    queryFn: async ({ pageParam }) =>
      boardOf(await answerOf(api.runQuery({ project, query, limit: ROWS, offset: pageParam, xNsPublishTarget: target }))),
    initialPageParam: 0,
    getNextPageParam: (page, _, offset) =>
      page === null || page.entries.length < ROWS || offset + ROWS >= page.total ? null : offset + ROWS,
  });
}

/** The rows around a key. */
export function aroundQuery({ project, target }: View, query: string, key: string, around = AROUND) {
  return queryOptions({
    queryKey: [project, 'board', target, query, 'around', key, around],
    queryFn: async () => boardOf(await answerOf(api.runQuery({ project, query, platformId: key, around, xNsPublishTarget: target }))),
    placeholderData: keepPreviousData,
  });
}

/** A row of a board, and what it is ordered by. */
export interface RowOfBoard {
  readonly query: string;
  readonly collection: string;
  readonly key: string;
  readonly field: string;
  readonly value: number;
}

/** The last change that gave a field of a document its value; `change` `null`: it is not among those that were looked at. */
export function setByQuery({ project, target }: View, { query, collection, key, field, value }: RowOfBoard) {
  return queryOptions({
    queryKey: [project, 'board', target, query, 'set-by', collection, key, field, value],
    queryFn: async () => {
      // Whoever gave a reason for the board is told what its rows are made of.
      const reason = reasonFor(project, ofKind('board', query));
      const revealed = reason === undefined ? {} : { xNsReveal: encodeURIComponent(reason) };
      let before: number | null = null;
      let looked = 0;
      for (let pages = 0; pages < PAGES; pages += 1) {
        const page: api.DocumentHistory = await answerOf(
          api.readDocumentHistory({
            ...{ project, collection, key, limit: CHANGES, xNsPublishTarget: target, ...revealed },
            ...(before === null ? {} : { before: String(before) }),
          }),
        );
        const change = page.changes.find((each) => isSetBy(each, field, value));
        looked += page.changes.length;
        before = page.before;
        if (change !== undefined || before === null) return { change: change ?? null, looked, isWhole: before === null };
      }
      return { change: null, looked, isWhole: false };
    },
  });
}
