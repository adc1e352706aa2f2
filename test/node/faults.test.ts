import { afterAll, expect, test, vi } from 'vitest';
import { type EmbeddedPostgres, startPostgres } from '../support/embedded.ts';
import { publishGame } from './support/game.ts';
import { createClient, ok, PLAYER } from './support/game-client.ts';
import { findLosses, startLoad } from './support/load.ts';
import {
  demoCredentials,
  eventually,
  healthStatus,
  isRunning,
  type Node,
  newFolder,
  postmasterOf,
  removeFolders,
  savepoint,
  startNode,
} from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const data = newFolder();
const nodes: Node[] = [];
let server: EmbeddedPostgres | undefined;

afterAll(async () => {
  for (const node of nodes) if (isRunning(node.pid)) await node.stop();
  await server?.stop();
  removeFolders();
});

const start = async (folder: string, env: Readonly<Record<string, string>> = {}) => {
  const node = await startNode(folder, { env });
  nodes.push(node);
  return node;
};

/** An outage is 503 with Retry-After for what was never sent, 504 for what may be stored, and nothing else. */
const OUTAGE = /^(503 \w+ Retry-After|504 OUTCOME_UNKNOWN)$/;
const others = (refusals: ReadonlySet<string>) => [...refusals].filter((one) => !OUTAGE.test(one));

test('kill -9 of the embedded Postgres under load: the node starts it again and goes on, nothing is lost or doubled', async () => {
  const node = await start(data);
  const game = createClient(node.url, demoCredentials(data));
  await publishGame(game);
  await ok(game.play('POST', game.storage(`players/${PLAYER}`), { body: { name: 'Ada' } }));
  const load = startLoad(game, 'outage');
  await eventually('writes go through', async () => load.acknowledged() > 50);
  const postmaster = postmasterOf(data);
  process.kill(postmaster, 'SIGKILL');
  await eventually('the outage is seen', async () => (await healthStatus(node.url)) === 503);
  await eventually('the node has its database again', async () => (await healthStatus(node.url)) === 200);
  const before = load.acknowledged();
  await eventually('writes go through again', async () => load.acknowledged() > before + 50);
  const outcomes = await load.stop();
  expect(others(outcomes.refusals)).toEqual([]);
  expect(await findLosses(game, 'outage', [outcomes])).toEqual([]);
  expect(Object((await ok(game.play('GET', game.storage(`players/${PLAYER}`)))).body)).toMatchObject({ name: 'Ada' });
  expect(postmasterOf(data)).not.toBe(postmaster);
  game.close();
});

test('kill -9 of the node under load: after the restart every acknowledged write is there, once, and verify agrees', async () => {
  const node = nodes[0] ?? (await start(data));
  const game = createClient(node.url, demoCredentials(data));
  const load = startLoad(game, 'crash');
  await eventually('writes go through', async () => load.acknowledged() > 100);
  await node.kill();
  const outcomes = await load.stop();
  game.close();
  const again = await start(data);
  const later = createClient(again.url, demoCredentials(data));
  expect(others(outcomes.refusals)).toEqual([]);
  expect(await findLosses(later, 'crash', [outcomes])).toEqual([]);
  later.close();
  expect(await savepoint(['verify', '--data', data])).toMatchObject({ code: 0 });
  expect(await again.stop()).toMatchObject({ code: 0 });
});

test('a Postgres of DATABASE_URL goes away and comes back: 503 or 504 meanwhile, recovery by itself, SIGTERM works even without it', async () => {
  server = await startPostgres();
  const env = { DATABASE_URL: server.url, SHUTDOWN_TIMEOUT_MS: '4000' };
  const folder = newFolder();
  const node = await start(folder, env);
  const game = createClient(node.url, demoCredentials(folder));
  await publishGame(game);
  const load = startLoad(game, 'away');
  await eventually('writes go through', async () => load.acknowledged() > 50);
  await server.crash();
  await eventually('the outage is seen', async () => (await healthStatus(node.url)) === 503);
  const write = await game.play('POST', game.storage('counters/other'), { body: { n: 1 } });
  expect(`${write.status} ${Object(write.body).error.code} ${write.headers['retry-after'] === undefined ? '' : 'Retry-After'}`).toMatch(
    /^50[34] /,
  );
  await server.start();
  const before = load.acknowledged();
  await eventually('writes go through again', async () => load.acknowledged() > before + 50);
  const outcomes = await load.stop();
  expect(others(outcomes.refusals)).toEqual([]);
  expect(await findLosses(game, 'away', [outcomes])).toEqual([]);
  const last = startLoad(game, 'away', 2);
  await server.crash();
  expect(await node.stop()).toMatchObject({ code: 0, signal: null });
  await last.stop();
  game.close();
});
