import type pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { migrate } from '../../projections/migrate.ts';
import { createProjector, type Projector } from '../../projections/projector/projector.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import { hashText } from '../../src/kernel/hash.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import type { Log } from '../../src/log/port.ts';
import { Feed, fillAll, freshPool, memoryLogger, project, projecting, reached, rowsOf, written } from './support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool(12);
});
afterAll(() => pool.end());

const documentCount = async (projectId: string) =>
  Number((await rowsOf(pool, 'SELECT sum(version) AS n FROM savepoint.documents WHERE project = $1', [projectId]))[0]?.['n']);

test('two projectors at once write the same rows as one, each event once', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'rivals');
  await projecting({ pool, log }, (one) =>
    projecting({ pool, log }, async (other) => {
      for (let i = 0; i < 40; i++) {
        await feed.commit(written('hot', { i }, i + 1, { ledger: [{ field: 'i', before: 0, after: i, delta: i, source: 's' }] }));
        if (i % 10 === 0) await reached(i % 20 === 0 ? one : other, feed);
      }
      await Promise.all([reached(one, feed), reached(other, feed)]);
      // A document's event and its posting, each.
      expect(one.counters.events + other.counters.events).toBe(80);
    }),
  );
  expect(await rowsOf(pool, `SELECT count(*)::int AS n FROM savepoint.ledger WHERE project = 'rivals'`)).toEqual([{ n: 40 }]);
  expect(await documentCount('rivals')).toBe(40);
});

test('a passive projector notices when the other has caught up its last view, without a new event', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'looked-on');
  await feed.commit(written('p1', {}));
  await project(pool, log, feed);
  const locker = await pool.connect();
  await locker.query('BEGIN; LOCK TABLE savepoint.ledger_v1 IN ACCESS EXCLUSIVE MODE');
  const ledger = [{ field: 'gold', before: 0, after: 1, delta: 1, source: 's' }];
  await feed.commit(written('p1', {}, 2, { ledger }));
  let release = () => {};
  const isWritten = new Promise<void>((resolve) => {
    release = resolve;
  });
  const late: Log = { ...log, read: (...of) => isWritten.then(() => log.read(...of)) };
  const onlooker = createProjector({ log: late, pool, logger: memoryLogger() });
  onlooker.bring('looked-on', feed.revision);
  try {
    await projecting({ pool, log }, async (other) => {
      await expect.poll(() => other.progress('looked-on')).toBe(feed.revision);
      release();
      await expect.poll(() => onlooker.progress('looked-on')).toBe(feed.revision);
      await locker.query('ROLLBACK');
      await reached(other, feed);
      await expect.poll(() => onlooker.waitFor('looked-on', feed.revision, 100)).toBe(true);
    });
  } finally {
    locker.release(true);
    release();
    await onlooker.stop();
  }
});

test('a node or command that starts waits for no batch, because it locks no checkpoint that is in place', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'beside-a-start');
  await feed.commit(written('p1', {}));
  await project(pool, log, feed);
  const batch = await pool.connect();
  try {
    await batch.query(`BEGIN; SELECT FROM savepoint.checkpoints WHERE project = 'beside-a-start' FOR UPDATE`);
    const started = migrate(pool).then(() => 'started');
    const waiting = new Promise((resolve) => setTimeout(resolve, 10_000, 'waiting'));
    expect(await Promise.race([started, waiting])).toBe('started');
  } finally {
    batch.release(true);
  }
});

test('a log that is followed again from its start changes no row', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'again');
  await fillAll(feed);
  await project(pool, log, feed);
  const checkpoints = () => rowsOf(pool, `SELECT * FROM savepoint.checkpoints WHERE project = 'again' ORDER BY projection`);
  const before = await checkpoints();
  await pool.query('DELETE FROM savepoint.follow_positions');
  await projecting({ pool, log }, async (projector) => {
    await reached(projector, feed);
    expect(projector.counters.events).toBe(0);
  });
  expect(await checkpoints()).toEqual(before);
});

test('a long log that is followed again from its start fills no queue, and later events are projected', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'long');
  // Twice as much as a projector holds before it stops reading.
  const text = 'x'.repeat(500_000);
  for (let version = 1; version <= 70; version++) await feed.commit(written('p', { text }, version));
  await project(pool, log, feed);
  await pool.query('DELETE FROM savepoint.follow_positions');
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const late: Log = {
    ...log,
    async *follow(options) {
      await begun;
      yield* log.follow(options);
    },
  };
  await projecting({ pool, log: late }, async (projector) => {
    await reached(projector, feed);
    begin();
    // Waits until everything was followed: otherwise there would be work to do because of the new event.
    await new Promise((resolve) => setTimeout(resolve, 300));
    await feed.commit(written('p', { text: '' }, 71));
    await reached(projector, feed);
  });
});

test('a projector resumes where another stopped', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'continued');
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < 30; i++) await feed.commit(written(`p${i}`, { round }, round + 1));
    // Stopped without waiting: only what was written by then counts.
    await projecting({ pool, log }, (projector) => projector.waitFor('continued', round * 30, 60_000));
  }
  await project(pool, log, feed);
  expect(await documentCount('continued')).toBe(30 * 4);
});

test('a project that was not projected before a restart is found again', async () => {
  const log = createMemoryLog();
  const [one, other] = [new Feed(log, 'first-project'), new Feed(log, 'second-project')];
  await one.commit(written('p', {}));
  await project(pool, log, one);
  await other.commit(written('p', {}));
  await one.commit(written('p', {}, 2));
  await project(pool, log, one, other);
  expect(await documentCount('second-project')).toBe(1);
});

// 57P01 is the error of a session that an operator or a failover ends.
test('a view is never paused because of broken connections', async () => {
  const log = createMemoryLog();
  const logger = memoryLogger();
  const feed = new Feed(log, 'interrupted');
  await feed.commit(written('p1', {}));
  await poison('ledger_v1', 'interrupted', 8, '57P01');
  await projecting({ pool, log, logger }, async (projector) => {
    await reached(projector, feed);
    await feed.commit(written('p1', {}, 2, { ledger: [{ field: 'gold', before: 0, after: 1, delta: 1, source: 's' }] }));
    await expect.poll(() => projector.waitFor('interrupted', 1, 100)).toBe(true);
    expect(projector.pausedViews()).toBe(0);
    const saying = (text: string) => logger.lines.filter((line) => line.includes(text)).length;
    // The first time it was in the batch, the second time with the other views.
    expect([saying('written in the background'), saying('caught up together'), saying('tried again')]).toEqual([1, 1, 6]);
  });
  expect(await rowsOf(pool, `SELECT field FROM savepoint.ledger WHERE project = 'interrupted'`)).toEqual([{ field: 'gold' }]);
});

// A statement that always times out (57014) would otherwise be tried for ever, and nobody would know.
test('a failure that looks transient and outlasts the longest try pauses the view', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'endless');
  await feed.commit(written('p1', {}));
  await poison('ledger_v1', 'endless', 1_000, '57014');
  const now = performance.now.bind(performance);
  let later = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now() + later);
  try {
    await projecting({ pool, log }, async (projector) => {
      await reached(projector, feed);
      await feed.commit(written('p1', {}, 2, { ledger: [{ field: 'gold', before: 0, after: 1, delta: 1, source: 's' }] }));
      await expect.poll(() => projector.counters.failures).toBeGreaterThan(5);
      expect(projector.pausedViews()).toBe(0);
      later = 600_000;
      await expect.poll(() => projector.pausedViews()).toBe(1);
    });
  } finally {
    clock.mockRestore();
  }
});

test('a paused view is tried again by itself, over restarts, and resumes once the cause is removed', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'cured');
  await feed.commit(written('p1', {}));
  await project(pool, log, feed);
  await pool.query(`ALTER TABLE savepoint.ledger_v1 ADD CONSTRAINT cured CHECK (project <> 'cured')`);
  await feed.commit(written('p1', {}, 2, { ledger: [{ field: 'gold', before: 0, after: 1, delta: 1, source: 's' }] }));
  const paused = () => rowsOf(pool, `SELECT projection FROM savepoint.checkpoints WHERE project = 'cured' AND paused_at IS NOT NULL`);
  await projecting({ pool, log }, async (projector) => {
    await expect.poll(() => projector.pausedViews()).toBe(1);
    expect(projector.viewLag()).toBe(2);
  });
  expect(await paused()).toEqual([{ projection: 'ledger' }]);
  await projecting({ pool, log }, async (projector) => {
    await expect.poll(() => projector.counters.failures).toBeGreaterThan(1);
    await pool.query('ALTER TABLE savepoint.ledger_v1 DROP CONSTRAINT cured');
    await expect.poll(() => projector.waitFor('cured', feed.revision, 100)).toBe(true);
    expect(projector.pausedViews()).toBe(0);
  });
  expect(await paused()).toEqual([]);
  expect(await rowsOf(pool, `SELECT field FROM savepoint.ledger WHERE project = 'cured'`)).toEqual([{ field: 'gold' }]);
});

test('a view whose table is locked holds up neither state tables nor other views', async () => {
  const log = createMemoryLog();
  const logger = memoryLogger();
  const feed = new Feed(log, 'locked');
  await feed.commit(written('p1', {}));
  const locker = await pool.connect();
  await projecting({ pool, log, logger }, async (projector) => {
    await reached(projector, feed);
    await locker.query('BEGIN; LOCK TABLE savepoint.ledger_v1 IN ACCESS EXCLUSIVE MODE');
    try {
      for (let version = 2; version < 5; version += 1) {
        await feed.commit(written('p1', {}, version, { ledger: [{ field: 'gold', before: 0, after: 1, delta: 1, source: 's' }] }));
        await expect.poll(() => projector.progress('locked')).toBe(feed.revision);
      }
      const behind = `SELECT projection FROM savepoint.checkpoints WHERE project = 'locked' AND revision < $1`;
      await expect.poll(() => rowsOf(pool, behind, [feed.revision])).toEqual([{ projection: 'ledger' }]);
      expect(projector.pausedViews()).toBe(0);
    } finally {
      await locker.query('ROLLBACK');
      locker.release();
    }
    await expect.poll(() => projector.waitFor('locked', feed.revision, 100)).toBe(true);
    // It passes by itself: no error is told, with its stack.
    const told = 'the views of a batch are written in the background';
    expect(new Set(logger.lines.filter((line) => line.startsWith(told)))).toEqual(new Set([told]));
  });
  expect(await rowsOf(pool, `SELECT field FROM savepoint.ledger WHERE project = 'locked'`)).toHaveLength(3);
});

test('views that fell behind rejoin the batches once they have caught up, also under a stream of events', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'joined');
  const wrote = () => written('p1', {}, feed.revision + 2, { ledger: [{ field: 'gold', before: 0, after: 1, delta: 1, source: 's' }] });
  await feed.commit(wrote());
  const lags: number[] = [];
  let shown = -1;
  const onProgress = (projectId: string, { revision }: { readonly revision: number }) => {
    // Of each batch the first notice: later ones tell of views that were caught up beside it.
    if (projectId !== 'joined' || revision <= shown) return;
    shown = revision;
    lags.push(following?.viewLag() ?? 0);
  };
  let following: Projector | null = null;
  const locker = await pool.connect();
  await projecting({ pool, log, onProgress }, async (projector) => {
    following = projector;
    await reached(projector, feed);
    const batchesUntil = async (isThere: () => boolean, most: number) => {
      for (const end = lags.length + most; !isThere() && lags.length < end; await new Promise((resolve) => setTimeout(resolve, 1))) {
        if (feed.revision - projector.progress('joined') < 200) await feed.commit(wrote());
      }
      return isThere();
    };
    await locker.query('BEGIN; LOCK TABLE savepoint.ledger_v1 IN ACCESS EXCLUSIVE MODE');
    try {
      expect(await batchesUntil(() => (lags.at(-1) ?? 0) > 0, 100)).toBe(true);
    } finally {
      await locker.query('ROLLBACK');
      locker.release();
    }
    expect(await batchesUntil(() => lags.at(-1) === 0, 100)).toBe(true);
  });
});

test('a view that cannot be written is paused alone after five tries, and resumes when it is rebuilt', async () => {
  const log = createMemoryLog();
  const logger = memoryLogger();
  const feed = new Feed(log, 'poison');
  await feed.commit(written('p1', {}));
  await pool.query(`ALTER TABLE savepoint.ledger_v1 ADD CONSTRAINT poison CHECK (project <> 'poison' OR field <> 'bad')`);
  await projecting({ pool, log, logger }, async (projector) => {
    await reached(projector, feed);
    await feed.commit(written('p1', {}, 2, { ledger: [{ field: 'bad', before: 0, after: 1, delta: 1, source: 's' }] }));
    expect(await projector.waitFor('poison', 1, 60_000)).toBe(false);
    expect(projector.pausedViews()).toBe(1);
    expect(logger.lines.filter((line) => line.includes('will be tried again')).length).toBe(4);
    expect(logger.lines.some((line) => line.startsWith('a view is paused'))).toBe(true);
    await feed.commit(written('p1', {}, 3));
    await projector.waitFor('poison', 2, 60_000);
    expect(
      await rowsOf(
        pool,
        `SELECT projection FROM savepoint.checkpoints WHERE project = 'poison' AND revision < 2 AND paused_at IS NOT NULL`,
      ),
    ).toEqual([{ projection: 'ledger' }]);
    expect(projector.progress('poison')).toBe(2);

    await pool.query('ALTER TABLE savepoint.ledger_v1 DROP CONSTRAINT poison');
    // The projects of earlier tests are in logs of their own.
    await pool.query(`DELETE FROM savepoint.checkpoints WHERE project <> 'poison'`);
    await rebuild(['ledger'], { pool, log });
    await expect.poll(() => projector.waitFor('poison', 2, 100)).toBe(true);
  });
  expect(await rowsOf(pool, `SELECT field FROM savepoint.ledger WHERE project = 'poison'`)).toEqual([{ field: 'bad' }]);
});

// The publish that is caught up names a source that was stored long before it. Folding from nothing would not find that source.
test('a view that is caught up alone needs no definitions, also for a promotion of earlier staged ones', async () => {
  const log = createMemoryLog();
  const logger = memoryLogger();
  const feed = new Feed(log, 'staged');
  await feed.publish('next', [['collection', 'saves', { id: 'saves', name: 'Saves' }]]);
  await poison('publishes_v1', 'staged', 3, '55P03', "NEW.action = 'promote'");
  await projecting({ pool, log, logger }, async (projector) => {
    await reached(projector, feed);
    const hash = hashText(JSON.stringify({ id: 'saves', name: 'Saves' }));
    const changes = [{ kind: 'collection', id: 'saves', hash }] as const;
    await feed.commit({ type: 'definitions.promoted', data: { changes, hash: 'promoted', generation: 1 } });
    await expect.poll(() => projector.waitFor('staged', feed.revision, 100)).toBe(true);
    expect(logger.lines.filter((line) => line.includes('unknown source'))).toEqual([]);
  });
  expect(await rowsOf(pool, `SELECT action FROM savepoint.publishes WHERE project = 'staged' ORDER BY revision`)).toEqual([
    { action: 'publish' },
    { action: 'promote' },
  ]);
});

test('views that are rebuilt by name reach the checkpoint of the state tables, however far behind they were', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'left');
  await fillAll(feed);
  await project(pool, log, feed);
  const at = { projection: 'ledger', revision: String(feed.revision), paused: false };
  await pool.query(`DELETE FROM savepoint.checkpoints WHERE project <> 'left'`);
  const ledger = () => rowsOf(pool, `SELECT * FROM savepoint.ledger WHERE project = 'left' ORDER BY revision, ordinal`);
  const before = await ledger();
  await pool.query(`DELETE FROM savepoint.ledger WHERE project = 'left' AND revision > 10`);
  await pool.query(
    `UPDATE savepoint.checkpoints SET revision = 10, hash = '', paused_at = 1 WHERE project = 'left' AND projection = ANY ('{ledger,publishes}')`,
  );
  await rebuild(['ledger', 'publishes'], { pool, log });
  expect(
    await rowsOf(
      pool,
      `SELECT projection, revision, paused_at IS NOT NULL AS paused FROM savepoint.checkpoints
       WHERE project = 'left' AND projection = ANY ('{ledger,publishes}') ORDER BY 1`,
    ),
  ).toEqual([at, { ...at, projection: 'publishes' }]);
  expect(await ledger()).toEqual(before);
});

test('an idle projector goes on in the tables that a rebuild has switched to, without a failure', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'switched');
  await fillAll(feed);
  await project(pool, log, feed);
  await pool.query(`DELETE FROM savepoint.checkpoints WHERE project <> 'switched'`);
  await projecting({ pool, log }, async (projector) => {
    await reached(projector, feed);
    await rebuild(['definitions'], { pool, log });
    await feed.commit(written('p9', {}));
    await expect.poll(() => projector.waitFor('switched', feed.revision, 100)).toBe(true);
    expect(projector.counters.failures).toBe(0);
  });
});

/** The first attempts to write rows of the project fail. They are counted by a sequence, because a rollback does not set it back. */
async function poison(table: string, projectId: string, times: number, code: string, which = 'true'): Promise<void> {
  const name = `savepoint.poison_${projectId}`;
  await pool.query(`
    CREATE SEQUENCE ${name}_count;
    CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.project = '${projectId}' AND ${which} AND nextval('${name}_count') <= ${times} THEN RAISE 'poison' USING ERRCODE = '${code}'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER poison_${projectId} BEFORE INSERT ON savepoint.${table} FOR EACH ROW EXECUTE FUNCTION ${name}()`);
}

test('a derived view that missed batches is built anew from the documents', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'derived');
  await fillAll(feed);
  await poison('leaderboards_v1', 'derived', 3, 'P0001');
  await projecting({ pool, log }, async (projector) => {
    await reached(projector, feed);
    await feed.commit(written('p7', { stats: { xp: 70 } }));
    await expect.poll(() => projector.waitFor('derived', feed.revision, 100)).toBe(true);
    // The first of the three failures is the batch's own. The batch then goes on without its views.
    expect(projector.counters.failures).toBe(2);
  });
  const rows = await rowsOf(pool, `SELECT key, space, value FROM savepoint.leaderboards WHERE project = 'derived' ORDER BY rank, key`);
  expect(rows).toEqual([
    { key: 'p1', space: 'live', value: 90_000_000 },
    { key: 'p7', space: 'live', value: 70 },
    { key: 'p1', space: 'next1', value: 1 },
  ]);
});

test('state tables skip no event: the project waits until its rows can be written', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'stuck');
  await feed.commit(written('p1', { a: 1 }));
  await pool.query(`ALTER TABLE savepoint.documents_v1 ADD CONSTRAINT poison CHECK (project <> 'stuck')`);
  await projecting({ pool, log }, async (projector) => {
    await expect.poll(() => projector.counters.failures).toBeGreaterThan(1);
    expect(projector.progress('stuck')).toBe(-1);
    await pool.query('ALTER TABLE savepoint.documents_v1 DROP CONSTRAINT poison');
    await reached(projector, feed);
  });
  expect(await documentCount('stuck')).toBe(1);
});

test('an event of a newer build stops its project alone, after everything before it was written', async () => {
  const log = createMemoryLog();
  const [feed, other] = [new Feed(log, 'newer'), new Feed(log, 'unharmed')];
  await feed.commit(written('p1', {}));
  await feed.append([feed.seal('document.merged', '{}', 1)]);
  await other.commit(written('p1', {}));
  await projecting({ pool, log }, async (projector) => {
    await reached(projector, other);
    await reached(projector, feed, 0);
    await expect.poll(() => projector.stopped().get('newer')?.name).toBe('UnknownEvent');
    expect(projector.stopped().get('newer')?.message).toMatch(/document\.merged of schema version 1/);
  });
});

test('a log with another history stops the project and names the cure, which works while the projector runs', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'histories');
  await feed.commit(written('p1', { a: 1 }), written('p1', { a: 2 }, 2));
  await project(pool, log, feed);
  const restored = createMemoryLog();
  const again = new Feed(restored, 'histories', 'other');
  await again.commit(written('p1', { b: 1 }), written('p1', { b: 2 }, 2), written('p1', { b: 3 }, 3));
  const unrelated = new Feed(restored, 'one-history');
  await unrelated.commit(written('p1', {}));
  await projecting({ pool, log: restored }, async (projector) => {
    await reached(projector, unrelated);
    await expect.poll(() => projector.stopped().get('histories')?.message).toMatch(/Cure: savepoint rebuild$/);
    await expect(rebuild(['ledger'], { pool, log: restored })).rejects.toThrow(/rebuilt together/);
    await pool.query(`DELETE FROM savepoint.checkpoints WHERE project <> ALL ('{histories,one-history}')`);
    await rebuild('all', { pool, log: restored });
    // The lane has not looked again yet.
    await again.commit(written('p1', { b: 4 }, 4));
    await expect.poll(() => projector.progress('histories')).toBe(3);
  });
  expect(await rowsOf(pool, `SELECT document::text AS text FROM savepoint.documents WHERE project = 'histories'`)).toEqual([
    { text: '{"b":4}' },
  ]);
});

test('a reader without a projector in its process polls the checkpoints', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'polled');
  await feed.commit(written('p1', {}));
  const views = createViewReader(pool, null);
  expect(await views.caughtUp('polled', 0, 30)).toBe(false);
  const waiting = views.caughtUp('polled', 0, 60_000);
  await project(pool, log, feed);
  expect(await waiting).toBe(true);
});
