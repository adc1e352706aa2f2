import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { createTelemetryFollower, type TelemetryFollower } from '../../projections/models/telemetry/follower.ts';
import { createTelemetryReader } from '../../projections/models/telemetry/read.ts';
import { TELEMETRY_VERSIONS, type TelemetryFact } from '../../src/domain/telemetry/events.ts';
import { encodeEvent } from '../../src/kernel/json.ts';
import type { Log, NewEvent } from '../../src/log/port.ts';
import { telemetryStream } from '../../src/log/streams.ts';
import { memoryLogger, rowsOf } from './support.ts';

export type Given = TelemetryFact & { readonly metadata: { readonly recordedAt: number } };

/** An event as the recorder writes it. */
export function stored({ type, data, metadata }: Given): NewEvent {
  const text = JSON.stringify({ ...metadata, schemaVersion: TELEMETRY_VERSIONS[type] });
  return { id: randomUUID(), type, data: encodeEvent(data), metadata: text };
}

export async function append(log: Log, projectId: string, events: readonly NewEvent[]): Promise<number> {
  const result = await log.append(telemetryStream(projectId), 'any', events);
  if (!result.ok) throw new Error('a conflict');
  return result.revision;
}

export function report(log: Log, projectId: string, ...events: readonly Given[]): Promise<number> {
  return append(log, projectId, events.map(stored));
}

/** Runs a follower for the duration of `work`. */
export async function following<T>(
  pool: pg.Pool,
  log: Log,
  work: (follower: TelemetryFollower) => Promise<T>,
  logger = memoryLogger(),
): Promise<T> {
  const follower = createTelemetryFollower({ log, pool, logger });
  follower.start();
  try {
    return await work(follower);
  } finally {
    await follower.stop();
  }
}

export async function shows(pool: pg.Pool, projectId: string, revision: number): Promise<void> {
  const reader = createTelemetryReader(pool);
  await until(async () => (await reader.player(projectId, 'p')).revision >= revision, `${projectId} shows ${revision}`);
}

export async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error(`it never came to this: ${what}`);
}

export async function tablesOf(pool: pg.Pool, projectId: string) {
  const rows = (table: string, order: string) =>
    rowsOf(pool, `SELECT * FROM savepoint.telemetry_${table} WHERE project = $1 ORDER BY ${order}`, [projectId]);
  return {
    events: await rows('events', 'revision'),
    players: await rows('players', 'platform_id'),
    sessions: await rows('sessions', 'platform_id, session_id'),
  };
}
