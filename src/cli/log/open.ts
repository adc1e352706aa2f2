import pg from 'pg';
import { databaseUrlOf, useDatabase } from '../../../infra/postgres/database.ts';
import { migrate } from '../../../projections/migrate.ts';
import { notInstalled } from '../../compose/not-installed.ts';
import type { CopySource, CopyTarget } from '../../log/copy/ends.ts';
import { logSource, logTarget } from '../../log/copy/log-ends.ts';
import { openFileSource } from '../../log/file/source.ts';
import { openFileTarget } from '../../log/file/target.ts';
import type { Log } from '../../log/port.ts';
import { createPostgresLog, LOG_MIGRATIONS } from '../../log/postgres/log.ts';
import { createLogger } from '../../logger.ts';
import { printNote } from '../context.ts';
import type { LogLocation } from './locations.ts';

export interface Opened<End> {
  readonly end: End;
  close(): Promise<void>;
}

/** Opens a place to copy from. Nothing in it is changed. */
export async function openSource(location: LogLocation, allowIncomplete: boolean): Promise<Opened<CopySource>> {
  if (location.kind === 'file') {
    const file = await openFileSource(location.path, { allowIncomplete });
    if (file.flaw !== null) printNote(`Note: ${file.flaw}; the rest is copied.`);
    return { end: file, close: () => file.close() };
  }
  if (location.kind === 'data' && databaseUrlOf(location.dir) === null) throw notInstalled(`in ${location.dir}`);
  const { log, hasDensePositions, close } = await openLog(location);
  return { end: logSource(log, { hasDensePositions }), close };
}

/** Appends that are sent at once: Postgres stores them in one call, in this order. */
const BATCH_SIZE = 64;

/** Opens a place to copy to, and makes the tables that it needs. */
export async function openTarget(location: LogLocation): Promise<Opened<CopyTarget>> {
  if (location.kind === 'file') {
    const file = await openFileTarget(location.path);
    if (file.cutBytes > 0) {
      printNote(
        `Note: the end of ${location.path} was torn; ${file.cutBytes} bytes were cut off, and the copy goes on after ${file.events} events.`,
      );
    }
    return { end: file, close: () => file.close() };
  }
  const { log, hasDensePositions, close } = await openLog(location, prepare);
  return { end: logTarget(log, { hasDensePositions, maxConcurrentAppends: location.kind === 'eventstore' ? 1 : BATCH_SIZE }), close };
}

interface OpenedLog {
  readonly log: Log;
  readonly hasDensePositions: boolean;
  close(): Promise<void>;
}

async function openLog(
  location: Exclude<LogLocation, { readonly kind: 'file' }>,
  first: (url: string) => Promise<void> = async () => undefined,
): Promise<OpenedLog> {
  if (location.kind === 'eventstore') {
    const { createEventStoreLog } = await import('../../log/eventstore/log.ts');
    const log = createEventStoreLog({ url: location.url });
    return { log, hasDensePositions: false, close: () => log.close() };
  }
  const database = await databaseOf(location);
  try {
    await first(database.url);
  } catch (error) {
    await database.release();
    throw error;
  }
  const log = createPostgresLog({ connection: { connectionString: database.url } });
  const close = async () => {
    await log.close();
    await database.release();
  };
  return { log, hasDensePositions: true, close };
}

async function databaseOf(location: Extract<LogLocation, { readonly kind: 'postgres' | 'data' }>) {
  if (location.kind === 'postgres') return { url: location.url, release: async () => undefined };
  return useDatabase({ dataDir: location.dir, log: createLogger({ level: 'warn' }) });
}

async function prepare(connectionString: string): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: 2, connectionTimeoutMillis: 5000 });
  try {
    await migrate(pool, LOG_MIGRATIONS);
  } finally {
    await pool.end();
  }
}
