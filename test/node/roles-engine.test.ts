import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { freePort } from '../../infra/harness/port.ts';
import { type Credentials, parseCredentials } from '../../infra/harness/project.ts';
import { type StandIn, startStandIn } from '../support/eventstore/server.ts';
import { testDatabase } from '../support/postgres.ts';
import { here, newProject, printed } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { createClient, ok, PLAYER } from './support/game-client.ts';
import { ALL_ROLES, eventually, type Node, newFolder, removeFolders, savepoint, startNode, succeed } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The whole program with its log in the stand-in for an EventStoreDB, and its read models in Postgres. */

let server: StandIn;
let env: { readonly DATABASE_URL: string; readonly EVENTSTORE_URL: string };
let node: Node;
let project: Credentials;

beforeAll(async () => {
  server = await startStandIn();
  env = { DATABASE_URL: await testDatabase(), EVENTSTORE_URL: server.url };
  node = await startNode(newFolder(), { env: { ...env, ...ALL_ROLES, LOG_LEVEL: 'info', COMMAND_TIMEOUT_MS: '60000' } });
  project = parseCredentials(JSON.parse(await succeed(['project', 'create', 'Elsewhere', '--json'], { env })));
});

afterAll(async () => {
  await node?.stop();
  await server?.close();
  removeFolders();
});

test('a start says what it runs on, and makes a demo project in a log without any', () => {
  const told = node.stderr();
  expect(told).toMatch(
    /runs on: log EventStoreDB 23\.10\S*, esdb:\/\/127\.0\.0\.1:\d+; database Postgres \d+.*queue in the database; roles api,projector,worker; Node v/,
  );
  expect(existsSync(join(node.data, 'demo-project.json'))).toBe(true);
});

test('a game plays; commands beside it work; nothing of the log is in Postgres', async () => {
  const game = createClient(node.url, project);
  await publishGame(game);
  await ok(game.play('POST', game.storage(`players/${PLAYER}`), { body: { gold: 20 } }));
  expect((await ok(game.play('POST', game.endpoint('buy'), { body: { item: 'axe' } }))).body).toMatchObject({ ok: true, left: 13 });
  const ledger = await ok(game.play('GET', game.storage(`players/${PLAYER}/ledger`)));
  expect(Object(ledger.body).entries.at(-1)).toMatchObject({ after: 13 });
  game.close();
  const listed = JSON.parse(await printed(['project', 'list', '--json'], { env }));
  expect(listed.map((one: { name: string }) => one.name)).toEqual(['Demo', 'Elsewhere']);
  const key = JSON.parse(await printed(['key', 'create', project.projectId, '--json'], { env }));
  await printed(['key', 'revoke', project.projectId, key.keyId], { env });
  expect(await savepoint(['verify'], { env })).toMatchObject({ code: 0 });
  const stats = JSON.parse(await printed(['log', 'stats', '--json'], { env }));
  const own = stats.streams.find((one: { stream: string }) => one.stream === `project-${project.projectId}`);
  const [anchor, ...more] = (await printed(['log', 'anchor'], { env })).trim().split('\n').sort();
  expect([anchor, ...more].some((line) => line?.startsWith(`${project.projectId}@${own.events - 1}:`))).toBe(true);
  for (const of of [[], ['--project', project.projectId]]) {
    const tail = (await printed(['log', 'tail', '-n', '3', '--json', ...of], { env })).trim().split('\n');
    expect(tail.map((line) => JSON.parse(line).revision)).toEqual([own.events - 3, own.events - 2, own.events - 1]);
  }
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  const { rows } = await client.query('SELECT count(*)::int AS count FROM savepoint.log_events');
  await client.end();
  expect(rows).toEqual([{ count: 0 }]);
});

test('an endpoint call whose answer the log held back is answered as stored, however long nothing else was heard', async () => {
  const game = createClient(node.url, project);
  const before = Object((await ok(game.play('GET', game.storage(`players/${PLAYER}`)))).body);
  server.network.dropAnswers();
  const call = game.play('POST', game.endpoint('buy'), { body: { item: 'axe' } });
  // After 5 s without an answer of the log, a node refuses to read from memory.
  await sleep(6_000);
  server.network.restore();
  const { status, body } = await call;
  expect([status, body]).toMatchObject([200, { ok: true, left: before.gold - 7 }]);
  game.close();
});

test('a node that comes back shows what was written before and since', async () => {
  await node.stop();
  node = await startNode(node.data, { env: { ...env, ...ALL_ROLES } });
  const [game, view] = [createClient(node.url, project), createClient(node.url, project)];
  for (const gold of [21, 22, 23]) await ok(game.play('POST', game.storage(`players/${PLAYER}`), { body: { gold } }));
  await eventually('the ledger shows it', async () => {
    const { body } = await ok(view.play('GET', view.storage(`players/${PLAYER}/ledger`)));
    return Object(body).entries.at(-1)?.after === 23;
  });
  for (const client of [game, view]) client.close();
  await newProject(env, 'Later');
  expect(JSON.parse(await printed(['verify', '--json'], { env }))).toMatchObject({ ok: true, behind: 0 });
});

test('doctor finds both well', async () => {
  const { code, stdout } = await here(['doctor', '--json'], { env });
  const { findings } = JSON.parse(stdout);
  const stateOf = (what: string) => findings.find((one: { what: string }) => one.what === what)?.state;
  expect(['log', 'log version', 'histories', 'projections', 'queue'].map(stateOf)).toEqual(Array(5).fill('ok'));
  // On a busy machine the time that it took means nothing.
  expect(stateOf('log latency')).toMatch(/ok|warn/);
  expect(code).toBe(1);
  // The test's Postgres runs without fsync, and that is what fails.
  expect(findings.filter((one: { state: string }) => one.state === 'fail').map((one: { what: string }) => one.what)).toEqual([
    'fsync',
    'full_page_writes',
  ]);
});

test('read models whose log is not there are refused, and told how to bring both together', async () => {
  const { DATABASE_URL } = env;
  const port = String(await freePort());
  const ended = await savepoint(['start', '--port', port], { env: { DATABASE_URL, SAVEPOINT_DATA: newFolder() } });
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(/read models of 3 projects.*knows none[\s\S]*log copy/)]);
  const examined = JSON.parse((await here(['doctor', '--json'], { env: { DATABASE_URL } })).stdout);
  expect(examined.findings.find((one: { what: string }) => one.what === 'histories')).toMatchObject({ state: 'fail' });
});

test('a log copied into an empty EventStoreDB brings its read models with it where it is told of both, and says otherwise what is left to do', async () => {
  const another = await startStandIn();
  const there = { DATABASE_URL: await testDatabase(), EVENTSTORE_URL: another.url };
  try {
    const alone = await printed(['log', 'copy', '--from', server.url, '--to', another.url], {
      env: { DATABASE_URL: await testDatabase() },
    });
    expect(alone).toMatch(/set EVENTSTORE_URL to this location.*`savepoint verify --wait`/);
    const { code, stdout } = await here(['verify', '--json'], { env: there });
    expect([code, JSON.parse(stdout)]).toMatchObject([1, { ok: false, projects: 3 }]);
    const copied = JSON.parse(await printed(['log', 'copy', '--from', server.url, '--json'], { env: there }));
    expect(copied).toMatchObject({ copied: 0, readModels: { projects: 3, behind: [] } });
    expect(JSON.parse(await printed(['verify', '--json'], { env: there }))).toMatchObject({ ok: true, behind: 0 });
  } finally {
    await another.close();
  }
});
