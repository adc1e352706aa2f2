import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import { CatchUp } from '../../src/compose/catch-up.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { Feed, freshPool, memoryLogger, project, projecting, written } from '../projections/support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool(12);
});
afterAll(() => pool.end());

test('a command does not wait for a paused view of a project that is played: later events are no progress', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'played');
  await feed.commit(written('p1', {}));
  await project(pool, log, feed);
  await pool.query(`ALTER TABLE savepoint.ledger_v1 ADD CONSTRAINT played CHECK (project <> 'played')`);
  const ledger = [{ field: 'gold', before: 0, after: 1, delta: 1, source: 's' }];
  await feed.commit(written('p1', {}, 2, { ledger }));
  const revision = feed.revision;
  const parts = { log, pool, logger: Object(memoryLogger()), states: createStateReader(pool), views: createViewReader(pool, null) };
  await projecting({ pool, log }, async (node) => {
    await expect.poll(() => node.pausedViews()).toBe(1);
    let isWaiting = true;
    const waiting = new CatchUp({ ...parts, stallMs: 500 }).waitFor('played', revision).finally(() => {
      isWaiting = false;
    });
    for (let version = 3; isWaiting && version < 100; version += 1) {
      await feed.commit(written('p2', {}, version));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(isWaiting).toBe(false);
    expect(await waiting).toBe(false);
  });
});
