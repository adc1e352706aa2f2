import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type pg from 'pg';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { readAlarms } from '../../projections/models/alarms/read.ts';
import { readEconomyFlows } from '../../projections/models/economy/read.ts';
import type { Projector } from '../../projections/projector/projector.ts';
import { createProjector } from '../../projections/projector/projector.ts';
import { checkEconomy } from '../../src/compose/doctor/economy.ts';
import { economyWatch } from '../../src/compose/economy-alarms.ts';
import { readConfig } from '../../src/config/config.ts';
import { dayOf } from '../../src/domain/economy/fold.ts';
import type { LedgerEntry } from '../../src/domain/events.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { createLogger } from '../../src/logger.ts';
import { changed, Feed, freshPool, memoryLogger, reached } from '../projections/support.ts';

/** An hour of a game with a planted dupe: a stall pays for wares that it does not take. The clock is that of the events. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 0, 20, 12);
const posts: unknown[] = [];
const receiver = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    posts.push(JSON.parse(Buffer.concat(chunks).toString()));
    // The first answer is a failure, so it is sent again.
    response.writeHead(posts.length === 1 ? 500 : 200).end();
  });
});
const log = createMemoryLog();
let pool: pg.Pool;
let projector: Projector;
let address: string;

beforeAll(async () => {
  pool = await freshPool(12);
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook/secret`;
  projector = createProjector({ pool, log, logger: memoryLogger() });
  await projector.start();
  const feed = new Feed(log, 'market');
  const economyAlarms = [
    { name: 'flood', currency: 'gold', overMedian: 3 },
    { name: 'greed', currency: 'gold', source: 'stall', perPlayerHour: 10_000 },
    { name: 'calm', currency: 'gold', source: 'quest', overMedian: 3 },
  ];
  feed.later = NOON - 20 * DAY;
  await feed.commit(
    { type: 'project.created', data: { projectId: 'market', name: 'Market' } },
    { type: 'settings.changed', data: { changes: { economyAlarms } } },
  );
  const moved = (player: string, ...entries: readonly LedgerEntry[]) => changed(player, [['gold', 1]], 2, { ledger: entries });
  const gold = (delta: number, source: string): LedgerEntry => ({ field: 'gold', before: 0, after: 0, delta, source, currency: 'gold' });
  for (let day = 14; day >= 0; day -= 1) {
    feed.later = NOON - day * DAY - 2 * HOUR;
    for (let player = 0; player < 5; player += 1) {
      await feed.commit(moved(`p${player}`, gold(100, 'quest')));
      await feed.commit(moved(`p${player}`, gold(-20, 'shop')));
    }
    // A sale is paid by whoever buys.
    await feed.commit(moved('p1', gold(30, 'stall')), moved('p2', gold(-30, 'stall')));
  }
  feed.later = NOON - HOUR / 2;
  for (let sale = 0; sale < 40; sale += 1) await feed.commit(moved('mallory', gold(500, 'stall')));
  await reached(projector, feed);
});

afterAll(async () => {
  await projector.stop();
  await pool.end();
  receiver.close();
});

test('the dupe is told once over all nodes, with its source and player, and a rebuild tells nothing', async () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const nodes = [new Registry(), new Registry()].map((registry) => ({
    registry,
    watch: economyWatch({
      pool,
      log,
      config: readConfig({ ALARM_WEBHOOK_URL: address }),
      logger,
      registry,
      scheduler: { now: () => NOON, sleep: async () => undefined },
    }),
  }));
  const rounds = await Promise.all(nodes.map(({ watch }) => watch()));
  expect(rounds.reduce((sum, { raised }) => sum + raised, 0)).toBe(2);
  expect(await nodes[0]?.watch()).toEqual({ raised: 0 });

  await expect.poll(async () => (await readAlarms(pool, 'market', { before: 1e9, limit: 10 })).alarms.length, { timeout: 60_000 }).toBe(2);
  const { alarms } = await readAlarms(pool, 'market', { before: 1e9, limit: 10 });
  expect([...alarms].sort((a, b) => a.alarm.localeCompare(b.alarm))).toMatchObject([
    { alarm: 'flood', window: '2026-01-20', amount: 20_500, threshold: 1_500, player: null },
    { alarm: 'greed', window: '2026-01-20T11', amount: 20_000, threshold: 10_000, source: 'stall', player: 'mallory' },
  ]);
  expect(posts).toHaveLength(3);
  expect(posts).toContainEqual(expect.objectContaining({ event: 'economy.alarm', project: 'market', alarm: 'greed', player: 'mallory' }));
  const told = await Promise.all(nodes.map(({ registry }) => registry.metrics()));
  expect(told.map((text) => Number(/savepoint_economy_alarms_total (\d+)/.exec(text)?.[1])).reduce((a, b) => a + b)).toBe(2);
  expect(lines.filter((line) => line.includes('an economy alarm was raised'))).toHaveLength(2);
  expect(lines.join()).not.toContain('secret');
  const { rows } = await pool.query(`SELECT code, player FROM savepoint.call_log WHERE project = 'market' ORDER BY message`);
  expect(rows).toEqual([
    { code: 'ECONOMY_ALARM', player: null },
    { code: 'ECONOMY_ALARM', player: 'mallory' },
  ]);
  expect(await checkEconomy(pool)).toMatchObject({ state: 'warn', found: expect.stringContaining('2 alarms') });

  const day = dayOf(NOON);
  const filter = { currency: 'gold', collection: null, field: null, source: null, endpoint: null };
  const flows = await readEconomyFlows(pool, 'market', {
    space: 'live',
    from: day,
    to: day,
    ...filter,
    by: 'source',
    after: null,
    limit: 10,
  });
  expect(flows.rows.map(({ source, faucet, sink }) => [source, faucet, sink])).toEqual([
    ['quest', '500', '0'],
    ['shop', '0', '100'],
    ['stall', '20000', '0'],
  ]);

  await rebuild('all', { log, pool });
  expect(posts).toHaveLength(3);
  expect(await nodes[1]?.watch()).toEqual({ raised: 0 });
  expect(await verify({ log, pool })).toMatchObject({ ok: true, problems: [] });
});
