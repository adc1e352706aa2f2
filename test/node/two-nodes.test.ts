import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openProject } from '../../infra/harness/project.ts';
import { accountOf, noFindings } from '../faults/support/checks.ts';
import { publishDefinitions } from '../faults/support/definitions.ts';
import { startWriting } from '../faults/support/writers.ts';
import { testDatabase } from '../support/postgres.ts';
import { newProject, printed, verified } from './support/command-line.ts';
import { prices, publishGame } from './support/game.ts';
import { bodyOf, type Client, createClient, NEXT, ok, PLAYER, refused } from './support/game-client.ts';
import { eventually, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Two nodes on one DATABASE_URL, each with its own data folder, without a load balancer that keeps a player on one of them. */

let env: { readonly DATABASE_URL: string };
let nodes: readonly Node[] = [];
let one: Client;
let other: Client;

beforeAll(async () => {
  env = { DATABASE_URL: await testDatabase() };
  nodes = await Promise.all([newFolder(), newFolder()].map((folder) => startNode(folder, { env })));
  const project = await newProject(env, 'Shared');
  const [first, second] = nodes.map(({ url }) => createClient(url, project));
  if (!first || !second) throw new Error('two nodes were started');
  one = first;
  other = second;
  await publishGame(one);
  const opened = openProject(one.url, one);
  await publishDefinitions(opened);
  opened.http.close();
});

afterAll(async () => {
  one?.close();
  other?.close();
  await Promise.all(nodes.map((node) => node.stop()));
  removeFolders();
});

test('two first starts at once make one demo project between them', async () => {
  const demos = nodes.filter((node) => existsSync(join(node.data, 'demo-project.json')));
  expect(demos).toHaveLength(1);
  expect(JSON.parse(await printed(['project', 'list', '--json'], { env }))).toHaveLength(2);
});

test('a node whose data folder cannot be made serves all the same, without a demo project', async () => {
  const file = join(newFolder(), 'file');
  writeFileSync(file, '');
  const node = await startNode(join(file, 'data'), { env: { DATABASE_URL: await testDatabase() } });
  expect(node.stdout()).toBe(`savepoint is ready on ${node.url}\n`);
  expect(node.stderr()).toContain('no demo project');
  expect(await node.stop()).toMatchObject({ code: 0 });
});

test('a write on one is read on the other, with x-ns-position at once', async () => {
  for (let n = 1; n <= 10; n++) {
    const [writer, reader] = n % 2 === 0 ? [one, other] : [other, one];
    const { headers } = await ok(writer.play('POST', writer.storage(`players/${PLAYER}`), { body: { level: n, gold: n } }));
    const position = { 'x-ns-position': String(headers['x-ns-position']) };
    expect(await bodyOf(reader.play('GET', reader.storage(`players/${PLAYER}`), { headers: position }))).toMatchObject({ level: n });
    const { entries } = await bodyOf(reader.play('GET', reader.storage(`players/${PLAYER}/ledger`), { headers: position }));
    expect(entries.at(-1)).toMatchObject({ after: n });
  }
});

test('writes of both to the same documents are counted once each, and both say so', async () => {
  const [first, second] = [openProject(one.url, one), openProject(other.url, other)];
  const writers = [startWriting(first, 1, { clients: 8 }), startWriting(second, 1, { clients: 8, first: 8 })];
  await eventually('both have written', async () => writers.every((writing) => writing.acknowledged() > 200));
  const writes = (await Promise.all(writers.map((writing) => writing.stop()))).flat();
  for (const project of [first, second]) {
    const explained = /^(409 WRITE_CONFLICT|503 \w+ Retry-After)$/;
    expect(await accountOf(project, writes, explained)).toEqual({ ...noFindings(), unexplained: [] });
    project.http.close();
  }
});

test('a rate limit is exact over both', async () => {
  const inc = (client: Client) =>
    client.play('POST', client.storage('meters/76561198000000030'), { body: { ops: [{ op: 'inc', path: 'n', value: 1 }] } });
  const replies = await Promise.all(Array.from({ length: 20 }, (_, n) => inc(n % 2 === 0 ? one : other)));
  expect(replies.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), ...Array(10).fill(429)]);
});

test('a publish that goes through all documents gets its turn while the other node writes them all the time', async () => {
  const names = (unique: boolean) => ({
    id: 'names',
    name: 'names',
    collectionType: 'global',
    schema: { name: { type: 'string', _unique: unique }, n: { type: 'number' } },
  });
  await ok(one.manage('PATCH', one.definitions('collections'), { body: names(false) }));
  const write = (key: number, n: number) =>
    one.manage('POST', one.storage(`names/name${key}`), { body: { name: `name ${key}`, n } }).then(({ status }) => status);
  for (let key = 0; key < 400; key += 1) await write(key, 0);
  let isOver = false;
  const statuses = new Set<number>();
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let n = 1; !isOver; n += 1) statuses.add(await write((writer * 25 + n) % 400, n));
  });
  try {
    for (let round = 0; round < 3; round += 1) {
      await ok(other.manage('PATCH', other.definitions('collections'), { body: names(true), headers: NEXT }));
      await ok(other.manage('POST', other.definitions('promote'), { body: {} }));
      await ok(other.manage('POST', other.definitions('rollback'), { body: {} }));
      await ok(other.manage('PATCH', other.definitions('collections'), { body: names(true) }));
      await ok(other.manage('PATCH', other.definitions('collections'), { body: names(false) }));
    }
  } finally {
    isOver = true;
    await Promise.all(writers);
  }
  expect([...statuses]).toEqual([200]);
});

test('calls that look through a collection before they write in it never see less than the log held, on either node', async () => {
  const numbers = [{ id: 'numbers', name: 'numbers', collectionType: 'global' }];
  const draw = {
    id: 'draw',
    slug: 'draw',
    steps: [
      { id: 'all', type: 'filter', collection: 'numbers', where: { field: 'n', op: 'exists' } },
      { id: 'n', type: 'transform', expression: 'count(all) + 1' },
      { id: 'w', type: 'write', collection: 'numbers', key: '{{input.k}}', ops: [{ op: 'set', path: 'n', value: '{{n}}' }] },
    ],
    response: { body: { n: '{{n}}' } },
  };
  await ok(one.manage('POST', one.definitions('collections'), { body: numbers }));
  const { headers } = await ok(one.manage('PATCH', one.definitions('endpoints'), { body: draw }));
  await ok(
    other.play('POST', other.endpoint('draw'), { body: { k: 'first' }, headers: { 'x-ns-position': String(headers['x-ns-position']) } }),
  );
  const drawOn = async (client: Client, k: string): Promise<number> => {
    const reply = await client.play('POST', client.endpoint('draw'), { body: { k } });
    // Nodes that conflict again and again give up and say so.
    return reply.status === 409 ? drawOn(client, k) : Object((await ok(Promise.resolve(reply))).body).n;
  };
  const drawn = await Promise.all(Array.from({ length: 40 }, (_, n) => drawOn(n % 2 === 0 ? one : other, `k${n}`)));
  expect(drawn.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, index) => index + 2));
});

test('an append with one key on both is one record', async () => {
  const append = (client: Client) =>
    client.manage('POST', client.storage('feed/append'), { body: { text: 'x' }, headers: { 'idempotency-key': 'both' } });
  const replies = await Promise.all([append(one), append(other), append(one), append(other)]);
  const done = replies.filter(({ status }) => status === 200).map(({ text }) => text);
  expect(new Set(done).size).toBe(1);
  expect((await ok(append(other))).text).toBe(done[0]);
});

test('definitions pushed on one are in force on the other', async () => {
  await ok(one.manage('PUT', one.definitions('game-values'), { body: prices(3) }));
  await eventually('the other has the new price', async () =>
    (await ok(other.play('GET', `/v3/values/${other.projectId}`))).text.includes('"price":3'),
  );
});

test('what is pushed on one and put back on the other is back, and what is staged on one is promoted by the other', async () => {
  const push = (client: Client, price: number, headers = {}) =>
    ok(client.manage('PUT', client.definitions('game-values'), { body: prices(price), headers }));
  await push(one, 3);
  for (let n = 0; n < 5; n++) {
    await push(one, 40 + n);
    const { headers } = await push(other, 3);
    const position = { 'x-ns-position': String(headers['x-ns-position']) };
    expect((await ok(one.play('GET', `/v3/values/${one.projectId}`, { headers: position }))).text).toContain('"price":3');
  }
  await push(one, 50, NEXT);
  expect(await bodyOf(other.manage('POST', other.definitions('promote'), { body: {} }))).toMatchObject({ promoted: { gameValues: 1 } });
  await push(one, 3);
});

test('a key made on one works on the other at once, and revoked it stops on both', async () => {
  const key = JSON.parse(await printed(['key', 'create', one.projectId, '--json'], { env }));
  const works = (client: Client) => client.send('GET', client.definitions('validate'), { headers: { 'x-api-key': key.key } });
  for (const client of [one, other]) await ok(works(client));
  await printed(['key', 'revoke', one.projectId, key.keyId], { env });
  for (const client of [one, other]) {
    await eventually('the key is refused', async () => (await works(client)).status === 401);
    expect(await refused(works(client))).toBe('401 UNAUTHORIZED');
  }
});

test('one node goes, the other goes on; verify agrees', async () => {
  const [first] = nodes;
  expect(await first?.stop()).toMatchObject({ code: 0 });
  await ok(other.play('POST', other.storage(`players/${PLAYER}`), { body: { level: 99, gold: 99 } }));
  // First the share of the node that stopped must be taken over. Until then the view says that it is stale.
  const ledger = () => bodyOf(other.play('GET', other.storage(`players/${PLAYER}/ledger`)));
  await eventually('the views go on', async () => (await ledger()).entries.length > 10);
  await verified(env);
});
