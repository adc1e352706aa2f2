import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { databaseUrlOf } from '../postgres/database.ts';
import type { BenchRun } from './benchmark.ts';

/** Whether Postgres reads tables through. */

/** Rows that were read so, by table. */
export type ReadThrough = Readonly<Record<string, number>>;

/** So many rows a view, of one table, are those of tables that have but a few. Of what is large one scan in all the views is more. */
export const READ_BAR = 100;

/** A backend of Postgres tells what it did within this time. */
const TOLD_MS = 11_000;

/** Begins to count. The end waits until all is told. */
export async function countReadThrough(dataFolder: string, defer: BenchRun['defer']): Promise<{ end(): Promise<ReadThrough> }> {
  const client = new pg.Client({ connectionString: databaseUrlOf(dataFolder) ?? '' });
  await client.connect();
  defer(() => client.end());
  const before = await readThrough(client);
  return {
    async end() {
      await sleep(TOLD_MS);
      return difference(before, await readThrough(client));
    },
  };
}

async function readThrough(client: pg.Client): Promise<ReadThrough> {
  const { rows } = await client.query<{ name: string; rows: number }>(
    'SELECT relname AS name, seq_tup_read::float8 AS rows FROM pg_stat_user_tables WHERE seq_tup_read > 0',
  );
  return Object.fromEntries(rows.map(({ name, rows: read }) => [name, read]));
}

/** What came since, most first. */
export function difference(before: ReadThrough, after: ReadThrough): ReadThrough {
  const moved = Object.entries(after).map(([name, read]) => [name, read - (before[name] ?? 0)] as const);
  return Object.fromEntries(moved.filter(([, read]) => read > 0).sort(([, one], [, other]) => other - one));
}
