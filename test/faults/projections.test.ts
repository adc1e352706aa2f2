import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { seededRandom } from '../../infra/harness/numbers.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import type { FollowOptions, FollowStep, Log } from '../../src/log/port.ts';
import { eventually, isRunning, type Node, newFolder, startNode } from '../node/support/program.ts';
import { Feed, freshPool, projecting, reached, rowsOf, written } from '../projections/support.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { endure, note, ROUNDS } from './support/endure.ts';
import { openPlace, type Place } from './support/place.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/** Faults of the projectors, and of the news that they get from the log. */

const ROLES = ['--no-demo', '--roles', 'projector'];
let env: { readonly DATABASE_URL: string };
let place: Place;
let projectors: Node[] = [];
beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  // The first start makes the demo project. From the second start on the node only serves requests.
  place = await openPlace({ env, args: ['--roles', 'api'] });
  projectors = await Promise.all([1, 2].map(() => startNode(newFolder(), { env, args: ROLES })));
});
afterAll(async () => {
  await Promise.all(projectors.filter(({ pid }) => isRunning(pid)).map((node) => node.stop()));
  await place?.close();
});

test('kill -9 of a projector in the middle of a batch, while another one stands by: nothing half-written shows, and that one goes on', async () => {
  const client = new pg.Client(env.DATABASE_URL);
  await client.connect();
  await endure({
    name: 'projector, kill -9 in a batch',
    project: place.project,
    async inject(_, round) {
      // The projector that writes is stopped half way through its transaction: after the documents, before the ledger.
      await client.query('BEGIN');
      await client.query('LOCK TABLE savepoint.ledger_v1 IN ACCESS EXCLUSIVE MODE');
      const stuck = await eventually('a batch is under way', async () => {
        const { rows } = await client.query('SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass', ['savepoint.ledger_v1']);
        return rows.length > 0;
      });
      expect(stuck).toBe(true);
      const index = round % projectors.length;
      await projectors[index]?.kill();
      await client.query('ROLLBACK');
      projectors[index] = await startNode(newFolder(), { env, args: ROLES });
    },
  });
  await client.end();
});

test('all projectors die, and one comes back', async () => {
  await endure({
    name: 'all projectors, kill -9',
    project: place.project,
    async inject() {
      await Promise.all(projectors.map((node) => node.kill()));
      projectors = [await startNode(newFolder(), { env, args: ROLES })];
    },
  });
  expect(await place.verify()).toMatchObject({ code: 0 });
});

/** A log that tells of its events twice, late, out of order, or not at all. The events in it are right. */
function disturbed(log: Log, random: () => number): Log {
  return {
    ...log,
    async *follow(options: FollowOptions) {
      let held: FollowStep[] = [];
      for await (const step of log.follow(options)) {
        const fate = random();
        if (step.events.length > 0 && fate < 0.2) {
          held.push(step);
          continue;
        }
        if (step.events.length > 0 && fate < 0.3) continue;
        yield step;
        if (fate < 0.5) yield step;
        if (fate < 0.9) continue;
        for (const late of held.reverse()) yield late;
        held = [];
      }
    },
  };
}

test('news of events come twice, late, out of order, or not at all: every event counts once', async () => {
  const pool = await freshPool(12);
  const log = createMemoryLog();
  const rounds = 5 * ROUNDS;
  const each = 50;
  let lost = 0;
  let doubled = 0;
  for (let round = 1; round <= rounds; round++) {
    const random = seededRandom(round);
    const [feed, other] = [new Feed(log, `news-${round}`), new Feed(log, `more-${round}`)];
    const options = { pool, log: disturbed(log, random) };
    await projecting(options, (one) =>
      projecting(options, async (second) => {
        for (let n = 1; n <= each; n++) {
          await feed.commit(written('hot', { n }, n, { ledger: [{ field: 'n', before: n - 1, after: n, delta: 1, source: 's' }] }));
          await other.commit(written(`k${n % 5}`, { n }, Math.ceil(n / 5)));
          if (random() < 0.3) await new Promise((resolve) => setTimeout(resolve, random() * 4));
        }
        // The last news may have been lost. Those of one further event are not.
        await eventually('the read models show everything', async () => {
          const shown = [one, second].some((projector) => projector.progress(feed.projectId) >= each - 1);
          if (!shown) await feed.commit(written('after', {}, feed.revision - each + 2));
          return shown;
        });
        await projecting({ pool, log }, (last) => Promise.all([reached(last, feed), reached(last, other)]));
      }),
    );
    const [row] = await rowsOf(pool, 'SELECT count(*)::int AS n FROM savepoint.ledger WHERE project = $1', [feed.projectId]);
    const entries = Number(row?.['n']);
    lost += Math.max(0, each - entries);
    doubled += Math.max(0, entries - each);
  }
  expect(await verify({ pool, log })).toMatchObject({ problems: [] });
  await pool.end();
  note({
    fault: 'news late, doubled, lost',
    rounds,
    acknowledged: rounds * each,
    refused: 0,
    open: 0,
    lost,
    doubled,
    torn: 0,
    recoveryMs: null,
  });
  expect([lost, doubled]).toEqual([0, 0]);
});
