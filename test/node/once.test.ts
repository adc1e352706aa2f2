import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { migratedDatabase } from '../support/postgres.ts';
import { newProject, verified } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { bodyOf, type Client, createClient, NEXT, ok, type Reply, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Requests with an `Idempotency-Key`, over two nodes on one database. */

let env: { readonly DATABASE_URL: string };
let nodes: Node[] = [];
let one: Client;
let other: Client;
let project: Awaited<ReturnType<typeof newProject>>;

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  nodes = await Promise.all([newFolder(), newFolder()].map((folder) => startNode(folder, { env })));
  project = await newProject(env, 'Once');
  connect();
  await publishGame(one);
});

afterAll(async () => {
  one?.close();
  other?.close();
  await Promise.all(nodes.map((node) => node.stop()));
  removeFolders();
});

function connect(): void {
  const [first, second] = nodes.map(({ url }) => createClient(url, project));
  if (!first || !second) throw new Error('two nodes were started');
  [one, other] = [first, second];
}

const player = '76561198000000777';
const as = (key: string) => ({ headers: { 'x-platform-id': player, 'idempotency-key': key } });
const again = (reply: Reply) => reply.headers['idempotent-replay'];
const gold = async (client: Client) => Object(await bodyOf(client.play('GET', client.storage(`players/${player}`)))).gold;

/** Sends it to both nodes, and once more. All get the same answer, and all but one are marked as repeated. */
async function onceOf(send: (client: Client) => Promise<Reply>): Promise<Reply> {
  const replies = [...(await Promise.all([send(one), send(other), send(one)])), await send(other)];
  expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(replies.filter((reply) => again(reply) === 'true')).toHaveLength(3);
  return replies[0] as Reply;
}

describe('a request that is sent four times, to two nodes, happens once:', () => {
  const save = (client: Client, body: unknown, key: string) =>
    client.play('POST', client.storage(`players/${player}`), { body, ...as(key) });

  test('a save, operations, and a delete', async () => {
    expect((await onceOf((client) => save(client, { gold: 100 }, 'save'))).body).toEqual({ ok: true, version: 1 });
    expect((await onceOf((client) => save(client, { ops: [{ op: 'inc', path: 'gold', value: 5 }] }, 'ops'))).body).toEqual({
      ok: true,
      version: 2,
    });
    expect(await gold(one)).toBe(105);
    expect(await refused(save(one, { gold: 1 }, 'ops'))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    await onceOf((client) => client.play('DELETE', client.storage(`players/${player}`), as('delete')));
    await ok(save(one, { gold: 100 }, 'saved anew'));
    expect(await gold(one)).toBe(100);
  });

  test('an endpoint call by POST, refusals of its own too, and one by GET', async () => {
    const buy = (client: Client, item: string, key: string) => client.play('POST', client.endpoint('buy'), { body: { item }, ...as(key) });
    expect((await onceOf((client) => buy(client, 'axe', 'buy'))).body).toMatchObject({ ok: true, left: 93 });
    expect(await gold(one)).toBe(93);
    const nothing = await onceOf((client) => buy(client, 'castle', 'castle'));
    expect(nothing).toMatchObject({ status: 404, body: { error: { code: 'NO_ITEM' } } });
    const echo = (client: Client) => client.play('GET', `${client.endpoint('echo')}?times=4`, as('echo'));
    expect((await onceOf(echo)).body).toMatchObject({ twice: 8 });
  });

  test('an append, by collection and writer as ever', async () => {
    const append = (client: Client, text: string, key = 'a') =>
      client.manage('POST', client.storage('feed/append'), { body: { text }, ...as(key) });
    await onceOf((client) => append(client, 'hi'));
    expect(await refused(append(one, 'ho'))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    expect(Object(await bodyOf(one.play('GET', one.storage('feed/list')))).records).toHaveLength(1);
  });

  test('a push, a promotion, a rollback, a removal and a setting', async () => {
    const values = { items: [{ id: 'start', type: 'group', name: 'Start', entries: { gold: 26 } }] };
    const send = (method: string, route: string, key: string, body?: unknown, headers = {}) =>
      onceOf((client) => client.manage(method, client.definitions(route), { body, headers: { ...headers, 'idempotency-key': key } }));
    await send('PUT', 'game-values', 'push', values, NEXT);
    const promoted = await send('POST', 'promote', 'promote', {});
    expect(promoted.body).toMatchObject({ ok: true });
    await send('POST', 'rollback', 'rollback', {});
    const { publishes } = Object(await bodyOf(one.manage('GET', one.definitions('publishes'))));
    expect(publishes.slice(0, 2).map(({ type, kind }: { type?: string; kind?: string }) => type ?? kind)).toHaveLength(2);
    await send('DELETE', 'queries/top', 'remove');
    await send('PUT', 'settings', 'setting', { nextData: 'shared' });
  });
});

test('a key is of its caller: another player or API key may use the same', async () => {
  const save = (headers: Record<string, string>) =>
    one.play('POST', one.storage(`players/${headers['x-platform-id']}`), {
      body: { gold: 1 },
      headers: { 'idempotency-key': 'mine', ...headers },
    });
  for (const id of ['76561198000000771', '76561198000000772']) expect(again(await ok(save({ 'x-platform-id': id })))).toBe(undefined);
});

test('a key that is none is refused, and nothing is written', async () => {
  for (const key of ['', 'x'.repeat(129)]) {
    const reply = one.play('POST', one.storage('players/76561198000000773'), { body: { gold: 1 }, headers: { 'idempotency-key': key } });
    expect(await refused(reply)).toBe('400 INVALID_REQUEST');
  }
  expect(await refused(one.play('GET', one.storage('players/76561198000000773')))).toBe('404 NOT_FOUND');
});

test('over a kill -9 and a start, whatever the client was told, each request is there exactly once', async () => {
  const key = '76561198000000778';
  const add = (client: Client, n: number) =>
    client.play('POST', client.storage(`counters/${key}`), {
      body: {
        ops: [
          { op: 'inc', path: 'n', value: 1 },
          { op: 'push', path: 'marks', value: `m${n}` },
        ],
      },
      headers: { 'x-platform-id': key, 'idempotency-key': `add ${n}` },
    });
  const sent = Array.from({ length: 60 }, (_, n) => n);
  const first = Promise.allSettled(sent.map((n) => add(one, n)));
  await add(one, 0);
  nodes[0]?.child.kill('SIGKILL');
  await first;
  const [, second] = nodes;
  if (!second) throw new Error('two nodes were started');
  // The other node goes on, and the killed one comes back with an empty memory.
  const told = await Promise.all(sent.map((n) => ok(add(other, n))));
  nodes = [await startNode(newFolder(), { env }), second];
  connect();
  for (const [n, reply] of (await Promise.all(sent.map((n) => ok(add(one, n))))).entries()) {
    expect(again(reply)).toBe('true');
    expect(reply.text).toBe(told[n]?.text);
  }
  const { n, marks } = Object(await bodyOf(one.play('GET', one.storage(`counters/${key}`))));
  expect(n).toBe(60);
  expect([...marks].sort()).toEqual(sent.map((mark) => `m${mark}`).sort());
});

test('what was kept agrees with the log', async () => {
  await verified(env);
});
