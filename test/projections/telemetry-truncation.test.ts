import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dropAbandoned } from '../../projections/maintenance/abandoned.ts';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { retainTelemetry } from '../../projections/models/telemetry/retain.ts';
import { truncateTelemetry } from '../../projections/models/telemetry/truncate.ts';
import { verifyTelemetry } from '../../projections/models/telemetry/verify.ts';
import { ADVISORY_LOCKS } from '../../src/kernel/advisory-locks.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { type Log, LogUnavailable } from '../../src/log/port.ts';
import { projectStream, telemetryStream, totalsStream } from '../../src/log/streams.ts';
import { analytics, failure, heartbeat } from '../domain/telemetry/given.ts';
import { copyLogs } from '../log/copy/support.ts';
import { postgresLog, postgresLogDatabase } from '../support/postgres-log.ts';
import { Feed, fillAll, freshPool, project } from './support.ts';
import { following, report, shows, tablesOf } from './telemetry-support.ts';

const PROJECT = 'reported';
const DAY = 86_400_000;
/** The time at which everything reported before `at` is old enough to be removed. */
const keptFrom = (at: number) => at + 90 * DAY;
const ALL = Number.MAX_SAFE_INTEGER;

let pool: pg.Pool;
/** The same events without a truncation. Their result is the expected result. */
let whole: Log;
let others: pg.Pool;
let log: Log;
let feed: Feed;
let clock: number;

beforeAll(async () => {
  [pool, others] = [await freshPool(12), await freshPool()];
});
afterAll(async () => {
  await Promise.all([pool.end(), others.end()]);
});

beforeEach(async () => {
  for (const each of [pool, others]) {
    const { rows } = await each.query<{ tables: string }>(
      `SELECT string_agg(format('savepoint.%I', tablename), ', ') AS tables FROM pg_tables WHERE schemaname = 'savepoint'
       AND tablename NOT IN ('migrations', 'projection_versions', 'log_head')`,
    );
    await each.query(`TRUNCATE ${rows[0]?.tables}`);
  }
  log = postgresLog(await postgresLogDatabase());
  whole = createMemoryLog();
  feed = new Feed(log, PROJECT);
  clock = 0;
  await fillAll(feed);
  await project(pool, log, feed);
  await play(20);
  return () => log.close();
});

/**
 * Rounds of reports, 28 s apart: sessions that last for several rounds, players who come once, and events that are listed and that are not.
 */
async function play(rounds: number): Promise<void> {
  for (let i = 0; i < rounds; i += 1, clock += 28_000) {
    const round = clock / 28_000;
    await report(
      log,
      PROJECT,
      heartbeat(clock, { sessionId: `s${Math.floor(round / 15)}`, fps: { avg: i }, playerName: i % 5 ? null : `N${i}` }),
      heartbeat(clock + 4_000, { sessionId: `s${Math.floor(round / 15)}` }),
      analytics(clock + 5_000, { platformId: `q${round % 3}`, context: { 'ключ "x"': ['\u{1f600}', 1.5] } }),
      failure(clock + 6_000, { recordKey: `q${i}_slot` }),
      heartbeat(clock + 7_000, { platformId: `once${round}`, event: 'join', sessionId: `o${round}`, sessionSeconds: round }),
    );
  }
  await shown();
}

async function shown(): Promise<void> {
  const head = (await log.head(telemetryStream(PROJECT)))?.revision ?? -1;
  await following(pool, log, () => shows(pool, PROJECT, head));
}

/** Projects what the log holds beyond the tables before it is truncated. */
async function remember(): Promise<void> {
  for (const stream of [projectStream(PROJECT), telemetryStream(PROJECT)]) {
    const from = ((await whole.head(stream))?.revision ?? -1) + 1;
    await whole.append(stream, 'any', await log.read(stream, { from, limit: ALL, direction: 'forwards' }));
  }
}

async function sweep(at: number): Promise<void> {
  await retainTelemetry({ pool, log, now: keptFrom(at) });
  await shown();
  await remember();
}

const cut = (least = 1, over: Partial<Log> = {}) => truncateTelemetry({ pool, log: { ...log, ...over }, now: keptFrom(clock), least });

async function firstKept(of = telemetryStream(PROJECT)): Promise<number | undefined> {
  return (await log.read(of, { limit: 1, direction: 'forwards' }))[0]?.revision;
}

/** The tables agree with the whole log; so does a rebuild from the truncated log, and verify agrees. */
async function agree(): Promise<void> {
  await remember();
  await others.query(`INSERT INTO savepoint.telemetry_checkpoints_v1 VALUES ($1, -1, '') ON CONFLICT DO NOTHING`, [PROJECT]);
  await rebuild(['telemetry'], { pool: others, log: whole });
  const expected = await tablesOf(others, PROJECT);
  expect(await tablesOf(pool, PROJECT)).toEqual(expected);
  expect(await verifyTelemetry({ pool, log })).toMatchObject({ problems: [], behind: 0 });
  await pool.query(`UPDATE savepoint.telemetry_players_v1 SET total_seconds = 0; DELETE FROM savepoint.telemetry_sessions_v1`);
  await rebuild(['telemetry'], { pool, log });
  expect(await tablesOf(pool, PROJECT)).toEqual(expected);
}

describe('truncation', () => {
  test('removes swept events from the log; rebuild and verify agree before, after, and after another truncation', async () => {
    await sweep(280_000);
    await agree();
    const first = Number((await tablesOf(pool, PROJECT)).events[0]?.['revision']);
    expect(first).toBeGreaterThan(20);
    expect(await cut()).toBe(first - 1);
    // The event before the first one that is shown stays. It shows that this is the history of the totals.
    expect(await firstKept()).toBe(first - 1);
    await agree();
    await play(20);
    await agree();
    await sweep(700_000);
    const totals = await firstKept(totalsStream(PROJECT));
    expect(await cut()).toBeGreaterThan(50);
    expect(await firstKept(totalsStream(PROJECT))).toBeGreaterThan(totals ?? 0);
    await agree();
    await play(3);
    await agree();
  });

  test('is harmless twice, and removes nothing if nothing was swept', async () => {
    expect(await cut()).toBe(0);
    await sweep(280_000);
    expect(await cut()).toBeGreaterThan(0);
    const heads = [await log.head(totalsStream(PROJECT)), await firstKept()];
    expect(await cut()).toBe(0);
    expect([await log.head(totalsStream(PROJECT)), await firstKept()]).toEqual(heads);
    await agree();
  });

  test('waits until it frees enough, and more events than there are players', async () => {
    await sweep(280_000);
    expect(await cut(1_000)).toBe(0);
    await pool.query(
      `INSERT INTO savepoint.telemetry_players_v1 (project, platform_id, online, last_seen, session_seconds, play_seconds,
      session_count, last_type, events) SELECT $1, 'x' || n, false, 0, 0, 0, 0, '', 0 FROM generate_series(1, 1000) AS n`,
      [PROJECT],
    );
    expect(await cut(1)).toBe(0);
    expect(await firstKept()).toBe(0);
  });

  test('of very many events is done in parts, one each run', async () => {
    await sweep(280_000);
    const some = () => truncateTelemetry({ pool, log, now: keptFrom(clock), least: 1, most: 25 });
    expect([await some(), await firstKept()]).toEqual([25, 25]);
    await agree();
    expect([await some(), await firstKept()]).toEqual([24, 49]);
    expect(await some()).toBe(0);
    await agree();
  });

  test('keeps a player with more sessions and names than one part holds whole in the totals', async () => {
    for (let i = 0; i < 1_200; i += 1) {
      await report(
        log,
        PROJECT,
        heartbeat(clock + i, {
          platformId: `p${i}`,
          sessionId: `l${i}`,
          playerName: `${'n'.repeat(100)}${i}`,
          fps: { x: 'y'.repeat(200) },
        }),
      );
    }
    clock += 28_000;
    await play(1);
    for (let i = 0; i < 1_200; i += 300) await report(log, PROJECT, heartbeat(clock + i, { platformId: `p${i}`, sessionId: `l${i}` }));
    await sweep(clock - 28_000);
    expect(await cut()).toBeGreaterThan(1_000);
    expect((await log.head(totalsStream(PROJECT)))?.revision).toBeGreaterThan(3);
    await agree();
  });

  test('lets empty tables begin with the totals', async () => {
    await sweep(280_000);
    await cut();
    const expected = await tablesOf(pool, PROJECT);
    await pool.query(
      'TRUNCATE savepoint.telemetry_checkpoints_v1, savepoint.telemetry_events_v1, savepoint.telemetry_players_v1, savepoint.telemetry_sessions_v1',
    );
    await shown();
    expect(await tablesOf(pool, PROJECT)).toEqual(expected);
  });

  test('lets a copy of the log come to the same rows, and be truncated in its turn', async () => {
    await sweep(280_000);
    await cut();
    await play(3);
    const expected = await tablesOf(pool, PROJECT);
    const copied = createMemoryLog();
    await copyLogs(log, copied);
    await rebuild(['telemetry'], { pool, log: copied });
    expect(await tablesOf(pool, PROJECT)).toEqual(expected);
    expect(await verifyTelemetry({ pool, log: copied })).toMatchObject({ problems: [], behind: 0 });
    await truncateTelemetry({ pool, log: copied, now: keptFrom(clock) });
    expect((await copied.read(telemetryStream(PROJECT), { limit: 1, direction: 'forwards' }))[0]?.revision).toBe(await firstKept());
  });

  test('of a deleted project leaves only the last event', async () => {
    await sweep(280_000);
    await cut();
    await feed.commit({ type: 'project.deleted', data: {} });
    await project(pool, log, feed);
    await sweep(0);
    expect(await cut()).toBeGreaterThan(0);
    const kept = await log.read(totalsStream(PROJECT), { limit: 100, direction: 'forwards' });
    expect(kept.map(({ type }) => type)).toEqual(['totals.completed']);
    expect(JSON.parse(kept[0]?.data ?? '')).toMatchObject({ players: 0, sessions: 0, parts: 0 });
    expect((await log.read(telemetryStream(PROJECT), { limit: 100, direction: 'forwards' })).map(({ type }) => type)).toEqual([
      'telemetry.swept',
    ]);
    await agree();
  });

  test('drops tables of a killed truncation, and not those of a running one', async () => {
    await pool.query('CREATE TABLE savepoint.telemetry_players_v999999 (project text)');
    const holder = await pool.connect();
    await holder.query('SELECT pg_advisory_lock($1)', [ADVISORY_LOCKS.truncation]);
    expect(await dropAbandoned(pool)).toEqual([]);
    expect(await cut()).toBe(0);
    await holder.query('SELECT pg_advisory_unlock($1)', [ADVISORY_LOCKS.truncation]);
    holder.release();
    expect(await dropAbandoned(pool)).toEqual(['savepoint.telemetry_players_v999999']);
  });
});

describe('a truncation that broke off', () => {
  const away = async () => {
    throw new LogUnavailable('away');
  };

  test('between totals and truncation counts nothing twice, and the next run does the rest', async () => {
    await sweep(280_000);
    await expect(cut(1, { truncate: away })).rejects.toThrow('away');
    expect(await firstKept()).toBe(0);
    expect((await log.head(totalsStream(PROJECT)))?.revision).toBeGreaterThan(0);
    await agree();
    await play(2);
    await agree();
    expect(await cut()).toBeGreaterThan(0);
    expect(await firstKept()).toBeGreaterThan(0);
    await agree();
  });

  test('in the middle of the totals leaves the earlier totals in force until the next run', async () => {
    await sweep(200_000);
    await cut();
    await sweep(400_000);
    const append: Log['append'] = (stream, expected, events) =>
      events[0]?.type === 'totals.completed' ? away() : log.append(stream, expected, events);
    const before = await firstKept();
    await expect(cut(1, { append })).rejects.toThrow('away');
    expect(await firstKept()).toBe(before);
    await agree();
    expect(await cut()).toBeGreaterThan(0);
    await agree();
    expect((await log.read(totalsStream(PROJECT), { limit: 100, direction: 'forwards' })).map(({ type }) => type)).toEqual([
      'totals.kept',
      'totals.completed',
    ]);
  });
});

describe('a truncated log', () => {
  test('without its totals is reported by rebuild and verify, which leave the rows', async () => {
    await sweep(280_000);
    await cut();
    const before = await tablesOf(pool, PROJECT);
    const lost: Log = { ...log, read: async (stream, range) => (stream === totalsStream(PROJECT) ? [] : log.read(stream, range)) };
    expect((await verify({ pool, log: lost })).problems).toMatchObject([
      { kind: 'history', detail: expect.stringContaining('was cut from the log') },
    ]);
    await expect(rebuild(['telemetry'], { pool, log: lost })).rejects.toThrow('was cut from the log');
    expect(await tablesOf(pool, PROJECT)).toEqual(before);
  });

  test('may be truncated during verify or rebuild: either begins again with the newer totals', async () => {
    await sweep(280_000);
    const rebuilds = (on: Log) => rebuild(['telemetry'], { pool, log: on });
    const verifies = async (on: Log) => expect(await verify({ pool, log: on })).toMatchObject({ ok: true, problems: [] });
    for (const work of [rebuilds, verifies]) {
      await play(10);
      await sweep(clock - 140_000);
      let armed = true;
      const cutting: Log = {
        ...log,
        async read(stream, range) {
          const events = await log.read(stream, range);
          if (!armed || stream !== telemetryStream(PROJECT) || range.direction === 'backwards') return events;
          armed = false;
          await truncateTelemetry({ pool, log, now: keptFrom(clock), least: 1 });
          return log.read(stream, range);
        },
      };
      await work(cutting);
      expect(armed).toBe(false);
      await agree();
    }
  });
});
