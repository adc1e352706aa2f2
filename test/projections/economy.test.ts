import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { readEconomyDays, readEconomySupply } from '../../projections/models/economy/read.ts';
import type { LedgerEntry } from '../../src/domain/events.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { changed, Feed, freshPool, project, rowsOf } from './support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
});
afterAll(() => pool.end());

const DAY = 86_400_000;
const gold = (delta: number, source: string): LedgerEntry => ({ field: 'gold', before: 0, after: delta, delta, source, currency: 'gold' });
const moved = (player: string, ...ledger: readonly LedgerEntry[]) => changed(player, [['gold', 1]], 2, { ledger });

const supplyOf = (projectId: string) =>
  rowsOf(
    pool,
    `SELECT day, opening, inflow, outflow, faucet, sink, active, holders, held, top_holders, top_balance
     FROM savepoint.economy_supply WHERE project = '${projectId}' ORDER BY day`,
  );

test('days add up from opening to closing, what is inactive is told apart, and batches, rebuild and verify come to the same', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'market');
  await feed.commit({ type: 'project.created', data: { projectId: 'market', name: 'M' } });
  await feed.commit(moved('ada', gold(100, 'quest')));
  await feed.commit(moved('bob', gold(7, 'quest')));
  await project(pool, log, feed);
  feed.later = 15_000;
  await feed.commit(moved('ada', gold(-50, 'trade')), moved('bob', gold(45, 'trade')));
  await project(pool, log, feed);
  feed.later = 40 * DAY;
  await feed.commit(moved('bob', gold(10, 'quest')));
  await feed.commit(moved('cleo', gold(0.1, 'quest'), gold(0.2, 'quest')));
  await project(pool, log, feed);
  feed.later = 41 * DAY;
  await feed.commit(moved('bob', gold(-1, 'shop')));
  await project(pool, log, feed);

  const supply = await supplyOf('market');
  expect(supply).toEqual([
    {
      day: 0,
      opening: '0',
      inflow: '152',
      outflow: '50',
      faucet: '107',
      sink: '5',
      active: '102',
      holders: '2',
      held: '102',
      top_holders: '1',
      top_balance: '52',
    },
    {
      day: 40,
      opening: '102',
      inflow: '10.3',
      outflow: '0',
      faucet: '10.3',
      sink: '0',
      active: '62.3',
      holders: '3',
      held: '112.3',
      top_holders: '1',
      top_balance: '62',
    },
    {
      day: 41,
      opening: '112.3',
      inflow: '0',
      outflow: '1',
      faucet: '0',
      sink: '1',
      active: null,
      holders: null,
      held: null,
      top_holders: null,
      top_balance: null,
    },
  ]);
  const quest = await rowsOf(pool, `SELECT day, entries, players, inflow FROM savepoint.economy_days WHERE source = 'quest' ORDER BY day`);
  expect(quest).toEqual([
    { day: 0, entries: '2', players: '2', inflow: '107' },
    { day: 40, entries: '3', players: '2', inflow: '10.3' },
  ]);
  const holders = await rowsOf(pool, 'SELECT player, balance, day FROM savepoint.economy_holders ORDER BY player');
  expect(holders).toEqual([
    { player: 'ada', balance: '50', day: 0 },
    { player: 'bob', balance: '62', day: 40 },
    { player: 'cleo', balance: '0.3', day: 40 },
  ]);
  expect(await verify({ log, pool })).toMatchObject({ ok: true, problems: [] });
  await rebuild(['economy'], { log, pool });
  expect(await supplyOf('market')).toEqual(supply);
  expect(await verify({ log, pool })).toMatchObject({ ok: true, problems: [] });
});

test('a day that is over keeps the share of the richest hundredth, whatever they do later', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'rich');
  await feed.commit({ type: 'project.created', data: { projectId: 'rich', name: 'R' } });
  await feed.commit(...Array.from({ length: 150 }, (_, at) => moved(`p${at}`, gold(at, 'quest'))));
  await feed.commit(moved('debtor', gold(-500, 'loan')));
  await project(pool, log, feed);
  feed.later = 2 * DAY;
  await feed.commit(moved('p149', gold(-100, 'shop')));
  await project(pool, log, feed);
  const range = { space: 'live', from: 0, to: 9, currency: 'gold', before: null, limit: 9 } as const;
  const { rows } = await readEconomyDays(pool, 'rich', range);
  expect(rows).toMatchObject([
    { day: 2, holders: null, topHolders: null, topBalance: null, share: null },
    { day: 0, holders: 149, topHolders: 2, topBalance: '297', share: 0.026577 },
  ]);
  const { rows: now } = await readEconomySupply(pool, 'rich', { space: 'live', currency: 'gold', today: 2 });
  expect(now).toMatchObject([{ holders: 149, topHolders: 2, topBalance: '295', share: 0.026637 }]);
});
