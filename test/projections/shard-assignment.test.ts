import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProjector } from '../../projections/projector/projector.ts';
import { ownersAmong, rangeOf } from '../../projections/projector/shard-assignment.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { Feed, freshPool, memoryLogger, reached, rowsOf, written } from './support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool(16);
});
afterAll(() => pool.end());

const names = ['a', 'b', 'c'];
const shareOf = (owner: string, owners: readonly string[]) => owners.filter((one) => one === owner).length / owners.length;

test('ranges are divided evenly among projectors, and projects evenly among ranges', () => {
  for (const name of names) expect(shareOf(name, ownersAmong(names))).toBeGreaterThan(0.2);
  const ranges = new Set(Array.from({ length: 2_000 }, (_, n) => rangeOf(`project-${n}`)));
  expect(ranges.size).toBeGreaterThan(250);
});

test('when a projector goes, its own ranges move and no others', () => {
  const before = ownersAmong(names);
  ownersAmong(['a', 'c']).forEach((owner, range) => {
    if (before[range] !== 'b') expect(owner).toBe(before[range]);
  });
});

const COUNT = 24;

async function eventually(what: string, look: () => boolean): Promise<void> {
  for (const until = Date.now() + 60_000; !look(); await new Promise((resolve) => setTimeout(resolve, 20))) {
    if (Date.now() > until) throw new Error(`it never came to this: ${what}`);
  }
}

/** Two projectors that share the projects `{name}-0`, `{name}-1`, …, once both know of each other. */
async function twoProjectors(name: string) {
  const log = createMemoryLog();
  const feeds = Array.from({ length: COUNT }, (_, n) => new Feed(log, `${name}-${n}`));
  const loggers = [memoryLogger(), memoryLogger()] as const;
  const one = createProjector({ log, pool, logger: loggers[0], shared: true });
  const other = createProjector({ log, pool, logger: loggers[1], shared: true });
  await one.start();
  await other.start();
  await eventually('both know of each other', () =>
    loggers.every(({ lines }) => lines.some((line) => line.includes('division of projects'))),
  );
  return { feeds, one, other };
}

test('two projectors share the projects; when one stops, the other takes all; every event counts once', async () => {
  const { feeds, one, other } = await twoProjectors('shared');

  const writeAll = (round: number) => Promise.all(feeds.map((feed) => feed.commit(written('p', { round }, round))));
  for (let round = 1; round <= 5; round += 1) {
    await writeAll(round);
    for (const feed of feeds) await Promise.all([reached(one, feed), reached(other, feed)]);
  }
  expect(one.counters.events + other.counters.events).toBe(COUNT * 5);
  // The first one that was there must not keep all projects.
  expect(Math.min(one.counters.events, other.counters.events)).toBeGreaterThan(COUNT * 5 * 0.1);

  await other.stop();
  const before = one.counters.events;
  await writeAll(6);
  for (const feed of feeds) await reached(one, feed);
  expect(one.counters.events - before).toBe(COUNT);
  await one.stop();
  const [row] = await rowsOf(pool, `SELECT sum(version)::int AS n FROM savepoint.documents WHERE project LIKE 'shared-%'`);
  expect(row).toEqual({ n: COUNT * 6 });
  expect(await rowsOf(pool, 'SELECT * FROM savepoint.projectors')).toEqual([]);
});

test('a projector keeps no events of projects that others write, goes on following, and takes over when they stop', async () => {
  const { feeds, one, other } = await twoProjectors('deep');
  // Twice as much as a projector holds before it stops reading.
  const text = 'x'.repeat(200_000);
  for (let round = 1; round <= 8; round += 1) {
    for (const feed of feeds) await feed.commit(written('p', { text }, round));
    for (const feed of feeds) await Promise.all([reached(one, feed), reached(other, feed)]);
  }
  await other.stop();
  for (const feed of feeds) await feed.commit(written('p', { text: '' }, 9));
  for (const feed of feeds) await reached(one, feed);
  await one.stop();
});

test('the projects of a silent projector are taken over soon', async () => {
  const log = createMemoryLog();
  const feeds = Array.from({ length: COUNT }, (_, n) => new Feed(log, `silent-${n}`));
  // As a projector leaves it that was just killed.
  await pool.query(`INSERT INTO savepoint.projectors (id, seen_at) VALUES ('killed', clock_timestamp())`);
  const projector = createProjector({ log, pool, logger: memoryLogger(), shared: true });
  await projector.start();
  const started = performance.now();
  for (const feed of feeds) await feed.commit(written('p', { n: 1 }));
  for (const feed of feeds) await reached(projector, feed);
  // The promise is ten seconds; a busy machine gets more.
  expect(performance.now() - started).toBeLessThan(40_000);
  await projector.stop();
});

test('a projector with a heartbeat in the future was killed before the database’s clock was set back', async () => {
  await pool.query(`INSERT INTO savepoint.projectors (id, seen_at) VALUES ('ahead', clock_timestamp() + interval '1 hour')`);
  const logger = memoryLogger();
  // The first beat is part of the start.
  const projector = createProjector({ log: createMemoryLog(), pool, logger, shared: true });
  await projector.start();
  expect(logger.lines.filter((line) => line.includes('division of projects'))).toEqual([]);
  await projector.stop();
  await pool.query(`DELETE FROM savepoint.projectors WHERE id = 'ahead'`);
});
