import { effectiveDefinitions } from '../src/domain/definition/model/effective.ts';
import type { PublishTarget } from '../src/domain/events.ts';
import type { CollectionModel, QueryModel, SchemaModel } from '../src/domain/model.ts';
import { boardHash } from '../src/domain/query/board-hash.ts';
import { type BoardPlan, queryPlan } from '../src/domain/query/plan.ts';
import type { DefinitionsState } from '../src/domain/states.ts';
import { groupBy } from '../src/kernel/group.ts';
import { hashText } from '../src/kernel/hash.ts';
import { type Json, stringifyJson } from '../src/kernel/json.ts';
import { splitPath } from '../src/kernel/path.ts';

/** One number field of one collection, whose values are kept sorted. */
export interface Board {
  /** Names the board within its project. Two boards with the same id are the same in every respect. */
  readonly id: string;
  /** Collection id. */
  readonly collection: string;
  /** Dotted path. */
  readonly path: string;
  readonly descending: boolean;
  /** The schema in which documents that lack the field find its default. */
  readonly schema: SchemaModel | null;
}

interface BoardQuery {
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
  const live = effectiveDefinitions(state, 'live');
  for (const target of ['live', 'next'] satisfies PublishTarget[]) {
    const definitions = effectiveDefinitions(state, target);
    for (const collection of definitions.collections) if (collection.type === 'global') globals.add(collection.id);
    for (const query of definitions.queries) {
      const plan = boardPlan(query);
      const board = boardOf(query, (name) => definitions.collection(name));
      if (plan === null || board === null) continue;
      const hash = boardHash(query, plan.collectionId, definitions, live);
      queries.set(`${query.id}/${hash}`, { query: query.id, hash, board });
    }
  }
  const boards = new Map([...queries.values()].map(({ board }) => [board.id, board]));
  return { boards, byCollection: groupBy(boards.values(), (board) => board.collection), queries, globals };
}

/** The board that answers a query. `null` if the query is not a leaderboard over a stored number of a single collection. */
function boardOf(query: QueryModel, collectionOf: (name: string) => CollectionModel | undefined): Board | null {
  const plan = boardPlan(query);
  const collection = plan === null ? undefined : collectionOf(plan.collectionId);
  if (plan === null || collection === undefined) return null;
  const { field, order } = plan;
  const defaults = defaultsOn(collection.schema, field);
  const id = `${collection.id}/${order}${defaults === null ? '' : `/=${hashText(stringifyJson(defaults)).slice(0, 16)}`}/${field}`;
  return { id, collection: collection.id, path: field, descending: order === 'desc', schema: defaults === null ? null : collection.schema };
}

function boardPlan(query: QueryModel): BoardPlan | null {
  const plan = queryPlan(query);
  return typeof plan === 'string' ? null : plan.board;
}

/** The defaults from which a document without the field can read it, outermost first; `null` when there is none. */
function defaultsOn({ root }: SchemaModel, field: string): Json | null {
  const defaults: Json[] = [];
  let at = root;
  for (const name of splitPath(field)) {
    const additional = typeof at?.additional === 'object' ? at.additional : null;
    const named = at?.properties?.get(name);
    // Defaults fill in members below a member that `additionalProperties` describes. They never create such a member.
    defaults.push(named?.default ?? null);
    at = named ?? additional;
  }
  return defaults.every((value) => value === null) ? null : defaults;
}
