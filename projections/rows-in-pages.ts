import { type Transaction, withTables } from './tables.ts';

const PAGE = 5_000;

/** The rows of a scan in pages, through a cursor of the session's transaction: memory holds one page. `$1` is the project. */
export async function* rowsInPages<Row extends object>(
  tx: Transaction,
  statement: string,
  values: readonly unknown[],
): AsyncGenerator<Row[]> {
  const text = `DECLARE scan NO SCROLL CURSOR FOR ${withTables(statement, tx.versions)}`;
  await tx.client.query(text, [tx.projectId, ...values]);
  try {
    for (;;) {
      const { rows } = await tx.client.query<Row>(`FETCH ${PAGE} FROM scan`);
      if (rows.length > 0) yield rows;
      if (rows.length < PAGE) return;
    }
  } finally {
    // After an error the transaction is over, and so is the cursor.
    await tx.client.query('CLOSE scan').catch(() => undefined);
  }
}
