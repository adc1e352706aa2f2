import type pg from 'pg';
import { errorMessage } from '../../kernel/error-reporting.ts';
import { remedyOf } from '../remedies.ts';
import { type Finding, fail, ok } from './finding.ts';

/**
 * A mebibyte in a file of its own. A temporary table is no part of the write-ahead log, so the trial takes nothing from it on a disk that
 * is nearly full.
 */
const TRIAL = [
  "SET LOCAL temp_tablespaces = ''",
  'CREATE TEMPORARY TABLE savepoint_trial (filler text)',
  // Compressed it would be some kilobytes.
  'ALTER TABLE savepoint_trial ALTER COLUMN filler SET STORAGE EXTERNAL',
  "INSERT INTO savepoint_trial VALUES (repeat('x', 1048576))",
];
const MAY_NOT = '42501';

/** Writes where the database lies and undoes it, because Postgres does not tell how full the disk of its machine is. */
export async function checkDatabaseDisk(pool: pg.Pool): Promise<Finding> {
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    for (const statement of TRIAL) await client.query(statement);
    return ok('database disk', 'has room: 1 MiB was written, and taken back');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === MAY_NOT)
      return ok('database disk', 'not tried: this account may make no temporary table');
    return fail('database disk', `refuses 1 MiB: ${errorMessage(error)}`, remedyOf(error) ?? 'Look at the log of the server.');
  } finally {
    await client.query('ROLLBACK').catch(() => undefined);
    client.release();
  }
}
