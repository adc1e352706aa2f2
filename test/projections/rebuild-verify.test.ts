import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { migrate } from '../../projections/migrate.ts';
import { ownMigrations } from '../../projections/migrations.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { TABLES } from '../../projections/tables.ts';
import { AUTHORITY, DEFINITIONS, documentSubject } from '../../src/domain/subjects.ts';
import { committed, redacted } from '../../src/log/commitment.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import type { Log, RecordedEvent } from '../../src/log/port.ts';
import { LOG_MIGRATIONS } from '../../src/log/postgres/log.ts';
import { copyLogs } from '../log/copy/support.ts';
import { Feed, fillAll, freshPool, project, projecting, reached, rowsOf, written } from './support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool(12);
});
afterAll(() => pool.end());

/** Another value for a column, by its type. */
const OTHER: Readonly<Record<string, (name: string) => string>> = {
  text: (name) => `coalesce(${name}, '') || '!'`,
  json: () => `'{"other":1}'`,
  jsonb: () => `'{"other":1}'`,
  int8: (name) => `coalesce(${name}, 0) + 1000`,
  _int8: (name) => `${name} || 1000::bigint`,
  _text: (name) => `${name} || '!'::text`,
  _numeric: (name) => `${name} || 1000::numeric`,
  int4: (name) => `${name} + 1000`,
  numeric: (name) => `coalesce(${name}, 0) + 1000`,
  float8: (name) => `CASE WHEN ${name} < -1e300 THEN 5 ELSE ${name} + 1000 END`,
  bool: (name) => `NOT ${name}`,
};

test('several nodes may migrate at once, and again', async () => {
  await Promise.all([migrate(pool), migrate(pool), migrate(pool, [{ name: 'extra', sql: 'CREATE TABLE savepoint.extra ()' }])]);
  await migrate(pool, [{ name: 'extra', sql: 'CREATE TABLE savepoint.extra ()' }]);
  expect(await rowsOf(pool, `SELECT count(*)::int AS n FROM savepoint.migrations WHERE name = 'extra'`)).toEqual([{ n: 1 }]);
  const names = ownMigrations().map(({ name }) => name);
  expect([...new Set(names)]).toEqual(names);
});

test('readers see a column that a table got in a later release', async () => {
  const old = await freshPool();
  try {
    for (const name of ['publishes', 'approval_comments']) {
      await old.query(`DROP VIEW savepoint.${name}`);
      await old.query(`ALTER TABLE savepoint.${name}_v1 DROP COLUMN ticket`);
      await old.query(`CREATE VIEW savepoint.${name} AS SELECT * FROM savepoint.${name}_v1`);
    }
    await old.query(`DELETE FROM savepoint.migrations WHERE name = 'publishes-0002'`);
    await migrate(old);
    for (const name of ['publishes', 'approval_comments']) await old.query(`SELECT ticket FROM savepoint.${name}`);
  } finally {
    await old.end();
  }
});

test('beside a log of the first format nothing is changed, and it is said what to do', async () => {
  const old = await freshPool();
  try {
    for (const { sql } of LOG_MIGRATIONS) await old.query(sql);
    const metadata = `{"schemaVersion":1,"hash":"${'a'.repeat(64)}"}`;
    await old.query(
      `INSERT INTO savepoint.log_events (position, stream, revision, id, type, data, metadata)
       VALUES (1, 'project-p', 0, '0190a0a0-0000-7000-8000-000000000001', 'project.created', '{}', $1)`,
      [metadata],
    );
    await old.query(`DELETE FROM savepoint.migrations WHERE name = 'read-models-0010'`);
    await expect(migrate(old)).rejects.toThrow('Export each project with the build that wrote it');
    expect(await rowsOf(old, `SELECT count(*)::int AS n FROM savepoint.projection_versions`)).not.toEqual([{ n: 0 }]);
  } finally {
    await old.end();
  }
});

test('a redaction keeps the chain whole, and verify reports one that no event allows', async () => {
  const own = await freshPool();
  try {
    const log = createMemoryLog();
    const feed = new Feed(log, 'forgotten');
    await feed.commit({ type: 'project.created', data: { projectId: 'forgotten', name: 'F' } });
    const ended = feed.seal('session.revoked', committed('{"family":"mine","sessionIds":[]}', 'p1'), 1);
    await feed.append([{ ...ended, data: redacted(ended.data) }]);
    await feed.commit(written('p1', { gold: 1 }));
    await project(own, log, feed);
    const { ok, problems } = await verify({ log, pool: own });
    expect([ok, problems.map(({ kind, row }) => [kind, row])]).toEqual([false, [['redaction', 'revision 1']]]);
    await feed.commit({ type: 'data.redacted', data: { revisions: [1] } });
    await project(own, log, feed);
    expect(await verify({ log, pool: own })).toMatchObject({ ok: true, problems: [] });
    const copy = createMemoryLog();
    expect(await copyLogs(log, copy)).toMatchObject({ complete: true });
    expect(await verify({ log: copy, pool: own })).toMatchObject({ ok: true, problems: [] });
  } finally {
    await own.end();
  }
});

test('read models of the first format of the log are dropped, and made anew from the log', async () => {
  const old = await freshPool();
  try {
    const log = createMemoryLog();
    const feed = new Feed(log, 'first');
    await feed.commit(written('p1', { gold: 5 }, 1, { ledger: [{ field: 'gold', before: 0, after: 5, delta: 5, source: 'shop' }] }));
    await project(old, log, feed);
    await old.query('ALTER TABLE savepoint.documents_v1 RENAME COLUMN balances TO told; DROP TABLE savepoint.ledger_totals_v1 CASCADE');
    await old.query(`DELETE FROM savepoint.migrations WHERE name = 'read-models-0010'`);
    await migrate(old);
    expect(await rowsOf(old, 'SELECT key FROM savepoint.documents')).toEqual([]);
    await project(old, log, feed);
    expect(await rowsOf(old, 'SELECT key FROM savepoint.documents')).toEqual([{ key: 'p1' }]);
    expect(await verify({ log, pool: old })).toMatchObject({ ok: true, problems: [] });
  } finally {
    await old.end();
  }
});

test('a rebuild under way loses no event that a running projector writes meanwhile, and readers notice nothing', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'rebuilt');
  await fillAll(feed);
  await projecting({ pool, log }, async (projector) => {
    await reached(projector, feed);
    let rebuilding = true;
    const reads = (async () => {
      while (rebuilding) {
        const { states } = await createStateReader(pool).load('rebuilt', [documentSubject('live', 'saves', 'p1'), AUTHORITY, DEFINITIONS]);
        expect(states.every((state) => state !== null)).toBe(true);
      }
    })();
    const writes = (async () => {
      for (let i = 0; rebuilding || i < 50; i++) {
        await feed.commit(written(`w${i % 7}`, { stats: { xp: i } }, i + 1));
        // Faster than a rebuild reads on a busy machine, it would never end.
        await pause(5);
      }
    })();
    for (const names of ['all', ['leaderboards'], ['ledger', 'subjects']] as const) {
      const phases: string[] = [];
      const done = await rebuild(names, { pool, log, onProgress: ({ phase, percent }) => phases.push(`${phase} ${percent}`) });
      expect(done.events).toBeGreaterThan(10);
      expect(phases.at(-1)).toBe('done 100');
    }
    rebuilding = false;
    await Promise.all([reads, writes]);
    await reached(projector, feed);
    expect(await verify({ pool, log })).toMatchObject({ ok: true, problems: [] });
  });
  const versions = await rowsOf(pool, 'SELECT name, active, building FROM savepoint.projection_versions ORDER BY name');
  expect(versions.find((row) => row['name'] === 'leaderboards')).toMatchObject({ active: 3, building: null });
  const tables = await rowsOf(pool, `SELECT tablename FROM pg_tables WHERE schemaname = 'savepoint' AND tablename ~ '^documents_v'`);
  expect(tables).toEqual([{ tablename: 'documents_v3' }]);
});

test('a rebuild pauses after its pages while others write to the log, and does not where nobody does', async () => {
  const own = await freshPool();
  const log = createMemoryLog();
  const [feed, other] = [new Feed(log, 'paced'), new Feed(log, 'paced-neighbour')];
  await feed.commit(...Array.from({ length: 2_100 }, (_, i) => written(`k${i}`, { stats: { xp: i } })));
  await project(own, log, feed);
  const pausesOf = async (onProgress: () => void) => {
    const pauses: number[] = [];
    await rebuild(['ledger'], { pool: own, log, onProgress, sleep: async (ms) => void pauses.push(ms) });
    return pauses.length;
  };
  expect(await pausesOf(() => undefined)).toBe(0);
  expect(await pausesOf(() => void other.commit(written('p1', {}, other.revision + 2)))).toBeGreaterThan(1);
  await own.end();
});

test('a rebuild whose log fails under way changes nothing, and the next one ends', async () => {
  const own = await freshPool();
  const log = createMemoryLog();
  const feed = new Feed(log, 'cut-off');
  await feed.commit(...Array.from({ length: 1_100 }, (_, i) => written(`k${i}`, { stats: { xp: i } })));
  await project(own, log, feed);
  const failing: Log = {
    ...log,
    read: async (stream, range) => {
      if ((range.from ?? 0) > 0 && range.limit > 1) throw new Error('the log is gone');
      return log.read(stream, range);
    },
  };
  await expect(rebuild('all', { pool: own, log: failing })).rejects.toThrow('the log is gone');
  expect(await verify({ pool: own, log })).toMatchObject({ ok: true, problems: [] });
  expect((await rebuild('all', { pool: own, log })).events).toBe(1_100);
  expect(await verify({ pool: own, log })).toMatchObject({ ok: true, problems: [] });
  await own.end();
});

test('a rebuild of everything includes projects that only the log knows; a rebuild of some views refuses that', async () => {
  const fresh = await freshPool();
  const log = createMemoryLog();
  const [known, unknown] = [new Feed(log, 'known'), new Feed(log, 'unknown')];
  await fillAll(known);
  await project(fresh, log, known);
  await fillAll(unknown);
  expect(await rebuild(['ledger'], { pool: fresh, log })).toMatchObject({ projects: 1 });
  expect(await rebuild('all', { pool: fresh, log })).toMatchObject({ projects: 2 });
  expect(await verify({ pool: fresh, log })).toMatchObject({ ok: true, projects: 2, behind: 0 });
  await known.commit(written('p9', {}));
  await unknown.commit(written('p9', {}));
  await project(fresh, log, known, unknown);
  expect(await verify({ pool: fresh, log })).toMatchObject({ ok: true, behind: 0 });
  await fresh.end();
});

describe('verify', () => {
  let own: pg.Pool;
  const log = createMemoryLog();
  const feed = new Feed(log, 'verified');
  beforeAll(async () => {
    own = await freshPool();
    await fillAll(feed);
    await feed.commit({ type: 'source.stored', data: { hash: 'f'.repeat(64), part: 1, parts: 3, text: 'middle' } });
    await project(own, log, feed);
  });
  afterAll(() => own.end());

  /** Changes rows, verifies, and changes them back. */
  async function problemsAfter(sql: string): Promise<{ kind: string; table: string; row: string; detail: string }[]> {
    const table = /savepoint\.(\w+)/.exec(sql)?.[1] ?? '';
    await own.query(`CREATE TABLE public.copy AS SELECT * FROM savepoint.${table}`);
    try {
      expect((await own.query(sql)).rowCount).toBeGreaterThan(0);
      const { ok, problems } = await verify({ pool: own, log });
      expect(ok).toBe(problems.length === 0);
      return problems.map(({ kind, table: at, row, detail }) => ({ kind, table: at, row, detail }));
    } finally {
      await own.query(`DELETE FROM savepoint.${table}; INSERT INTO savepoint.${table} SELECT * FROM public.copy; DROP TABLE public.copy`);
    }
  }

  test('finds no problem in correct tables, and leaves no table behind', async () => {
    const told: number[] = [];
    const found = await verify({ pool: own, log, onProgress: ({ percent }) => told.push(percent) });
    expect(found).toMatchObject({ ok: true, problems: [], projects: 1, events: feed.revision + 1 });
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect([told.at(0), told.at(-1)].every((percent) => percent !== undefined && percent > 0 && percent <= 100)).toBe(true);
    expect(await rowsOf(own, `SELECT FROM pg_tables WHERE tablename LIKE '%\\_v0'`)).toEqual([]);
    expect(await rowsOf(own, 'SELECT FROM savepoint.checkpoints WHERE version = 0')).toEqual([]);
  });

  test('names every column of every table that was altered', async () => {
    const columns = await rowsOf(
      own,
      `SELECT c.relname AS table, a.attname AS column, t.typname AS type, coalesce(a.attnum = ANY (i.indkey), false) AS key, a.attnum AS place
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
       WHERE n.nspname = 'savepoint' AND c.relkind = 'r' AND c.relname ~ '_v1$' AND c.relname !~ '^telemetry'
         AND c.relname NOT IN ('leaderboard_fills_v1', 'record_lists_v1', 'subject_buckets_v1') ORDER BY 1, a.attnum`,
    );
    const tables = [...new Set(columns.map((column) => String(column['table'])))];
    // subject_buckets is empty in so short a log; test/projections/subjects.test.ts compares it.
    const filled = TABLES.filter(
      ({ name, projection, unfinished }) => projection !== 'telemetry' && unfinished !== 'true' && name !== 'subject_buckets',
    );
    expect(tables.length).toBe(filled.length);
    for (const table of tables) await own.query(`CREATE TABLE public.${table} AS SELECT * FROM savepoint.${table}`);
    // One column of every table at a time.
    for (let place = 1; columns.some((column) => column['place'] === place); place++) {
      const here = columns.filter((column) => column['place'] === place);
      for (const { table, column, type } of here) {
        const value = OTHER[String(type)]?.(String(column));
        await own.query(`UPDATE savepoint.${table} SET ${column} = ${value} WHERE ctid = (SELECT max(ctid) FROM savepoint.${table})`);
      }
      const { problems } = await verify({ pool: own, log });
      for (const { table, column, key } of here) {
        const found = problems.filter((problem) => `${problem.table}_v1` === table);
        expect(found.length, `${table}.${column}`).toBeGreaterThan(0);
        if (!key)
          expect(found, `${table}.${column}`).toMatchObject([
            { kind: 'altered', detail: expect.stringContaining(`${column}: the table has`) },
          ]);
      }
      for (const table of tables)
        await own.query(`DELETE FROM savepoint.${table}; INSERT INTO savepoint.${table} SELECT * FROM public.${table}`);
    }
    expect(await verify({ pool: own, log })).toMatchObject({ ok: true });
  });

  test('names rows that were deleted and rows that were added', async () => {
    expect(await problemsAfter(`DELETE FROM savepoint.documents_v1 WHERE key = 'p2'`)).toEqual([
      { kind: 'missing', table: 'documents', row: 'space=live, collection=saves, key=p2', detail: 'the log makes this row' },
    ]);
    expect(await problemsAfter(`INSERT INTO savepoint.subjects_v1 VALUES ('verified', 9, '{5}', '{577}')`)).toMatchObject([
      { kind: 'added', table: 'subjects', row: 'block=9' },
    ]);
    expect(await problemsAfter(`INSERT INTO savepoint.limits_v1 VALUES ('nobody', 'live', 'c', 0, 1, false, 0)`)).toMatchObject([
      { kind: 'added', table: 'limits', detail: 'the log knows no such project' },
    ]);
  });

  test('names the event whose text was altered, removed or moved', async () => {
    const tampered = (change: (events: readonly RecordedEvent[]) => readonly RecordedEvent[]): Log => ({
      ...log,
      async *follow(options) {
        for await (const step of log.follow(options)) yield { ...step, events: change(step.events) };
      },
    });
    const altered = tampered((events) =>
      events.map((event) => (event.revision === 7 ? { ...event, data: event.data.replace('{', '{ ') } : event)),
    );
    expect((await verify({ pool: own, log: altered })).problems).toMatchObject([{ kind: 'chain', row: 'revision 7' }]);
    const cut = tampered((events) => events.filter((event) => event.revision !== 7));
    expect((await verify({ pool: own, log: cut })).problems[0]).toMatchObject({
      kind: 'chain',
      row: 'revision 8',
      detail: 'follows revision 6',
    });
  });

  test('a log that ends before the tables is another history', async () => {
    const shorter = createMemoryLog();
    const again = new Feed(shorter, 'verified');
    await again.commit(written('p1', {}));
    const { ok, problems } = await verify({ pool: own, log: shorter });
    expect(ok).toBe(false);
    expect(problems[0]).toMatchObject({ kind: 'history', project: 'verified' });
  });
});
