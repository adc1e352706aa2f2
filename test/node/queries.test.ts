import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { here } from './support/command-line.ts';
import { type Client, createClient, NEXT, ok, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** Queries over HTTP. */

let node: Node;
let game: Client;
let databaseUrl: string;

const player = { collectionType: 'per-platformid', accessMode: 'public' };
const COLLECTIONS = [
  { id: 'heroes', name: 'Heroes', ...player, schema: { xp: { type: 'number', default: 1 }, clan: { type: 'string' } } },
  { id: 'clans', name: 'Clans', collectionType: 'global', accessMode: 'public', schema: {} },
  { id: 'hot', name: 'Hot', ...player, schema: {} },
  { id: 'seen', name: 'Seen', ...player, schema: {} },
  { id: 'deep', name: 'Deep', ...player, schema: {} },
];
const heroes = [{ collectionId: 'heroes' }];
const PROFILE = ['playerProfile.playerName', 'playerProfile.isOnline', 'playerProfile.sessionCount'];
const QUERIES = [
  { id: 'top', name: 'Top', type: 'leaderboard', sources: heroes, config: { field: 'xp', fieldLabel: 'XP', order: 'desc', limit: 5 } },
  {
    id: 'typeless',
    name: 'Typeless',
    sources: heroes,
    config: { field: 'xp', columns: ['clan', { key: 'twice', expression: '{{xp}} * 2' }] },
  },
  { id: 'least-first', name: 'Least first', sources: heroes, config: { field: 'xp', order: 'asc' } },
  { id: 'many', name: 'Many', type: 'count', sources: heroes },
  { id: 'strong', name: 'Strong', type: 'count', sources: heroes, config: { field: 'xp', condition: 'gte', conditionValue: '30' } },
  { id: 'all', name: 'All', type: 'sum', sources: heroes, config: { field: 'xp' } },
  { id: 'mean', name: 'Mean', type: 'average', sources: heroes, config: { field: 'xp' } },
  { id: 'least', name: 'Least', type: 'min', sources: heroes, config: { field: 'xp' } },
  { id: 'most', name: 'Most', type: 'max', sources: heroes, config: { field: 'xp' } },
  { id: 'worth', name: 'Worth', sources: heroes, config: { valueExpression: '{{xp}} * 10', limit: 3, columns: ['xp'] } },
  {
    id: 'clan-top',
    name: 'Clan top',
    sources: [
      { collectionId: 'heroes', alias: 'hero' },
      { collectionId: 'clans', alias: 'clan', join: { left: 'clan', type: 'inner' } },
    ],
    config: { field: 'hero.xp', columns: ['hero.xp', 'clan.title'] },
  },
  { id: 'who', name: 'Who', sources: [{ collectionId: 'seen' }], config: { field: 'xp', limit: 2, fields: PROFILE } },
  {
    id: 'regulars',
    name: 'Regulars',
    sources: [{ collectionId: 'seen' }],
    config: { field: 'playerProfile.sessionCount', fields: PROFILE },
  },
  { id: 'brief', name: 'Brief', type: 'count', sources: heroes, cache: { ttlSeconds: 1 } },
  { id: 'deep-sum', name: 'Deep sum', type: 'sum', sources: [{ collectionId: 'deep' }], config: { field: 'n' } },
  { id: 'deep-top', name: 'Deep top', sources: [{ collectionId: 'deep' }], config: { field: 'n' } },
  { id: 'nowhere', name: 'Nowhere', type: 'count', sources: [{ collectionId: 'gone' }] },
  { id: 'nobody', name: 'Nobody', sources: [{ collectionId: 'gone' }], config: { field: 'xp' } },
  { id: 'odd', name: 'Odd', type: 'median', sources: heroes, config: { field: 'xp' } },
  { id: 'sourceless', name: 'Sourceless', type: 'count', sources: [] },
  { id: 'secret', name: 'Secret', type: 'count', requiresSecretKey: true, sources: heroes },
  { id: 'hot-sum', name: 'Hot sum', type: 'sum', sources: [{ collectionId: 'hot' }], config: { field: 'n' } },
];

beforeAll(async () => {
  const data = newFolder();
  databaseUrl = await migratedDatabase();
  node = await startNode(data, { env: { DATABASE_URL: databaseUrl, LIMIT_BODY_DEPTH: '300' } });
  game = createClient(node.url, demoCredentials(data));
  const push = (route: string, body: unknown) => ok(game.manage('POST', game.definitions(route), { body }));
  await push('collections', COLLECTIONS);
  await push('queries', QUERIES);
  for (let n = 0; n < 10; n++)
    await ok(game.play('POST', game.storage(`heroes/p${n}`), { body: { xp: n * 5, clan: n % 2 === 0 ? 'red' : 'none' } }));
  await ok(game.play('POST', game.storage('heroes/plain'), { body: {} }));
  await ok(game.play('POST', game.storage('heroes/text'), { body: { xp: null } }));
  await ok(game.play('POST', game.storage('clans/red'), { body: { title: 'Red' } }));
});

afterAll(async () => {
  game?.close();
  await node?.stop();
  removeFolders();
});

const path = (query: string, prefix = '/v3/queries') => `${prefix}/${game.projectId}/${query}`;
const run = async (query: string, headers = {}) => Object((await ok(game.play('GET', path(query), { headers }, null))).body);
const keysOf = (answer: { entries: { rank: number; key: string }[] }) => answer.entries.map(({ rank, key }) => `${rank} ${key}`);

describe('a query', () => {
  test('answers with its definition, its times and its work', async () => {
    const answer = await run('top');
    expect(answer).toMatchObject({
      ok: true,
      query: 'Top',
      queryId: 'top',
      queryName: 'Top',
      ttl: 300,
      type: 'leaderboard',
      field: 'xp',
      fieldLabel: 'XP',
      outputFields: [],
      columns: [],
      count: 5,
      total: 11,
      performance: { sources: [{ collectionId: 'heroes', name: 'Heroes', alias: 'Heroes' }], computedFields: null, computedErrors: null },
    });
    for (const at of [answer.generatedAt, answer.lastran, answer.updatedAt, answer.performance.at])
      expect(at).toMatch(/^\d{4}-.*\.\d{3}Z$/);
    expect(answer.entries[0]).toEqual({ rank: 1, key: 'p9', value: 45, data: { xp: 45, clan: 'none' }, outputValues: {} });
  });

  test.each<[string, object]>([
    ['many', { type: 'count', count: 12 }],
    ['strong', { count: 4 }],
    ['all', { sum: 226, counted: 11, field: 'xp', fieldLabel: 'xp' }],
    ['mean', { average: 226 / 11, counted: 11 }],
    ['least', { value: 0, key: 'p0', counted: 11 }],
    ['most', { value: 45, key: 'p9', counted: 11 }],
    ['nowhere', { count: 0 }],
    ['nobody', { type: 'leaderboard', count: 0, total: 0, entries: [] }],
  ])('%s', async (query, expected) => {
    expect(await run(query)).toMatchObject({ ok: true, queryId: query, ...expected });
  });

  test('without a type is a leaderboard; documents that lack the field stand by its default, and show it', async () => {
    const answer = await run('typeless');
    expect(keysOf(answer).slice(-2)).toEqual(['10 plain', '11 p0']);
    expect(answer.entries[9]).toMatchObject({ value: 1, data: { twice: 2 }, outputValues: { clan: null, twice: 2 } });
  });

  test('goes by documents as they are stored where the project has them served so', async () => {
    const served = (fillDefaults: boolean) => game.manage('PUT', game.definitions('settings'), { body: { fillDefaults } });
    const standing = async () => Object((await ok(game.play('GET', `${path('top')}?platformId=plain`, {}, null))).body);
    expect(await standing()).toMatchObject({ total: 11, player: { value: 1 } });
    await ok(served(false));
    expect(await standing()).toMatchObject({ total: 10, player: null });
    await ok(served(true));
  });

  test('runs expressions and joins', async () => {
    expect((await run('worth')).entries.map(({ value, data }: { value: number; data: object }) => [value, data])).toEqual([
      [450, { xp: 45 }],
      [400, { xp: 40 }],
      [350, { xp: 35 }],
    ]);
    const clans = await run('clan-top');
    expect(clans.entries).toHaveLength(5);
    expect(clans.entries[0]).toMatchObject({ key: 'p8', value: 40, data: { hero: { xp: 40 }, clan: { title: 'Red' } } });
  });

  test('shows who is there, as players told by heartbeats, out of a board and out of a scan', async () => {
    const [ada, bo] = ['76561198000000001', '76561198000000002'];
    await ok(game.play('POST', game.storage(`seen/${ada}`), { body: { xp: 2, name: 'not this' } }));
    await ok(game.play('POST', game.storage(`seen/${bo}_slot`), { body: { xp: 1, name: 'Bo' } }));
    const beat = { platformId: ada, event: 'join', sessionId: 's', playerName: 'Ada' };
    await ok(game.play('POST', game.storage('stats/heartbeat'), { body: beat }));
    const live = async (query: string) => Object((await ok(game.manage('GET', `${path(query)}?fresh=1`))).body).entries;
    // Telemetry is projected after the answer.
    await expect.poll(() => live('regulars')).toHaveLength(1);
    const profile = { playerName: 'Ada', isOnline: true, sessionCount: 1 };
    expect(await live('regulars')).toMatchObject([{ key: ada, value: 1, data: { playerProfile: profile } }]);
    expect(await live('who')).toMatchObject([
      { key: ada, value: 2, data: { playerProfile: profile } },
      { key: `${bo}_slot`, value: 1, data: { playerProfile: { playerName: 'Bo' } }, outputValues: { 'playerProfile.isOnline': null } },
    ]);
    // Also when it is not asked for as live, although no document changes.
    await run('regulars');
    await ok(game.play('POST', game.storage('stats/heartbeat'), { body: { ...beat, event: 'leave' } }));
    const isOnline = async () => (await run('regulars')).entries[0].data.playerProfile.isOnline;
    await expect.poll(isOnline).toBe(false);
  });

  test('reads documents as deep as bodies may be', async () => {
    await ok(game.play('POST', game.storage('deep/p1'), { raw: `{"n":5,"nest":${'['.repeat(299)}${']'.repeat(299)}}` }));
    expect(await run('deep-sum')).toMatchObject({ sum: 5, counted: 1 });
    expect((await run('deep-top')).entries).toMatchObject([{ key: 'p1', value: 5 }]);
  });

  test('is refused as documented', async () => {
    const get = (query: string, headers = {}) => refused(game.play('GET', path(query), { headers }, null));
    expect(await get('odd')).toBe('500 QUERY_FAILED');
    expect(await get('sourceless')).toBe('500 QUERY_FAILED');
    expect(await get('missing')).toBe('404 NOT_FOUND');
    expect(await get('secret')).toBe('401 SECRET_KEY_REQUIRED');
    expect(await get('missing', { 'x-secret-key': 'wrong' })).toBe('401 SECRET_KEY_INVALID');
    expect(await refused(game.send('GET', path('top')))).toBe('401 UNAUTHORIZED');
    const dedicated = { 'x-api-key': game.secretKey };
    await ok(game.send('GET', `${path('secret')}?apiKey=${game.publicKey}&secret-key=1`, { headers: dedicated }));
    await ok(game.play('GET', path('secret'), { headers: { 'x-secret-key': game.secretKey } }, null));
    await ok(game.send('GET', path('secret'), { headers: { ...dedicated, 'x-secret-key': 'wrong' } }));
  });

  test('is found under its old addresses, and needs no parameter that it does not know', async () => {
    for (const old of [path('top', '/v1/queries'), `/api/storage/${game.projectId}/queries/top`]) {
      await ok(game.play('GET', `${old}?revisionTarget=next&includeStaged=true&v=17`, {}, null));
    }
  });

  test('that is asked live says so, and one out of the cache, too', async () => {
    const live = await ok(game.manage('GET', `${path('many')}?fresh=1`));
    expect([live.headers['cache-control'], Object(live.body).fromCache]).toEqual(['no-store, max-age=0', undefined]);
    await run('many');
    const kept = await ok(game.play('GET', path('many'), {}, null));
    expect(kept.headers['cache-control']).toBe('no-store, max-age=0');
    // A run for each request is only for servers. Players share the kept result, whatever they ask for.
    expect(Object((await ok(game.play('GET', `${path('many')}?fresh=1`, {}, null))).body).fromCache).toBe(true);
    expect(Object((await ok(game.manage('GET', `${path('many')}?fresh=1`))).body).fromCache).toBeUndefined();
    expect(kept.body).toMatchObject({
      fromCache: true,
      cachedAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
      count: 12,
    });
  });

  test('is not given again after the time that it said', async () => {
    await run('brief');
    const { cachedAt, expiresAt } = await run('brief');
    expect(Date.parse(expiresAt) - Date.parse(cachedAt)).toBe(2000);
    await expect.poll(async () => (await run('brief')).fromCache).toBeUndefined();
  });
});

describe('a leaderboard', () => {
  test('gives pages within its limit', async () => {
    expect(keysOf(await run('top?limit=2&offset=1'))).toEqual(['2 p8', '3 p7']);
    expect(keysOf(await run('top?limit=100&offset=4'))).toEqual(['5 p5']);
    expect(keysOf(await run('top?offset=5'))).toEqual([]);
    expect(keysOf(await run('top?offset=9999999999'))).toEqual([]);
    expect(keysOf(await run(`top?limit=${'9'.repeat(400)}`))).toHaveLength(5);
    for (const asked of ['limit=x', 'limit=-1', 'limit=0', 'limit=1.5', 'offset=x', 'offset=-1', 'around=1', 'platformId=p1&around=x'])
      expect([asked, await refused(game.play('GET', path(`top?${asked}`), {}, null))]).toEqual([asked, '400 INVALID_REQUEST']);
  });

  test.each(['top', 'worth'])('%s tells where a player stands, and who is around, however far down', async (query) => {
    const { player: me, entries } = await run(`${query}?platformId=p1`);
    expect([me.rank, me.key, entries[0].rank]).toEqual([9, 'p1', 1]);
    expect(keysOf(await run(`${query}?platformId=p1&around=1`))).toEqual(['8 p2', '9 p1', '10 plain']);
    expect(keysOf(await run(`${query}?platformId=p9&around=1`))).toEqual(['1 p9', '2 p8']);
    // At most the definition's limit in all.
    expect((await run(`${query}?platformId=p5&around=400`)).entries).toHaveLength(query === 'top' ? 5 : 3);
    expect(await run(`${query}?platformId=nobody`)).toMatchObject({ player: null });
    expect(await run(`${query}?platformId=nobody&around=2`)).toMatchObject({ player: null, entries: [], count: 0 });
    expect(await run(`${query}?steamId=p1`)).toMatchObject({ player: { rank: 9 } });
    expect(await refused(game.play('GET', path(`${query}?platformId=a%2Fb`), {}, null))).toBe('400 INVALID_PLATFORMID');
  });

  test('of a staged call shows what staged calls wrote', async () => {
    await ok(game.play('POST', game.storage('heroes/p0'), { body: { xp: 1000 }, headers: NEXT }));
    expect(keysOf(await run('top?limit=1', NEXT))).toEqual(['1 p0']);
    expect(await run('top?platformId=p9', NEXT)).toMatchObject({ player: { rank: 2 } });
    expect(await run('most', NEXT)).toMatchObject({ value: 1000, key: 'p0' });
    expect(await run('most')).toMatchObject({ value: 45, key: 'p9' });
  });

  test('of a live call does not count by a default that is only staged', async () => {
    const staged = { id: 'heroes', schema: { xp: { type: 'number', default: 5000 }, clan: { type: 'string' } } };
    await ok(game.manage('PATCH', game.definitions('collections'), { body: staged, headers: NEXT }));
    expect(keysOf(await run('top?limit=1', NEXT))).toEqual(['1 plain']);
    expect(await run('top?platformId=plain', NEXT)).toMatchObject({ player: { rank: 1, value: 5000 } });
    expect(keysOf(await run('top?limit=1'))).toEqual(['1 p9']);
    expect(await run('top?platformId=plain')).toMatchObject({ player: { rank: 10, value: 1 } });
  });
});

test('a leaderboard that is being filled says so, and how far it is, until it is complete', async () => {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await run('least-first');
    // The state in which a publish over many documents leaves it to the projector. The projector does not know this board and does nothing.
    await database.query(`UPDATE savepoint.leaderboard_queries SET board = '~' || board WHERE query = 'least-first'`);
    await database.query(
      `INSERT INTO savepoint.leaderboard_fills (project, board, phase, space, key, done, total)
       SELECT project, board, 'rows', 'live', 'p3', 3, 12 FROM savepoint.leaderboard_queries WHERE query = 'least-first'`,
    );
    for (const asked of ['least-first?limit=2', 'least-first?limit=3&platformId=p1']) {
      const reply = await game.play('GET', path(asked), {}, null);
      expect([reply.status, reply.headers['retry-after']]).toEqual([503, '5']);
      expect(reply.body).toMatchObject({ ok: false, error: { code: 'BUILDING', details: { fraction: 0.245 } } });
    }
    const listed = Object((await ok(game.manage('GET', game.definitions('queries')))).body);
    expect(listed.building).toEqual([{ id: 'least-first', fraction: 0.245 }]);
    const { stdout } = await here(['doctor', '--json'], { env: { DATABASE_URL: databaseUrl, SAVEPOINT_DATA: newFolder() } });
    const { findings }: { findings: readonly { what: string; found: string }[] } = JSON.parse(stdout);
    expect(findings.find(({ what }) => what === 'leaderboards and lists')?.found).toContain(`least-first of ${game.projectId} (24 %)`);
    const list = `UPDATE savepoint.record_lists SET phase = $1, done = 3, total = 12 WHERE collection = 'clans'`;
    await database.query(list, ['rows']);
    const reply = await game.play('GET', game.storage('clans/list'), {}, null);
    expect([reply.status, reply.headers['retry-after']]).toEqual([503, '5']);
    expect(reply.body).toMatchObject({ ok: false, error: { code: 'BUILDING', details: { fraction: 0.25 } } });
    expect(Object((await ok(game.manage('GET', game.definitions('collections')))).body).building).toEqual([
      { id: 'clans', fraction: 0.25 },
    ]);
    await database.query(list, ['complete']);
    await ok(game.play('GET', game.storage('clans/list'), {}, null));
    await database.query('DELETE FROM savepoint.leaderboard_fills');
    await database.query(`UPDATE savepoint.leaderboard_queries SET board = substr(board, 2) WHERE query = 'least-first'`);
    expect(keysOf(await run('least-first?limit=2'))).toEqual(['1 p0', '2 plain']);
    expect(Object((await ok(game.manage('GET', game.definitions('queries')))).body).building).toBeUndefined();
  } finally {
    await database.end();
  }
});

test('a write shows at once in every kind of query, however often it was asked before', async () => {
  let sum = 0;
  for (let n = 1; n <= 20; n++) {
    await ok(game.play('POST', game.storage(`hot/h${n % 4}`), { body: { ops: [{ op: 'inc', path: 'n', value: n }] } }));
    sum += n;
    expect([n, (await run('hot-sum')).sum]).toEqual([n, sum]);
    expect((await run('hot-sum')).fromCache).toBe(true);
  }
});
