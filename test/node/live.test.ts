import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Came, type LiveClient, listen } from '../support/live-stream.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Env, newApiKey, newProject, printed } from './support/command-line.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** Streams of changes of two nodes on one log. */

const ADA = '76561198000000001';
const BO = '76561198000000002';

let env: Env;
let nodes: Node[];
let game: Client;
let other: Client;
const clients: LiveClient[] = [];

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase(), LIVE_TOPICS: '8', LIVE_WAITING: '32KiB', LIVE_VALUES: '1MiB' };
  const spelled = { ...env, WIRE_NAMES: 'published' };
  nodes = await Promise.all([env, spelled].map((of) => startNode(newFolder(), { env: of, args: ['--no-demo'] })));
  const project = await newProject(env, 'Live');
  const [first, second] = nodes.map(({ url }) => createClient(url, project));
  if (first === undefined || second === undefined) throw new Error('two nodes were started');
  [game, other] = [first, second];
  const open = { collectionType: 'per-platformid', accessMode: 'public', maxRecords: 5 };
  const schema = { gold: { type: 'number', _ledger: true }, points: { type: 'number' } };
  const collections = [
    { ...open, id: 'players', name: 'players', schema },
    { ...open, id: 'own', name: 'own', access: { read: 'owner', write: 'owner' }, schema: {} },
    { ...open, id: 'vault', name: 'vault', accessMode: 'endpoint', schema: {} },
  ];
  await ok(game.manage('PUT', game.definitions('collections'), { body: collections }));
  const top = {
    id: 'top',
    name: 'top',
    sources: [{ collectionId: 'players' }],
    config: { field: 'points', limit: 10, columns: ['points'] },
  };
  await ok(game.manage('POST', game.definitions('queries'), { body: [top] }));
});

afterAll(async () => {
  for (const client of clients) client.close();
  game?.close();
  other?.close();
  await Promise.all((nodes ?? []).map((node) => node.stop()));
  removeFolders();
});

async function open(
  { url, projectId, publicKey }: Client,
  topics: readonly string[],
  headers: Readonly<Record<string, string>> = {},
  query: Readonly<Record<string, string>> = {},
): Promise<LiveClient> {
  const client = await listen(url, projectId, topics, { 'x-public-key': publicKey, 'x-platform-id': ADA, ...headers }, query);
  clients.push(client);
  return client;
}

const of =
  (topic: string, is: (came: Came) => boolean = () => true) =>
  (came: Came) =>
    came.data.topic === topic && is(came);
const valued = (is: (value: never) => boolean) => (came: Came) => is(came.data.value as never);

async function save(document: object, player = ADA, at = game, collection = 'players'): Promise<number> {
  const { headers } = await ok(at.play('POST', at.storage(`${collection}/${player}`), { body: document }, player));
  return Number(headers['x-ns-position']);
}

test('the present value comes first, then each change with its revision, of the other node too', async () => {
  const saved = await save({ gold: 1 });
  const client = await open(game, ['documents/players', `documents/players/${BO}`]);
  expect([client.status, client.headers['content-type'], client.headers['x-accel-buffering']]).toEqual([200, 'text/event-stream', 'no']);
  expect((await client.next(of('documents/players'))).data).toMatchObject({ value: { gold: 1 }, version: 1 });
  expect((await client.ever(of(`documents/players/${BO}`))).data).toMatchObject({ value: null, version: 0 });
  const written = await save({ gold: 2 }, ADA, other);
  const change = await client.next(of('documents/players'));
  expect(change.data).toMatchObject({ value: { gold: 2 }, version: 2, revision: written });
  expect(Number(change.id)).toBeGreaterThanOrEqual(written);
  expect(written).toBeGreaterThan(saved);
});

test('ledger, save records, boards and values are what their plain reads answer', async () => {
  const topics = ['ledger/players', 'records/players', `query/top?platformId=${ADA}`, 'query/top?around=1', 'values'];
  const client = await open(game, topics);
  await save({ gold: 5, points: 7 });
  await ok(game.play('POST', game.storage(`players/${ADA}/records`), { body: { recordName: 'Camp' } }));
  await save({ points: 9 }, BO);
  const position = await save({ gold: 6, points: 8 });
  const plain = async (path: string) => Object((await ok(game.play('GET', path, { headers: { 'x-ns-position': String(position) } }))).body);
  const ledger = await client.ever(
    of(
      'ledger/players',
      valued(({ entries }: { entries: { after: number }[] }) => entries.at(-1)?.after === 6),
    ),
  );
  expect(ledger.data.value).toEqual(await plain(game.storage(`players/${ADA}/ledger?limit=100`)));
  const slots = await client.ever(
    of(
      'records/players',
      valued(({ records }: { records: unknown[] }) => records.length === 1),
    ),
  );
  expect(slots.data.value).toEqual(await plain(game.storage(`players/${ADA}/records`)));
  const isSecond = valued(({ player }: { player: { rank: number; value: number } | null }) => player?.rank === 2 && player.value === 8);
  await client.ever(of('query/top?around=1', isSecond));
  await client.ever(of(`query/top?platformId=${ADA}`, isSecond));
  const definitions = { groups: { shop: { name: 'Shop', values: { axe: 5 } } }, tables: {} };
  await ok(game.manage('PUT', game.definitions('game-values'), { body: definitions }));
  const values = await client.ever(
    of(
      'values',
      valued(({ constants }: { constants: { shop?: { axe: number } } }) => constants.shop?.axe === 5),
    ),
  );
  expect(values.data.value).toMatchObject({ ok: true });
});

test('a node that spells answers as published clients read them sends values and refusals so', async () => {
  await ok(game.play('POST', game.storage(`players/${ADA}/records`), { body: { recordName: 'Hill' } }));
  const position = await save({ gold: 7, points: 7 });
  const plain = async (path: string) =>
    Object((await ok(other.play('GET', other.storage(path), { headers: { 'x-ns-position': String(position) } }))).body);
  const client = await open(other, ['ledger/players', 'records/players', `query/top?steamId=${ADA}`]);
  const ledger = await client.ever(
    of(
      'ledger/players',
      valued(({ entries }: { entries: { after: number }[] }) => entries.at(-1)?.after === 7),
    ),
  );
  expect(ledger.data.value).toEqual(await plain(`players/${ADA}/ledger?limit=100`));
  expect(ledger.data.value).toMatchObject({ steamId: ADA, entries: expect.arrayContaining([expect.objectContaining({ steam_id: ADA })]) });
  // The first value may be of before: this node has perhaps not heard of the record yet.
  const hasHill = valued(({ records }: { records: { RecordName?: string }[] }) => records.some(({ RecordName }) => RecordName === 'Hill'));
  await client.ever(of('records/players', hasHill));
  const isMine = valued(({ player }: { player: { value: number } | null }) => player?.value === 7);
  await client.ever(of(`query/top?steamId=${ADA}`, isMine));
  const nobody = await listen(other.url, other.projectId, ['documents/own'], { 'x-public-key': other.publicKey });
  clients.push(nobody);
  expect((await nobody.next(({ event }) => event === 'refused')).data.error?.code).toBe('MISSING_STEAM_ID');
});

test('what a client says that it has seen elsewhere holds up nobody else who listens to the same', async () => {
  const topics = ['query/top', 'values', 'ledger/players', 'records/players'];
  const honest = await open(game, topics);
  for (const topic of topics) await honest.ever(of(topic));
  const { events } = await open(game, topics, { 'x-ns-position': '999999999999999' });
  await save({ gold: 100, points: 100 });
  await honest.ever(
    of(
      'ledger/players',
      valued(({ entries }: { entries: { after: number }[] }) => entries.at(-1)?.after === 100),
    ),
  );
  await honest.ever(
    of(
      'query/top',
      valued(({ entries }: { entries: { value: number }[] }) => entries.some(({ value }) => value === 100)),
    ),
  );
  await vi.waitUntil(() => topics.every((topic) => events.some(of(topic))), { timeout: 60_000 });
});

test('a topic is refused as its plain read is, and again when keys and definitions change', async () => {
  const client = await open(game, ['documents/vault', `documents/own/${BO}`, 'documents/own', 'publishes', 'query/nothing']);
  const refused = async (topic: string) => (await client.next((came) => came.event === 'refused' && came.data.topic === topic)).data.error;
  expect(await refused('documents/vault')).toMatchObject({ code: 'ENDPOINT_ONLY', status: 403 });
  expect(await refused(`documents/own/${BO}`)).toMatchObject({ code: 'FORBIDDEN', status: 403 });
  expect(await refused('publishes')).toMatchObject({ code: 'SECRET_KEY_REQUIRED' });
  expect(await refused('query/nothing')).toMatchObject({ code: 'NOT_FOUND' });
  // It is read meanwhile: it may have come before a refusal that stands behind it.
  await client.ever(of('documents/own'));
  const own = { id: 'own', name: 'own', collectionType: 'per-platformid', maxRecords: 5, schema: {} };
  await ok(
    game.manage('PATCH', game.definitions('collections'), {
      body: { ...own, accessMode: 'endpoint', access: { read: 'endpoints', write: 'endpoints' } },
    }),
  );
  expect(await refused('documents/own')).toMatchObject({ code: 'ENDPOINT_ONLY' });
  await ok(
    game.manage('PATCH', game.definitions('collections'), {
      body: { ...own, accessMode: 'public', access: { read: 'owner', write: 'owner' } },
    }),
  );
  await client.next(of('documents/own'));
  const key = await newApiKey(env, game.projectId, null);
  const server = await open(game, ['publishes?limit=1'], { 'x-secret-key': key });
  expect((await server.next(of('publishes?limit=1'))).data.value).toMatchObject({ ok: true });
});

test('a stream that cannot be opened is refused with an answer', async () => {
  expect((await open(game, [])).status).toBe(400);
  expect((await open(game, ['players/1'])).status).toBe(400);
  expect(
    (
      await open(
        game,
        Array.from({ length: 9 }, (_, n) => `documents/players/${n}`),
      )
    ).status,
  ).toBe(400);
  expect((await open(game, ['values'], { 'x-public-key': 'sp_pk_nobody' })).status).toBe(401);
});

test('a client that comes back is sent what it has missed and nothing else, by another node as well', async () => {
  await save({ gold: 10 });
  await save({ gold: 20 }, BO);
  const topics = [`documents/players/${ADA}`, `documents/players/${BO}`];
  const first = await open(game, topics);
  await first.next(of(`documents/players/${BO}`));
  const id = first.lastId() ?? '';
  expect(id).toMatch(/^\d+$/);
  first.close();
  await save({ gold: 21 }, BO);
  const position = await save({ gold: 22 }, BO);
  // A node that has not heard of the second change yet would send the first one alone before.
  const back = await open(other, topics, { 'last-event-id': id, 'x-ns-position': String(position) });
  expect((await back.next(of(`documents/players/${BO}`))).data).toMatchObject({ value: { gold: 22 } });
  await save({ gold: 11 });
  await back.next(of(`documents/players/${ADA}`));
  expect(back.told.map(({ data }) => [data.topic?.split('/')[2], data.value])).toMatchObject([
    [BO, { gold: 22 }],
    [ADA, { gold: 11 }],
  ]);
  const of_own = await open(game, [`documents/players/${ADA}@${back.lastId()}`, `documents/players/${BO}`]);
  await of_own.next(of(`documents/players/${BO}`));
  expect(of_own.told).toHaveLength(1);
});

test('a client that is too far behind, or comes from another log, is told to read anew', async () => {
  for (const id of ['999999999', 'x']) {
    const client = await open(game, ['documents/players'], {}, { lastEventId: id });
    await client.next(({ event }) => event === 'resync');
    await client.next(of('documents/players'));
  }
});

test('a value too large for the stream is to be read by itself, and a client that reads nothing is sent the last value', async () => {
  const text = 'x'.repeat(30_000);
  const client = await open(game, ['documents/players', `documents/players/${BO}`]);
  await client.next(of(`documents/players/${BO}`));
  client.reply.pause();
  for (let gold = 1; gold <= 200; gold++) await save({ gold, text });
  client.reply.resume();
  await client.next(
    of(
      'documents/players',
      valued((value: { gold: number } | null) => value?.gold === 200),
    ),
  );
  expect(client.events.length).toBeLessThan(200);
  await save({ gold: 1, text, more: 'y'.repeat(5_000) }, BO);
  const resync = await client.next(({ event }) => event === 'resync');
  expect(resync.data).toMatchObject({ topic: `documents/players/${BO}` });
});

test('values beyond what topics may keep are read again for who comes later, and nobody is sent one twice', async () => {
  const text = 'z'.repeat(30_000);
  const players = Array.from({ length: 40 }, (_, n) => String(76_561_198_000_001_000n + BigInt(n)));
  await Promise.all(players.map((player) => save({ gold: 1, text }, player)));
  const topics = players.map((player) => `documents/players/${player}`);
  const [first = ''] = topics;
  const streams = await Promise.all([0, 8, 16, 24, 32].map((from) => open(game, topics.slice(from, from + 8))));
  await vi.waitUntil(() => streams.every(({ told }) => told.length === 8), { timeout: 60_000 });
  const late = await open(game, [first]);
  expect((await late.next(of(first))).data.value).toEqual({ gold: 1, text });
  await save({ gold: 2, text }, players[0]);
  await late.next(
    of(
      first,
      valued(({ gold }: { gold: number }) => gold === 2),
    ),
  );
  await streams[0]?.next(
    of(
      first,
      valued(({ gold }: { gold: number }) => gold === 2),
    ),
  );
  expect([late, ...streams].map(({ told }) => told.length)).toEqual([2, 9, 8, 8, 8, 8]);
  const { text: metrics } = await game.send('GET', '/metrics');
  const kept = Number(/^savepoint_live_values_bytes (\d+)$/m.exec(metrics)?.[1]);
  expect([kept > 100_000, kept <= 1 << 20]).toEqual([true, true]);
});

test('staged definitions and data have streams of their own', async () => {
  const next = { 'x-ns-publish-target': 'next' };
  await ok(
    game.manage('PATCH', game.definitions('collections'), {
      body: { id: 'staged', name: 'staged', accessMode: 'public', schema: {} },
      headers: next,
    }),
  );
  const client = await open(game, ['documents/staged'], next);
  expect((await client.next(of('documents/staged'))).data.value).toBe(null);
  await ok(game.play('POST', game.storage(`staged/${ADA}`), { body: { here: true }, headers: next }));
  expect((await client.next(of('documents/staged'))).data.value).toEqual({ here: true });
  const live = await open(game, ['documents/staged'], {}, {});
  expect((await live.next(({ event }) => event === 'refused')).data.error?.code).toBe('NOT_FOUND');
});

test('a node that is killed loses nothing: the stream goes on at the other', async () => {
  const topics = [`documents/players/${ADA}`];
  const before = await open(other, topics);
  await before.next(of(topics[0] ?? ''));
  await save({ gold: 100 });
  await before.next(
    of(
      topics[0] ?? '',
      valued((value: { gold: number } | null) => value?.gold === 100),
    ),
  );
  const id = before.lastId() ?? '';
  await nodes[1]?.kill();
  await before.ended;
  const idle = await open(game, topics, { 'last-event-id': id });
  await save({ gold: 101 });
  await idle.next(
    of(
      topics[0] ?? '',
      valued((value: { gold: number } | null) => value?.gold === 101),
    ),
  );
  expect(idle.told).toHaveLength(1);
});

test('a revoked key and a node that stops end their streams', async () => {
  const made = JSON.parse(await printed(['key', 'create', game.projectId, '--type', 'public', '--json'], { env }));
  const client = await open(game, ['documents/players'], { 'x-public-key': made.key });
  await client.next(of('documents/players'));
  await printed(['key', 'revoke', game.projectId, made.keyId], { env });
  expect((await client.next(({ event }) => event === 'refused')).data.error?.status).toBe(401);
  await client.ended;
  const staying = await open(game, ['documents/players']);
  await staying.next(of('documents/players'));
  const stopped = nodes[0]?.stop();
  await Promise.all([client.ended, staying.ended]);
  expect(await stopped).toMatchObject({ code: 0 });
});
