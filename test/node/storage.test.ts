import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { newApiKey } from './support/command-line.ts';
import { bodyOf, type Client, createClient, NEXT, ok, type Reply, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The rules of the storage routes, with the requests of the game client. Every test has its own keys. */

let env: { readonly DATABASE_URL: string };
let node: Node;
let game: Client;

const ORIGIN = 'https://game.example';
const FIELDS = {
  gold: { type: 'number', default: 100, _ledger: true },
  name: { type: 'string', maxLength: 5 },
  kind: { type: 'string', enum: ['a', 'b'] },
  stats: { type: 'object', properties: { xp: { type: 'number', _ledger: true, minimum: 0 }, hp: { type: 'number', default: 7 } } },
  tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
  at: 'datetime',
  on: 'boolean',
};
const player = { collectionType: 'per-platformid', accessMode: 'public' };
const COLLECTIONS = [
  { id: 'heroes', name: 'our_Heroes', ...player, schema: FIELDS, allowRecordDelete: true },
  { id: 'any', name: 'any', ...player, schema: {} },
  {
    id: 'strict',
    name: 'strict',
    ...player,
    schema: {
      type: 'object',
      properties: { n: { type: 'number' }, m: { type: 'number', default: 1 } },
      required: ['n', 'm'],
      additionalProperties: false,
    },
  },
  { id: 'versioned', name: 'versioned', ...player, schema: {}, requireSaveVersion: true },
  { id: 'daily', name: 'daily', ...player, schema: {}, rateLimits: { mode: 'player', savesPerDay: 2 }, rateLimitAction: 'reject' },
  { id: 'unset', name: 'unset', collectionType: 'per-platformid', schema: {} },
  {
    id: 'feed',
    name: 'feed',
    collectionType: 'global',
    accessMode: 'public',
    schema: { text: { type: 'string' } },
    allowRecordDelete: true,
  },
  { id: 'open-feed', name: 'open-feed', collectionType: 'global', accessMode: 'public', publicAppend: true, schema: {} },
  { id: 'hidden-feed', name: 'hidden-feed', collectionType: 'global', schema: {} },
  {
    id: 'kind-feed',
    name: 'kind-feed',
    collectionType: 'global',
    schema: { kind: { type: 'string', default: 'news' }, at: { type: 'object', properties: { x: { type: 'number', default: 7 } } } },
  },
  { id: 'odd-feed', name: 'odd-feed', collectionType: 'global', schema: {} },
  {
    id: 'scores',
    name: 'scores',
    collectionType: 'global',
    accessMode: 'public',
    schema: { v: { type: 'number', _ledger: true } },
    allowRecordDelete: true,
  },
  { id: 'small', name: 'small', collectionType: 'global', schema: {}, rateLimits: { mode: 'collection', savesPerDay: 2 } },
];
const RULES = [
  { name: 'Slow gold', collection: 'heroes', field: 'gold', scope: 'per_player', window: 'perDay', limit: 1000, action: 'reject' },
];

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env: { ...env, CORS_ORIGINS: ORIGIN, V1_ROUTES: 'all' } });
  game = createClient(node.url, demoCredentials(node.data));
  await ok(game.manage('PUT', game.definitions('collections'), { body: COLLECTIONS }));
  await ok(game.manage('PUT', game.definitions('rate-limit-rules'), { body: { rules: RULES } }));
});

afterAll(async () => {
  expect(game.statuses.filter((status) => status >= 500)).toEqual([]);
  game?.close();
  await node?.stop();
  removeFolders();
});

let keys = 0;
const newKey = () => `7656119900000${String(1000 + keys++)}`;
const post = (path: string, body: unknown, headers = {}) => game.play('POST', game.storage(path), { body, headers });
const raw = (path: string, text: string) => game.play('POST', game.storage(path), { raw: text });
const get = (path: string, headers = {}) => game.play('GET', game.storage(path), { headers });
const message = async (reply: Promise<Reply>) => Object((await reply).body).error.message;

describe('documents', () => {
  test('are replaced whole, whatever is there, and answered bare, in the order of their members', async () => {
    const key = newKey();
    await ok(raw(`any/${key}`, '{"z":1,"a":{"y":2,"b":[3]},"x10":4,"x2":5}'));
    expect((await ok(get(`any/${key}`))).text).toBe('{"z":1,"a":{"y":2,"b":[3]},"x10":4,"x2":5}');
    expect(await bodyOf(post(`any/${key}`, {}))).toEqual({ ok: true, version: 2 });
    const reply = await ok(get(`any/${key}`));
    expect([reply.text, reply.headers['cache-control'], reply.headers['content-type']]).toEqual([
      '{}',
      'no-store',
      'application/json; charset=utf-8',
    ]);
    expect(reply.headers['x-correlation-id']).toBeTruthy();
    expect(reply.headers.etag).toBe(undefined);
  });

  test('need an object as their body', async () => {
    const key = newKey();
    for (const text of ['', 'null', '[]', '"x"', '5', 'true', '{', '{"a":1}}', '{"a":1,}']) {
      expect([text, await refused(raw(`any/${key}`, text))]).toEqual([text, '400 INVALID_BODY']);
    }
    expect(await refused(game.play('POST', game.storage(`any/${key}`)))).toBe('400 INVALID_BODY');
    expect(await refused(get(`any/${key}`))).toBe('404 NOT_FOUND');
  });

  test('with a member ops that is a list are operations, with another one documents', async () => {
    const key = newKey();
    await ok(post(`any/${key}`, { ops: { op: 'set' } }));
    expect(await bodyOf(get(`any/${key}`))).toEqual({ ops: { op: 'set' } });
    await ok(post(`any/${key}`, { other: 1, ops: [{ op: 'set', path: 'n', value: 1 }] }));
    expect(await bodyOf(get(`any/${key}`))).toEqual({ ops: { op: 'set' }, n: 1 });
  });

  test('may have 64 KiB of UTF-8, however they are escaped on the wire; what is too large is told before what does not fit', async () => {
    const key = newKey();
    const fill = (bytes: number) => ({ t: 'é'.repeat((bytes - 8) / 2) });
    await ok(post(`any/${key}`, fill(65_536)));
    expect(await refused(post(`any/${key}`, fill(65_538)))).toBe('413 PAYLOAD_TOO_LARGE');
    expect(await refused(post(`heroes/${key}`, { ...fill(65_538), gold: 'x' }))).toBe('413 PAYLOAD_TOO_LARGE');
    expect(await refused(post(`any/${key}`, { ops: [{ op: 'set', path: 'more', value: 1 }] }))).toBe('413 PAYLOAD_TOO_LARGE');
    expect(await refused(raw(`any/${key}`, ' '.repeat(262_145)))).toBe('413 PAYLOAD_TOO_LARGE');
  });

  test('are found under the id and the name of their collection, in any letter case; keys keep theirs', async () => {
    const key = `${newKey()}:Ab-c`;
    await ok(post(`HEROES/${key}`, { name: 'x' }));
    expect(await bodyOf(get(`OUR_heroes/${key}`))).toMatchObject({ name: 'x' });
    expect(await refused(get(`heroes/${key.toLowerCase()}`))).toBe('404 NOT_FOUND');
  });

  test('bad keys and collections are 404 like what is not there', async () => {
    for (const path of ['any/a.b', 'any/%20', 'any/..%2F..%2Fx', `any/${'x'.repeat(257)}`, 'a.b/c', 'none/1', 'any/%00', 'any/é']) {
      expect([path, await refused(get(path))]).toEqual([path, '404 NOT_FOUND']);
      expect([path, await refused(post(path, { a: 1 }))]).toEqual([path, '404 NOT_FOUND']);
    }
    await ok(post(`any/${'x'.repeat(256)}`, {}));
  });

  test('of a collection that says nothing of access, and of an unknown one, are not for players', async () => {
    expect(await refused(get('unset/1'))).toBe('403 ENDPOINT_ONLY');
    expect(await refused(post('unset/1', {}))).toBe('403 ENDPOINT_ONLY');
    const odd = { headers: { 'x-ns-save-version': 'abc' } };
    for (const sent of [{}, odd]) expect(await refused(game.play('DELETE', game.storage('unset/1'), sent))).toBe('403 ENDPOINT_ONLY');
    await ok(game.manage('POST', game.storage('unset/1'), { body: { n: 1 } }));
    expect(await refused(game.manage('POST', game.storage('none/1'), { body: {} }))).toBe('404 NOT_FOUND');
    // allowRecordDelete applies only to players.
    await ok(game.manage('DELETE', game.storage('unset/1')));
    expect(await refused(game.play('DELETE', game.storage('any/1')))).toBe('403 RECORD_DELETE_DISABLED');
  });

  test('a secret in a header wins over a public key in the query, and needs the right to run collections', async () => {
    const secret = { 'x-api-key': game.secretKey };
    await ok(game.send('POST', `${game.storage('unset/2')}?apiKey=${game.publicKey}`, { body: { n: 1 }, headers: secret }));
    // A dedicated server may name any player.
    await ok(game.send('POST', game.storage('unset/2'), { body: { n: 2 }, headers: { ...secret, 'x-on-behalf-of': 'bot-7' } }));
    const poor = { headers: { 'x-api-key': await newApiKey(env, game.projectId, { collections: 'rw' }) } };
    expect(await refused(game.send('GET', game.storage('any/1'), poor))).toBe('403 FORBIDDEN');
    expect(await refused(game.send('GET', game.storage('any/1/records'), poor))).toBe('403 FORBIDDEN');
    expect(await refused(game.send('POST', game.storage('feed/append'), { ...poor, body: { text: 'x' } }))).toBe('403 FORBIDDEN');
  });

  test('lists, single records, ledgers, stats and rate limits take any valid key, a secret one without rights included', async () => {
    const none = { headers: { 'x-api-key': await newApiKey(env, game.projectId, { endpoints: 'x', collections: 'none' }) } };
    const look = (route: string) => game.send('GET', game.storage(route), none);
    const key = newKey();
    await ok(post(`heroes/${key}`, { gold: 5 }));
    const { record } = await bodyOf(game.manage('POST', game.storage('hidden-feed/append'), { body: { text: 'shared' } }));
    expect((await bodyOf(look('hidden-feed/list'))).records).toEqual([record]);
    expect(await bodyOf(look(`hidden-feed/record/${record._id}`))).toEqual(record);
    expect((await bodyOf(look(`heroes/${key}/ledger`))).summary.entryCount).toBe(1);
    expect(await refused(look(`stats/${key}`))).toBe('404 NOT_FOUND');
    expect((await bodyOf(game.send('GET', game.storage('rate-limits'), none))).ok).toBe(true);
    // The document itself still needs the right to run collections.
    expect(await refused(look(`hidden-feed/${record._id}`))).toBe('403 FORBIDDEN');
  });
});

describe('operations', () => {
  const BASE = {
    gold: 10,
    tags: ['a', 'b', 'a'],
    bag: [
      { id: 'x', n: 1 },
      { id: 'y', n: 2 },
    ],
    s: { lvl: 3 },
  };

  test.each<[string, readonly object[], object]>([
    ['inc', [{ op: 'inc', path: 'gold', value: -12 }], { gold: -2 }],
    ['noise of doubles', [0.1, 0.2, -0.3].map((value) => ({ op: 'inc', path: 'x.y', value })), { x: { y: 0 } }],
    ['push', [{ op: 'push', path: 'tags', value: 'c' }], { tags: ['a', 'b', 'a', 'c'] }],
    ['push on what is no list', [{ op: 'push', path: 's', value: 1 }], { s: [1] }],
    ['pull of a value', [{ op: 'pull', path: 'tags', match: { value: 'a' } }], { tags: ['b'] }],
    ['pull of objects', [{ op: 'pull', path: 'bag', match: { id: 'x' } }], { bag: [{ id: 'y', n: 2 }] }],
    ['pull of everything', [{ op: 'pull', path: 'bag', match: {} }], { bag: [] }],
    ['remove', [{ op: 'remove', path: 'bag', value: { n: 2 } }], { bag: [{ id: 'x', n: 1 }] }],
    ['delete is remove', [{ op: 'delete', path: 'bag', value: 'x' }], {}],
    ['merge', [{ op: 'merge', path: 's', value: { lvl: 5, hp: 1 } }], { s: { lvl: 5, hp: 1 } }],
    [
      'set_if_null',
      [
        { op: 'set_if_null', path: 'gold', value: 99 },
        { op: 'set_if_null', path: 'gems', value: 4 },
      ],
      { gems: 4 },
    ],
    ['set to null', [{ op: 'set', path: 'gold', value: null }], { gold: null }],
  ])('%s', async (_, ops, changed) => {
    const key = newKey();
    await ok(post(`any/${key}`, BASE));
    await ok(post(`any/${key}`, { ops }));
    expect(await bodyOf(get(`any/${key}`))).toEqual({ ...BASE, ...changed });
  });

  test.each<[string, unknown]>([
    ['no operation', []],
    ['more than 100', Array.from({ length: 101 }, () => ({ op: 'inc', path: 'n', value: 1 }))],
    ['an unknown name', [{ op: 'increment', path: 'gold', value: 1 }]],
    ['another letter case', [{ op: 'Set', path: 'gold', value: 1 }]],
    ['set without a value', [{ op: 'set', path: 'gold' }]],
    ['inc by a text', [{ op: 'inc', path: 'gold', value: '1' }]],
    ['merge into a number', [{ op: 'merge', path: 'gold', value: { a: 1 } }]],
    ['pull without a match', [{ op: 'pull', path: 'tags' }]],
    ['a path through a list', [{ op: 'set', path: 'bag.0.n', value: 1 }]],
    ['a path through a number', [{ op: 'set', path: 'gold.x', value: 1 }]],
    ['an empty path', [{ op: 'set', path: '', value: 1 }]],
    ['a path with an empty name', [{ op: 'set', path: 'a..b', value: 1 }]],
    ['a path to a prototype', [{ op: 'set', path: 'a.__proto__.b', value: 1 }]],
    ['no object', ['set']],
    ['no path', [{ op: 'set', value: 1 }]],
  ])('refused, and nothing is stored: %s', async (_, bad) => {
    const key = newKey();
    await ok(post(`any/${key}`, BASE));
    const ops = Array.isArray(bad) && bad.length === 1 ? [{ op: 'set', path: 'gold', value: 0 }, ...bad] : bad;
    const reply = post(`any/${key}`, { ops });
    expect(await refused(reply)).toBe('400 INVALID_OPERATION');
    if (Array.isArray(bad) && bad.length === 1) expect(await message(reply)).toMatch(/^ops\[1\]: /);
    const read = await ok(get(`any/${key}`));
    expect([read.body, read.headers['x-ns-save-version']]).toEqual([BASE, '1']);
  });

  test('start from what a reader sees: the default of a field that is not there; also where there is no document', async () => {
    const key = newKey();
    await ok(post(`heroes/${key}`, { ops: [{ op: 'inc', path: 'gold', value: 5 }] }));
    expect(await bodyOf(get(`heroes/${key}`))).toMatchObject({ gold: 105, stats: { hp: 7 } });
  });

  test('a hundred at once in parallel are all counted', async () => {
    const key = newKey();
    await Promise.all(Array.from({ length: 100 }, () => ok(post(`any/${key}`, { ops: [{ op: 'inc', path: 'n', value: 1 }] }))));
    expect(await bodyOf(get(`any/${key}`))).toEqual({ n: 100 });
  });
});

describe('schemas', () => {
  test.each<[string, string, unknown, RegExp]>([
    ['heroes', 'a type', { gold: '5' }, /gold/],
    ['heroes', 'a type further down', { stats: { xp: 'x' } }, /stats\.xp: expected number/],
    ['heroes', 'an item of a list', { tags: ['a', 5] }, /tags\.1/],
    ['heroes', 'too many items', { tags: ['a', 'b', 'c', 'd'] }, /tags/],
    ['heroes', 'another value than the listed ones', { kind: 'c' }, /kind/],
    ['heroes', 'a text too long', { name: '123456' }, /name/],
    ['heroes', 'a number too small', { stats: { xp: -1 } }, /stats\.xp/],
    ['heroes', 'no date', { at: 'tomorrow' }, /at: expected datetime/],
    ['heroes', 'no boolean', { on: 1 }, /on/],
    ['strict', 'a required field that is missing', {}, /n/],
    ['strict', 'a required field that is null', { n: null }, /n/],
    ['strict', 'an unknown field', { n: 1, x: 1 }, /x/],
  ])('%s refuse %s and name it', async (collection, _, document, named) => {
    const key = newKey();
    const reply = post(`${collection}/${key}`, document);
    expect(await refused(reply)).toBe('400 SCHEMA_VALIDATION_FAILED');
    expect(await message(reply)).toMatch(named);
    expect(await refused(get(`${collection}/${key}`))).toBe('404 NOT_FOUND');
  });

  test('let through null, unknown fields, code points, and required fields that have a default', async () => {
    await ok(post(`heroes/${newKey()}`, { gold: null, extra: [1], name: '\u{1f600}'.repeat(5), at: '2026-01-01T00:00:00Z' }));
    await ok(post(`strict/${newKey()}`, { n: 1 }));
  });
});

describe('save versions', () => {
  test('count accepted writes, also over a delete, and guard a save however they are named', async () => {
    const key = newKey();
    const path = `heroes/${key}`;
    expect(await bodyOf(post(path, { name: 'a' }, { 'x-ns-save-version': '0' }))).toEqual({ ok: true, version: 1 });
    expect(await refused(post(path, { name: 'b' }, { 'x-ns-save-version': '0' }))).toBe('409 STALE_SAVE');
    expect(await refused(post(path, { name: 'b' }, { 'if-none-match': '*' }))).toBe('409 STALE_SAVE');
    for (const headers of [
      { 'x-ns-save-version': '' },
      { 'if-match': '*' },
      { 'if-none-match': '"1"' },
      { 'if-none-match': '*', 'if-match': '1' },
    ])
      expect(await refused(post(path, { name: 'b' }, headers))).toBe('400 INVALID_REQUEST');
    expect(await bodyOf(post(path, { name: 'b', _saveVersion: 1 }))).toEqual({ ok: true, version: 2 });
    expect(await bodyOf(get(path))).not.toHaveProperty('_saveVersion');
    expect(await bodyOf(post(path, { ops: [{ op: 'set', path: 'name', value: 'c' }], _saveVersion: 2 }))).toEqual({ ok: true, version: 3 });
    expect(await bodyOf(post(`${path}?saveVersion=3`, { name: 'd' }))).toEqual({ ok: true, version: 4 });
    expect(await bodyOf(post(path, { name: 'e' }, { 'if-match': '4' }))).toEqual({ ok: true, version: 5 });
    const stale = await post(`${path}?saveVersion=2`, { name: 'x' });
    expect(Object(stale.body).error).toMatchObject({ code: 'STALE_SAVE', expected: 2, actual: 5 });
    const remove = (headers = {}, query = '') => game.play('DELETE', game.storage(path + query), { headers });
    expect(await refused(remove({ 'x-ns-save-version': '4' }))).toBe('409 STALE_SAVE');
    expect(await refused(remove({ 'if-match': '"4"' }))).toBe('409 STALE_SAVE');
    expect(await refused(remove({}, '?saveVersion=0'))).toBe('409 STALE_SAVE');
    expect(await bodyOf(get(path))).toMatchObject({ name: 'e' });
    await ok(remove({ 'if-match': '"5"' }));
    await ok(remove());
    expect(await bodyOf(post(path, { name: 'f', _saveVersion: 0 }))).toEqual({ ok: true, version: 6 });
  });

  test('are asked for only where the project is strict: the client library cannot send one', async () => {
    const key = newKey();
    await ok(post(`versioned/${key}`, { n: 1 }));
    await ok(game.manage('PUT', game.definitions('settings'), { body: { strictSaveVersion: true } }));
    expect(await refused(post(`versioned/${key}`, { n: 2 }))).toBe('409 SAVE_VERSION_REQUIRED');
    await ok(post(`versioned/${key}`, { n: 2 }, { 'x-ns-save-version': '1' }));
    // A step of an endpoint cannot name one, and a call is all or nothing anyway.
    const count = { id: 'w', type: 'write', collection: 'versioned', key, ops: [{ op: 'inc', path: 'n', value: 5 }] };
    await ok(game.manage('PUT', game.definitions('endpoints'), { body: [{ id: 'count', slug: 'count', method: 'POST', steps: [count] }] }));
    await ok(game.play('POST', game.endpoint('count'), { body: {} }));
    expect(await bodyOf(get(`versioned/${key}`))).toEqual({ n: 7 });
    await ok(game.manage('PUT', game.definitions('settings'), { body: { strictSaveVersion: false } }));
  });
});

describe('the ledger', () => {
  test('has an entry for each change of a tracked field, by any way of writing, and for no other', async () => {
    const key = newKey();
    await ok(post(`heroes/${key}`, { gold: 5, name: 'x' }));
    await ok(post(`heroes/${key}`, { gold: 5, name: 'y' }));
    await ok(post(`heroes/${key}`, { ops: [{ op: 'merge', path: 'stats', value: { xp: 3 }, source: 'quest', reason: 'r'.repeat(300) }] }));
    await ok(post(`heroes/${key}_slot`, { gold: 1 }));
    await ok(game.play('DELETE', game.storage(`heroes/${key}`)));
    const ledger = await bodyOf(get(`heroes/${key}/ledger`));
    expect(ledger).toMatchObject({ platformId: key, field: 'all', from: null, to: null, cursor: null });
    const entries = ledger.entries.map((one: Record<string, unknown>) => [
      one['field'],
      one['before'],
      one['after'],
      one['delta'],
      one['source'],
    ]);
    expect(entries).toEqual([
      ['gold', 0, 5, 5, 'direct'],
      ['stats.xp', 0, 3, 3, 'quest'],
      ['gold', 0, 1, 1, 'direct'],
      ['gold', 5, 0, -5, 'direct'],
      ['stats.xp', 3, 0, -3, 'direct'],
    ]);
    expect(ledger.entries[1].reason).toBe('r'.repeat(256));
    expect(ledger.entries[1]).toMatchObject({ platformId: key, platform_id: key });
    expect(ledger.entries[1]).toMatchObject({ collectionId: 'heroes', collection_id: 'heroes', ts: expect.stringMatching(/Z$/) });
    expect(ledger.summary).toEqual({
      totalIncrease: 9,
      totalDecrease: -8,
      netChange: 1,
      entryCount: 5,
      sources: { direct: { count: 4, total: -2 }, quest: { count: 1, total: 3 } },
    });
    for (const [asked, code] of [
      ['from=2026-03-29T10:00:00', 'INVALID_BODY'],
      ['to=March', 'INVALID_BODY'],
      ['limit=-1', 'INVALID_REQUEST'],
      ['limit=abc', 'INVALID_REQUEST'],
    ])
      expect([asked, await refused(get(`heroes/${key}/ledger?${asked}`))]).toEqual([asked, `400 ${code}`]);
    const some = await bodyOf(get(`heroes/${key}/ledger?field=stats.xp&from=0&to=9999999999999&limit=1`));
    expect([some.entries.length, some.summary.entryCount, some.field, some.from, some.to]).toEqual([
      1,
      2,
      'stats.xp',
      '0',
      '9999999999999',
    ]);
    expect(some.cursor).toEqual(expect.any(String));
    expect((await bodyOf(get(`heroes/${key}/ledger?field=${ledger.field}`))).entries).toEqual(ledger.entries);
  });
  test('tells what a reader sees: a default that is spent was there first, and one that comes back is growth', async () => {
    const key = newKey();
    await ok(post(`heroes/${key}`, { ops: [{ op: 'inc', path: 'gold', value: -7, source: 'shop' }] }));
    await ok(post(`heroes/${key}`, { name: 'x' }));
    await ok(game.play('DELETE', game.storage(`heroes/${key}`)));
    await ok(post(`heroes/${key}`, { name: 'again' }));
    const { entries, summary } = await bodyOf(get(`heroes/${key}/ledger?field=gold`));
    const told = entries.map(({ before, after, source }: { before: number; after: number; source: string }) => [before, after, source]);
    expect(told).toEqual([
      [0, 100, 'default'],
      [100, 93, 'shop'],
      [93, 100, 'direct'],
      [100, 0, 'direct'],
      [0, 100, 'default'],
    ]);
    expect(summary.netChange).toBe((await bodyOf(get(`heroes/${key}`))).gold);
  });

  test('follows records of global collections from their append to their end, each under its own key', async () => {
    const deltas = async (key: string) => (await bodyOf(get(`scores/${key}/ledger`))).entries.map(({ delta }: { delta: number }) => delta);
    const appended = await bodyOf(game.manage('POST', game.storage('scores/append'), { body: { v: 5 } }));
    const { _id: id } = appended.record;
    await ok(post(`scores/${id}`, { ops: [{ op: 'inc', path: 'v', value: 2, source: '', reason: '' }] }));
    await ok(game.play('DELETE', game.storage(`scores/${id}`)));
    expect(await deltas(id)).toEqual([5, 2, -7]);
    for (const [key, v] of [
      ['rec_1', 1],
      ['rec_2', 2],
      ['_k', 3],
      ['rec', 4],
    ] as const)
      await ok(post(`scores/${key}`, { v }));
    expect([await deltas('rec_1'), await deltas('rec_2'), await deltas('_k'), await deltas('rec')]).toEqual([[1], [2], [3], [4]]);
    const [entry] = (await bodyOf(get(`scores/${id}/ledger`))).entries.slice(1);
    expect([entry.source, 'reason' in entry]).toEqual(['direct', false]);
  });

  test('is empty for a player that is known, and 404 for one that is not; a bad id is 400', async () => {
    const key = newKey();
    await ok(post(`any/${key}`, { n: 1 }));
    expect(await bodyOf(get(`any/${key}/ledger`))).toMatchObject({ entries: [], summary: { entryCount: 0, sources: {} } });
    expect(await refused(get(`any/${newKey()}/ledger`))).toBe('404 NOT_FOUND');
    expect(await refused(get('any/a.b/ledger'))).toBe('400 INVALID_KEY');
    expect(await refused(get('none/a.b/ledger'))).toBe('400 INVALID_KEY');
    expect(await refused(get(`none/${key}/ledger`))).toBe('404 NOT_FOUND');
  });
});

describe('global collections', () => {
  const append = (collection: string, body: unknown, headers = {}) =>
    game.manage('POST', game.storage(`${collection}/append`), { body, headers });

  test('take records from secret keys, and from players where they say so', async () => {
    const { record } = await bodyOf(
      append('feed', { text: 'a', _id: 'x', _timestamp: 1, _writerId: 'y', _txId: 1 }, { 'x-platform-id': '7656' }),
    );
    expect(record).toEqual({ _id: expect.stringMatching(/^[0-9a-f]{32}$/), _timestamp: expect.any(Number), _writerId: '7656', text: 'a' });
    expect(Math.abs(record._timestamp - Date.now())).toBeLessThan(600_000);
    expect(await bodyOf(get(`feed/record/${record._id}`))).toEqual(record);
    expect(await bodyOf(get(`feed/${record._id}`))).toEqual(record);
    expect(await bodyOf(append('feed', { text: 'b' }, { 'x-on-behalf-of': '7657', 'x-platform-id': '7656' }))).toMatchObject({
      record: { _writerId: '7657' },
    });
    expect(await bodyOf(append('feed', { text: 'c' }))).toMatchObject({ record: { _writerId: 'anonymous' } });
    expect(await refused(post('feed/append', { text: 'x' }))).toBe('403 FORBIDDEN');
    await ok(post('open-feed/append', { text: 'x' }));
    expect(await refused(append('any', { a: 1 }))).toBe('400 COLLECTION_TYPE_MISMATCH');
    // Refused before the body is looked at.
    expect(await refused(append('any', {}))).toBe('400 COLLECTION_TYPE_MISMATCH');
    expect(await refused(game.manage('POST', game.storage('any/append'), { raw: '{' }))).toBe('400 COLLECTION_TYPE_MISMATCH');
    expect(await refused(append('none', { a: 1 }))).toBe('404 NOT_FOUND');
    expect(await refused(append('feed', {}))).toBe('400 INVALID_BODY');
    expect(await refused(append('feed', [1]))).toBe('400 INVALID_BODY');
    expect(await refused(append('feed', { text: 5 }))).toBe('400 SCHEMA_VALIDATION_FAILED');
    expect(await refused(append('feed', { text: 'x' }, { 'idempotency-key': 'k'.repeat(256) }))).toBe('400 INVALID_REQUEST');
    // Access is checked before the headers.
    expect(await refused(post('feed/append', { text: 'x' }, { 'idempotency-key': 'k'.repeat(256) }))).toBe('403 FORBIDDEN');
    expect(await refused(get('feed/record/none'))).toBe('404 NOT_FOUND');
  });

  test('are listed newest first, page by page; the cursor is a number that the next call takes', async () => {
    const texts = ['1', '2', '3', '4', '5'];
    for (const text of texts) {
      await ok(post('open-feed/append', { list: text }, { 'x-platform-id': '76561199000000001' }));
      await new Promise((resolve) => setTimeout(resolve, 3));
    }
    const seen: unknown[] = [];
    let after = '';
    for (let page = 0; page < 4; page++) {
      const { ok: fine, records, cursor } = await bodyOf(get(`open-feed/list?limit=2${after}`));
      expect(fine).toBe(true);
      seen.push(...records.map(({ list }: { list?: string }) => list));
      if (cursor === null) break;
      after = `&after=${cursor}`;
    }
    expect(seen.slice(0, 5)).toEqual([...texts].reverse());
    for (const asked of ['limit=x', 'limit=0', 'limit=-1', 'limit=1.5', 'after=2026-03-29T10:00:00'])
      expect([asked, await refused(get(`open-feed/list?${asked}`))]).toEqual([asked, '400 INVALID_REQUEST']);
    const { records: first, cursor: behind } = await bodyOf(get('open-feed/list?limit=1'));
    expect((await bodyOf(get(`open-feed/list?limit=1&cursor=${behind}`))).records).not.toEqual(first);
    expect((await bodyOf(get('open-feed/list?after=2020-01-01'))).records).toEqual([]);
    // An empty list would say that nobody has written anything.
    expect(await refused(get('none/list'))).toBe('404 NOT_FOUND');
    expect(await refused(get('any/list'))).toBe('400 COLLECTION_TYPE_MISMATCH');
    const iso = new Date(Date.now() + 60_000).toISOString();
    expect((await bodyOf(get(`open-feed/list?after=${iso}`))).records.length).toBeGreaterThan(4);
  });

  test('a list comes to its end whatever time its records name', async () => {
    const times = [8_640_000_000_000_000, '+275760-09-13T00:00:00.000Z', 5, 0, -5, -5, '-000001-01-01T00:00:00.000Z', null, 'soon'];
    for (const [n, time] of times.entries()) {
      await ok(game.manage('POST', game.storage(`odd-feed/${n}`), { body: { n, _timestamp: time } }));
    }
    const list = (query: string) => bodyOf(get(`odd-feed/list?${query}`));
    const whole = (await list('limit=100')).records.map(({ n }: { n: number }) => n);
    expect(whole).toHaveLength(times.length);
    const seen: number[] = [];
    for (let after = ''; seen.length <= times.length; ) {
      const { records, cursor } = await list(`limit=1${after}`);
      seen.push(...records.map(({ n }: { n: number }) => n));
      if (cursor === null) break;
      after = `&after=${cursor}`;
    }
    expect(seen).toEqual(whole);
  });

  test('read in a list as they read alone: with the defaults of what they lack, and their numbers', async () => {
    const { record } = await bodyOf(append('kind-feed', { n: 1, at: {} }));
    await ok(append('kind-feed', { kind: 'sale', at: { x: 1 } }));
    const { records } = await bodyOf(get('kind-feed/list'));
    expect(records.map(({ kind, at }: { kind: string; at: unknown }) => [kind, at])).toEqual([
      ['sale', { x: 1 }],
      ['news', { x: 7 }],
    ]);
    expect(records[1]).toEqual(await bodyOf(get(`kind-feed/record/${record._id}`)));
  });

  test('have their daily limit, and so have documents', async () => {
    await ok(append('small', { a: 1 }));
    await ok(append('small', { a: 1 }));
    const reply = await append('small', { a: 1 });
    expect([reply.status, Object(reply.body).error.code, Number(reply.headers['retry-after']) > 0]).toEqual([
      429,
      'RATE_LIMIT_DAILY',
      true,
    ]);
    const [one, two] = [newKey(), newKey()];
    for (const key of [one, one, two]) await ok(post(`daily/${key}`, {}));
    expect(await refused(post(`daily/${one}_slot`, {}))).toBe('429 RATE_LIMIT_DAILY');
    await ok(post(`daily/${two}`, {}));
  });

  test('a key named like a route of another method makes no document, and is read and deleted like any other', async () => {
    expect(await refused(post('any/list', { n: 1 }))).toBe('400 ADDRESS_TAKEN');
    expect(await refused(game.play('DELETE', game.storage('heroes/append')))).not.toBe('404 NOT_FOUND');
    expect(await refused(get('heroes/append'))).toBe('404 NOT_FOUND');
  });
});

describe('rate limits', () => {
  test('refuse the growth over the limit, name the rule, and let it all through to the limit', async () => {
    const key = newKey();
    await ok(post(`heroes/${key}`, { ops: [{ op: 'inc', path: 'gold', value: 900 }] }));
    const reply = await post(`heroes/${key}`, { ops: [{ op: 'inc', path: 'gold', value: 101 }] });
    expect(Object(reply.body).error).toMatchObject({ code: 'RATE_LIMIT', rule: 'Slow gold', window: 'perDay' });
    expect([reply.status, Number(reply.headers['retry-after']) > 0]).toEqual([429, true]);
    await ok(post(`heroes/${key}`, { ops: [{ op: 'inc', path: 'gold', value: 100 }] }));
    // A value that went up and down again still counts.
    expect(
      await refused(
        post(`heroes/${key}`, {
          ops: [
            { op: 'inc', path: 'gold', value: 1 },
            { op: 'inc', path: 'gold', value: -1 },
          ],
        }),
      ),
    ).toBe('429 RATE_LIMIT');
    await ok(post(`heroes/${key}`, { gold: 0 }));
    expect(await refused(game.manage('POST', game.storage(`heroes/${key}`), { body: { gold: 1 } }))).toBe('429 RATE_LIMIT');
  });

  test('are told as they were sent', async () => {
    for (const path of [game.storage('rate-limits'), `/v1/storage/${game.projectId}/rate-limits`]) {
      expect(await bodyOf(game.play('GET', path))).toMatchObject({
        ok: true,
        projectId: game.projectId,
        source: 'store',
        endpointRateLimits: {},
        rules: RULES,
        collections: { daily: { rateLimits: { mode: 'player', savesPerDay: 2 }, rateLimitAction: 'reject' } },
      });
    }
  });
});

test('a mark of a page that no answer gave is refused: answered with the first page, whoever goes on by it would never end', async () => {
  await ok(post('heroes/marks', { gold: 100 }));
  for (const path of ['heroes/marks/ledger?cursor=1', 'heroes/marks/ledger?cursor=junk', 'open-feed/list?after=junk'])
    expect([path, await refused(get(path))]).toEqual([path, '400 INVALID_REQUEST']);
  for (const path of ['publishes?before=junk', 'publishes?before=-1', 'flags?before=1.5'])
    expect([path, await refused(game.manage('GET', game.definitions(path)))]).toEqual([path, '400 INVALID_REQUEST']);
});

test('what a staged call writes is read by staged calls alone', async () => {
  const key = newKey();
  await ok(post(`any/${key}`, { n: 1 }));
  await ok(post(`any/${key}`, { n: 2 }, NEXT));
  expect([await bodyOf(get(`any/${key}`)), await bodyOf(get(`any/${key}`, NEXT))]).toEqual([{ n: 1 }, { n: 2 }]);
});

test('a disabled key is told so on documents, and is no key on records and views', async () => {
  const key = await newApiKey(env, game.projectId, null, 'public');
  await ok(game.send('GET', `${game.storage('open-feed/list')}?apiKey=${key}`));
  await ok(game.manage('DELETE', game.definitions('keys'), { body: { publicKey: key } }));
  const send = (path: string) => refused(game.send('GET', `${game.storage(path)}?apiKey=${key}`));
  expect(await send('any/1')).toBe('401 UNAUTHORIZED');
  expect(await send('any/1/records')).toBe('401 UNAUTHORIZED');
});

test('a web page that CORS_ORIGINS names may call from a browser, any other may not', async () => {
  const ask = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'x-public-key,content-type' };
  const allowed = async (method: string, Origin: string, headers = {}) => {
    const reply = await game.play(method, game.storage('any/nobody'), { headers: { Origin, ...headers } });
    return [reply.status, reply.headers['access-control-allow-origin'], reply.headers['access-control-allow-headers']];
  };
  expect(await allowed('OPTIONS', ORIGIN, ask)).toEqual([200, ORIGIN, 'x-public-key,content-type']);
  expect(await allowed('GET', ORIGIN)).toEqual([404, ORIGIN, undefined]);
  expect(await allowed('OPTIONS', 'https://other.example', ask)).toEqual([404, undefined, undefined]);
  expect(await allowed('GET', 'https://other.example')).toEqual([404, undefined, undefined]);
});

test('a client that is set to version v1 finds everything there where V1_ROUTES says so', async () => {
  const [key, old] = [newKey(), (path: string) => path.replace('/v3/', '/v1/')];
  await ok(game.play('POST', old(game.storage(`any/${key}`)), { body: { n: 1 } }));
  expect(await bodyOf(get(`any/${key}`))).toEqual({ n: 1 });
  await ok(game.send('GET', `/v1/security-config/${game.projectId}`));
  await ok(game.manage('GET', old(game.definitions('validate'))));
});
