import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { grantDriver } from '../../src/compose/grants.ts';
import { readConfig } from '../../src/config/config.ts';
import { DEFAULT_PERMISSIONS } from '../../src/domain/project/permissions.ts';
import { createPostgresLog } from '../../src/log/postgres/log.ts';
import { createLogger } from '../../src/logger.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Env, here, newApiKey, newProject, printed, verified } from './support/command-line.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { type Market, openMarket } from './support/market.ts';
import { ALL_ROLES, eventually, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

/** What support gives to many players: over HTTP and on the command line, driven twice at once, and taken back in spite of `kill -9`. */

/** `GRANT_PLAYERS=10000 npx vitest run test/node/grants.test.ts -t "wrong grant"` prints figures. */
const MANY = Number(process.env['GRANT_PLAYERS'] ?? 200);

vi.setConfig({ testTimeout: 600_000 + MANY * 100, hookTimeout: 180_000 });

let env: Env;
let node: Node;
let client: Client;
let market: Market;
let remote: Env;

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  // Without the role `worker` a grant waits for whoever drives it.
  node = await startNode(newFolder(), { env });
  const project = await newProject(env, 'Market');
  const permissions = { ...DEFAULT_PERMISSIONS, restore: 'rw', grant: 'rw', economy: 'r' };
  const secretKey = await newApiKey(env, project.projectId, permissions);
  client = createClient(node.url, { ...project, secretKey });
  market = await openMarket(client);
  remote = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: project.projectId, SAVEPOINT_SECRET_KEY: secretKey };
});

afterAll(async () => {
  client?.close();
  await node?.stop();
  removeFolders();
});

const GOLD = { op: 'inc', path: 'gold', value: 100 };
const why = { reason: 'sorry' };
const begin = (more: object) => market.manage('grants', { collection: 'players', ops: [GOLD], ...why, ...more });
const read = async (path: string) => Object((await ok(client.manage('GET', client.definitions(`grants${path}`)))).body);
const move = (grant: string, to: string, more: object = {}) => market.manage(`grants/${grant}/${to}`, { ...why, ...more });

/** Drives a grant in this process: for the node it is another node. */
async function drive(grant: string): Promise<number> {
  const pool = new pg.Pool({ connectionString: env['DATABASE_URL'] });
  const log = createPostgresLog({ connection: { connectionString: env['DATABASE_URL'] } });
  const driver = grantDriver({ pool, log, config: readConfig({}), logger: createLogger({ level: 'silent' }) });
  try {
    return await driver(client.projectId, grant, () => undefined);
  } finally {
    await log.close();
    await pool.end();
  }
}

describe('a grant', () => {
  test('is shown before, is given to each player once, and says who could not get it', async () => {
    await market.save('ann', { gold: 5, level: 1 });
    await market.save('bob', { gold: 7, level: 10 });
    const ops = [GOLD, { op: 'inc', path: 'level', value: 1 }];
    const players = ['ann', 'bob', 'nobody', 'ann'];
    const look = await begin({ ops, players, dryRun: true });
    expect(look.body).toMatchObject({
      dryRun: true,
      players: 3,
      grant: null,
      preview: {
        tried: 3,
        refused: 2,
        documents: [
          {
            key: 'ann',
            changes: [
              { path: 'gold', from: 5, to: 105 },
              { path: 'level', from: 1, to: 2 },
            ],
          },
        ],
        sums: [
          { path: 'gold', players: 1, sum: 100 },
          { path: 'level', players: 1, sum: 1 },
        ],
        refusals: [
          { player: 'bob', code: 'SCHEMA_VALIDATION_FAILED' },
          { player: 'nobody', code: 'NOT_FOUND' },
        ],
      },
    });
    const { status, body } = await begin({ ops, players, ticket: 'T-1' });
    expect([status, body.grant]).toMatchObject([200, { phase: 'giving', players: 3, listed: 3, given: 0, ticket: 'T-1' }]);
    // A view may lag behind what was just begun.
    await expect.poll(() => read(`/${body.grant.id}`)).toMatchObject({ grant: { listed: 3 } });
    await drive(body.grant.id);
    expect(await read(`/${body.grant.id}`)).toMatchObject({ grant: { phase: 'given', listed: 0, given: 1, refused: 2 } });
    expect(await read(`/${body.grant.id}/players`)).toMatchObject({
      players: [
        { player: 'bob', is: 'refused', code: 'SCHEMA_VALIDATION_FAILED' },
        { player: 'nobody', code: 'NOT_FOUND', why: 'There is no document players/nobody' },
      ],
      after: null,
    });
    expect(await market.read('ann')).toEqual({ gold: 105, level: 2 });
    expect(await market.read('nobody')).toBeNull();
    expect(await market.ledger('ann')).toBe(105);
    expect((await read('?limit=1')).grants).toMatchObject([{ id: body.grant.id }]);
  });

  test('meets no limit, and a request that is sent again begins no second one', async () => {
    await market.save('cay', { gold: 0 });
    const rule = { name: 'Slow', collection: 'players', field: 'gold', scope: 'per_player', window: 'perDay', limit: 10, action: 'reject' };
    const limitBy = (rules: readonly object[]) => client.manage('PUT', client.definitions('rate-limit-rules'), { body: { rules } });
    await ok(limitBy([rule]));
    const headers = { 'idempotency-key': 'once' };
    const body = { collection: 'players', ops: [GOLD], ...why, players: ['cay'] };
    const path = client.definitions('grants');
    const first = await ok(client.manage('POST', path, { body, headers }));
    const again = await ok(client.manage('POST', path, { body, headers }));
    expect([again.body, again.headers['idempotent-replay']]).toEqual([first.body, 'true']);
    const { id } = Object(first.body).grant;
    await Promise.all([drive(id), drive(id)]);
    expect(await market.read('cay')).toEqual({ gold: 100 });
    expect((await client.manage('POST', path, { body: { ...body, players: ['ann'] }, headers })).status).toBe(409);
    expect(await client.manage('POST', client.storage('players/cay'), { body: { ops: [{ ...GOLD, value: 10 }] } })).toMatchObject({
      status: 200,
    });
    await ok(limitBy([]));
  });

  test('goes to whom a leaderboard shows, or to everybody with a document', async () => {
    const top = { id: 'top', name: 'top', type: 'leaderboard', sources: [{ collectionId: 'players' }], config: { field: 'xp', limit: 2 } };
    await ok(client.manage('POST', client.definitions('queries'), { body: [top] }));
    for (const [player, xp] of [
      ['dee', 9],
      ['eve', 8],
      ['fay', 7],
    ] as const)
      await market.save(player, { gold: 0, xp });
    const look = await begin({ query: 'top', dryRun: true });
    expect(look.body, JSON.stringify(look.body)).toMatchObject({ players: 2, preview: { documents: [{ key: 'dee' }, { key: 'eve' }] } });
    const all = await begin({ everybody: true, dryRun: true });
    expect(all.body.players).toBeGreaterThanOrEqual(5);
    expect(all.body.preview.refused).toBe(0);
  });

  test('can be stopped, goes on when it is resumed, and is undone whatever happened since', async () => {
    const players = Array.from({ length: 30 }, (_, index) => `g${index}`);
    await Promise.all(players.map((player) => market.save(player, { gold: 10 })));
    const { grant } = (await begin({ players })).body;
    expect((await move(grant.id, 'stop')).body.grant.phase).toBe('stopped');
    await drive(grant.id);
    expect((await read(`/${grant.id}`)).grant).toMatchObject({ phase: 'stopped', given: 0, listed: 30 });
    expect(await move(grant.id, 'stop')).toMatchObject({ status: 409, body: { error: { code: 'GRANT_PHASE' } } });
    await move(grant.id, 'resume');
    await Promise.all([drive(grant.id), drive(grant.id), drive(grant.id)]);
    expect((await read(`/${grant.id}`)).grant).toMatchObject({ phase: 'given', given: 30 });
    expect(await Promise.all(players.map((player) => market.ledger(player)))).toEqual(players.map(() => 110));
    await market.save('g0', { ops: [{ op: 'inc', path: 'gold', value: -80, source: 'shop' }] });
    const look = await move(grant.id, 'undo', { dryRun: true });
    expect(look.body.preview).toMatchObject({
      tried: 30,
      short: [{ field: 'gold', players: 1, sum: 70 }],
      sums: [{ path: 'gold', sum: -2930 }],
    });
    expect((await move(grant.id, 'undo', { ticket: 'T-2' })).body).toMatchObject({ grant: { phase: 'taking' }, preview: null });
    await Promise.all([drive(grant.id), drive(grant.id)]);
    expect((await read(`/${grant.id}`)).grant).toMatchObject({
      phase: 'taken',
      given: 0,
      taken: 30,
      short: [{ field: 'gold', players: 1, short: '70' }],
    });
    expect((await read(`/${grant.id}/players?is=taken&limit=1`)).players).toMatchObject([
      { player: 'g0', shortfalls: [{ field: 'gold', asked: -100, moved: -30, short: 70 }] },
    ]);
    expect(await Promise.all(players.map((player) => market.ledger(player)))).toEqual(players.map((player) => (player === 'g0' ? 0 : 10)));
    expect(await move(grant.id, 'undo')).toMatchObject({ status: 409, body: { error: { code: 'ALREADY_UNDONE' } } });
    await verified(env);
  });

  test('is refused in words that say what to do', async () => {
    expect((await begin({})).body.error.message).toContain('one of');
    expect(await begin({ players: ['ann'], query: 'top' })).toMatchObject({ status: 400 });
    expect((await begin({ players: ['ann'], ops: [{ op: 'dig', path: 'gold' }] })).body.error).toMatchObject({ code: 'INVALID_OPERATION' });
    expect((await begin({ players: ['ann'], ops: [{ ...GOLD, source: 'gift' }] })).body.error.message).toContain('source');
    expect((await begin({ players: ['../ann'] })).status).toBe(400);
    expect((await begin({ players: ['ann'], collection: 'feed' })).body.error.message).toContain('global');
    expect((await begin({ players: ['ann'], collection: 'none' })).status).toBe(404);
    expect((await begin({ query: 'none' })).status).toBe(404);
    expect(await client.manage('GET', client.definitions('grants/none'))).toMatchObject({
      status: 404,
      body: { error: { missing: 'grant' } },
    });
    const weak = await newApiKey(env, client.projectId, { ...DEFAULT_PERMISSIONS, restore: 'rw' });
    const reply = await client.manage('POST', client.definitions('grants'), {
      body: { collection: 'players', ops: [GOLD], ...why, players: ['ann'] },
      headers: { 'x-api-key': weak },
    });
    expect(reply.status).toBe(403);
  });

  test('the command shows what it would do, asks, and says how far it is', async () => {
    await market.save('hal', { gold: 1 });
    const file = join(newFolder(), 'players.txt');
    writeFileSync(file, 'hal\r\n\n  nobody \n');
    const words = ['grant', '--players', file, '--collection', 'players', '--ops', 'gold+=100', '--reason', 'sorry'];
    const look = await printed([...words, '--dry-run'], { env: remote });
    for (const line of ['2 players', 'hal gold: 1 → 101', 'gold altogether: +100', 'nobody NOT_FOUND']) expect(look).toContain(line);
    expect(await here(words, { env: remote })).toMatchObject({ code: 1, stderr: expect.stringContaining('give --yes') });
    const { id } = JSON.parse(await printed([...words, '--yes', '--json'], { env: remote }));
    const following = printed(['grant', 'show', id, '--follow', '--json'], { env: remote });
    await drive(id);
    expect(JSON.parse(await following)).toMatchObject({ phase: 'given', given: 1, refused: 1 });
    expect(await printed(['grant', 'players', id], { env: remote })).toContain('NOT_FOUND: There is no document players/nobody');
    expect(await printed(['grant', 'list'], { env: remote })).toContain(id);
    expect(await printed(['grant', 'undo', id, '--reason', 'wrong', '--dry-run'], { env: remote })).toContain('hal gold: 101 → 1');
    await printed(['grant', 'undo', id, '--reason', 'wrong', '--yes'], { env: remote });
    expect(await printed(['grant', 'stop', id, '--reason', 'wait'], { env: remote })).toContain('stopped');
    await printed(['grant', 'undo', id, '--reason', 'wrong', '--yes'], { env: remote });
    await drive(id);
    expect(await market.read('hal')).toEqual({ gold: 1 });
  });
});

test('a wrong grant to many players, who go on to earn and spend, is taken back in spite of kill -9', async () => {
  const started = performance.now();
  const figures: Record<string, unknown> = { players: MANY };
  const took = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const from = performance.now();
    const result = await work();
    figures[`${what} s`] = Math.round((performance.now() - from) / 100) / 10;
    return result;
  };
  client.close();
  await node.stop();
  const folder = newFolder();
  const start = async () => {
    node = await startNode(folder, { env: { ...env, ...ALL_ROLES } });
    client = createClient(node.url, client);
    market = { ...(await openMarket(client)) };
  };
  await took('start', start);
  const players = Array.from({ length: MANY }, (_, index) => `many${index}`);
  /** What each player earned and spent, as far as it was answered. */
  const net = new Map(players.map((player) => [player, 0]));
  let plays = 0;
  /** Earns or spends; sent again with its key until it is answered, so it happens once in spite of a crash. */
  const play = async (player: string, value: number) => {
    plays += 1;
    const headers = { 'idempotency-key': `play-${plays}` };
    const body = { ops: [{ op: 'inc', path: 'gold', value, source: value > 0 ? 'quest' : 'shop' }] };
    await eventually('the play is answered', async () => {
      const reply = await client.manage('POST', client.storage(`players/${player}`), { body, headers }).catch(() => null);
      if (reply !== null && reply.status !== 200 && reply.status < 500) throw new Error(reply.text);
      return reply?.status === 200;
    });
    net.set(player, (net.get(player) ?? 0) + value);
  };
  const atOnce = async (each: (player: string) => Promise<unknown>) => {
    const left = [...players];
    const worker = async () => {
      for (let player = left.pop(); player !== undefined; player = left.pop()) await each(player);
    };
    await Promise.all(Array.from({ length: 16 }, worker));
  };
  /** Players play on, at random, until `stop`. */
  const playing = () => {
    let isOver = false;
    const worker = async (seed: number) => {
      for (let turn = seed; !isOver; turn += 7) await play(players[turn % MANY] ?? '', (turn % 9) - 3);
    };
    const workers = Promise.all([1, 2, 3].map((seed) => worker(seed * 31)));
    return async () => {
      isOver = true;
      await workers;
    };
  };
  const grantOf = async (id: string) => (await read(`/${id}`)).grant;
  /** Many players take longer than `eventually` waits. */
  const phaseOf = async (id: string, phase: string) => {
    while ((await grantOf(id)).phase !== phase) await sleep(200);
  };
  const killedWhen = async (id: string, isHalf: (grant: { given: number; taken: number }) => boolean) => {
    while (!isHalf(await grantOf(id))) await sleep(20);
    await node.kill();
    client.close();
    await start();
  };

  await took('100 gold each', () => atOnce((player) => market.save(player, { gold: 100 })));
  const { grant } = (await took('begun', () => begin({ ops: [{ op: 'inc', path: 'gold', value: 1000 }], players }))).body;
  let stop = playing();
  await took('given, with kill -9', async () => {
    await killedWhen(grant.id, ({ given }) => given > MANY / 3);
    await phaseOf(grant.id, 'given');
  });
  await stop();
  expect(await grantOf(grant.id)).toMatchObject({ given: MANY, listed: 0, refused: 0 });
  // Every tenth has spent nearly all.
  await took('spent', () => atOnce(async (player) => (player.endsWith('7') ? play(player, -(1040 + (net.get(player) ?? 0))) : undefined)));
  stop = playing();
  await move(grant.id, 'undo', { reason: 'ten times too much' });
  await took('taken back, with kill -9', async () => {
    await killedWhen(grant.id, ({ taken }) => taken > MANY / 3);
    await phaseOf(grant.id, 'taken');
  });
  await stop();
  const done = await grantOf(grant.id);
  expect(done).toMatchObject({ given: 0, taken: MANY, kept: 0 });

  const short = new Map<string, number>();
  for (let after: number | null = -1; after !== null; ) {
    const page: { players: { player: string; shortfalls: { short: number }[] }[]; after: number | null } = await read(
      `/${grant.id}/players?is=taken&limit=200${after < 0 ? '' : `&after=${after}`}`,
    );
    for (const { player, shortfalls } of page.players) short.set(player, shortfalls[0]?.short ?? 0);
    after = page.after;
  }
  const missing = [...short.values()].reduce((sum, each) => sum + each, 0);
  expect(Number(done.short[0]?.short ?? 0)).toBe(missing);
  // Whoever has nothing missing has what he had and earned; else the rest of the grant is spent.
  const wrong: string[] = [];
  await took('compared', () =>
    atOnce(async (player) => {
      const held = Object(await market.read(player)).gold;
      const ledger = await market.ledger(player);
      const expected = 100 + (net.get(player) ?? 0) + (short.get(player) ?? 0);
      if (held !== expected || ledger !== expected) wrong.push(`${player}: ${held}, ledger ${ledger}, expected ${expected}`);
    }),
  );
  expect(wrong).toEqual([]);
  const flows = Object((await ok(client.manage('GET', client.definitions('economy/flows?by=source&limit=200')))).body).flows;
  const flow = (source: string) =>
    flows.find((each: { source: string; inflow: number }) => each.source === source && each.inflow + Object(each).outflow >= MANY);
  await verified(env);
  Object.assign(figures, {
    plays,
    missing,
    short: done.short,
    flows: flow('grant') ?? null,
    all: Math.round((performance.now() - started) / 1000),
  });
  if (MANY > 1000) process.stdout.write(`${JSON.stringify(figures)}\n`);
});
