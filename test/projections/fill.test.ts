import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { viewsBehind, viewsInStep } from '../../projections/checkpoint-set.ts';
import { readCheckpoints } from '../../projections/checkpoints.ts';
import { fillPage } from '../../projections/fills.ts';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { startsBucket } from '../../projections/models/leaderboards/rank-buckets.ts';
import { BackgroundViews, type Host } from '../../projections/projector/background-views.ts';
import type { WorkerContext } from '../../projections/projector/context.ts';
import { ProjectWorkers } from '../../projections/projector/project-workers.ts';
import { createProjector } from '../../projections/projector/projector.ts';
import { catchUpViews, groupsByRevision } from '../../projections/projector/views.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import { STATE_TABLES, VIEWS } from '../../projections/registry.ts';
import { transaction } from '../../projections/transaction.ts';
import { type Memory, NOTHING, writeInStep } from '../../projections/write.ts';
import { Bulkhead } from '../../src/kernel/bulkhead.ts';
import { hashText } from '../../src/kernel/hash.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { Neighbours } from '../../src/kernel/neighbours.ts';
import { decodeProjectEvent } from '../../src/log/decode.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { projectStream } from '../../src/log/streams.ts';
import { changed, deleted, Feed, freshPool, memoryLogger, project, projecting, reached, rowsOf, topQuery, written } from './support.ts';

let pool: pg.Pool;
beforeEach(async () => {
  pool = await freshPool(12);
});
afterEach(() => pool.end());

/** Numbers in [0, 1) that follow from the seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const SAVES: JsonObject = { id: 'saves', name: 'Saves' };
const GLOBAL: JsonObject = { ...SAVES, collectionType: 'global' };

/** Keys of which one in six is a mark, so that blocks are small. */
const KEYS = [...Array(6_000).keys()]
  .map((i) => `k${(i * 37) % 6_000}`)
  .filter((key, i) => startsBucket(key) || i % 110 === 0)
  .slice(0, 60);

/** A projector in parts: batches, catching up of views and pages of fills, each run when the test says so. */
class Parts {
  readonly log = createMemoryLog();
  readonly feed: Feed;
  memory: Memory = NOTHING;
  #written = -1;

  constructor(projectId: string) {
    this.feed = new Feed(this.log, projectId);
  }

  /** Projects what was committed since the last batch. `apart`: only into the state tables. */
  async batch(apart: boolean): Promise<void> {
    const { projectId } = this.feed;
    const page = await this.log.read(projectStream(projectId), { from: this.#written + 1, limit: 1_000, direction: 'forwards' });
    if (page.length === 0) return;
    const standing = await readCheckpoints(pool, projectId);
    const views = apart ? [] : viewsInStep(standing);
    const events = page.map((event) => decodeProjectEvent(event));
    const to = { states: STATE_TABLES, views };
    const written = await transaction(pool, projectId, standing.versions, (tx) =>
      writeInStep(tx, to, events, this.memory, { timeoutMs: 30_000, atOnce: 3 }),
    );
    if (written.failure !== null) throw written.failure;
    this.memory = written.memory;
    this.#written += page.length;
  }

  async catchUp(): Promise<void> {
    const { log } = this;
    const { projectId } = this.feed;
    const checkpoints = await readCheckpoints(pool, projectId);
    for (const views of groupsByRevision(viewsBehind(checkpoints), checkpoints)) {
      await catchUpViews(views, {
        pool,
        log,
        projectId,
        checkpoints,
        catalog: async () => this.memory.catalog,
        atOnce: 3,
        timeoutMs: 30_000,
      });
    }
  }

  async page(size: number): Promise<boolean> {
    const { projectId } = this.feed;
    const { versions } = await readCheckpoints(pool, projectId);
    return (await transaction(pool, projectId, versions, (tx) => fillPage(tx, VIEWS, this.memory.catalog, size))) !== null;
  }
}

test.each([1, 2])(
  'whatever comes between its pages, a board or a list is true up to where they are, and whole in the end (%i)',
  async (seed) => {
    const random = seeded(seed);
    const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const parts = new Parts(`pages${seed}`);
    const { feed, log } = parts;
    await feed.publish('live', [['collection', 'saves', SAVES]]);
    const keys = KEYS;
    const stamp = () => pick<JsonObject>([{}, { _timestamp: Math.floor(random() * 9) }, { _timestamp: '2026-01-01' }]);
    const value = () => ({
      ...stamp(),
      ...pick<JsonObject>([{ stats: { xp: Math.floor(random() * 9) } }, { stats: { xp: -0.5 } }, { stats: {} }, { coins: 3 }]),
    });
    const change = () => {
      const space = random() < 0.8 ? {} : { space: pick(['next1', 'next10', 'next2'] as const) };
      const reached = pick<object>([{}, { reached: ['stats.xp'] }, { reached: ['coins', 'stats.xp'] }]);
      return random() < 0.8 ? written(pick(keys), value(), 1, { ...space, ...reached }) : deleted(pick(keys), 2, space);
    };
    await feed.commit(...keys.map((key) => written(key, value())));
    const queries = [topQuery('desc'), topQuery('asc'), topQuery('desc', 'coins'), null];
    for (let round = 0; round < 60; round += 1) {
      if (round % 12 === 1) await feed.publish('live', [['query', 'top', pick(queries)]]);
      if (round % 7 === 3) await feed.publish('live', [['collection', 'saves', pick([SAVES, GLOBAL])]]);
      if (random() < 0.8) await feed.commit(...Array.from({ length: 1 + Math.floor(random() * 6) }, change));
      // They run at the same time, as in a projector: a page may meet a batch at any point.
      const side = () => pick([() => parts.page(pick([1, 4, 16])), () => parts.page(1), async () => undefined])();
      await Promise.all([parts.batch(random() < 0.2), side(), side()]);
      if (random() < 0.6) await Promise.all([parts.catchUp(), side()]);
      if (round % 15 !== 14) continue;
      for (let i = 0; i < 20; i += 1) await parts.catchUp();
      expect((await verify({ log, pool })).problems).toEqual([]);
    }
    await feed.publish('live', [
      ['query', 'top', topQuery('desc')],
      ['collection', 'saves', GLOBAL],
    ]);
    await parts.batch(false);
    for (let i = 0; i < 20; i += 1) await parts.catchUp();
    while (await parts.page(16));
    expect(await rowsOf(pool, `SELECT FROM savepoint.record_lists WHERE phase <> 'complete'`)).toEqual([]);
    expect((await verify({ log, pool })).problems).toEqual([]);
    expect(await rowsOf(pool, 'SELECT * FROM savepoint.leaderboard_fills')).toEqual([]);
    expect((await rowsOf(pool, 'SELECT DISTINCT board FROM savepoint.leaderboards WHERE project = $1', [feed.projectId])).length).toBe(1);
  },
);

test('a tie goes to whoever reached the value first, whether a board is followed, filled or rebuilt', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'ties');
  const [query, later] = [topQuery('desc'), topQuery('asc')];
  await feed.publish('live', [
    ['collection', 'saves', SAVES],
    ['query', 'top', query],
  ]);
  const [saved, score] = [['stats.xp'], (key: string, xp: number) => changed(key, [['stats.xp', xp]], 2, { reached: ['stats.xp'] })];
  const make = (key: string, xp: number) => written(key, { stats: { xp } }, 1, { reached: saved });
  await feed.commit(make('d', 5), make('c', 1), make('b', 5), make('a', 5));
  await project(pool, log, feed);
  // c comes to 5 after the others; b leaves and comes back; d changes something else; a is deleted and made anew.
  await feed.commit(score('c', 5), changed('d', [['note', 'x']]), score('b', 7), score('b', 5), deleted('a'), make('a', 5));
  await project(pool, log, feed);
  const order = ['d', 'c', 'b', 'a'];
  const keys = async (definition: JsonObject) => {
    const asked = { id: 'top', hash: hashText(JSON.stringify(definition)) };
    const page = await createViewReader(pool, null).leaderboard('ties', 'live', asked, { order: 'desc', limit: 9, offset: 0 });
    return page.rows.map(({ key }) => key);
  };
  expect(await keys(query)).toEqual(order);
  expect((await verify({ log, pool })).problems).toEqual([]);
  await feed.publish('live', [['query', 'top', later]]);
  await project(pool, log, feed);
  expect(await keys(later)).toEqual(order);
  await rebuild(['leaderboards'], { pool, log });
  expect(await keys(later)).toEqual(order);
  expect((await verify({ log, pool })).problems).toEqual([]);
});

test('while the rows of a board are being filled, batches move its rank buckets and count none; in the end all are counted', async () => {
  const parts = new Parts('uncounted');
  const { feed, log } = parts;
  await feed.publish('live', [['collection', 'saves', SAVES]]);
  await feed.commit(...KEYS.map((key) => written(key, { stats: { xp: 1 } })));
  await feed.publish('live', [['query', 'top', topQuery('desc')]]);
  await parts.batch(false);
  // The documents are counted, the space is entered, and 32 of 60 rows are there.
  for (let i = 0; i < 4; i += 1) await parts.page(16);
  const buckets = () => rowsOf(pool, `SELECT key, rank, count FROM savepoint.leaderboard_buckets WHERE key <> '' ORDER BY key`);
  const before = await buckets();
  const first = KEYS.toSorted().slice(0, 20);
  await feed.commit(...first.map((key) => written(key, { stats: { xp: 7 } }, 2)));
  await parts.batch(false);
  const moved = before.map(({ key, rank, count }) => ({ key, rank: first.includes(String(key)) ? -7 : rank, count }));
  expect(await buckets()).toEqual(moved);
  expect(moved.filter(({ rank }) => rank === -7).length).toBeGreaterThan(0);
  expect(new Set(moved.map(({ count }) => Number(count)))).toEqual(new Set([0]));
  while (await parts.page(16));
  expect((await verify({ log, pool })).problems).toEqual([]);
});

test('views that fell behind together are caught up together, and the missed events are read once for all', async () => {
  const parts = new Parts('together');
  const { feed, log } = parts;
  await feed.publish('live', [
    ['collection', 'saves', GLOBAL],
    ['query', 'top', topQuery('desc')],
  ]);
  await feed.commit(written('a', { stats: { xp: 1 } }));
  await parts.batch(false);
  await feed.commit(written('a', { stats: { xp: 2 } }, 2), written('b', { stats: { xp: 3 } }));
  await parts.batch(true);
  const checkpoints = await readCheckpoints(pool, 'together');
  const groups = [...groupsByRevision(viewsBehind(checkpoints), checkpoints)];
  expect(groups).toEqual([VIEWS]);
  const reads: unknown[] = [];
  const counting = new Proxy(log, {
    get: (target, name) => {
      if (name === 'read') reads.push(name);
      return Reflect.get(target, name);
    },
  });
  const catalog = async () => parts.memory.catalog;
  const options = { pool, log: counting, projectId: 'together', checkpoints, catalog, atOnce: 3, timeoutMs: 30_000 };
  expect(await catchUpViews(VIEWS, options)).toBe(feed.revision);
  expect(reads).toEqual(['read']);
  expect(viewsBehind(await readCheckpoints(pool, 'together'))).toEqual([]);
  expect((await verify({ log, pool })).problems).toEqual([]);
});

const COUNT = 3_000;

/** A project with so many documents that a board is filled beside the lane. */
async function filledProject(projectId: string) {
  const log = createMemoryLog();
  const feed = new Feed(log, projectId);
  await feed.publish('live', [['collection', 'saves', SAVES]]);
  for (let i = 0; i < COUNT; i += 500)
    await feed.commit(...Array.from({ length: 500 }, (_, n) => written(`p${i + n}`, { stats: { xp: i + n } })));
  await project(pool, log, feed);
  const top = (query: JsonObject) => {
    const named = { id: 'top', hash: hashText(JSON.stringify(query)) };
    return createViewReader(pool, null).leaderboard(projectId, 'live', named, { order: 'desc', limit: 2, offset: 0 });
  };
  const fills = () => rowsOf(pool, 'SELECT phase, done::int AS done, total::int AS total FROM savepoint.leaderboard_fills');
  return { log, feed, top, fills };
}

test('a new board over many documents is filled beside the batches, which go on, and only that board', async () => {
  const { log, feed, top, fills } = await filledProject('busy');
  const [first, second] = [topQuery('desc'), topQuery('asc')];
  await feed.publish('live', [['query', 'top', first]]);
  await projecting({ pool, log }, async (projector) => {
    await reached(projector, feed);
    await expect.poll(async () => (await fills()).length).toBe(0);
    await expect.poll(() => projector.buildingBoards()).toBe(0);
    expect(await top(first)).toMatchObject({ total: COUNT, building: null, rows: [{ key: 'p2999' }, { key: 'p2998' }] });
    const marksOf = () => rowsOf(pool, `SELECT ctid, * FROM savepoint.leaderboards_v1 WHERE board LIKE '%/desc/%' ORDER BY key`);
    const before = await marksOf();
    await feed.publish('next', [['query', 'top', second]]);
    for (let i = 0; i < 20; i += 1) await feed.commit(written(`q${i}`, { stats: { coins: i } }));
    await reached(projector, feed);
    await expect.poll(async () => (await fills()).length).toBe(0);
    expect(await marksOf()).toEqual(before);
  });
  expect((await verify({ log, pool })).problems).toEqual([]);
});

test('a board that a publish asks for while the last page finds nothing to fill is filled, though nothing comes after it', async () => {
  const parts = new Parts('late');
  const { feed, log } = parts;
  await feed.publish('live', [['collection', 'saves', SAVES]]);
  await feed.commit(...KEYS.map((key) => written(key, { stats: { xp: 1 } })));
  await parts.batch(false);
  let [lookedAt, goOn] = [() => {}, () => {}];
  const looked = new Promise<void>((resolve) => {
    lookedAt = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const background = new Bulkhead({ slots: 1 });
  const run = async <T>(_: string, page: () => Promise<T>): Promise<T> => {
    const state = await page();
    lookedAt();
    await asked;
    return state;
  };
  const context: WorkerContext = {
    ...{ log, pool, logger: memoryLogger(), gate: background, background: Object.assign(background, { run }) },
    ...{ neighbours: new Neighbours({ monotonic: () => 0 }), tally: { characters: 0 }, atOnce: 3, onProgress: () => {} },
    ...{ counters: { events: 0, batches: 0, failures: 0, foreign: 0 }, owns: () => true },
  };
  let checkpoints = await readCheckpoints(pool, 'late');
  const host: Host = {
    projectId: 'late',
    checkpoints: () => checkpoints,
    catalog: () => parts.memory.catalog,
    isBehind: () => false,
    viewAdvanced: () => {},
    recheck: () => {},
  };
  const views = new BackgroundViews(host, context);
  views.wake(true);
  await looked;
  await feed.publish('live', [['query', 'top', topQuery('desc')]]);
  await parts.batch(false);
  checkpoints = await readCheckpoints(pool, 'late');
  views.wake(true);
  goOn();
  await expect.poll(async () => (await rowsOf(pool, 'SELECT board FROM savepoint.leaderboard_fills')).length, { timeout: 5_000 }).toBe(0);
  await views.close();
  expect((await verify({ log, pool })).problems).toEqual([]);
});

test('a fill resumes on the next projector, and the query says how far it is until then', async () => {
  const { log, feed, top, fills } = await filledProject('goes-on');
  const query = topQuery('desc');
  await feed.publish('live', [['query', 'top', query]]);
  const stopped = { ...(await readCheckpoints(pool, 'goes-on')) };
  expect(stopped.revision).toBe(feed.revision - 2);
  // One page at a time, as by a projector that is stopped again and again.
  const parts = createProjector({ pool, log, logger: memoryLogger(), atOnce: 3 });
  parts.bring('goes-on', feed.revision);
  await reached(parts, feed);
  await parts.stop();
  const [left] = await fills();
  expect(left).toMatchObject({ phase: 'rows' });
  const building = (await top(query)).building;
  expect(building).toBeGreaterThanOrEqual(0);
  expect(building).toBeLessThan(1);
  expect((await verify({ log, pool })).problems).toEqual([]);
  await projecting({ pool, log }, async () => {
    await expect.poll(async () => (await fills()).length).toBe(0);
  });
  expect(await top(query)).toMatchObject({ total: COUNT, building: null });
  expect((await verify({ log, pool })).problems).toEqual([]);
});

test('a board that another projector began is filled on by who owns the project from then on, though nothing comes after it', async () => {
  const { log, feed, fills } = await filledProject('handed-over');
  await feed.publish('live', [['query', 'top', topQuery('desc')]]);
  const before = createProjector({ pool, log, logger: memoryLogger(), atOnce: 3 });
  before.bring('handed-over', feed.revision);
  await reached(before, feed);
  await before.stop();
  let isOwner = false;
  const workers = new ProjectWorkers({
    ...{ log, pool, logger: memoryLogger(), gate: new Bulkhead({ slots: 1, perKey: 1 }) },
    background: new Bulkhead({ slots: 1, perKey: 1 }),
    ...{ neighbours: new Neighbours({ monotonic: () => 0 }), tally: { characters: 0 }, atOnce: 3, onProgress: () => {} },
    ...{ counters: { events: 0, batches: 0, failures: 0, foreign: 0 }, owns: () => isOwner },
  });
  workers.of('handed-over').open(feed.revision);
  await expect.poll(() => workers.revisionOf('handed-over')).toBe(feed.revision);
  expect(await fills()).toMatchObject([{ phase: 'rows' }]);
  isOwner = true;
  workers.divided();
  await expect.poll(async () => (await fills()).length).toBe(0);
  await workers.close();
  expect((await verify({ log, pool })).problems).toEqual([]);
});

test('a board whose query is deleted is filled no further, and removed page by page', async () => {
  const { log, feed, fills } = await filledProject('cancelled');
  await feed.publish('live', [['query', 'top', topQuery('desc')]]);
  await project(pool, log, feed);
  await feed.publish('live', [['query', 'top', null]]);
  await projecting({ pool, log }, async (projector) => {
    await reached(projector, feed);
    await expect.poll(async () => (await fills()).length).toBe(0);
  });
  expect(await rowsOf(pool, 'SELECT FROM savepoint.leaderboards UNION ALL SELECT FROM savepoint.leaderboard_buckets')).toEqual([]);
  expect((await verify({ log, pool })).problems).toEqual([]);
});

test('a board of more than a thousand rows that is dropped is missing from a fresh fold, too', async () => {
  const parts = new Parts('given-up');
  const { feed, log } = parts;
  const pages = async () => {
    while (await parts.page(4_000));
  };
  await feed.publish('live', [['collection', 'saves', SAVES]]);
  await feed.publish('live', [['query', 'top', topQuery('desc')]]);
  for (let first = 0; first < 1_600; first += 100) {
    await feed.commit(...Array.from({ length: 100 }, (_, i) => written(`k${first + i}`, { stats: { xp: i } })));
    await parts.batch(false);
  }
  await pages();
  await feed.publish('live', [['query', 'top', topQuery('asc')]]);
  await parts.batch(false);
  await parts.catchUp();
  await pages();
  expect((await verify({ log, pool })).problems).toEqual([]);
});

/** The beginning of the list of documents, and how far the list has come. */
async function listOf(projectId: string) {
  const page = { limit: 2, before: null, bytes: 1_000 };
  const { records, building } = await createViewReader(pool, null).records(projectId, 'live', 'saves', page);
  return { records: records.map((text) => JSON.parse(text).stats.xp), building };
}

test('a list of a collection of many documents that becomes global is filled beside the batches, and resumes', async () => {
  const { log, feed } = await filledProject('listed');
  const lists = () => rowsOf(pool, `SELECT phase, done::int AS done FROM savepoint.record_lists`);
  await feed.publish('live', [['collection', 'saves', GLOBAL]]);
  const parts = createProjector({ pool, log, logger: memoryLogger() });
  parts.bring('listed', feed.revision);
  await reached(parts, feed);
  await parts.stop();
  expect(await lists()).toMatchObject([{ phase: 'rows' }]);
  const { building } = await listOf('listed');
  expect(building).toBeGreaterThanOrEqual(0);
  expect(building).toBeLessThan(1);
  expect(await createViewReader(pool, null).building('listed')).toMatchObject([{ kind: 'collection', ids: ['saves'] }]);
  expect((await verify({ log, pool })).problems).toEqual([]);
  await projecting({ pool, log }, async (projector) => {
    for (let i = 0; i < 20; i += 1) await feed.commit(written(`p${i * 7}`, { stats: { xp: i } }, 2), deleted(`p${i * 11 + 1}`));
    await reached(projector, feed);
    await expect.poll(lists).toEqual([{ phase: 'complete', done: 0 }]);
    await expect.poll(() => projector.buildingBoards()).toBe(0);
  });
  // Deleted and made again since.
  expect(await listOf('listed')).toEqual({ records: [19, 8], building: null });
  expect((await verify({ log, pool })).problems).toEqual([]);
});

test('a list of a collection that is no longer global is removed page by page, and filled whole when it is global again', async () => {
  const { log, feed } = await filledProject('unlisted');
  const phases = () => rowsOf(pool, 'SELECT phase FROM savepoint.record_lists');
  await feed.publish('live', [['collection', 'saves', GLOBAL]]);
  await projecting({ pool, log }, async (projector) => {
    await reached(projector, feed);
    await expect.poll(phases).toEqual([{ phase: 'complete' }]);
    await feed.publish('live', [['collection', 'saves', SAVES]]);
    await feed.commit(deleted('p2999'));
    await feed.publish('live', [['collection', 'saves', GLOBAL]]);
    await reached(projector, feed);
    await expect.poll(phases).toEqual([{ phase: 'complete' }]);
    expect(await listOf('unlisted')).toEqual({ records: [2_998, 2_997], building: null });
    await feed.publish('live', [['collection', 'saves', SAVES]]);
    await reached(projector, feed);
    await expect.poll(phases).toEqual([]);
  });
  expect(await rowsOf(pool, 'SELECT FROM savepoint.records')).toEqual([]);
  expect((await verify({ log, pool })).problems).toEqual([]);
});

test('rebuilds and verifications fill boards and lists over many documents in committed pages', async () => {
  const { log, feed } = await filledProject('rebuilt');
  await feed.publish('live', [
    ['query', 'top', topQuery('desc')],
    ['collection', 'saves', GLOBAL],
  ]);
  // The rows that one transaction adds to a board or a list.
  await pool.query(`CREATE TABLE public.added (xid xid8, rows bigint);
    CREATE FUNCTION public.note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      INSERT INTO public.added SELECT pg_current_xact_id(), count(*) FROM fresh; RETURN NULL; END $$;
    CREATE FUNCTION public.watch() RETURNS event_trigger LANGUAGE plpgsql AS $$ DECLARE made record; BEGIN
      FOR made IN SELECT object_identity AS name FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table' LOOP
        IF made.name ~ '^savepoint.(leaderboards|records)_v' THEN
          EXECUTE format('CREATE TRIGGER noting AFTER INSERT ON %s REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION public.note()', made.name);
        END IF; END LOOP; END $$;
    CREATE EVENT TRIGGER watching ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION public.watch()`);
  const mostAdded = async () => {
    const [row] = await rowsOf(pool, 'SELECT max(rows)::int AS most FROM (SELECT sum(rows) AS rows FROM public.added GROUP BY xid) t');
    await pool.query('DELETE FROM public.added');
    return Number(row?.['most']);
  };
  const many = Array.from({ length: 5_000 }, (_, i) => written(`r${i}`, { stats: { xp: i } }));
  for (let i = 0; i < many.length; i += 500) await feed.commit(...many.slice(i, i + 500));
  await feed.publish('live', [
    ['query', 'top', topQuery('asc')],
    ['collection', 'saves', SAVES],
  ]);
  await feed.publish('live', [['collection', 'saves', GLOBAL]]);
  await project(pool, log, feed);
  await rebuild('all', { pool, log });
  expect(await mostAdded()).toBe(4_000);
  expect((await verify({ pool, log })).problems).toEqual([]);
  expect(await mostAdded()).toBe(4_000);
});
