import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { migrate } from '../../projections/migrate.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import { TABLES } from '../../projections/tables.ts';
import { AUTHORITY, DEFINITIONS, documentSubject, idempotencySubject, recordListSubject } from '../../src/domain/subjects.ts';
import { encodeEvent } from '../../src/kernel/json.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import type { Log, RecordedEvent } from '../../src/log/port.ts';
import { appended, Feed, fillAll, freshPool, project, projecting, reached, rowsOf, slot, topQuery, written } from './support.ts';

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
  int8: (name) => `${name} + 1000`,
  _int8: (name) => `${name} || 1000::bigint`,
  int4: (name) => `${name} + 1000`,
  numeric: (name) => `${name} + 1000`,
  float8: (name) => `CASE WHEN ${name} < -1e300 THEN 5 ELSE ${name} + 1000 END`,
  bool: (name) => `NOT ${name}`,
};

test('several nodes may migrate at once, and again', async () => {
  await Promise.all([migrate(pool), migrate(pool), migrate(pool, [{ name: 'extra', sql: 'CREATE TABLE savepoint.extra ()' }])]);
  await migrate(pool, [{ name: 'extra', sql: 'CREATE TABLE savepoint.extra ()' }]);
  expect(await rowsOf(pool, `SELECT count(*)::int AS n FROM savepoint.migrations WHERE name = 'extra'`)).toEqual([{ n: 1 }]);
});

test('a database from before game packages, recorded calls and ledger balances gets their columns and keeps its projects', async () => {
  const old = await freshPool();
  try {
    const log = createMemoryLog();
    const feed = new Feed(log, 'older');
    await old.query('ALTER TABLE savepoint.projects_v1 DROP COLUMN package CASCADE');
    await old.query('ALTER TABLE savepoint.telemetry_players_v1 DROP COLUMN last_endpoint_slug CASCADE');
    await feed.append([feed.seal('document.written', encodeEvent(written('p1', { gold: 5 }).data), 1)]);
    await project(old, log, feed);
    await old.query('ALTER TABLE savepoint.documents_v1 DROP COLUMN told CASCADE');
    await old.query(`DELETE FROM savepoint.migrations WHERE name IN ('authority-0002', 'telemetry-0002', 'documents-0002')`);
    await migrate(old);
    // An earlier release wrote it, so what its ledger said is unknown. That is not the same as nothing.
    expect((await createStateReader(old).load('older', [documentSubject('live', 'saves', 'p1')])).states).toMatchObject([
      { balances: null },
    ]);
    expect(await verify({ log, pool: old })).toMatchObject({ ok: true });
    expect(await rowsOf(old, 'SELECT last_endpoint_slug FROM savepoint.telemetry_players')).toEqual([]);
    await feed.commit({ type: 'project.created', data: { projectId: 'older', name: 'Older' } });
    await feed.commit({ type: 'package.synced', data: { changes: { currentRevisionId: 3 } } });
    await project(old, log, feed);
    const { states } = await createStateReader(old).load('older', [AUTHORITY]);
    expect(states).toMatchObject([{ name: 'Older', gamePackage: { members: { currentRevisionId: 3 } } }]);
    expect(await verify({ log, pool: old })).toMatchObject({ ok: true });
  } finally {
    await old.end();
  }
});

test('an older database with columns in another order can be rebuilt, and takes later columns', async () => {
  const old = await freshPool();
  try {
    const log = createMemoryLog();
    const feed = new Feed(log, 'ordered');
    await feed.commit(written('p1', { gold: 5 }, 1, { ledger: [{ field: 'gold', before: 0, after: 5, delta: 5, source: 'shop' }] }));
    await project(old, log, feed);
    // The columns as migrations leave them: those added later come last.
    await old.query(`DROP VIEW savepoint.idempotency;
      ALTER TABLE savepoint.idempotency_v1 DROP COLUMN outcome, DROP COLUMN until;
      ALTER TABLE savepoint.idempotency_v1 ADD COLUMN outcome text NOT NULL, ADD COLUMN until bigint NOT NULL;
      ALTER TABLE savepoint.idempotency_v1 DROP COLUMN revision; ALTER TABLE savepoint.idempotency_v1 ADD COLUMN revision bigint NOT NULL;
      CREATE VIEW savepoint.idempotency AS SELECT * FROM savepoint.idempotency_v1`);
    await rebuild('all', { log, pool: old });
    expect(await verify({ log, pool: old })).toMatchObject({ ok: true });
    await old.query(`ALTER TABLE savepoint.projects_v2 DROP COLUMN package CASCADE`);
    await old.query(`DELETE FROM savepoint.migrations WHERE name = 'authority-0002'`);
    await migrate(old);
    expect(await verify({ log, pool: old })).toMatchObject({ ok: true });
  } finally {
    await old.end();
  }
});

test('a database without ledger totals gets them from its entries, and older builds add no entries that the totals would lack', async () => {
  const old = await freshPool();
  try {
    const log = createMemoryLog();
    const feed = new Feed(log, 'untold');
    const entry = (field: string, delta: number, source: string) => ({ field, before: 0, after: delta, delta, source });
    const ledger = [entry('gold', 0.1, 'shop'), entry('gold', 0.2, 'shop'), entry('gold', -7, 'quest'), entry('xp', 3, 'quest')];
    await feed.commit(written('p1', {}, 1, { ledger }), written('p1_a', {}, 1, { ledger }), written('p2', {}, 1, { ledger }));
    await project(old, log, feed);
    await old.query(`DROP TABLE savepoint.ledger_totals_v1 CASCADE; ALTER TABLE savepoint.ledger_v1 DROP COLUMN summed CASCADE;
      CREATE VIEW savepoint.ledger AS SELECT * FROM savepoint.ledger_v1; DELETE FROM savepoint.migrations WHERE name = 'ledger-0002'`);
    await migrate(old);
    expect(await verify({ log, pool: old })).toMatchObject({ ok: true });
    const filter = { space: 'live', collection: 'saves', platformId: 'p1', field: 'gold' } as const;
    const { summary } = await createViewReader(old, null).ledger('untold', filter, { limit: 1, after: null });
    expect(summary).toMatchObject({ totalIncrease: 0.6, totalDecrease: -14, entryCount: 6 });
    const insert = `INSERT INTO savepoint.ledger_v1
      (project, space, collection, player, revision, ordinal, key, field, before, after, delta, amount, source, reason, at, event_id)
      VALUES ('untold', 'live', 'saves', 'p1', 9, 0, 'p1', 'gold', '0', '1', '1', 1, 'shop', NULL, 0, 'e')`;
    await expect(old.query(insert)).rejects.toThrow('summed');
  } finally {
    await old.end();
  }
});

test('a database from before lists were filled in pages keeps its lists, and fills none again', async () => {
  const old = await freshPool();
  try {
    const log = createMemoryLog();
    const feed = new Feed(log, 'listed');
    const feeds = ['feed', 'empty'].map((id) => ['collection', id, { id, name: id, collectionType: 'global' }] as const);
    await feed.publish('live', feeds);
    await feed.commit(appended('r1', 10), appended('r2', 20));
    await project(old, log, feed);
    await old.query(`DROP TABLE savepoint.record_lists_v1 CASCADE; DELETE FROM savepoint.migrations WHERE name = 'records-0002'`);
    await migrate(old);
    const lists = () => rowsOf(old, 'SELECT collection, phase FROM savepoint.record_lists ORDER BY collection');
    expect(await lists()).toEqual([{ collection: 'feed', phase: 'complete' }]);
    const rows = () => rowsOf(old, 'SELECT ctid, record_id FROM savepoint.records_v1 ORDER BY record_id');
    const before = await rows();
    await feed.commit(appended('r3', 30, {}, { collection: 'empty' }));
    await feed.publish('live', [['query', 'top', topQuery('desc')]]);
    await project(old, log, feed);
    expect((await rows()).slice(0, 2)).toEqual(before);
    expect((await lists()).map(({ phase }) => phase)).toEqual(['complete', 'complete']);
    expect((await verify({ log, pool: old })).problems).toEqual([]);
  } finally {
    await old.end();
  }
});

test('a database whose index of subjects had a row for every event gets the same index in blocks', async () => {
  const old = await freshPool();
  try {
    const log = createMemoryLog();
    const feed = new Feed(log, 'rows');
    for (let round = 0; round < 70; round += 1) await feed.commit(written('p1', { round }, round + 1), written('p2', { round }, round + 1));
    await old.query(`DROP TABLE savepoint.subjects_v1 CASCADE; DELETE FROM savepoint.migrations WHERE name = 'subjects-0002';
      CREATE TABLE savepoint.subjects_v1 (project text COLLATE "C", subject text COLLATE "C", revision bigint, PRIMARY KEY (project, subject, revision));
      CREATE VIEW savepoint.subjects AS SELECT * FROM savepoint.subjects_v1`);
    const subjects = ['document/live/saves/p1', 'document/live/saves/p2'];
    for (const [i, subject] of subjects.entries()) {
      await old.query(`INSERT INTO savepoint.subjects_v1 SELECT 'rows', $1, $2 + 2 * n FROM generate_series(0, 69) n`, [subject, i]);
    }
    // A rebuild that was killed before it made its table.
    await old.query(`UPDATE savepoint.projection_versions SET building = 2 WHERE name = 'subjects'`);
    await migrate(old);
    const kept = await rowsOf(old, 'SELECT * FROM savepoint.subjects ORDER BY block');
    await old.query('DELETE FROM savepoint.subjects_v1');
    await project(old, log, feed);
    expect(await rowsOf(old, 'SELECT * FROM savepoint.subjects ORDER BY block')).toEqual(kept);
    expect(await verify({ log, pool: old })).toMatchObject({ ok: true });
  } finally {
    await old.end();
  }
});

test('a database that kept only the answers of appends keeps them, and takes those of every request', async () => {
  const old = await freshPool();
  try {
    const log = createMemoryLog();
    const feed = new Feed(log, 'answers');
    await feed.commit(appended('r1', 10, {}, { idempotency: { caller: 'w', key: 'a/b', bodyHash: 'h' } }));
    await project(old, log, feed);
    await old.query(`DROP TABLE savepoint.idempotency_v1 CASCADE; DELETE FROM savepoint.migrations WHERE name = 'idempotency-0002';
      CREATE TABLE savepoint.idempotency_v1 (project text COLLATE "C", space text COLLATE "C", collection text COLLATE "C", caller text COLLATE "C",
        key text COLLATE "C", body_hash text NOT NULL, record_id text NOT NULL, timestamp bigint NOT NULL, recorded_at bigint NOT NULL,
        revision bigint NOT NULL, PRIMARY KEY (project, space, collection, caller, key));
      CREATE VIEW savepoint.idempotency AS SELECT * FROM savepoint.idempotency_v1;
      INSERT INTO savepoint.idempotency_v1 VALUES ('answers', 'live', 'feed', 'w', 'a/b', 'h', 'r1', 10, 1000, 0)`);
    await migrate(old);
    expect(await verify({ log, pool: old })).toMatchObject({ ok: true, problems: [] });
    const { states } = await createStateReader(old).load('answers', [
      idempotencySubject({ space: 'live', scope: 'feed', caller: 'w', key: 'a/b' }),
    ]);
    expect(states).toEqual([{ request: 'h', until: 1000 + 86_400_000, outcome: { answer: { recordId: 'r1', timestamp: 10 } } }]);
    const kept = { space: 'live', scope: '@k', caller: '', key: 'k', request: 'r', until: 9e12, answer: null } as const;
    await feed.commit({ type: 'answer.kept', data: kept });
    await project(old, log, feed);
    expect(await verify({ log, pool: old })).toMatchObject({ ok: true });
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
        await setImmediate();
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

test('a state table with new events can be added to a database that holds projects', async () => {
  const own = await freshPool();
  const log = createMemoryLog();
  const feed = new Feed(log, 'upgrade');
  await feed.commit(written('p1', { n: 1 }), written('p1', { n: 2 }, 2));
  await project(own, log, feed);
  // Like the database of a build without save records.
  await own.query('DROP VIEW savepoint.save_records; DROP TABLE savepoint.save_records_v1');
  await own.query(`DELETE FROM savepoint.projection_versions WHERE name = 'save_records'`);
  await own.query(`DELETE FROM savepoint.checkpoints WHERE projection = 'save_records'`);
  await migrate(own);
  await feed.commit({ type: 'record.created', data: { ...slot('r1'), recordName: 'Save' } });
  await project(own, log, feed);
  const { revision, states } = await createStateReader(own).load('upgrade', [recordListSubject('live', 'saves', 'p1')]);
  expect([revision, states]).toMatchObject([2, [{ records: [{ recordId: 'r1', createdAt: 1_002 }] }]]);
  expect((await verify({ log, pool: own })).problems).toEqual([]);
  await own.end();
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
         AND c.relname NOT IN ('leaderboard_fills_v1', 'record_lists_v1') ORDER BY 1, a.attnum`,
    );
    const tables = [...new Set(columns.map((column) => String(column['table'])))];
    expect(tables.length).toBe(TABLES.filter(({ projection, unfinished }) => projection !== 'telemetry' && unfinished !== 'true').length);
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
