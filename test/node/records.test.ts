import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { migratedDatabase } from '../support/postgres.ts';
import { newProject, verified } from './support/command-line.ts';
import { type Client, createClient, NEXT, ok, refused, type Sent } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode, succeed } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Save records over HTTP against two nodes on one log, with the requests of the game client. Every test has its own players. */

let env: { readonly DATABASE_URL: string };
let node: Node;
let other: Node;
let game: Client;
let second: Client;

const PUBLIC = { collectionType: 'per-platformid', accessMode: 'public', schema: { n: { type: 'number', _ledger: true } } };
const COLLECTIONS = [
  { id: 'saves', name: 'Saves', ...PUBLIC, maxRecords: 3, allowRecordDelete: true },
  { id: 'kept', name: 'Kept', ...PUBLIC, maxRecords: 3 },
  { id: 'single', name: 'Single', ...PUBLIC, allowRecordDelete: true },
  { id: 'vault', name: 'Vault', ...PUBLIC, accessMode: 'endpoint', maxRecords: 3 },
];
const WRITE = {
  id: 'write-slot',
  slug: 'write-slot',
  method: 'POST',
  enabled: true,
  input: { type: 'object', properties: { key: { type: 'string' } } },
  steps: [{ id: 'w', type: 'write', collection: 'saves', key: '{{input.key}}', ops: [{ op: 'inc', path: 'n', value: 1 }] }],
  response: { status: 200, body: { ok: true } },
};

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env });
  other = await startNode(newFolder(), { env });
  const project = await newProject(env, 'Saves');
  game = createClient(node.url, project);
  second = createClient(other.url, project);
  await ok(game.manage('PUT', game.definitions('collections'), { body: COLLECTIONS }));
  await ok(game.manage('PUT', game.definitions('endpoints'), { body: [WRITE] }));
});

afterAll(async () => {
  game?.close();
  second?.close();
  await other?.stop();
  await node?.stop();
  removeFolders();
});

let players = 0;
const newPlayer = () => `7656119800000${String(1000 + players++)}`;
const at = (player: string, rest = '', collection = 'saves') => game.storage(`${collection}/${player}/records${rest}`);
const create = (player: string, sent: Sent = { body: {} }, collection = 'saves') =>
  game.play('POST', at(player, '', collection), sent, player);
const list = (player: string, collection = 'saves', headers = {}) => game.play('GET', at(player, '', collection), { headers }, player);
const records = async (player: string, collection = 'saves', headers = {}) =>
  Object((await ok(list(player, collection, headers))).body).records;
const save = (key: string, body: unknown, collection = 'saves', headers = {}) =>
  game.play('POST', game.storage(`${collection}/${key}`), { body, headers });
const load = (key: string, collection = 'saves', headers = {}) => game.play('GET', game.storage(`${collection}/${key}`), { headers });
const made = async (player: string, recordName?: string) =>
  Object((await ok(create(player, { body: recordName === undefined ? {} : { recordName } }))).body);

describe('creating a record', () => {
  test('answers its id and name, and makes no document', async () => {
    const player = newPlayer();
    expect(Object((await ok(list(player))).body)).toEqual({ ok: true, records: [], maxRecords: 3 });
    const first = await made(player, '  Ада <&> 日本  ');
    expect(first).toEqual({ ok: true, recordId: expect.stringMatching(/^[0-9a-f]{6}$/), recordName: 'Ада <&> 日本' });
    expect(await refused(load(`${player}_${first.recordId}`))).toBe('404 NOT_FOUND');
    const [entry, ...more] = await records(player);
    expect(more).toEqual([]);
    expect(entry).toEqual({
      recordId: first.recordId,
      recordName: 'Ада <&> 日本',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: entry.createdAt,
      isLegacy: false,
    });
  });

  test('without a name takes the default one; a body that is no JSON object, or a name that is no text, makes none', async () => {
    for (const sent of [{}, { body: {} }, { body: { recordName: ' ' } }, { body: { recordName: null } }]) {
      expect(Object((await ok(create(newPlayer(), sent))).body)).toMatchObject({ ok: true, recordName: 'Save' });
    }
    for (const sent of [{ body: { recordName: 5 } }, { body: [1] }, { raw: '{"recordN' }]) {
      expect(await refused(create(newPlayer(), sent))).toBe('400 INVALID_BODY');
    }
    expect(await refused(create(newPlayer(), { raw: ' '.repeat(300_000) }))).toBe('413 PAYLOAD_TOO_LARGE');
  });

  test('ends at maxRecords; a collection of single documents has one', async () => {
    const player = newPlayer();
    for (let n = 0; n < 3; n++) await made(player);
    expect(await refused(create(player))).toBe('409 RECORD_LIMIT_REACHED');
    await ok(create(player, { body: {} }, 'single'));
    expect(await refused(create(player, { body: {} }, 'single'))).toBe('409 RECORD_LIMIT_REACHED');
  });

  test('lets exactly maxRecords through, of twenty at once, and of twenty over two nodes', async () => {
    const [one, two] = [newPlayer(), newPlayer()];
    const tally = async (replies: readonly Promise<{ status: number }>[]) => {
      const statuses = (await Promise.all(replies)).map(({ status }) => status);
      return [statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 409).length];
    };
    expect(await tally(Array.from({ length: 20 }, () => create(one)))).toEqual([3, 17]);
    const either = (n: number) => (n % 2 === 0 ? game : second);
    expect(await tally(Array.from({ length: 20 }, (_, n) => either(n).play('POST', at(two), { body: {} }, two)))).toEqual([3, 17]);
    for (const player of [one, two]) {
      const ids = (await records(player)).map(({ recordId }: { recordId: string }) => recordId);
      expect(new Set(ids).size).toBe(3);
    }
  });
});

describe('renaming and deleting', () => {
  test('a renamed record keeps its place, and both nodes show it', async () => {
    const player = newPlayer();
    const first = await made(player, 'One');
    await made(player, 'Two');
    const renamed = await ok(game.play('PATCH', at(player, `/${first.recordId}`), { body: { recordName: 'Eins' } }, player));
    expect(renamed.body).toEqual({ ok: true, recordId: first.recordId, recordName: 'Eins' });
    const headers = { 'x-ns-position': String(renamed.headers['x-ns-position']) };
    const seen = Object((await ok(second.play('GET', at(player), { headers }, player))).body).records;
    expect(seen.map((record: { recordName: string }) => record.recordName)).toEqual(['Eins', 'Two']);
    expect(seen[0].updatedAt >= seen[0].createdAt).toBe(true);
  });

  test('a name that is none is 400, an unknown record 404', async () => {
    const player = newPlayer();
    const { recordId } = await made(player);
    for (const body of [{ recordName: null }, { recordName: '  ' }, {}, [], 'x']) {
      expect(await refused(game.play('PATCH', at(player, `/${recordId}`), { body }, player))).toBe('400 INVALID_BODY');
    }
    expect(await refused(game.play('PATCH', at(player, `/${recordId}`), {}, player))).toBe('400 INVALID_BODY');
    expect(await refused(game.play('PATCH', at(player, '/ffffff'), { body: { recordName: 'x' } }, player))).toBe('404 RECORD_NOT_FOUND');
    for (const id of ['ffffff', '%00', 'a%2Fb', 'x'.repeat(300)]) {
      expect(await refused(game.play('DELETE', at(player, `/${id}`), {}, player))).toBe('404 RECORD_NOT_FOUND');
    }
  });

  test('a deleted record takes its document and its ledgered numbers with it, and is not there twice', async () => {
    const player = newPlayer();
    const { recordId } = await made(player);
    await ok(save(`${player}_${recordId}`, { n: 5 }));
    expect((await ok(game.play('DELETE', at(player, `/${recordId}`), {}, player))).body).toEqual({ ok: true });
    expect(await refused(load(`${player}_${recordId}`))).toBe('404 NOT_FOUND');
    expect(await records(player)).toEqual([]);
    expect(await refused(game.play('DELETE', at(player, `/${recordId}`), {}, player))).toBe('404 RECORD_NOT_FOUND');
    const ledger = Object((await ok(game.play('GET', game.storage(`saves/${player}/ledger`)))).body);
    expect(ledger.entries.map((entry: { after: number }) => entry.after)).toEqual([5, 0]);
  });

  test('needs allowRecordDelete, with a secret key, too', async () => {
    const player = newPlayer();
    const { recordId } = Object((await ok(create(player, { body: {} }, 'kept'))).body);
    expect(await refused(game.play('DELETE', at(player, `/${recordId}`, 'kept'), {}, player))).toBe('403 RECORD_DELETE_DISABLED');
    expect(await refused(game.manage('DELETE', at(player, `/${recordId}`, 'kept')))).toBe('403 RECORD_DELETE_DISABLED');
    expect(await records(player, 'kept')).toHaveLength(1);
  });
});

describe('the link with documents', () => {
  test('a save to a slot sets its time; one without an entry makes it, as long as there is room', async () => {
    const player = newPlayer();
    const { recordId } = await made(player);
    const [before] = await records(player);
    await ok(save(`${player}_${recordId}`, { n: 1 }));
    const [after] = await records(player);
    expect(after).toEqual({ ...before, updatedAt: expect.any(String) });
    expect(after.updatedAt > before.updatedAt || after.updatedAt === before.updatedAt).toBe(true);
    await ok(save(`${player}_auto-1`, { n: 1 }));
    await ok(game.play('POST', game.endpoint('write-slot'), { body: { key: `${player}_two` } }, player));
    expect((await records(player)).map((record: { recordId: string; recordName: string }) => [record.recordId, record.recordName])).toEqual(
      [
        [recordId, 'Save'],
        ['auto-1', 'Save'],
        ['two', 'Save'],
      ],
    );
    expect(await refused(save(`${player}_three`, { n: 1 }))).toBe('409 RECORD_LIMIT_REACHED');
    expect(await refused(load(`${player}_three`))).toBe('404 NOT_FOUND');
    expect(await refused(game.play('POST', game.endpoint('write-slot'), { body: { key: `${player}_three` } }, player))).toBe(
      '409 RECORD_LIMIT_REACHED',
    );
    await ok(save(`${player}_two`, { n: 2 }));
    await ok(save(player, { n: 2 }));
    expect(await records(player)).toHaveLength(3);
  });

  test('a document deleted under its key takes the entry with it, and makes room', async () => {
    const player = newPlayer();
    for (const slot of ['a', 'b', 'c']) await ok(save(`${player}_${slot}`, { n: 1 }));
    await ok(game.play('DELETE', game.storage(`saves/${player}_b`), {}, player));
    expect((await records(player)).map((record: { recordId: string }) => record.recordId)).toEqual(['a', 'c']);
    await ok(save(`${player}_d`, { n: 1 }));
  });

  test('keys of a collection of single documents are free text', async () => {
    const player = newPlayer();
    for (const slot of ['a', 'b', 'c']) await ok(save(`${player}_${slot}`, { n: 1 }, 'single'));
    expect(await records(player, 'single')).toEqual([]);
  });
});

describe('staged records', () => {
  test('start from the live ones, and never reach them', async () => {
    const player = newPlayer();
    const live = await made(player, 'Live');
    await ok(save(`${player}_${live.recordId}`, { n: 1 }));
    expect(await records(player, 'saves', NEXT)).toEqual(await records(player));
    await ok(create(player, { body: { recordName: 'Staged' }, headers: NEXT }));
    await ok(game.play('DELETE', at(player, `/${live.recordId}`), { headers: NEXT }, player));
    expect((await records(player, 'saves', NEXT)).map((record: { recordName: string }) => record.recordName)).toEqual(['Staged']);
    expect((await records(player)).map((record: { recordName: string }) => record.recordName)).toEqual(['Live']);
    expect(await refused(load(`${player}_${live.recordId}`, 'saves', NEXT))).toBe('404 NOT_FOUND');
    await ok(load(`${player}_${live.recordId}`));
  });
});

describe('who may', () => {
  test('players reach public collections; a secret key reaches all', async () => {
    const player = newPlayer();
    expect(await refused(list(player, 'vault'))).toBe('403 ENDPOINT_ONLY');
    expect(await refused(create(player, { body: {} }, 'vault'))).toBe('403 ENDPOINT_ONLY');
    await ok(game.manage('POST', at(player, '', 'vault'), { body: {} }));
    expect(Object((await ok(game.manage('GET', at(player, '', 'vault')))).body).records).toHaveLength(1);
  });

  test('a player id that is none is 400, an unknown collection 404, no key 401', async () => {
    for (const id of ['a.b', 'a%2Fb', 'a@b', 'a|b', 'x'.repeat(129), '%20']) {
      expect(await refused(game.play('GET', at(id)))).toBe('400 INVALID_KEY');
      expect(await refused(game.play('POST', at(id), { body: {} }))).toBe('400 INVALID_KEY');
    }
    expect(await refused(list(newPlayer(), 'nothing'))).toBe('404 NOT_FOUND');
    expect(await refused(game.send('GET', at(newPlayer())))).toBe('401 UNAUTHORIZED');
    expect(await refused(game.play('PUT', at(newPlayer())))).toBe('404 NOT_FOUND');
  });

  test('the old prefixes answer the same', async () => {
    const player = newPlayer();
    const path = (prefix: string, rest = '') => `${prefix}/storage/${game.projectId}/saves/${player}/records${rest}`;
    for (const prefix of ['/api', '/v1', '/v3']) {
      const { recordId } = Object((await ok(game.play('POST', path(prefix), { body: { recordName: prefix } }, player))).body);
      await ok(game.play('PATCH', path(prefix, `/${recordId}`), { body: { recordName: 'x' } }, player));
      expect(Object((await ok(game.play('GET', path(prefix), {}, player))).body).records).toHaveLength(1);
      await ok(game.play('DELETE', path(prefix, `/${recordId}`), {}, player));
    }
  });
});

test('the read model is what the log says, and can be built again', async () => {
  const player = newPlayer();
  await made(player, 'Kept');
  await verified(env);
  await succeed(['rebuild'], { env });
  expect(await records(player)).toMatchObject([{ recordName: 'Kept' }]);
  await verified(env);
});
