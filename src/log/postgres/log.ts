import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { AppendTooLarge, bytesOf, type Log, type NewEvent } from '../port.ts';
import { checkTruncation } from '../truncation.ts';
import { createAppender } from './append.ts';
import { createPool } from './connection.ts';
import { createReader } from './read.ts';
import { redactEvents } from './redact.ts';
import { createTail } from './tail.ts';
import { truncateStream } from './truncate.ts';

export interface PostgresLogOptions {
  /** Where Postgres is and how to sign in: `{ connectionString }` or anything else that `pg` takes. */
  readonly connection: pg.PoolConfig;
  /** The longest time that an append or a read waits for its answer. The server gives up at 60 % of it. Default 8000. */
  readonly timeoutMs?: number;
  /** Connections for reading; appends use two of their own. Default 6. */
  readonly readers?: number;
  /** How often followers ask for other processes' events when nothing else tells them of any; at most 200. Default 100. */
  readonly pollMs?: number;
  /** Memory for the last events of the log, from which followers are served. Default 32 MiB. */
  readonly recentBytes?: number;
  /** Bytes of one append; a larger one throws {@link AppendTooLarge}. Default 16 MiB. */
  readonly maxAppendBytes?: number;
}

const sqlOf = (file: string) => readFileSync(new URL(file, import.meta.url), 'utf8');

/**
 * The log's tables and its function, as named migrations. A changed function is a migration with a new name. Running one again changes
 * nothing.
 */
export const LOG_MIGRATIONS = [
  { name: 'log', sql: sqlOf('./schema.sql') },
  { name: 'log-append-0002', sql: sqlOf('./append.sql') },
] as const;

const MIB = 1024 * 1024;
/**
 * The most bytes of UTF-8 that a character of JavaScript takes. A text that is small enough by this bound need not be counted byte by byte.
 */
const BYTES_PER_CHARACTER = 3;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * The log in Postgres 15 or later, in a database on which {@link LOG_MIGRATIONS} were run. It connects when first used, and again after
 * outages.
 */
export function createPostgresLog({ connection, timeoutMs = 8000, ...options }: PostgresLogOptions): Log {
  const { readers = 6, pollMs = 100, recentBytes = 32 * MIB, maxAppendBytes = 16 * MIB } = options;
  const reading = createPool({ connection: { query_timeout: timeoutMs, ...connection }, timeoutMs, max: readers });
  // The second connection takes over when a call on the first is given up.
  const appending = createPool({ connection, timeoutMs, max: 2 });
  const reader = createReader(reading);
  const tail = createTail({ reader, pollMs: Math.min(pollMs, 200), recentBytes });
  const appender = createAppender({ pool: appending, timeoutMs, onStored: tail.stored });
  let closing: Promise<void> | null = null;

  const close = async () => {
    await appender.close();
    await tail.close();
    await Promise.all([appending.end(), reading.end()]);
  };

  return {
    async append(stream, expected, events) {
      const characters = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
      if (characters * BYTES_PER_CHARACTER > maxAppendBytes) refuseLarge(events, maxAppendBytes);
      const bad = events.find((event) => !UUID.test(event.id));
      if (bad) throw new TypeError(`not a lower-case UUID: ${bad.id}`);
      return appender.append(stream, expected, events, characters);
    },
    read: (stream, range) => reader.stream(stream, range),
    head: (stream) => reader.head(stream),
    async truncate(stream, before) {
      checkTruncation(stream, before);
      await truncateStream(reading, stream, before);
    },
    redact: (stream, revisions) => redactEvents(reading, stream, revisions),
    async end() {
      const end = await reader.end();
      return end === 0 ? null : BigInt(end);
    },
    follow: tail.follow,
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function refuseLarge(events: readonly NewEvent[], maxAppendBytes: number): void {
  const bytes = events.reduce((sum, event) => sum + bytesOf(event), 0);
  if (bytes > maxAppendBytes) throw new AppendTooLarge(`${bytes} bytes in one append; the log takes ${maxAppendBytes}`);
}
