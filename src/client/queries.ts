import type { GameValues, QueryResult } from '../contract/answers.ts';
import type { Connection } from './connection.ts';
import { failure, mapped, type Result, success } from './errors.ts';
import type { AnyJson } from './game.ts';
import type { RequestOptions } from './options.ts';

/** Leaderboards and other queries, and the game values. */

export interface QueryOptions extends RequestOptions {
  /** How many rows, within the limit of the definition. */
  readonly limit?: number;
  /** How many rows to skip. */
  readonly offset?: number;
  /** Adds the row of the client's player, with its rank, as `player`. */
  readonly own?: boolean;
  /** Another key whose row is added. */
  readonly player?: string;
  /** Answers that row, and so many rows before and after it. */
  readonly around?: number;
}

const QUERY = { type: 'string' } as const;
const VALUES = { constants: 'object', tables: 'object' } as const;

type Board = Extract<QueryResult, { readonly type: 'leaderboard' }>;

/** A row of a leaderboard; `data` holds the columns that the query names. */
export interface Ranked<Row = AnyJson> {
  readonly rank: number;
  /** The document's key, usually a player's id. */
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

/** The result of a query of any type. */
export type AnyResult<Row = AnyJson> = Exclude<QueryResult, Board> | Leaderboard<Row>;

export async function runQuery<Row>(connection: Connection, query: string, options: QueryOptions = {}): Promise<Result<AnyResult<Row>>> {
  const { limit, offset, own = false, player, around } = options;
  const who = own || around !== undefined ? connection.requirePlayer(player) : success(player);
  if (!who.ok) return who;
  const parameters = { limit, offset, around, platformId: who.value };
  const answer = await connection.send({
    method: 'GET',
    family: 'queries',
    path: [query],
    query: parameters,
    isRepeatable: true,
    answer: QUERY,
    options,
  });
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
  return failure('INVALID_ARGUMENT', `${query} is not a leaderboard but a ${result.value.type}: use query()`);
}

export async function readValues(connection: Connection, options?: RequestOptions): Promise<Result<GameValues>> {
  const answer = await connection.send({ method: 'GET', family: 'values', path: [], isRepeatable: true, answer: VALUES, options });
  return mapped(answer, ({ body }) => body as GameValues);
}
