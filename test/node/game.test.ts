import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { scans } from './game/scans.ts';
import { type Chat, openChat, webhooks } from './game/webhooks.ts';
import { prices, publishGame, source } from './support/game.ts';
import { bodyOf, type Client, createClient, NEXT, ok, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/**
 * A whole small game over HTTP against the built program, with the requests of the game client. Later tests use players of earlier ones.
 */

let node: Node;
let game: Client;
let chat: Chat;

beforeAll(async () => {
  const data = newFolder();
  chat = await openChat();
  node = await startNode(data, { env: { DATABASE_URL: await migratedDatabase(), WEBHOOK_PREFIXES: chat.hooks } });
  game = createClient(node.url, demoCredentials(data));
  await publishGame(game);
});

afterAll(async () => {
  game?.close();
  await node?.stop();
  chat?.close();
  removeFolders();
});

const save = (key: string, body: unknown, collection = 'players', headers = {}) =>
  game.play('POST', game.storage(`${collection}/${key}`), { body, headers }, key);
const ops = (key: string, list: readonly object[], collection = 'players') => save(key, { ops: list }, collection);
const load = (key: string, collection = 'players', headers = {}) =>
  game.play('GET', game.storage(`${collection}/${key}`), { headers }, key);
const buy = (player: string, item: unknown, headers = {}) =>
  game.play('POST', game.endpoint('buy'), { body: { item, security: { clientMode: 'legacy' }, _endpointSlug: 'buy' }, headers }, player);
const inc = (path: string, value: number, more: object = {}) => ({ op: 'inc', path, value, ...more });

describe('documents', () => {
  test('a saved document comes back as it was sent, with escaped text, and is gone after a delete', async () => {
    const sent = { name: 'Ада <&> 日本 \u{1f600} +`\'"', gold: 5, level: 2 };
    const key = '76561198000000010';
    expect(await refused(load(key))).toBe('404 NOT_FOUND');
    await ok(save(key, sent));
    expect((await ok(load(key))).text).toBe(JSON.stringify(sent));
    const probe = () => bodyOf(game.play('GET', game.storage(`players/${key}/probe`), {}, key));
    expect(await probe()).toMatchObject({ ok: true, exists: true });
    await ok(game.play('DELETE', game.storage(`players/${key}`), {}, key));
    await ok(game.play('DELETE', game.storage(`players/${key}`), {}, key));
    expect(await probe()).toMatchObject({ exists: false });
    expect(await refused(load(key))).toBe('404 NOT_FOUND');
  });

  test('a document that does not fit its schema is refused naming the path, and nothing is stored', async () => {
    const key = '76561198000000011';
    const reply = await save(key, { gold: 'much' });
    expect([reply.status, Object(reply.body).error.code]).toEqual([400, 'SCHEMA_VALIDATION_FAILED']);
    expect(reply.text).toContain('gold');
    expect(Object(reply.body).message).toBe(Object(reply.body).error.message);
    await ok(save(key, { name: 'x' }));
    expect(await refused(ops(key, [{ op: 'set', path: 'name', value: 7 }]))).toBe('400 SCHEMA_VALIDATION_FAILED');
    expect(await refused(ops(key, [{ op: 'fly', path: 'name', value: 7 }]))).toBe('400 INVALID_OPERATION');
    expect(await refused(ops(key, []))).toBe('400 INVALID_OPERATION');
    expect(await bodyOf(load(key))).toMatchObject({ name: 'x' });
  });

  test('defaults are filled on read', async () => {
    const key = '76561198000000012';
    await ok(save(key, { name: 'x' }));
    expect(await bodyOf(load(key))).toEqual({ name: 'x', gold: 10, level: 1 });
  });

  test('numbers keep their exact value, in documents and under inc', async () => {
    const key = '76561198000000013';
    const raw = '{"name":"big","gold":18446744073709551615,"id64":76561198000000001,"level":1.10,"z":-0}';
    await ok(game.play('POST', game.storage(`players/${key}`), { raw }, key));
    const { text } = await ok(load(key));
    expect(text).toContain('"gold":18446744073709551615');
    expect(text).toContain('"id64":76561198000000001');
    await ok(ops(key, [inc('gold', -1), inc('id64', 1)]));
    const after = (await ok(load(key))).text;
    expect(after).toContain('"gold":18446744073709551614');
    expect(after).toContain('"id64":76561198000000002');
    const ledger = await ok(game.play('GET', game.storage(`players/${key}/ledger`), {}, key));
    expect(ledger.text).toContain('"before":18446744073709551615,"after":18446744073709551614');
  });

  test('a save that is based on an older version is refused with 409, and a current one goes through', async () => {
    const key = '76561198000000014';
    const first = await ok(save(key, { name: 'one' }));
    expect([Object(first.body).version, first.headers['x-ns-save-version']]).toEqual([1, '1']);
    await ok(save(key, { name: 'two' }, 'players', { 'x-ns-save-version': '1' }));
    const stale = await save(key, { name: 'lost' }, 'players', { 'x-ns-save-version': '1' });
    expect([stale.status, Object(stale.body).error]).toMatchObject([409, { code: 'STALE_SAVE', expected: 1, actual: 2 }]);
    expect(await refused(save(key, { name: 'lost' }, 'players', { 'if-match': '"1"' }))).toBe('409 STALE_SAVE');
    const read = await ok(load(key));
    expect([Object(read.body).name, read.headers['x-ns-save-version']]).toEqual(['two', '2']);
  });

  test('every write answers with its position, and a read with it reflects at least that', async () => {
    const key = '76561198000000015';
    const positions: number[] = [];
    for (let n = 0; n < 3; n++) {
      const { headers } = await ok(save(key, { level: n }));
      positions.push(Number(headers['x-ns-position']));
      const read = await ok(load(key, 'players', { 'x-ns-position': String(headers['x-ns-position']) }));
      expect([Object(read.body).level, read.headers['x-ns-stale']]).toEqual([n, undefined]);
    }
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
    expect(new Set(positions).size).toBe(3);
  });

  test('a collection for endpoints alone is not reached directly', async () => {
    expect(await refused(load('1', 'vault'))).toBe('403 ENDPOINT_ONLY');
    expect(await refused(save('1', { n: 1 }, 'vault'))).toBe('403 ENDPOINT_ONLY');
    expect(await refused(game.play('DELETE', game.storage('scores/1')))).toBe('403 RECORD_DELETE_DISABLED');
  });
});

describe('the ledger', () => {
  test('tells every change of a tracked field, oldest first, page by page', async () => {
    const key = '76561198000000020';
    await ok(save(key, { gold: 1 }));
    for (let n = 1; n <= 6; n++) await ok(ops(key, [inc('gold', n, { source: 'quest', reason: `step ${n}` })]));
    const page = (query: string) => bodyOf(game.play('GET', game.storage(`players/${key}/ledger${query}`), {}, key));
    const whole = await page('');
    expect(whole.entries.map((entry: { after: number }) => entry.after)).toEqual([1, 2, 4, 7, 11, 16, 22]);
    expect(whole.summary).toMatchObject({ totalIncrease: 22, totalDecrease: 0, netChange: 22, entryCount: 7 });
    expect(whole.summary.sources.quest).toEqual({ count: 6, total: 21 });
    expect(whole.entries[3]).toMatchObject({
      field: 'gold',
      before: 4,
      after: 7,
      delta: 3,
      source: 'quest',
      reason: 'step 3',
      platformId: key,
    });
    const paged: unknown[] = [];
    let cursor = '';
    do {
      const { entries, cursor: next } = await page(`?limit=3${cursor}`);
      expect(entries.length).toBeLessThanOrEqual(3);
      paged.push(...entries);
      cursor = next === null ? '' : `&cursor=${encodeURIComponent(next)}`;
    } while (cursor !== '');
    expect(paged).toEqual(whole.entries);
    expect(await refused(game.play('GET', game.storage('players/79999999999/ledger')))).toBe('404 NOT_FOUND');
  });
});

describe('rate-limit rules', () => {
  test('exactly ten of twenty parallel increments against a limit of ten go through', async () => {
    const key = '76561198000000030';
    const replies = await Promise.all(Array.from({ length: 20 }, () => ops(key, [inc('n', 1)], 'meters')));
    expect(replies.map(({ status }) => status).sort()).toEqual([...Array(10).fill(200), ...Array(10).fill(429)]);
    const no = replies.find(({ status }) => status === 429);
    expect(Object(no?.body).error).toMatchObject({ code: 'RATE_LIMIT', rule: 'Ten a day', window: 'perDay' });
    expect(Number(no?.headers['retry-after'])).toBeGreaterThan(0);
    expect(await bodyOf(load(key, 'meters'))).toEqual({ n: 10 });
    expect(Object((await ok(game.play('GET', game.storage('rate-limits')))).body).rules).toMatchObject([{ name: 'Ten a day' }]);
  });
});

describe('records of a global collection', () => {
  const append = (body: unknown, key?: string) =>
    game.manage('POST', game.storage('feed/append'), { body, headers: key === undefined ? {} : { 'Idempotency-Key': key } });

  test('an append with the same key is one record, also when twenty arrive at once; another body is refused', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, () => append({ text: 'once' }, 'same')));
    const done = replies.filter(({ status }) => status === 200);
    expect(replies.every(({ status, body }) => status === 200 || Object(body).error.code === 'IDEMPOTENCY_IN_PROGRESS')).toBe(true);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect((await ok(append({ text: 'once' }, 'same'))).text).toBe(done[0]?.text);
    expect(await refused(append({ text: 'twice' }, 'same'))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    const { records } = await bodyOf(game.play('GET', game.storage('feed/list')));
    expect(records).toHaveLength(1);
    const { record } = Object(done[0]?.body);
    expect(record).toMatchObject({ text: 'once', _writerId: 'anonymous' });
    expect(record._id).toMatch(/^[0-9a-f]{32}$/);
    expect(await bodyOf(game.play('GET', game.storage(`feed/record/${record._id}`)))).toEqual(record);
  });

  test('appending needs the secret key and an object', async () => {
    expect(await refused(game.play('POST', game.storage('feed/append'), { body: { text: 'x' } }))).toBe('403 FORBIDDEN');
    expect(await refused(append({}))).toBe('400 INVALID_BODY');
    expect(await refused(append([1]))).toBe('400 INVALID_BODY');
    expect(await refused(append({ text: 7 }))).toBe('400 SCHEMA_VALIDATION_FAILED');
    expect(await refused(game.manage('POST', game.storage('players/append'), { body: { a: 1 } }))).toBe('400 COLLECTION_TYPE_MISMATCH');
  });

  test('the list gives every record once, newest first, also where many share a millisecond', async () => {
    await Promise.all(Array.from({ length: 60 }, (_, n) => ok(append({ text: `n${n}` }))));
    const seen: { _id: string; _timestamp: number }[] = [];
    let after = '';
    do {
      const page = await bodyOf(game.play('GET', game.storage(`feed/list?limit=7${after}`)));
      expect(page.records.length).toBeLessThanOrEqual(7);
      seen.push(...page.records);
      after = page.cursor === null ? '' : `&after=${page.cursor}`;
    } while (after !== '');
    expect(new Set(seen.map(({ _id }) => _id)).size).toBe(61);
    expect(seen).toHaveLength(61);
    const times = seen.map(({ _timestamp }) => _timestamp);
    expect(times).toEqual([...times].sort((a, b) => b - a));
  });
});

describe('endpoints', () => {
  test('a call reads, checks, looks up, pays and answers; the ledger and the other document show it', async () => {
    const key = '76561198000000040';
    expect(await refused(buy(key, 'axe'))).toBe('404 NO_PLAYER');
    await ok(save(key, { gold: 20 }));
    expect(await bodyOf(buy(key, 'axe'))).toEqual({ ok: true, price: 7, left: 13 });
    expect(await bodyOf(buy(key, 'axe'))).toEqual({ ok: true, price: 7, left: 6 });
    expect(await bodyOf(load(key))).toMatchObject({ gold: 6, items: ['axe', 'axe'] });
    expect(await bodyOf(load('market', 'towns'))).toMatchObject({ sold: 2 });
    const { entries } = await bodyOf(game.play('GET', game.storage(`players/${key}/ledger`), {}, key));
    expect(entries.at(-1)).toMatchObject({ before: 13, after: 6, delta: -7, source: 'shop', reason: 'axe' });
  });

  test("refusals carry the author's status, code and message, and store nothing", async () => {
    const key = '76561198000000041';
    await ok(save(key, { gold: 3 }));
    const poor = await buy(key, 'axe');
    expect([poor.status, Object(poor.body)]).toMatchObject([
      409,
      { ok: false, error: { code: 'TOO_POOR', message: 'This costs 7; you have 3.' } },
    ]);
    expect(await refused(buy(key, 'moon'))).toBe('404 NO_ITEM');
    const missing = await game.play('POST', game.endpoint('buy'), { body: {} }, key);
    expect([missing.status, Object(missing.body).error.code, missing.text.includes('item')]).toEqual([400, 'INVALID_INPUT', true]);
    expect(await refused(buy(key, 7))).toBe('400 INVALID_INPUT');
    const nowhere = await game.play('POST', game.endpoint('nothing'), { body: {} });
    expect(nowhere.status).toBe(404);
    expect(Object(nowhere.body).error).toMatchObject({ code: 'ENDPOINT_NOT_FOUND', message: expect.stringContaining('"nothing"') });
    expect(await refused(game.play('POST', game.endpoint(''), { body: {} }))).toBe('400 INVALID_REQUEST');
    expect(await bodyOf(load(key))).toMatchObject({ gold: 3 });
  });

  test('twenty parallel purchases spend exactly what is there', async () => {
    const key = '76561198000000042';
    await ok(save(key, { gold: 70 }));
    const replies = await Promise.all(Array.from({ length: 20 }, () => buy(key, 'axe')));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(await bodyOf(load(key))).toMatchObject({ gold: 0 });
  });

  test('a GET call takes its input from the query, converted to the declared types', async () => {
    expect(await bodyOf(game.play('GET', `${game.endpoint('echo')}?times=21&word=a%20b`))).toEqual({ ok: true, twice: 42, word: 'a b' });
    expect(await refused(game.play('GET', `${game.endpoint('echo')}?times=many`))).toBe('400 INVALID_INPUT');
    expect(await refused(game.play('GET', game.endpoint('echo')))).toBe('400 INVALID_INPUT');
    // A HEAD would also run the endpoint.
    expect((await game.play('HEAD', `${game.endpoint('echo')}?times=21`)).status).toBe(404);
  });

  test('a call that sleeps is stored first and answered later, and its project goes on meanwhile', async () => {
    const key = '76561198000000044';
    const nap = {
      id: 'nap',
      slug: 'nap',
      steps: [
        { id: 's', type: 'sleep', ms: 300 },
        { id: 'w', type: 'write', collection: 'players', key: '{{platformId}}', ops: [{ op: 'inc', path: 'naps', value: 1 }] },
        { id: 'c', type: 'condition', check: { field: 'input.fail', op: 'not_exists' } },
      ],
      response: { body: { slept: '{{s.sleptMs}}' } },
    };
    await ok(game.manage('PATCH', game.definitions('endpoints'), { body: nap }));
    const timed = async (body: object) => {
      const started = performance.now();
      const { status } = await game.play('POST', game.endpoint('nap'), { body }, key);
      return [status, performance.now() - started > 250];
    };
    expect(await timed({})).toEqual([200, true]);
    expect(await timed({ fail: true })).toEqual([400, true]);
    expect(await bodyOf(load(key))).toMatchObject({ naps: 1 });
  });
});

webhooks(
  () => game,
  () => chat,
);
scans(() => game);

describe('the leaderboard', () => {
  const top = async () =>
    (await bodyOf(game.play('GET', `/v3/queries/${game.projectId}/top`))).entries.map(
      (row: { key: string; value: number; rank: number }) => `${row.rank} ${row.key} ${row.value}`,
    );

  test('shows a write at once, also right after fifty in parallel', async () => {
    await ok(save('p-1', { points: 5 }, 'scores'));
    expect(await top()).toEqual(['1 p-1 5']);
    await ok(save('p-2', { points: 9 }, 'scores'));
    expect(await top()).toEqual(['1 p-2 9', '2 p-1 5']);
    await Promise.all(Array.from({ length: 50 }, (_, n) => ok(save(`q-${n}`, { points: 100 + n }, 'scores'))));
    expect((await top()).slice(0, 3)).toEqual(['1 q-49 149', '2 q-48 148', '3 q-47 147']);
    await Promise.all(Array.from({ length: 50 }, () => ok(ops('p-1', [inc('points', 10)], 'scores'))));
    expect((await top())[0]).toBe('1 p-1 505');
    expect(await top()).toHaveLength(52);
  });
});

describe('values and staged definitions', () => {
  const values = (headers = {}) => bodyOf(game.play('GET', `/v3/values/${game.projectId}`, { headers }));
  const priceOf = (body: { tables: { prices: { rows: { price: number }[] } } }) => body.tables.prices.rows[0]?.price;

  test('values come as groups, tables and constants', async () => {
    const body = await values();
    expect(priceOf(body)).toBe(7);
    expect(body.groups.start.values).toEqual({ gold: 25 });
    expect(body.constants.start).toEqual({ gold: 25 });
  });

  test('next is played apart from live, promotion brings the definitions and drops the data', async () => {
    const key = '76561198000000050';
    await ok(save(key, { gold: 50 }));
    await ok(game.manage('PUT', game.definitions('game-values'), { body: prices(1), headers: NEXT }));
    expect([priceOf(await values()), priceOf(await values(NEXT))]).toEqual([7, 1]);
    expect(await bodyOf(buy(key, 'axe', NEXT))).toMatchObject({ price: 1, left: 49 });
    await ok(save('n-1', { points: 9999 }, 'scores', NEXT));
    await ok(game.manage('POST', game.storage('feed/append'), { body: { text: 'staged' }, headers: NEXT }));
    expect(await bodyOf(load(key))).toMatchObject({ gold: 50 });
    expect(await bodyOf(load(key, 'players', NEXT))).toMatchObject({ gold: 49 });
    expect(await refused(load('n-1', 'scores'))).toBe('404 NOT_FOUND');
    const first = async (headers = {}) => (await bodyOf(game.play('GET', `/v3/queries/${game.projectId}/top`, { headers }))).entries[0].key;
    expect([await first(), await first(NEXT)]).toEqual(['p-1', 'n-1']);
    const newest = async (headers = {}) => (await bodyOf(game.play('GET', game.storage('feed/list?limit=1'), { headers }))).records[0].text;
    expect(await newest(NEXT)).toBe('staged');
    expect(await newest()).not.toBe('staged');

    const diff = await ok(game.manage('GET', game.definitions('diff')));
    expect(diff.text).toContain('game-values');
    await ok(game.manage('POST', game.definitions('promote'), { body: { dryRun: true } }));
    expect(priceOf(await values())).toBe(7);
    await ok(game.manage('POST', game.definitions('promote'), { body: {} }));
    expect(priceOf(await values())).toBe(1);
    expect(await bodyOf(load(key, 'players', NEXT))).toMatchObject({ gold: 50 });
    expect(await refused(load('n-1', 'scores', NEXT))).toBe('404 NOT_FOUND');
    expect([await first(NEXT), await newest(NEXT)]).toEqual(['p-1', await newest()]);
    expect(await bodyOf(buy(key, 'axe'))).toMatchObject({ price: 1, left: 49 });
  });

  test('a list with one bad definition changes nothing and says which', async () => {
    const good = { id: 'fine', slug: 'fine', name: 'Fine', steps: [], response: { status: 200, body: { ok: true } } };
    const bad = source('endpoint', 'broken', 'sourceVersion: 1\nkind: endpoint\nid: broken\nsteps: [{id: x');
    const reply = await game.manage('PUT', game.definitions('endpoints'), { body: [good, bad] });
    expect([reply.status, reply.text.includes('broken')]).toEqual([400, true]);
    expect(await refused(game.play('POST', game.endpoint('fine'), { body: {} }))).toBe('404 ENDPOINT_NOT_FOUND');
  });

  test('definitions are removed again', async () => {
    await ok(game.manage('DELETE', game.definitions('queries/top')));
    expect(await refused(game.play('GET', `/v3/queries/${game.projectId}/top`))).toBe('404 NOT_FOUND');
    await ok(game.manage('DELETE', game.definitions('endpoints/echo')));
    expect(await refused(game.play('GET', `${game.endpoint('echo')}?times=1`))).toBe('404 ENDPOINT_NOT_FOUND');
    const { rules } = await bodyOf(game.manage('GET', game.definitions('rate-limit-rules')));
    await ok(game.manage('DELETE', game.definitions('rate-limit-rules')));
    await ok(ops('76561198000000030', [inc('n', 100)], 'meters'));
    await ok(game.manage('PUT', game.definitions('rate-limit-rules'), { body: { rules } }));
    expect((await bodyOf(game.manage('GET', game.definitions('rate-limit-rules')))).rules).toEqual(rules);
    await ok(ops('76561198000000030', [inc('n', 10)], 'meters'));
    expect(await refused(ops('76561198000000030', [inc('n', 1)], 'meters'))).toBe('429 RATE_LIMIT');
  });
});

test('nothing in this file ever got a 5xx, and the node said nothing of a fault', () => {
  expect(game.statuses.length).toBeGreaterThan(300);
  expect(game.statuses.filter((status) => status >= 500)).toEqual([]);
  expect(node.stderr()).not.toMatch(/"level":(50|60)/);
});

describe('defaults inside a call', () => {
  const HERO = { type: 'object', properties: { hp: { type: 'number', default: 100, _ledger: true }, name: { type: 'string' } } };
  const write = (id: string, ...list: object[]) => ({ id, type: 'write', collection: 'heroes', key: '{{platformId}}', ops: list });
  const set = (path: string, value: unknown) => ({ op: 'set', path, value });
  const read = { id: 'r', type: 'read', collection: 'heroes', key: '{{platformId}}' };
  const callable = (slug: string, ...steps: object[]) => ({
    id: slug,
    slug,
    method: 'POST',
    enabled: true,
    steps,
    response: { body: '{{r}}' },
  });
  const player = (n: number) => `7656119800000200${n}`;
  const call = (slug: string, as: string) => game.play('POST', game.endpoint(slug), { body: {} }, as);

  beforeAll(async () => {
    const heroes = { id: 'heroes', name: 'heroes', accessMode: 'public', schema: { gold: { type: 'number', default: 3 }, hero: HERO } };
    await ok(game.manage('PUT', game.definitions('collections'), { body: [heroes] }));
    const endpoints = [
      callable('hurt', write('a', set('hero', { name: 'a' })), write('b', inc('hero.hp', -30)), read),
      callable('earn', write('a', inc('gold', 1)), read),
      callable('blend', write('a', set('hero', {})), write('b', { op: 'merge', path: 'hero.hp', value: { a: 1 } })),
    ];
    await ok(game.manage('PUT', game.definitions('endpoints'), { body: endpoints }));
  });

  test('a later step sees what everyone sees after the call, and is stored on it', async () => {
    const seen = await bodyOf(call('hurt', player(1)));
    expect(seen.hero).toEqual({ name: 'a', hp: 70 });
    expect(await bodyOf(load(player(1), 'heroes'))).toEqual(seen);
    const { entries } = await bodyOf(game.play('GET', game.storage(`heroes/${player(1)}/ledger`)));
    expect(entries.map(({ after }: { after: number }) => after)).toEqual([100, 70]);
  });

  test('a write that such a default does not allow fails in its step', async () => {
    const reply = await call('blend', player(2));
    expect([reply.status, Object(reply.body).error]).toMatchObject([400, { code: 'ENDPOINT_ERROR.WRITE', step: { id: 'b' } }]);
  });

  test('are not there where the project serves documents as they are stored', async () => {
    await ok(game.manage('PUT', game.definitions('settings'), { body: { fillDefaults: false } }));
    try {
      expect(await bodyOf(call('earn', player(3)))).toEqual({ gold: 1 });
      expect(await bodyOf(load(player(3), 'heroes'))).toEqual({ gold: 1 });
    } finally {
      await ok(game.manage('PUT', game.definitions('settings'), { body: { fillDefaults: true } }));
    }
  });
});

describe('definitions that were listed', () => {
  test('can be pushed back: what a listing says of staged copies is not said of what is live', async () => {
    const staged = { id: 'copied', slug: 'copied', steps: [], canonicalDefinition: { x: 1 }, definition: { x: 1 } };
    await ok(game.manage('PUT', game.definitions('endpoints'), { body: [staged], headers: NEXT }));
    const listed = async (query: string) => (await bodyOf(game.manage('GET', game.definitions(`endpoints?${query}`)))).data;
    const named = (items: { slug: string }[]) => items.filter(({ slug }) => slug === 'copied');
    const [copy] = named(await listed('includeStaged=true&revisionTarget=next'));
    expect(copy).toMatchObject({ revisionTarget: 'next' });
    await ok(game.manage('PUT', game.definitions('endpoints'), { body: [copy] }));
    const [live] = named(await listed('revisionTarget=live'));
    for (const name of ['revisionTarget', 'definition', 'canonicalDefinition']) expect(live).not.toHaveProperty(name);
  });

  test('ids of collections that differ in their case alone are two collections', async () => {
    const of = (id: string, type: string) => ({ id, name: id, accessMode: 'public', schema: { gold: { type } } });
    await ok(game.manage('PUT', game.definitions('collections'), { body: [of('Coins', 'string'), of('coins', 'number')] }));
    await ok(save('7656119800000210', { gold: 'a' }, 'Coins'));
    await ok(save('7656119800000210', { gold: 5 }, 'coins'));
    expect(await bodyOf(load('7656119800000210', 'Coins'))).toEqual({ gold: 'a' });
    expect(await bodyOf(load('7656119800000210', 'COINS'))).toEqual({ gold: 'a' });
  });
});
