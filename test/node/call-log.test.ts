import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { testDatabase } from '../support/postgres.ts';
import { newApiKey, newProject } from './support/command-line.ts';
import { type Client, createClient, ok, PLAYER } from './support/game-client.ts';
import { eventually, type Node, newFolder, removeFolders, run, savepoint, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The call log of two nodes on one database, as managers and support read it. */

let env: Readonly<Record<string, string>>;
let nodes: Node[] = [];
let one: Client;
let other: Client;
let supportKey: string;

beforeAll(async () => {
  env = { DATABASE_URL: await testDatabase() };
  nodes = await Promise.all([newFolder(), newFolder()].map((folder) => startNode(folder, { env, args: ['--no-demo'] })));
  const project = await newProject(env, 'Logged');
  const [first, second] = nodes.map(({ url }) => createClient(url, project));
  if (!first || !second) throw new Error('two nodes were started');
  [one, other] = [first, second];
  supportKey = await newApiKey(env, project.projectId, { players: 'r' });
  const look = { slug: 'look', steps: [{ type: 'return', body: { ok: true } }] };
  await ok(one.manage('PUT', one.definitions('endpoints'), { body: [look] }));
  await ok(one.manage('PUT', one.definitions('settings'), { body: { enableAuthSessions: true } }));
});

afterAll(async () => {
  one?.close();
  other?.close();
  await Promise.all(nodes.map((node) => node.stop()));
  removeFolders();
});

interface Told {
  readonly path: string;
  readonly status: number;
  readonly code: string | null;
  readonly platformId: string | null;
  readonly requestId: string;
}

async function logs(client: Client, query: string, key?: string): Promise<{ requests: readonly Told[]; cursor: string | null }> {
  const path = `/v3/manage/${client.projectId}/logs?${query}`;
  const { body } = await ok(key === undefined ? client.manage('GET', path) : client.send('GET', path, { headers: { 'x-api-key': key } }));
  return body as { requests: readonly Told[]; cursor: string | null };
}

test('"I could not log in yesterday" has an answer on every node: what was refused before it had a player, after a kill -9, too', async () => {
  const session = { headers: { 'x-public-key': one.publicKey }, body: { platformId: PLAYER, sessionToken: 'ns_sess_none' } };
  await one.send('POST', `/v3/auth-sessions/${one.projectId}/refresh`, session);
  await one.send('POST', one.endpoint('look'), { headers: { 'x-api-key': 'sp_ns_unknown', 'x-platform-id': PLAYER }, body: {} });
  await one.play('GET', one.storage('none/1'));
  await one.play('POST', one.endpoint('look'), { body: {} });
  const expected = [
    [`/v3/auth-sessions/${one.projectId}/refresh`, 401, PLAYER],
    [`/v3/endpoints/${one.projectId}/look`, 401, PLAYER],
    [`/v3/storage/${one.projectId}/none/1`, 404, PLAYER],
    [`/v3/endpoints/${one.projectId}/look`, 200, PLAYER],
  ];
  const told = async () =>
    (await logs(other, `player=${PLAYER}`)).requests.map(({ path, status, platformId }) => [path, status, platformId]);
  await eventually('the other node shows it', async () => (await told()).length === expected.length);
  expect(await told()).toEqual(expected);
  await nodes[0]?.kill();
  nodes[0] = await startNode(newFolder(), { env, args: ['--no-demo'] });
  one.close();
  one = createClient(nodes[0].url, one);
  expect((await logs(one, `player=${PLAYER}`)).requests.map(({ path, status, platformId }) => [path, status, platformId])).toEqual(
    expected,
  );
});

test('a request is found by its id, and pages go back to the first', async () => {
  for (let n = 0; n < 5; n += 1)
    await one.play('POST', one.endpoint('look'), { body: {}, headers: { 'x-correlation-id': `mine-${n}` } }, '76561198000000099');
  await eventually('it is there', async () => (await logs(other, 'requestId=mine-4')).requests.length === 1);
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await logs(other, `player=76561198000000099&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    found.unshift(...page.requests.map(({ requestId }) => requestId));
    cursor = page.cursor;
  }
  expect(found).toEqual(['mine-0', 'mine-1', 'mine-2', 'mine-3', 'mine-4']);
});

test('support, with a key for players alone, may ask for the requests of one player and nothing more', async () => {
  expect((await logs(other, `player=${PLAYER}`, supportKey)).requests.length).toBeGreaterThan(0);
  for (const query of ['', 'slug=look', 'requestId=mine-1', 'player=']) {
    const refused = await other.send('GET', `/v3/manage/${other.projectId}/logs?${query}`, { headers: { 'x-api-key': supportKey } });
    expect([refused.status, Object(refused.body).error?.code]).toEqual([403, 'FORBIDDEN']);
  }
});

test('savepoint logs finds by player, code and time, and --follow shows calls of all nodes', async () => {
  const at = ['--address', other.url, '--project', other.projectId];
  const withKey = { env: { ...env, SAVEPOINT_SECRET_KEY: other.secretKey } };
  const listed = async (...more: string[]) =>
    (await savepoint(['logs', ...at, '--json', ...more], withKey)).stdout.split('\n').filter(Boolean);
  expect((await listed('--player', PLAYER, '--status', '404')).map((line) => JSON.parse(line).code)).toEqual(['NOT_FOUND']);
  expect(await listed('--code', 'NOT_FOUND', '--to', '2020-01-01')).toEqual([]);
  expect(await listed('--limit', '1000', '--request', 'mine-3')).toHaveLength(1);
  const following = run(['logs', '--follow', '--limit', '0', ...at, '--json'], withKey);
  await eventually('it follows', async () => {
    await one.play('POST', one.endpoint('look'), { body: {}, headers: { 'x-correlation-id': 'seen' } });
    return following.stdout().includes('"seen"');
  });
  following.child.kill('SIGINT');
  await following.ended;
});
