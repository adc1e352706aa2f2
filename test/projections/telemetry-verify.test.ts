import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { retainTelemetry } from '../../projections/models/telemetry/retain.ts';
import { analyticsEvent } from '../../src/domain/telemetry/analytics.ts';
import { heartbeatEvent } from '../../src/domain/telemetry/heartbeat.ts';
import { saveFailure } from '../../src/domain/telemetry/save-failure.ts';
import { isObject, parseJson } from '../../src/kernel/json.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import type { Log } from '../../src/log/port.ts';
import { telemetryStream } from '../../src/log/streams.ts';
import { analytics, failure, heartbeat } from '../domain/telemetry/given.ts';
import { anyBody } from '../property/telemetry/arbitraries.ts';
import { Feed, fillAll, freshPool, project, rowsOf } from './support.ts';
import { append, following, report, shows, stored, tablesOf } from './telemetry-support.ts';

/** Another value for a column, by its type. */
const OTHER: Readonly<Record<string, (name: string) => string>> = {
  text: (name) => `coalesce(${name}, '') || '!'`,
  json: () => `'{"other":1}'`,
  int8: (name) => `coalesce(${name}, 0) + 1000`,
  float8: (name) => `${name} + 1000`,
  bool: (name) => `NOT ${name}`,
};

const PROJECT = 'reported';
const DAY = 86_400_000;

let pool: pg.Pool;
let log: Log;
let feed: Feed;

beforeAll(async () => {
  pool = await freshPool(12);
  log = createMemoryLog();
  feed = new Feed(log, PROJECT);
  await fillAll(feed);
  await project(pool, log, feed);
  const hard = { context: { 'ключ "x"': ['\u{1f600}', 1.5, null, { deep: true }] }, message: 'a\nb\\c', label: 'it\'s {me}, "you"' };
  for (let i = 0; i < 30; i += 1) {
    await report(
      log,
      PROJECT,
      heartbeat(i * 7_000, { sessionId: `s${i % 4}`, fps: { avg: i }, playerName: i % 5 ? null : `N${i}` }),
      analytics(i * 7_000 + 1, { platformId: `q${i % 3}`, ...hard }),
      failure(i * 7_000 + 2, { recordKey: `q${i}_slot` }),
      heartbeat(i * 7_000 + 3, { platformId: 'r', event: i % 2 ? 'leave' : 'join', sessionSeconds: i }),
    );
  }
  await shown();
});
afterAll(() => pool.end());

async function shown(): Promise<number> {
  const head = (await log.head(telemetryStream(PROJECT)))?.revision ?? -1;
  await following(pool, log, () => shows(pool, PROJECT, head));
  return head;
}

describe('verify', () => {
  test('finds every row of telemetry correct, counts its events, and leaves no table behind', async () => {
    expect(await verify({ pool, log })).toMatchObject({ ok: true, problems: [], behind: 0, events: feed.revision + 1 + 120 });
    expect(await rowsOf(pool, `SELECT FROM pg_tables WHERE tablename LIKE '%\\_v0'`)).toEqual([]);
  });

  test('names every column of every table of telemetry that was altered', async () => {
    const columns = await rowsOf(
      pool,
      `SELECT c.relname AS table, a.attname AS column, t.typname AS type, a.attnum AS place FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 1 AND NOT a.attisdropped JOIN pg_type t ON t.oid = a.atttypid
       WHERE n.nspname = 'savepoint' AND c.relkind = 'r' AND c.relname ~ '^telemetry_.*_v1$' AND a.attname <> 'revision' ORDER BY 1, a.attnum`,
    );
    expect(columns.length).toBeGreaterThan(30);
    const tables = [...new Set(columns.map(({ table }) => String(table)))];
    for (const table of tables) await pool.query(`CREATE TABLE public.${table} AS SELECT * FROM savepoint.${table}`);
    // One column of every table at a time.
    for (const place of new Set(columns.map((column) => column['place']))) {
      const here = columns.filter((column) => column['place'] === place);
      for (const { table, column, type } of here) {
        const value = OTHER[String(type)]?.(String(column));
        await pool.query(`UPDATE savepoint.${table} SET ${column} = ${value} WHERE ctid = (SELECT max(ctid) FROM savepoint.${table})`);
      }
      const { ok, problems } = await verify({ pool, log });
      expect(ok).toBe(false);
      const named = problems.map((problem) => `${problem.table}_v1`);
      for (const { table, column } of here) expect(named, `${table}.${column}`).toContain(table);
      for (const table of tables)
        await pool.query(`DELETE FROM savepoint.${table}; INSERT INTO savepoint.${table} SELECT * FROM public.${table}`);
    }
    for (const table of tables) await pool.query(`DROP TABLE public.${table}`);
    expect(await verify({ pool, log })).toMatchObject({ ok: true });
  });

  test('names rows that were deleted, and a log that ends before the tables', async () => {
    await pool.query('CREATE TABLE public.copy AS SELECT * FROM savepoint.telemetry_players_v1');
    await pool.query(`DELETE FROM savepoint.telemetry_players_v1 WHERE platform_id = 'q0'`);
    expect((await verify({ pool, log })).problems).toMatchObject([{ kind: 'missing', table: 'telemetry_players', row: 'platform_id=q0' }]);
    await pool.query(
      `INSERT INTO savepoint.telemetry_players_v1 SELECT * FROM public.copy WHERE platform_id = 'q0'; DROP TABLE public.copy`,
    );
    const shorter: Log = { ...log, read: async (stream, range) => (stream === telemetryStream(PROJECT) ? [] : log.read(stream, range)) };
    expect((await verify({ pool, log: shorter })).problems).toMatchObject([{ kind: 'history', table: 'telemetry' }]);
  });

  test('says how far the tables are behind', async () => {
    await report(log, PROJECT, heartbeat(900_000), heartbeat(901_000));
    const behind = {
      kind: 'behind',
      project: PROJECT,
      table: 'telemetry',
      row: 'revision 119',
      detail: expect.stringMatching(/^2 events behind/),
    };
    expect(await verify({ pool, log })).toMatchObject({ ok: false, behind: 2, problems: [behind] });
    await shown();
  });
});

describe('a rebuild', () => {
  test('of telemetry makes the same rows, whatever the tables held, while the projector goes on', async () => {
    const before = await tablesOf(pool, PROJECT);
    await pool.query('UPDATE savepoint.telemetry_players_v1 SET total_seconds = 0');
    await pool.query(`DELETE FROM savepoint.telemetry_events_v1; DELETE FROM savepoint.telemetry_sessions_v1`);
    await following(pool, log, async () => {
      expect(await rebuild(['telemetry'], { pool, log })).toMatchObject({ names: ['telemetry'], projects: 1, events: 122 });
    });
    expect(await tablesOf(pool, PROJECT)).toEqual(before);
  });

  test('of everything includes telemetry, also in an empty database', async () => {
    const empty = await freshPool();
    expect(await rebuild('all', { pool: empty, log })).toMatchObject({ names: expect.arrayContaining(['telemetry', 'documents']) });
    expect(await tablesOf(empty, PROJECT)).toEqual(await tablesOf(pool, PROJECT));
    expect(await verify({ pool: empty, log })).toMatchObject({ ok: true, behind: 0 });
    await empty.end();
  });

  test('repairs tables of another history', async () => {
    await pool.query(`UPDATE savepoint.telemetry_checkpoints_v1 SET revision = revision + 5, event_id = 'other'`);
    expect((await verify({ pool, log })).ok).toBe(false);
    await rebuild(['telemetry'], { pool, log });
    expect(await verify({ pool, log })).toMatchObject({ ok: true, behind: 0 });
  });
});

describe('retention', () => {
  test('removes reports older than the project keeps them, and no totals of players', async () => {
    const before = await tablesOf(pool, PROJECT);
    // 90 days after the middle of it.
    const now = 105_000 + 90 * DAY;
    const gone = before.events.filter((row) => Number(row['recorded_at']) < 105_000).length;
    expect(gone).toBeGreaterThan(10);
    expect(await retainTelemetry({ pool, log, now })).toEqual({ projects: 1, events: gone });
    await shown();
    const after = await tablesOf(pool, PROJECT);
    expect(after.events).toEqual(before.events.slice(gone));
    expect(after.players).toEqual(before.players);
    expect(await verify({ pool, log })).toMatchObject({ ok: true, problems: [] });
    expect(await retainTelemetry({ pool, log, now })).toEqual({ projects: 0, events: 0 });
  });

  test('is repeated by a rebuild, whatever the batches', async () => {
    const before = await tablesOf(pool, PROJECT);
    await report(log, PROJECT, heartbeat(300_000, { sessionId: 's0' }));
    await retainTelemetry({ pool, log, now: 200_000 + 90 * DAY });
    await report(log, PROJECT, heartbeat(301_000, { sessionId: 's0' }), heartbeat(302_000, { sessionId: 's1' }));
    await shown();
    const swept = await tablesOf(pool, PROJECT);
    expect(swept.events.length).toBeLessThan(before.events.length);
    await rebuild(['telemetry'], { pool, log });
    expect(await tablesOf(pool, PROJECT)).toEqual(swept);
    expect(await verify({ pool, log })).toMatchObject({ ok: true });
  });

  test('follows the project’s own setting; 0 is for ever', async () => {
    await feed.commit({ type: 'settings.changed', data: { changes: { analytics: { retentionDays: 0 } } } });
    await project(pool, log, feed);
    expect(await retainTelemetry({ pool, log, now: 5_000 * DAY })).toEqual({ projects: 0, events: 0 });
    await feed.commit({ type: 'settings.changed', data: { changes: { analytics: { retentionDays: 4_000 } } } });
    await project(pool, log, feed);
    expect(await retainTelemetry({ pool, log, now: 3_000 * DAY })).toEqual({ projects: 0, events: 0 });
  });

  test('removes everything of a deleted project, and reports what it was', async () => {
    await feed.commit({ type: 'project.deleted', data: {} });
    await project(pool, log, feed);
    expect(await retainTelemetry({ pool, log, now: 1 })).toMatchObject({ projects: 1 });
    const head = await shown();
    expect(await tablesOf(pool, PROJECT)).toEqual({ events: [], players: [], sessions: [] });
    const [event] = await log.read(telemetryStream(PROJECT), { from: head, limit: 1, direction: 'forwards' });
    expect(JSON.parse(event?.data ?? '')).toMatchObject({ forgotten: true, totals: { players: 5 } });
    expect(await retainTelemetry({ pool, log, now: 1 })).toEqual({ projects: 0, events: 0 });
    expect(await verify({ pool, log })).toMatchObject({ ok: true });
  });

  test('a sweep of a newer build stops the projection instead of guessing', async () => {
    const event = stored(heartbeat(1));
    await append(log, PROJECT, [{ ...event, metadata: event.metadata.replace('"schemaVersion":1', '"schemaVersion":2') }]);
    expect((await verify({ pool, log })).behind).toBe(1);
  });
});

test('every report is projected, and verify agrees', async () => {
  const fresh = await freshPool();
  const own = createMemoryLog();
  const someone = new Feed(own, 'fuzzed');
  await fillAll(someone);
  await project(fresh, own, someone);
  for (const [index, text] of fc.sample(anyBody, 300).entries()) {
    const body = parseJson(text);
    const sent = isObject(body) ? { ...body, platformId: `7656${index % 7}` } : {};
    const facts = [analyticsEvent(sent, null), heartbeatEvent(sent, 'p')];
    const [tracked, beat] = facts;
    if (tracked && 'sentType' in tracked) await report(own, 'fuzzed', analytics(index * 900, tracked));
    if (beat && 'performance' in beat) await report(own, 'fuzzed', heartbeat(index * 1_000, beat));
    await report(own, 'fuzzed', failure(index, saveFailure(sent, 'p')));
  }
  const head = (await own.head(telemetryStream('fuzzed')))?.revision ?? -1;
  await following(fresh, own, () => shows(fresh, 'fuzzed', head));
  expect(await verify({ pool: fresh, log: own })).toMatchObject({ ok: true, problems: [], behind: 0 });
  await fresh.end();
});
