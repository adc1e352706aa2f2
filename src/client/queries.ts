import type { GameValues, QueryResult } from '../contract/answers.ts';
import type { Connection } from './connection.ts';
import { failure, mapped, type Result, success } from './errors.ts';
import type { AnyJson } from './game.ts';
import type { RequestOptions } from './options.ts';

/** Leaderboards and other queries, and the values that the game is tuned by. */

export interface QueryOptions extends RequestOptions {
  /** Rows, within the limit of the definition. */
  readonly limit?: number;
  /** Rows before the first. */
  readonly offset?: number;
  /** Adds the row of the client's player, with its rank, as `player`. */
  readonly own?: boolean;
  /** The same for any other key. */
  readonly player?: string;
  /** The rows are that one, and so many before and after it. */
  readonly around?: number;
}

type Board = Extract<QueryResult, { readonly type: 'leaderboard' }>;

/** A row of a leaderboard; `data` holds the columns that the query names. */
export interface Ranked<Row = AnyJson> {
  readonly rank: number;
  /** Of the document: a player's id, mostly. */
  readonly key: string;
  readonly value: number;
  readonly data: Row;
  readonly outputValues: Readonly<Record<string, AnyJson>>;
  readonly playerProfile?: AnyJson;
}

export interface Leaderboard<Row = AnyJson> extends Omit<Board, 'entries' | 'player'> {
  readonly entries: readonly Ranked<Row>[];
  /** The row that was asked for; `null`: it has no rank. */
  readonly player?: Ranked<Row> | null;
}

/** Any query's result. */
export type AnyResult<Row = AnyJson> = Exclude<QueryResult, Board> | Leaderboard<Row>;

export async function runQuery<Row>(connection: Connection, query: string, options: QueryOptions = {}): Promise<Result<AnyResult<Row>>> {
  const { limit, offset, own = false, player, around } = options;
  const who = own || around !== undefined ? connection.requirePlayer(player) : success(player);
  if (!who.ok) return who;
  const asked = { limit, offset, around, platformId: who.value };
  const answer = await connection.send({ method: 'GET', family: 'queries', path: [query], query: asked, repeats: true, options });
  return mapped(answer, ({ body }) => body as AnyResult<Row>);
}

export async function runLeaderboard<Row>(
  connection: Connection,
  query: string,
  options?: QueryOptions,
): Promise<Result<Leaderboard<Row>>> {
  const result = await runQuery<Row>(connection, query, options);
  if (!result.ok) return result;
  if (result.value.type === 'leaderboard') return success(result.value);
  return failure('INVALID_ARGUMENT', `${query} is no leaderboard but a ${result.value.type}: ask with query()`);
}

export async function readValues(connection: Connection, options?: RequestOptions): Promise<Result<GameValues>> {
  const answer = await connection.send({ method: 'GET', family: 'values', path: [], repeats: true, options });
  return mapped(answer, ({ body }) => body as GameValues);
}
