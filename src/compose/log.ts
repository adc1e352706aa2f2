import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DatabaseProblem } from '../../infra/postgres/problem.ts';
import { type Config, redactUrl } from '../config/config.ts';
import { errorMessage, throttled } from '../kernel/error-reporting.ts';
import { isFirstFormat } from '../log/chain.ts';
import { FIRST_FORMAT_REFUSED } from '../log/decode.ts';
import type { EventStoreLog, EventStoreLogOptions } from '../log/eventstore/log.ts';
import { followToEnd, followWithTimeout } from '../log/follow.ts';
import { AppendTooLarge, type Log } from '../log/port.ts';
import { createPostgresLog } from '../log/postgres/log.ts';
import { PROJECT_PREFIX } from '../log/streams.ts';

/** Memory for recent events: followers in this process mostly read what was just appended. */
const RECENT_BYTES = 8 * 1024 * 1024;
/** How long a start waits for the log's first answer. */
const TIMEOUT_MS = 10_000;

export interface LogTuning {
  /** Connections for reading. */
  readonly readers?: number;
  /** Interval of polling for other processes' events if there is no notification, ms. */
  readonly pollMs?: number;
}

/** Opens the log that the configuration names: an EventStoreDB, or the database. It connects when first used. */
export async function openLog(config: Config, databaseUrl: string, tuning: LogTuning = {}): Promise<Log> {
  if (config.eventStoreUrl !== null) return openEventStore({ url: config.eventStoreUrl });
  return createPostgresLog({ connection: { connectionString: databaseUrl }, recentBytes: RECENT_BYTES, ...tuning });
}

/**
 * The log, which also reports why appends fail, and when they succeed again. Without this nobody would see the reason: a writer retries
 * until its append is stored or refused, and its callers learn only that the storage is unavailable.
 */
export function loggedLog(log: Log, logger: Pick<Logger, 'error' | 'info'>): Log {
  let isFailing = false;
  const tell = throttled((error: unknown) => logger.error({ reason: errorMessage(error) }, 'the log takes no appends; trying again'));
  return {
    ...log,
    async append(stream, expected, events) {
      try {
        const result = await log.append(stream, expected, events);
        if (isFailing) logger.info('the log takes appends again');
        isFailing = false;
        return result;
      } catch (error) {
        if (!(error instanceof AppendTooLarge)) {
          isFailing = true;
          tell(error);
        }
        throw error;
      }
    },
  };
}

/** Loading the client takes a sixth of a second, so only an installation with an EventStoreDB does it. */
async function openEventStore(options: EventStoreLogOptions): Promise<EventStoreLog> {
  const { createEventStoreLog } = await import('../log/eventstore/log.ts');
  return createEventStoreLog(options);
}

/**
 * The version of the configured EventStoreDB; `null`: none is configured. Throws a `DatabaseProblem` if it does not answer, or is too old.
 */
export async function requireEventStore({ eventStoreUrl }: Config): Promise<string | null> {
  if (eventStoreUrl === null) return null;
  const answer = await probeEventStore(eventStoreUrl, TIMEOUT_MS);
  if (!answer.ok) {
    const Problem = isAway(answer.reason) ? LogAway : DatabaseProblem;
    throw new Problem(
      `The EventStoreDB of EVENTSTORE_URL, ${redactUrl(eventStoreUrl)}, does not answer: ${answer.reason}`,
      `${cureOf(answer.reason)}; savepoint doctor tells more. Unset EVENTSTORE_URL to keep the log in Postgres.`,
    );
  }
  if (isTooOld(answer.version)) {
    throw new DatabaseProblem(
      `The EventStoreDB of EVENTSTORE_URL is version ${answer.version}; savepoint needs ${OLDEST_EVENTSTORE} or later.`,
      'Upgrade that server, name another one, or unset EVENTSTORE_URL to keep the log in Postgres.',
    );
  }
  return answer.version;
}

/** The log does not answer, and may do so later. */
export class LogAway extends DatabaseProblem {}

/** Whether a later question may be answered: what an account or a certificate lacks does not come by itself. */
function isAway(reason: string): boolean {
  return !/this account|certificate|self.signed|unable to verify/i.test(reason);
}

/** What to do about a failure, by its message: there are no codes. */
export function cureOf(reason: string): string {
  if (/this account/.test(reason)) return 'Correct user and password in it (esdb://USER:PASSWORD@…), or grant the account what it needs';
  if (/certificate/i.test(reason)) return 'Name the certificate of its issuer: …?tls=true&tlsCAFile=/path/ca.crt';
  return 'Start it, or correct the address (a server without TLS needs ?tls=false)';
}

export const OLDEST_EVENTSTORE = '22.10';

/**
 * Whether the server is too old. A server with an unreadable version is accepted, because a later one may report it in another way. So is
 * one that was built from source without a version, which reports 1.0.0 (or 0.0.0).
 */
export function isTooOld(version: string): boolean {
  if (/^[01]\.0\.0\b/.test(version)) return false;
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  const [leastMajor = 0, leastMinor = 0] = OLDEST_EVENTSTORE.split('.').map(Number);
  if (major === undefined || minor === undefined) return false;
  return Number(major) < leastMajor || (Number(major) === leastMajor && Number(minor) < leastMinor);
}

export type EventStoreStatus =
  | { readonly ok: true; readonly version: string; readonly latencyMs: number }
  | { readonly ok: false; readonly reason: string };

/** The version of the EventStoreDB, or the reason why it does not answer. */
export async function probeEventStore(url: string, timeoutMs: number): Promise<EventStoreStatus> {
  let log: EventStoreLog | null = null;
  try {
    log = await openEventStore({ url, timeoutMs: timeoutMs });
    const late: EventStoreStatus = { ok: false, reason: `no answer within ${timeoutMs / 1000} s` };
    return await Promise.race([measureReads(log), sleep(timeoutMs, late, { ref: false })]);
  } catch (error) {
    return { ok: false, reason: errorMessage(error) };
  } finally {
    log?.close().catch(() => undefined);
  }
}

/** Reads twice. The first read checks the account's permission and connects; the second one is measured. */
async function measureReads(log: EventStoreLog): Promise<EventStoreStatus> {
  await log.end();
  const version = await log.version();
  const started = performance.now();
  await log.end();
  return { ok: true, version, latencyMs: Math.round(performance.now() - started) };
}

/** Throws a `DatabaseProblem` for an EventStoreDB whose log has the first format. That of a Postgres is met by the migrations. */
export async function refuseFirstFormat({ eventStoreUrl }: Config, log: Log): Promise<void> {
  if (eventStoreUrl === null) return;
  const { signal } = new AbortController();
  for await (const { events } of followWithTimeout(log, { prefix: PROJECT_PREFIX, after: null, signal })) {
    // An event that comes later is met when its project is opened.
    if (events[0] === undefined || !isFirstFormat(events[0])) return;
    throw new DatabaseProblem(`${FIRST_FORMAT_REFUSED}.`, 'Name another server in EVENTSTORE_URL for this release.');
  }
}

/** Whether the log holds an event of any project. */
export async function hasProjects(log: Log): Promise<boolean> {
  for await (const { events } of followToEnd(log, PROJECT_PREFIX)) if (events.length > 0) return true;
  return false;
}
