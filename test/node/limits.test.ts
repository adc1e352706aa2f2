import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { here, newProject, printed } from './support/command-line.ts';
import { bodyOf, type Client, createClient, NEXT, ok, refused } from './support/game-client.ts';
import { eventually, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The limits in definitions, as a game meets them. Windows are years, so that none ends during a test. */

let env: { readonly DATABASE_URL: string };
let node: Node;
let game: Client;

const open = { collectionType: 'per-platformid', accessMode: 'public', allowRecordDelete: true };
const COLLECTIONS = [
  { id: 'purses', name: 'purses', ...open, schema: { gold: { type: 'number', _maxPerYear: 10, _maxPerDay: 100 }, name: 'string' } },
  { id: 'watched', name: 'watched', ...open, schema: { gold: { type: 'number' } } },
];
const NAMES = [
  {
    id: 'guilds',
    name: 'guilds',
    ...open,
    schema: { name: { type: 'string', _unique: 'caseless' }, no: { type: 'number', _unique: true } },
  },
  { id: 'nicks', name: 'nicks', ...open, schema: { nick: { type: 'string', _unique: true } } },
  {
    id: 'notes',
    name: 'notes',
    ...open,
    collectionType: 'global',
    publicAppend: true,
    schema: { slug: { type: 'string', _unique: true } },
  },
];
const RULES = [{ id: 'eye', name: 'Eye', collection: 'watched', field: 'gold', window: 'perYear', limit: 5, action: 'flag' }];
const ENDPOINTS = [
  {
    id: 'greet',
    slug: 'greet',
    name: 'Greet',
    enabled: true,
    rateLimits: { perYear: 3 },
    input: { type: 'object', properties: { no: { type: 'boolean' } } },
    steps: [{ id: 'may', type: 'condition', check: { field: 'input.no', op: 'not_exists' }, onFail: { status: 422, errorCode: 'NO' } }],
    response: { status: 200, body: { ok: true } },
  },
  {
    id: 'twice',
    slug: 'twice',
    name: 'Twice',
    enabled: true,
    steps: ['a', 'b'].map((id) => ({ id, type: 'write', collection: 'nicks', key: `{{input.${id}}}`, data: { nick: '{{input.nick}}' } })),
    response: { status: 200, body: { ok: true } },
  },
];

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env });
  game = createClient(node.url, demoCredentials(node.data));
  await ok(game.manage('PUT', game.definitions('collections'), { body: [...COLLECTIONS, ...NAMES] }));
  await ok(game.manage('PUT', game.definitions('rate-limit-rules'), { body: { rules: RULES } }));
  await ok(game.manage('PUT', game.definitions('endpoints'), { body: ENDPOINTS }));
});

afterAll(async () => {
  expect(game.statuses.filter((status) => status >= 500)).toEqual([]);
  game?.close();
  await node?.stop();
  removeFolders();
});

const call = (player: string, body: object = {}) => game.play('POST', game.endpoint('greet'), { body }, player);
const post = (path: string, body: unknown) => game.play('POST', game.storage(path), { body });
const usedBy = async (player: string) =>
  (await bodyOf(game.manage('GET', game.storage(`rate-limits?platformId=${player}`)))).used as Record<string, unknown>[];

describe('calls of an endpoint', () => {
  test('are counted for each player, whatever they come to, and refused beyond the limit of its definition', async () => {
    const [one, other] = ['76561199000000001', '76561199000000002'];
    await ok(call(one));
    expect((await call(one, { no: true })).status).toBe(422);
    await ok(call(one));
    const reply = await call(one);
    expect(reply.status).toBe(429);
    expect(reply.body).toMatchObject({ error: { code: 'RATE_LIMIT', endpoint: 'greet', window: 'perYear', limit: 3 } });
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    await ok(call(other));
  });

  test('of twenty at once, exactly as many run as the limit has left', async () => {
    const player = '76561199000000003';
    const replies = await Promise.all(Array.from({ length: 20 }, () => call(player)));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(3);
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(17);
  });
});

describe('the growth of a field', () => {
  test('that its own definition limits is refused like that of a rule, and listed under the collection', async () => {
    const key = '76561199000000004';
    await ok(post(`purses/${key}`, { gold: 6 }));
    await ok(post(`purses/${key}`, { gold: 0 }));
    expect(await refused(post(`purses/${key}`, { ops: [{ op: 'inc', path: 'gold', value: 5 }] }))).toBe('429 RATE_LIMIT');
    await ok(post(`purses/${key}`, { ops: [{ op: 'inc', path: 'gold', value: 4 }] }));
    const { collections } = await bodyOf(game.play('GET', game.storage('rate-limits')));
    expect(collections.purses.fields).toEqual({ gold: { perDay: 100, perYear: 10 } });
    expect(collections.watched).toEqual({ rateLimits: null, rateLimitAction: null });
  });
});

describe('used amounts', () => {
  test('of all rules are told to servers, with what is left and when it begins anew', async () => {
    const player = '76561199000000005';
    await ok(call(player));
    await ok(post(`purses/${player}`, { gold: 7 }));
    const nextYear = `${new Date().getUTCFullYear() + 1}-01-01T00:00:00.000Z`;
    const about = { scope: 'per_player', action: 'reject', flagged: false };
    const used = await usedBy(player);
    expect(used.find((one) => one['endpoint'] === 'greet')).toEqual({
      ...about,
      rule: 'greet',
      endpoint: 'greet',
      window: 'perYear',
      limit: 3,
      used: 1,
      remaining: 2,
      resetsAt: nextYear,
    });
    expect(used.filter((one) => one['collection'] === 'purses').map((one) => [one['field'], one['window'], one['remaining']])).toEqual([
      ['gold', 'perDay', 93],
      ['gold', 'perYear', 3],
    ]);
    expect((await usedBy('76561199000000006')).every((one) => one['used'] === 0)).toBe(true);
  });

  test('a player reads his own, and nobody else’s; without a player the answer is what it was', async () => {
    const player = '76561199000000006';
    const own = { headers: { 'x-platform-id': player } };
    expect(await refused(game.play('GET', game.storage('rate-limits?platformId=1')))).toBe('403 FORBIDDEN');
    expect(await refused(game.play('GET', game.storage('rate-limits?platformId=1'), own))).toBe('403 FORBIDDEN');
    const { used } = await bodyOf(game.play('GET', game.storage(`rate-limits?platformId=${player}`), own));
    expect(used).toEqual((await bodyOf(game.manage('GET', game.storage(`rate-limits?platformId=${player}`)))).used);
    expect(Object.keys(await bodyOf(game.manage('GET', game.storage('rate-limits'))))).toEqual([
      ...['ok', 'projectId', 'source', 'endpointRateLimits', 'rules', 'collections'],
    ]);
  });
});

describe('flags', () => {
  test('say which writes went over a rule that lets them pass, once a window, newest first', async () => {
    const [one, other] = ['76561199000000007', '76561199000000008'];
    for (const gold of [5, 9, 20]) await ok(post(`watched/${one}`, { gold }));
    await ok(post(`watched/${other}`, { gold: 6 }));
    const flags = async (query = '') => (await bodyOf(game.manage('GET', game.definitions(`flags${query}`)))).flags;
    await vi.waitFor(async () => expect(await flags()).toHaveLength(2), 60_000);
    expect(await flags()).toMatchObject([
      { collection: 'watched', key: other, rule: 'Eye', window: 'perYear', platformId: other, amount: 6, limit: 5 },
      { key: one, platformId: one, amount: 4, limit: 5 },
    ]);
    expect(await flags(`?platformId=${one}`)).toMatchObject([{ platformId: one, start: expect.any(String) }]);
    expect((await bodyOf(game.manage('GET', game.definitions('flags?limit=1')))).before).toEqual(expect.any(Number));
    expect(await refused(game.play('GET', game.definitions('flags')))).toMatch(/^40[13] /);
    const listed = JSON.parse(await printed(['flags', 'list', game.projectId, '--json', '--player', one], { env }));
    expect(listed).toMatchObject([{ rule: 'Eye', platformId: one }]);
    const metrics = await game.send('GET', '/metrics');
    expect(metrics.text).toMatch(/^savepoint_writes_flagged_total 2$/m);
  });
});

describe('unique fields', () => {
  const get = (path: string, headers = {}) => game.play('GET', game.storage(path), { headers });
  const remove = (path: string) => game.play('DELETE', game.storage(path));

  test('hold no value twice, whatever writes it, and name the field that would', async () => {
    await ok(post('guilds/g1', { name: 'Drachen', no: 1 }));
    expect((await post('guilds/g2', { name: 'drachen' })).body).toMatchObject({
      error: { code: 'UNIQUE_VIOLATION', collection: 'guilds', field: 'name' },
    });
    expect(await refused(post('guilds/g2', { ops: [{ op: 'set', path: 'no', value: 1 }] }))).toBe('409 UNIQUE_VIOLATION');
    expect(await refused(get('guilds/g2'))).toBe('404 NOT_FOUND');
    await ok(post('guilds/g1', { name: 'DRACHEN', no: 1 }));
    await ok(post('guilds/g2', { name: 'Wölfe', no: 2 }));
    await ok(post('guilds/g3', { no: 3 }));
    await ok(post('guilds/g4', { no: 4 }));
  });

  test('compare texts after Unicode NFC, and letter case only where it is not to count', async () => {
    await ok(post('nicks/n1', { nick: 'Zoë' }));
    expect(await refused(post('nicks/n2', { nick: 'Zoe\u0308' }))).toBe('409 UNIQUE_VIOLATION');
    await ok(post('nicks/n2', { nick: 'zoë' }));
    await ok(post('nicks/n3', { nick: 'STRASSE' }));
    await ok(post('guilds/s1', { name: 'Straße' }));
    expect(await refused(post('guilds/s2', { name: 'STRASSE' }))).toBe('409 UNIQUE_VIOLATION');
  });

  test('give a value free with a change and with a delete', async () => {
    await ok(post('nicks/f1', { nick: 'first' }));
    await ok(post('nicks/f1', { ops: [{ op: 'set', path: 'nick', value: 'second' }] }));
    await ok(post('nicks/f2', { nick: 'first' }));
    await ok(remove('nicks/f2'));
    await ok(post('nicks/f3', { nick: 'first' }));
    expect(await refused(post('nicks/f4', { nick: 'second' }))).toBe('409 UNIQUE_VIOLATION');
  });

  test('are exact: of twenty at once one gets the value, and one call cannot give it twice', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, (_, index) => post(`nicks/race${index}`, { nick: 'racer' })));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)]);
    const both = { a: 'twin1', b: 'twin2', nick: 'twin' };
    expect(await refused(game.play('POST', game.endpoint('twice'), { body: both }))).toBe('409 UNIQUE_VIOLATION');
    expect(await refused(get('nicks/twin1'))).toBe('404 NOT_FOUND');
    await ok(game.play('POST', game.endpoint('twice'), { body: { ...both, b: 'twin1' } }));
  });

  test('hold for appended records', async () => {
    await ok(post('notes/append', { slug: 'hello' }));
    expect(await refused(post('notes/append', { slug: 'hello' }))).toBe('409 UNIQUE_VIOLATION');
  });

  test('a staged call sees the values of live, unless it has given them up itself; live sees nothing of it', async () => {
    const staged = (path: string, body: unknown) => game.play('POST', game.storage(path), { body, headers: NEXT });
    await ok(post('nicks/l1', { nick: 'live' }));
    expect(await refused(staged('nicks/l2', { nick: 'live' }))).toBe('409 UNIQUE_VIOLATION');
    await ok(staged('nicks/l1', { nick: 'other' }));
    await ok(staged('nicks/l2', { nick: 'live' }));
    expect(await refused(staged('nicks/l3', { nick: 'live' }))).toBe('409 UNIQUE_VIOLATION');
    await ok(post('nicks/l4', { nick: 'other' }));
    expect(await refused(post('nicks/l5', { nick: 'live' }))).toBe('409 UNIQUE_VIOLATION');
  });

  test('are made of a collection only where its documents do not clash; those that are there count from then on', async () => {
    const later = (unique: boolean) => ({ id: 'later', name: 'later', ...open, schema: { tag: { type: 'string', _unique: unique } } });
    const publish = (unique: boolean) => game.manage('PUT', game.definitions('collections'), { body: [later(unique)] });
    await ok(publish(false));
    await ok(post('later/a', { tag: 'x' }));
    await ok(post('later/b', { tag: 'x' }));
    const reply = await publish(true);
    expect([reply.status, reply.body]).toMatchObject([
      409,
      { error: { code: 'UNIQUE_VIOLATION', collection: 'later', field: 'tag', documents: ['a', 'b'] } },
    ]);
    await ok(post('later/b', { tag: 'y' }));
    await ok(publish(true));
    expect(await refused(post('later/c', { tag: 'x' }))).toBe('409 UNIQUE_VIOLATION');
    await ok(publish(false));
    await ok(post('later/a', { tag: 'z' }));
    await ok(publish(true));
    await ok(post('later/c', { tag: 'x' }));
  });

  test('hold for documents that were there before an import made the field unique, and an import makes no clash', async () => {
    const tagged = (unique: boolean) => ({ id: 'tagged', name: 'tagged', ...open, schema: { tag: { type: 'string', _unique: unique } } });
    const target = createClient(node.url, await newProject(env, 'Target'));
    const save = (key: string, tag: string) => target.play('POST', target.storage(`tagged/${key}`), { body: { tag } }, key);
    const file = join(newFolder(), 'export.json');
    await ok(game.manage('PUT', game.definitions('collections'), { body: [tagged(true)] }));
    await printed(['project', 'export', game.projectId, '--out', file], { env });
    await ok(target.manage('PUT', target.definitions('collections'), { body: [tagged(false)] }));
    await ok(save('a', 'x'));
    await ok(save('b', 'x'));
    const importing = ['project', 'import', file, '--into', target.projectId];
    expect((await here(importing, { env })).stderr).toContain('Documents of tagged hold one value under "tag"');
    await ok(save('b', 'y'));
    await printed(importing, { env });
    expect(await refused(save('c', 'y'))).toBe('409 UNIQUE_VIOLATION');
    target.close();
  });
});

describe('quotas of the operator', () => {
  const set = (...quotas: readonly string[]) => printed(['project', 'quotas', game.projectId, '--set', ...quotas], { env });
  const track = () => bodyOf(post('analytics/events', { platformId: '76561199000000500', type: 'custom.thing', message: 'm' }));

  test('bound what a project holds, set from another process: what makes no more goes on, and taken back it may again', async () => {
    await ok(post('watched/76561199000000301', { gold: 1, name: 'long enough to lose something' }));
    expect(await set('documents=1')).toMatch(/documents +1 +the project/);
    let made = 400;
    const more = () => {
      made += 1;
      return post(`watched/765611990000${made}00`, { gold: 1 });
    };
    await eventually('what makes a document is refused', async () => (await more()).status === 429);
    const { error } = Object((await more()).body);
    expect(error).toMatchObject({ code: 'QUOTA_EXCEEDED', quota: 'documents', limit: 1 });
    expect(error.used).toBeGreaterThanOrEqual(1);
    await ok(post('watched/76561199000000301', { gold: 1 }));
    await ok(game.play('DELETE', game.storage('watched/76561199000000301')));
    await ok(game.manage('PUT', game.definitions('settings'), { body: { description: 'full' } }));
    const metrics = async () => (await fetch(`${node.url}/metrics`)).text();
    // They are made anew once a second, and another test may just have asked for them.
    await eventually('the refusals are counted', async () =>
      /savepoint_quota_refused_total\{quota="documents"\} [1-9]/.test(await metrics()),
    );
    await set('documents=default');
    await eventually('documents are made again', async () => (await more()).status === 200);
  });

  test('bound what players report: it is answered with 200, and not stored', async () => {
    await set('telemetryPerMinute=1');
    await eventually('an event is not stored', async () => (await track()).stored === false);
    expect([await track(), await track()]).toContainEqual({ ok: true, stored: false, reason: 'quota_exceeded' });
    // A minute may begin between two of them, but not between all.
    const beat = (player: number) => bodyOf(post(`stats/heartbeat?platformId=7656119900000050${player}`, {}));
    expect([(await beat(1)).persisted, (await beat(2)).persisted, (await beat(3)).persisted]).toContain(false);
    const lost = () =>
      bodyOf(game.play('POST', `/api/network-storage/${game.projectId}/save-failure`, { body: { collectionId: 'c', recordKey: 'k' } }));
    expect([(await lost()).recorded, (await lost()).recorded]).toContain(false);
    await set('telemetryPerMinute=default');
    await eventually('events are stored again', async () => (await track()).stored === true);
  });
});
