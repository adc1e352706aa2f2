import type { PoolClient } from 'pg';
import { QUERY_TIMEOUT } from './query-timeout.ts';

/** The intended size of a page, in characters. */
const PAGE = 256 * 1024;
const FIRST_ROWS = 16;
/** The most rows of one page, even of small ones: the next rows may have the largest size of a document. */
const MAX_ROWS = 256;

/**
 * Reads the rows of a statement through a cursor in the client's transaction, in pages of about a quarter of a megabyte, so that one page
 * is in memory. The number of rows of a page is estimated from the average size of the rows before and the size of the last one, and at
 * most doubles from page to page. `timeout` is the time limit of each statement.
 */
export async function* pagesByBytes<Row extends object>(
  client: PoolClient,
  statement: string,
  values: readonly unknown[],
  sizeOf: (row: Row) => number,
  timeout: { readonly query_timeout?: number } = QUERY_TIMEOUT,
): AsyncGenerator<readonly Row[]> {
  await client.query({ ...timeout, text: `DECLARE paged NO SCROLL CURSOR FOR ${statement}`, values: [...values] });
  for (let wanted = FIRST_ROWS; ; ) {
    const { rows } = await client.query<Row>({ ...timeout, text: `FETCH ${wanted} FROM paged` });
    if (rows.length > 0) yield rows;
    if (rows.length < wanted) break;
    const last = rows.at(-1);
    const size = rows.reduce((sum, row) => sum + sizeOf(row), 0) / rows.length;
    const next = Math.max(size, last === undefined ? 0 : sizeOf(last)) + 1;
    wanted = Math.max(1, Math.min(Math.floor(PAGE / next), wanted * 2, MAX_ROWS));
  }
  await client.query({ ...timeout, text: 'CLOSE paged' });
}
