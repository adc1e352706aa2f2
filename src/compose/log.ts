import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseProblem } from '../../infra/postgres/problem.ts';
import { type Config, redactUrl } from '../config.ts';
import { createEventStoreLog } from '../log/eventstore/log.ts';
import { followToEnd } from '../log/heard.ts';
import type { Log } from '../log/port.ts';
import { createPostgresLog } from '../log/postgres/log.ts';
import { PROJECT_PREFIX } from '../log/streams.ts';

/** Events kept for followers of this process: they read what was just appended and nothing older. */
const RECENT_BYTES = 8 * 1024 * 1024;
/** How long a start waits for the log's first answer. */
const PATIENCE_MS = 10_000;

export interface LogTuning {
  /** Connections for reading. */
  readonly readers?: number;
  /** How often events of other processes are asked for, where nothing else tells of them. */
  readonly pollMs?: number;
}

/** The log that the configuration names: an EventStoreDB, or the database. Connects when first used. */
export function openLog(config: Config, databaseUrl: string, tuning: LogTuning = {}): Log {
  if (config.eventStoreUrl !== null) return createEventStoreLog({ url: config.eventStoreUrl });
  return createPostgresLog({ connection: { connectionString: databaseUrl }, recentBytes: RECENT_BYTES, ...tuning });
}

/** Throws a `DatabaseProblem` when an EventStoreDB is configured and does not answer. */
export async function requireEventStore({ eventStoreUrl }: Config): Promise<void> {
  if (eventStoreUrl === null) return;
  const failure = await askEventStore(eventStoreUrl, PATIENCE_MS);
  if (failure === null) return;
  throw new DatabaseProblem(
    `The EventStoreDB of EVENTSTORE_URL, ${redactUrl(eventStoreUrl)}, does not answer: ${failure}`,
    'Start it, or correct the address (a server without TLS needs ?tls=false); savepoint doctor tells more. Unset EVENTSTORE_URL to keep the log in Postgres.',
  );
}

/** Why the EventStoreDB did not answer, or `null` when it did. */
export async function askEventStore(url: string, patienceMs: number): Promise<string | null> {
  let log: Log | null = null;
  try {
    const opened = createEventStoreLog({ url, timeoutMs: patienceMs });
    log = opened;
    const answer = opened.end().then(
      () => null,
      (error: unknown) => reasonOf(error),
    );
    return await Promise.race([answer, sleep(patienceMs, `no answer within ${patienceMs / 1000} s`, { ref: false })]);
  } catch (error) {
    return reasonOf(error);
  } finally {
    log?.close().catch(() => undefined);
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}

/** Whether the log holds an event of any project. */
export async function hasProjects(log: Log): Promise<boolean> {
  for await (const { events } of followToEnd(log, PROJECT_PREFIX)) if (events.length > 0) return true;
  return false;
}
