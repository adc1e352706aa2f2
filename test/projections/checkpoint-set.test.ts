import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verify } from '../../projections/maintenance/verify.ts';
import { startsBucket } from '../../projections/models/leaderboards/rank-buckets.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import type { DomainEvent, Space } from '../../src/domain/events.ts';
import { hashText } from '../../src/kernel/hash.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { Random } from '../app/simulation/world.ts';
import { deleted, Feed, freshPool, type More, project, rowsOf, topQuery, written } from './support.ts';

/** The rank of one row, found without counting the board, is compared with the sorted board. */

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
});
afterAll(() => pool.end());

const SAVES: JsonObject = { id: 'saves', name: 'Saves' };
const hashOf = (definition: JsonObject) => ({ id: 'top', hash: hashText(JSON.stringify(definition)) });

const LOG = createMemoryLog();

/** The whole board, and the rank of some of its rows and of a row that does not exist. */
async function check(projectId: string, definition: JsonObject, random: Random, space: Space = 'live'): Promise<void> {
  const views = createViewReader(pool, null);
  const all = await views.leaderboard(projectId, space, hashOf(definition), { order: 'desc', limit: 10_000, offset: 0 });
  expect(all.total).toBe(all.rows.length);
  for (let n = 0; n < 10; n++) {
    const at = random.whole(0, all.rows.length - 1);
    const around = random.whole(0, 12);
    const standing = await views.neighbours(projectId, space, hashOf(definition), { key: all.rows[at]?.key ?? '', around });
    expect([standing.rank, standing.total]).toEqual([at + 1, all.rows.length]);
    expect(standing.rows.map(({ key }) => key)).toEqual(all.rows.slice(Math.max(at - around, 0), at + around + 1).map(({ key }) => key));
  }
  const nobody = await views.neighbours(projectId, space, hashOf(definition), { key: 'nobody', around: 3 });
  expect(nobody).toMatchObject({ rank: null, rows: [], total: all.rows.length });
}

const xp = (key: string, value: JsonObject[string], more: More = {}) => written(key, { stats: { xp: value } }, 1, more);

test.each(['asc', 'desc'] as const)(
  'the rank (%s) is exact while scores rise, fall, tie and vanish, and follows from the rows alone',
  async (order) => {
    const random = new Random(7);
    const log = LOG;
    const feed = new Feed(log, `standing-${order}`);
    const query = topQuery(order);
    await feed.publish('live', [
      ['collection', 'saves', SAVES],
      ['query', 'top', query],
    ]);
    const keys = Array.from({ length: 3_000 }, (_, n) => `7656119${random.whole(1_000_000, 9_999_999)}${n}`);
    // Half of the scores are equal.
    const score = () => (random.chance(0.5) ? 0 : random.whole(-1_000, 1_000) / 4);
    await feed.commit(...keys.map((key) => xp(key, score())));
    await project(pool, log, feed);
    await check(feed.projectId, query, random);
    const marks = await rowsOf(
      pool,
      `SELECT count(*)::int AS n, sum(count)::int AS rows FROM savepoint.leaderboard_buckets WHERE project = $1`,
      [feed.projectId],
    );
    expect(marks[0]).toEqual({ n: keys.filter(startsBucket).length + 1, rows: 3_000 });
    for (let round = 0; round < 3; round++) {
      const events = Array.from({ length: 300 }, (): DomainEvent => {
        const key = random.chance(0.1) ? (keys.find(startsBucket) ?? '') : (keys[random.whole(0, keys.length - 1)] ?? '');
        return random.chance(0.2) ? deleted(key) : xp(key, random.chance(0.1) ? 'none' : score());
      });
      await feed.commit(...events);
      await project(pool, log, feed);
      await check(feed.projectId, query, random);
    }
    expect((await verify({ log, pool })).problems).toEqual([]);
    await feed.commit(...keys.map((key) => deleted(key)));
    await project(pool, log, feed);
    expect(await rowsOf(pool, `SELECT FROM savepoint.leaderboard_buckets WHERE project = $1`, [feed.projectId])).toEqual([]);
  },
);

test('in a next space live rows count where it has none of its own', async () => {
  const random = new Random(11);
  const log = LOG;
  const feed = new Feed(log, 'standing-next');
  const query = topQuery('desc');
  await feed.publish('live', [
    ['collection', 'saves', SAVES],
    ['query', 'top', query],
  ]);
  const keys = Array.from({ length: 1_200 }, (_, n) => `k${n}`);
  const fork = { space: 'next1', fork: { document: {}, version: 1 } };
  await feed.commit(...keys.map((key) => xp(key, random.whole(0, 50))));
  await feed.commit(
    ...keys.slice(0, 40).map((key) => xp(key, random.whole(0, 50), fork)),
    ...keys.slice(40, 60).map((key) => deleted(key, 2, fork)),
    ...keys.slice(60, 80).map((key) => xp(key, 'none', fork)),
    ...Array.from({ length: 600 }, (_, n) => xp(`new${n}`, random.whole(0, 50), { space: 'next1' })),
  );
  await project(pool, log, feed);
  await check(feed.projectId, query, random, 'next1');
  await check(feed.projectId, query, random);
});

test('documents without the field are ranked by its default, before and after a publish changes it', async () => {
  const log = LOG;
  const feed = new Feed(log, 'defaults');
  const query = topQuery('desc');
  const saves = (fallback: number): JsonObject => ({
    ...SAVES,
    schema: { stats: { type: 'object', properties: { xp: { type: 'number', default: fallback } } } },
  });
  const top = async () => {
    const page = await createViewReader(pool, null).leaderboard('defaults', 'live', hashOf(query), { order: 'desc', limit: 10, offset: 0 });
    return page.rows.map(({ key, value }) => [key, value]);
  };
  await feed.publish('live', [
    ['collection', 'saves', saves(3)],
    ['query', 'top', query],
  ]);
  await feed.commit(xp('a', 5), xp('b', 1), written('lacks', {}), written('partly', { stats: { hp: 1 } }), xp('null', null));
  await project(pool, log, feed);
  expect(await top()).toEqual([
    ['a', 5],
    ['lacks', 3],
    ['partly', 3],
    ['b', 1],
  ]);
  await feed.publish('live', [['collection', 'saves', saves(9)]]);
  await feed.commit(written('later', {}));
  await project(pool, log, feed);
  expect(await top()).toEqual([
    ['lacks', 9],
    ['partly', 9],
    ['later', 9],
    ['a', 5],
    ['b', 1],
  ]);
  expect((await verify({ log, pool })).problems).toEqual([]);
});

test('defaults below additionalProperties are ranked, too', async () => {
  const feed = new Feed(LOG, 'open');
  const query = topQuery('desc');
  const hero = { type: 'object', properties: { xp: { type: 'number', default: 3 } } };
  await feed.publish('live', [
    ['collection', 'saves', { ...SAVES, schema: { type: 'object', properties: {}, additionalProperties: hero } }],
    ['query', 'top', query],
  ]);
  await feed.commit(xp('a', 5), written('lacks', { stats: {} }), written('none', {}));
  await project(pool, LOG, feed);
  const page = await createViewReader(pool, null).leaderboard('open', 'live', hashOf(query), { order: 'desc', limit: 10, offset: 0 });
  expect(page.rows.map(({ key, value }) => [key, value])).toEqual([
    ['a', 5],
    ['lacks', 3],
  ]);
});
