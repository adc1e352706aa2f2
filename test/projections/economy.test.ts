import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { BUCKETS, dueAt } from '../../projections/models/economy/pending.ts';
import { economyView } from '../../projections/models/economy/projection.ts';
import { readEconomyDays, readEconomySupply } from '../../projections/models/economy/read.ts';
import { transaction } from '../../projections/transaction.ts';
import { NOTHING } from '../../projections/write.ts';
import type { LedgerEntry, ProjectEvent } from '../../src/domain/events.ts';
import { projectEvent } from '../../src/domain/events.ts';
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

const METADATA = { commandId: '', cause: 'test', actor: { kind: 'public' }, schemaVersion: 1 } as const;

/** Who got and spent what, over two days, in live and in a test of staged definitions. */
const history: readonly ProjectEvent[] = Array.from({ length: 700 }, (_, revision) => {
  const recordedAt = DAY / 2 + revision * (revision < 350 ? 200 : 250_000);
  const entries = [gold(revision % 3 === 0 ? -0.1 * (revision % 7) : revision % 11, `s${revision % 4}`)];
  const player = `p${(revision * 7) % 23}`;
  const space = revision % 5 === 0 ? 'next3' : 'live';
  const postings = [{ by: 1, collection: 'saves', key: player, player, entries }];
  return projectEvent({ type: 'ledger.posted', data: { space, postings } }, revision, `e${revision}`, { ...METADATA, recordedAt }, '');
});

async function foldedIn(projectId: string, sizes: readonly number[], of = history, turnRevisions = 16): Promise<void> {
  const view = economyView(turnRevisions);
  const [row] = await rowsOf(pool, `SELECT active FROM savepoint.projection_versions WHERE name = 'economy'`);
  const versions = new Map([['economy', Number(row?.['active'])]] as const);
  const folded = {
    documents: [],
    wiped: false,
    definitions: { before: null, after: null },
    catalog: { before: null, after: NOTHING.catalog },
    atOnce: 1,
  };
  for (let from = 0, turn = 0; from < of.length; turn += 1) {
    const events = of.slice(from, from + (sizes[turn % sizes.length] ?? 1));
    await transaction(pool, projectId, versions, (tx) => view.project({ all: events, events, ...folded }, tx));
    from += events.length;
  }
}

test('with each turn one bucket after the other is due, of as many turns as there are buckets', () => {
  const due = (turn: number) => dueAt(turn * 16, 16).map(({ block }) => block);
  for (let turn = BUCKETS; turn < 3 * BUCKETS; turn += 1) {
    const [before, now] = [due(turn - 1), due(turn)];
    expect(dueAt(turn * 16 - 1, 16).map(({ block }) => block)).toEqual(before);
    expect(now.map((block, bucket) => block - (before[bucket] ?? 0))).toEqual(
      Array.from({ length: BUCKETS }, (_, bucket) => (bucket === turn % BUCKETS ? BUCKETS * 16 : 0)),
    );
  }
});

test('however the events come in batches, the same is added up and the same waits, of few revisions', async () => {
  await foldedIn('one', [7]);
  await foldedIn('many', [70, 3, 1, 200]);
  for (const table of ['days', 'supply', 'names', 'pending', 'players', 'holders']) {
    const rows = (projectId: string) =>
      rowsOf(pool, `SELECT to_jsonb(t) - 'project' AS row FROM savepoint.economy_${table} t WHERE project = '${projectId}' ORDER BY 1`);
    expect(await rows('many'), table).toEqual(await rows('one'));
  }
  const waiting = `SELECT min(block) >= 700 - 16 * 8 AS few, count(*) > 0 AS some FROM savepoint.economy_pending WHERE project = 'one'`;
  expect(await rowsOf(pool, waiting)).toEqual([{ few: true, some: true }]);
  const { rows } = await readEconomySupply(pool, 'one', { space: 'live', currency: 'gold', today: 9 });
  const live = history.flatMap(({ type, data }) => (type === 'ledger.posted' && data.space === 'live' ? data.postings : []));
  const total = live.reduce((sum, { entries: [entry] }) => sum + Number(entry?.delta), 0);
  expect(Number(rows[0]?.supply)).toBeCloseTo(total, 6);
});

test('whatever is posted on whichever days, by whomever, batches of any size come to what each commit alone comes to', async () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
  const deltas: readonly LedgerEntry['delta'][] = [1, -1, 0, 0.1, -0.3, 1e300, -1e300, 1e-300, 9_007_199_254_740_991, 5e-324, 1.7e308];
  for (let round = 0; round < 4; round += 1) {
    let at = 0;
    let revision = 0;
    const events = Array.from({ length: 120 }, () => {
      revision += 1 + (random(4) === 0 ? random(60) : 0);
      at += random(5) === 0 ? random(3) * DAY : random(1_000_000);
      const postings = Array.from({ length: 1 + random(3) }, (_, by) => {
        const player = `p${random(9)}`;
        const entries = Array.from({ length: 1 + random(3) }, () => ({
          ...gold(0, `s${random(3)}`),
          delta: deltas[random(deltas.length)] ?? 0,
          currency: `c${random(2)}`,
        }));
        return { by: by + 1, collection: `k${random(2)}`, key: player, player, entries };
      });
      const space = random(3) === 0 ? 'next1' : 'live';
      const cause = random(6) === 0 ? 'correction' : 'test';
      const metadata = { ...METADATA, cause, recordedAt: at };
      return projectEvent({ type: 'ledger.posted', data: { space, postings } }, revision, `r${round}.${revision}`, metadata, '');
    });
    const ways = [[1], [1 + random(9), 1 + random(60)], [events.length]];
    // Blocks of several revisions, so that batches end within them.
    for (const [way, sizes] of ways.entries()) await foldedIn(`r${round}w${way}`, sizes, events, 64);
    for (const table of ['days', 'supply', 'names', 'pending', 'players', 'holders']) {
      // Compared by Postgres, to the last digit.
      const of = (way: number) =>
        `SELECT to_jsonb(t) - 'project' AS row FROM savepoint.economy_${table} t WHERE project = 'r${round}w${way}'`;
      for (const [one, other] of [
        [0, 1],
        [1, 0],
        [0, 2],
        [2, 0],
      ] as const)
        expect(await rowsOf(pool, `${of(one)} EXCEPT ALL ${of(other)}`), `${table} ${round}`).toEqual([]);
    }
  }
  expect(await rowsOf(pool, `SELECT count(*) > 100 AS many FROM savepoint.economy_players WHERE project LIKE 'r_w_'`)).toEqual([
    { many: true },
  ]);
});
