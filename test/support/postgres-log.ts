import pg from 'pg';
import type { Log } from '../../src/log/port.ts';
import { createPostgresLog, LOG_MIGRATIONS, type PostgresLogOptions } from '../../src/log/postgres/log.ts';
import { testDatabase } from './postgres.ts';

/** A new database with the log's tables. */
export async function postgresLogDatabase(url?: string): Promise<string> {
  const fresh = url ?? (await testDatabase());
  for (const { sql } of LOG_MIGRATIONS) await run(fresh, sql);
  return fresh;
}

export function postgresLog(url: string, options: Omit<PostgresLogOptions, 'connection'> = {}): Log {
  return createPostgresLog({ connection: { connectionString: url }, ...options });
}

/** Runs SQL on a connection of its own and gives the rows of a single statement. */
export async function run(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}
