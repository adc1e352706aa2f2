import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newPlayer, play } from '../../../infra/demo/player.ts';
import { pushGame } from '../../../infra/demo/push.ts';
import { createTally } from '../../../infra/demo/tally.ts';
import { seededRandom } from '../../../infra/harness/numbers.ts';
import { openProject, type Project } from '../../../infra/harness/project.ts';
import { economyWatch } from '../../../src/compose/economy-alarms.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { createPostgresLog } from '../../../src/log/postgres/log.ts';
import { createLogger } from '../../../src/logger.ts';
import { ROOT } from '../../docs/support/pages.ts';
import { newApiKey, printed, verified } from '../../node/support/command-line.ts';
import { source } from '../../node/support/game.ts';
import { ok } from '../../node/support/game-client.ts';
import { type Opened, openNode } from '../security/support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** An hour of the example game, after quiet days, with a planted dupe: a publish forgets to take the wood that it pays for. */

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOON = Date.UTC(2026, 0, 20, 12);
const SALES = 12;

let opened: Opened;
let project: Project;
let env: Readonly<Record<string, string>>;
let faulty: number;

const says = (...words: readonly string[]) => printed(words, { env });
const read = async (...words: readonly string[]): Promise<JsonObject> => JSON.parse(await says(...words, '--json'));
const rowsOf = (body: JsonObject, name: string) => body[name] as readonly JsonObject[];

/** Some calls of the demo's players at this time. */
async function playAt(time: number, players: readonly string[], calls: number): Promise<void> {
  vi.setSystemTime(time);
  const rules = { purse: 25, prices: [0, 20, 32, 52, 82, 132] };
  for (const [at, id] of players.entries()) {
    const tally = createTally();
    await play(project, newPlayer(id, id), rules, seededRandom(at + time / DAY), tally, () => tally.calls >= calls);
  }
}

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: NOON - 10 * DAY });
  opened = await openNode();
  project = openProject(opened.game.url, opened.game);
  await pushGame(project, true);
  const economyAlarms = [
    { name: 'flood', currency: 'gold', overMedian: 3 },
    { name: 'greed', currency: 'gold', source: 'sell-wood', perPlayerHour: 50 },
  ];
  await ok(opened.game.manage('PUT', opened.game.definitions('settings'), { body: { economyAlarms } }));
  for (let day = 9; day >= 0; day -= 1) await playAt(NOON - day * DAY - HOUR / 2, [`a${day}`], 8);

  const definitions = { collections: 'rwx', endpoints: 'rwx', queries: 'rw', workflows: 'rw', game_values: 'rw', rate_limits: 'rw' };
  const permissions = { ...definitions, economy: 'r', history: 'r', restore: 'rw' };
  const key = await newApiKey({ DATABASE_URL: opened.databaseUrl }, project.projectId, permissions);
  env = { SAVEPOINT_URL: opened.game.url, SAVEPOINT_PROJECT: project.projectId, SAVEPOINT_SECRET_KEY: key };
  vi.setSystemTime(NOON - HOUR / 4);
  const sellWood = readFileSync(join(ROOT, 'infra/demo/game/sell-wood.endpoint.yml'), 'utf8');
  const dupe = source('endpoint', 'sell-wood', sellWood.replace('      - { op: inc, path: wood, value: "{{-input.amount}}" }\n', ''));
  await ok(opened.game.manage('PUT', opened.game.definitions('endpoints'), { body: [dupe] }));
  faulty = Number(rowsOf(await read('publishes'), 'publishes')[0]?.['revision']);
  const as = { 'x-platform-id': 'mallory' };
  await ok(opened.game.play('POST', opened.game.endpoint('chop-wood'), { body: { swings: 10, name: 'Mallory' }, headers: as }));
  for (let sale = 0; sale < SALES; sale += 1)
    await ok(opened.game.play('POST', opened.game.endpoint('sell-wood'), { body: { amount: 10 }, headers: as }));
  vi.setSystemTime(NOON);
});

afterAll(async () => {
  vi.useRealTimers();
  project?.http.close();
  await opened?.close();
});

/** What the job of a node does every minute. */
async function watch(): Promise<void> {
  const pool = new pg.Pool({ connectionString: opened.databaseUrl, max: 4 });
  const log = createPostgresLog({ connection: { connectionString: opened.databaseUrl } });
  const logger = createLogger({ level: 'silent' });
  try {
    await economyWatch({ pool, log, config: readConfig({}), logger, registry: new Registry() })();
  } finally {
    await log.close();
    await pool.end();
  }
}

async function raised(): Promise<readonly JsonObject[]> {
  const { body } = await ok(opened.game.manage('GET', `/v3/manage/${project.projectId}/economy/alarms`));
  return rowsOf(Object(body), 'alarms');
}

async function alarms(): Promise<readonly string[]> {
  return (await raised()).map(({ alarm, player }) => `${alarm} ${player}`).sort();
}

/** What the entries come to that an alarm opens. */
async function countedBy({ entries }: JsonObject): Promise<number> {
  const { body } = await ok(opened.game.manage('GET', `${entries}&limit=200`));
  expect(Object(body).cursor).toBeNull();
  return rowsOf(Object(body), 'entries').reduce((sum, { part, delta }) => sum + Number(part ?? delta), 0);
}

test('from the alarm to the publish that made the coin, to the undo, after which the log is whole', async () => {
  // A look before the sums are there finds nothing; a later one does.
  const watched = () => watch().then(alarms);
  await expect.poll(watched, { timeout: 60_000 }).toEqual(['flood null', 'greed mallory']);

  // What comes later in its window is not what raised it.
  await ok(opened.game.play('POST', opened.game.endpoint('sell-wood'), { body: { amount: 10 }, headers: { 'x-platform-id': 'mallory' } }));
  const told = await raised();
  expect(await Promise.all(told.map(countedBy))).toEqual(told.map(({ amount }) => amount));
  const greed = told.find(({ alarm }) => alarm === 'greed');
  const said = (await says('activity', '--kind', 'alarm')).split('\n').filter((line) => line.includes('alarm greed'));
  expect(said).toEqual([expect.stringContaining(`amount is ${greed?.['amount']}, threshold is 50, currency is "gold"`)]);
  const counted = ['economy', '--field', 'gold', '--by', 'entry', '--alarm', String(greed?.['revision'])];
  // It may have been raised before the sums had all sales.
  const { body: opens } = await ok(opened.game.manage('GET', `${greed?.['entries']}&limit=200`));
  expect(rowsOf(await read(...counted), 'entries')).toHaveLength(rowsOf(Object(opens), 'entries').length);
  const ofGold = `/v3/manage/${project.projectId}/economy/entries?currency=gold`;
  expect(await opened.game.manage('GET', `${ofGold}&alarm=${greed?.['revision']}&player=mallory`)).toMatchObject({ status: 400 });
  expect(await opened.game.manage('GET', `${ofGold}&alarm=0`)).toMatchObject({ status: 404, body: { error: { missing: 'alarm' } } });

  const bySource = rowsOf(await read('economy', '--field', 'gold', '--by', 'source', '--since', '1d'), 'flows');
  const [first] = [...bySource].sort((a, b) => Number(b['faucet']) - Number(a['faucet']));
  expect(first).toMatchObject({ source: 'sell-wood' });
  const [richest] = rowsOf(await read('economy', '--field', 'gold', '--by', 'player', '--since', '1d'), 'players');
  expect(richest).toMatchObject({ player: 'mallory', inflow: 25 + (SALES + 1) * 20 });

  const [coin] = rowsOf(await read('ledger', 'players', 'mallory', '--newest', '--limit', '1'), 'entries');
  expect(coin).toMatchObject({ source: 'sell-wood', delta: 20, reason: 'sold 10 wood' });
  const [meaning] = rowsOf(await read('explain', String(coin?.['eventId'])), 'meanings');
  expect(meaning).toMatchObject({ call: { endpoint: 'sell-wood', publish: { revision: faulty } } });

  await says('rollback', '--yes');
  const path = `/v3/manage/${project.projectId}/commits?player=mallory&endpoint=sell-wood&from=${faulty}`;
  const { body } = await ok(opened.game.manage('GET', path, { headers: { 'x-api-key': env['SAVEPOINT_SECRET_KEY'] ?? '' } }));
  const sales = rowsOf(Object(body), 'commits').map(({ revision }) => String(revision));
  expect(sales).toHaveLength(SALES + 1);
  for (const sale of sales) await says('undo', sale, '--reason', 'sold wood that was not taken', '--yes');

  expect(await says('doc', 'get', 'players', 'mallory', 'gold')).toBe('25\n');
  const [today, yesterday] = rowsOf(await read('economy', '--field', 'gold'), 'days');
  expect(today).toMatchObject({ correctedOut: (SALES + 1) * 20, top: null });
  expect(yesterday).toMatchObject({ day: '2026-01-19', top: { holders: 1, share: expect.any(Number) } });
  expect(Number(today?.['opening'])).toBe(Number(yesterday?.['closing']));
  await verified({ DATABASE_URL: opened.databaseUrl });
});
