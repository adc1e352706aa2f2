import { effectiveDefinitions } from '../src/domain/definition/effective.ts';
import type { QueryModel } from '../src/domain/definition/model.ts';
import type { PublishTarget } from '../src/domain/events.ts';
import { leaderboardPlan } from '../src/domain/query/leaderboard.ts';
import type { DefinitionsState } from '../src/domain/states.ts';
import { groupBy } from './group.ts';

/** One number field of one collection, kept in order. */
export interface Board {
  /** Names it among the project's boards, and says all there is to it. */
  readonly id: string;
  /** Collection id. */
  readonly collection: string;
  /** Dotted path. */
  readonly path: string;
  readonly descending: boolean;
}

export interface BoardQuery {
  readonly query: string;
  readonly hash: string;
  readonly board: Board;
}

/** What the definitions, live and next together, ask of the views. */
export interface Catalog {
  readonly boards: ReadonlyMap<string, Board>;
  readonly byCollection: ReadonlyMap<string, readonly Board[]>;
  /** By query id and content hash. */
  readonly queries: ReadonlyMap<string, BoardQuery>;
  /** Ids of the global collections. */
  readonly globals: ReadonlySet<string>;
}

const EMPTY: Catalog = { boards: new Map(), byCollection: new Map(), queries: new Map(), globals: new Set() };

export function catalogOf(state: DefinitionsState | null): Catalog {
  if (state === null) return EMPTY;
  const queries = new Map<string, BoardQuery>();
  const globals = new Set<string>();
  for (const target of ['live', 'next'] satisfies PublishTarget[]) {
    const definitions = effectiveDefinitions(state, target);
    for (const collection of definitions.collections) if (collection.type === 'global') globals.add(collection.id);
    for (const query of definitions.queries) {
      const board = boardOf(query, (name) => definitions.collection(name)?.id);
      if (board) queries.set(`${query.id}/${query.hash}`, { query: query.id, hash: query.hash, board });
    }
  }
  const boards = new Map([...queries.values()].map(({ board }) => [board.id, board]));
  return { boards, byCollection: groupBy(boards.values(), (board) => board.collection), queries, globals };
}

/** The board that answers a query, or `null` for one that is no leaderboard over a stored number of one collection. */
export function boardOf(query: QueryModel, collectionId: (name: string) => string | undefined): Board | null {
  const plan = leaderboardPlan(query);
  if (typeof plan === 'string') return null;
  const collection = collectionId(plan.collectionId);
  if (collection === undefined) return null;
  return { id: `${collection}/${plan.order}/${plan.field}`, collection, path: plan.field, descending: plan.order === 'desc' };
}
