import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { testDatabase } from '../support/postgres.ts';
import { bodyOf, type Client, createClient, ok, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** What definitions limit, as a game meets it. Windows are years, so that none ends under a test. */

let node: Node;
let game: Client;

const open = { collectionType: 'per-platformid', accessMode: 'public', allowRecordDelete: true };
const COLLECTIONS = [
  { id: 'purses', name: 'purses', ...open, schema: { gold: { type: 'number', _maxPerYear: 10, _maxPerDay: 100 }, name: 'string' } },
  { id: 'watched', name: 'watched', ...open, schema: { gold: { type: 'number' } } },
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
];

beforeAll(async () => {
  node = await startNode(newFolder(), { env: { DATABASE_URL: await testDatabase() } });
  game = createClient(node.url, demoCredentials(node.data));
  await ok(game.manage('PUT', game.definitions('collections'), { body: COLLECTIONS }));
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

  test('are not for games; without a player the answer is what it was', async () => {
    expect(await refused(game.play('GET', game.storage('rate-limits?platformId=1')))).toBe('403 FORBIDDEN');
    expect(Object.keys(await bodyOf(game.manage('GET', game.storage('rate-limits'))))).toEqual([
      ...['ok', 'projectId', 'source', 'endpointRateLimits', 'rules', 'collections'],
    ]);
  });
});
