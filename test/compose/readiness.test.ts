import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Readiness, watchReadiness } from '../../src/compose/readiness.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { type Log, LogUnavailable } from '../../src/log/port.ts';
import { Feed, freshPool, project, projecting, reached, written } from '../projections/support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
});
afterAll(() => pool.end());

const watched: Readiness[] = [];
afterEach(() => Promise.all(watched.splice(0).map((one) => one.stop())));

function watching(log: Log, stallMs = 60_000): Readiness & { readonly trouble: unknown[] } {
  const trouble: unknown[] = [];
  const readiness = watchReadiness({ log, pool, stallMs, onError: (error) => trouble.push(error) });
  watched.push(readiness);
  return Object.assign(Object.create(readiness), { trouble });
}

const ready = (readiness: Readiness) => expect.poll(() => readiness.behind, { timeout: 60_000 }).toBe(0);

test('a process on an empty log may be sent requests at once', async () => {
  await ready(watching(createMemoryLog()));
});

test('a process whose log was never projected waits for a projector to read it, and then for every project', async () => {
  const log = createMemoryLog();
  const [first, second] = [new Feed(log, 'first'), new Feed(log, 'second')];
  for (const feed of [first, second]) await feed.commit(written('p1', {}), written('p2', {}));
  const readiness = watching(log);
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect([readiness.behind, readiness.hasCaughtUp('first')]).toEqual([null, false]);
  await project(pool, log, first, second);
  await ready(readiness);

  await second.commit(written('p3', {}));
  const later = watching(log);
  await expect.poll(() => later.behind).toBe(1);
  expect(['first', 'second'].map((id) => later.hasCaughtUp(id))).toEqual([true, false]);
  await project(pool, log, second);
  await ready(later);
});

test('neither a paused view nor a stalled project prevents readiness for ever', async () => {
  const log = createMemoryLog();
  const [paused, stuck] = [new Feed(log, 'first'), new Feed(log, 'stuck')];
  await stuck.commit(written('p1', {}));
  await paused.commit(written('p1', {}));
  const own = await pool.query('DELETE FROM savepoint.checkpoints; DELETE FROM savepoint.follow_positions');
  expect(own).toBeDefined();
  await projecting({ pool, log }, async (projector) => {
    for (const feed of [paused, stuck]) await reached(projector, feed);
  });
  await pool.query(`UPDATE savepoint.checkpoints SET paused_at = 1, revision = -1 WHERE projection = 'ledger' AND project = 'first'`);
  await stuck.commit(written('p2', {}));
  await ready(watching(log, 300));
});

test('while the log does not answer, readiness waits and reports it', async () => {
  const log = createMemoryLog();
  let away = true;
  const failing: Log = {
    ...log,
    follow: (options) => {
      if (away) throw new LogUnavailable('away');
      return log.follow(options);
    },
  };
  const readiness = watching(failing);
  await expect.poll(() => readiness.trouble.length).toBe(1);
  expect(readiness.behind).toBe(null);
  away = false;
  await ready(readiness);
});
