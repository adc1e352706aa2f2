import type { Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg';
import { type Code, refusal } from '../src/kernel/errors.ts';
import { QUERY_TIMEOUT } from './query-timeout.ts';
import { inTransaction } from './transaction.ts';

/** The longest time that a read over many rows may take: it holds a connection that others wait for. */
const TIMEOUT_MS = 2_000;
const BEGIN = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${TIMEOUT_MS}`;
const CANCELLED = '57014';

/** Runs one statement. Throws the refusal `tooLarge` when it exceeds {@link TIMEOUT_MS}. */
export async function readWithin<Row extends QueryResultRow>(pool: Pool, query: QueryConfig, tooLarge: Code): Promise<QueryResult<Row>> {
  const client = await pool.connect();
  try {
    const found = await inTransaction(client, () => client.query<Row>({ ...QUERY_TIMEOUT, ...query }), BEGIN);
    client.release();
    return found;
  } catch (error) {
    const isLate = error instanceof Error && 'code' in error && error.code === CANCELLED;
    client.release(!isLate);
    throw isLate ? refusal(tooLarge) : error;
  }
}
