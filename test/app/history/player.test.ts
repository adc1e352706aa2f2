import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isObject, type JsonObject } from '../../../src/kernel/json.ts';
import { listOf, objectOf } from '../../../src/kernel/json-read.ts';
import { newApiKey, printed } from '../../node/support/command-line.ts';
import { bodyOf, ok, refused } from '../../node/support/game-client.ts';
import { type Opened, openNode, proofOf, session, settings } from '../security/support.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** One player on one page, over HTTP and on the command line. */

/** The id of the one begins like that of the other. */
const ADA = '7000';
const ADAM = '70001';

let opened: Opened;
/** Keys with `players`: one that may see everything, and one with nothing else. */
let wholeKey: string;
let narrowKey: string;
let guest: string;
/** Revisions: of what ada had at first, and of what came after. */
let first: number;

const as = (player: string) => ({ headers: { 'x-platform-id': player } });
const pageBy = (key: string, player: string, query = '') =>
  opened.game.manage('GET', `/v3/manage/${opened.game.projectId}/players/${player}${query}`, { headers: { 'x-api-key': key } });
const page = async (player: string, query = ''): Promise<JsonObject> => objectOf(await bodyOf(pageBy(wholeKey, player, query)));
const items = (shown: JsonObject, part: string) => listOf(objectOf(shown[part])['items']).map((item) => objectOf(item));
const write = async (path: string, body: JsonObject, player: string) =>
  Number((await ok(opened.game.play('POST', opened.game.storage(path), { body, ...as(player) }))).headers['x-ns-position']);

beforeAll(async () => {
  opened = await openNode();
  const { game } = opened;
  const env = { DATABASE_URL: opened.databaseUrl };
  const all = { players: 'r', history: 'r', collections: 'rwx', queries: 'rwx', rate_limits: 'r' };
  wholeKey = await newApiKey(env, game.projectId, all);
  narrowKey = await newApiKey(env, game.projectId, { players: 'r' });
  await settings(game, { enableAuthSessions: true, guestSignIn: true });
  const gold = { type: 'number', _ledger: true, _currency: 'gold', default: 0 };
  const purses = {
    name: 'purses',
    accessMode: 'public',
    maxRecords: 6,
    allowRecordDelete: true,
    schema: {
      name: { type: 'string', default: 'nobody' },
      gold,
      gems: { type: 'object', additionalProperties: { type: 'number', _ledger: true } },
    },
  };
  const news = { name: 'news', collectionType: 'global', accessMode: 'public', schema: { text: { type: 'string' } } };
  await ok(game.manage('POST', game.definitions('collections'), { body: [purses, news] }));
  const rule = { id: 'greed', collection: 'purses', field: 'gold', scope: 'per_player', window: 'perDay', limit: 5, action: 'flag' };
  await ok(game.manage('PUT', game.definitions('rate-limit-rules'), { body: { rules: [rule] } }));
  const board = (id: string, filter: object) => ({
    id,
    type: 'leaderboard',
    sources: [{ collectionId: 'purses' }],
    config: { field: 'gold', ...filter },
  });
  const scanned = { expression: '{{gold}}' };
  await ok(game.manage('POST', game.definitions('queries'), { body: [board('rich', {}), board('computed', scanned)] }));
  first = await write(`purses/${ADA}`, { gold: 3, gems: { ruby: 2 } }, ADA);
  await write(`purses/${ADAM}`, { gold: 1 }, ADAM);
  await write(`purses/${ADA}`, { ops: [{ op: 'inc', path: 'gold', value: 9 }] }, ADA);
  await write(`news/${ADA}`, { text: 'of the world' }, ADA);
  const { recordId } = await bodyOf(
    game.play('POST', game.storage(`purses/${ADA}/records`), { body: { recordName: 'hard mode' }, ...as(ADA) }),
  );
  await write(`purses/${ADA}_${recordId}`, { gold: 1 }, ADA);
  await ok(session(game, 'create', proofOf(ADA)));
  await ok(session(game, 'create', proofOf(ADAM)));
  const device = { 'x-platform-token': `ns_guest_${'A'.repeat(42)}E` };
  guest = (
    await bodyOf(game.send('POST', `/v3/guests/${game.projectId}/register`, { headers: { 'x-public-key': game.publicKey, ...device } }))
  ).player;
  const heartbeat = { platformId: ADA, playerName: 'Ada', event: 'join', sessionId: 's1' };
  await ok(game.play('POST', game.storage('stats/heartbeat'), { body: heartbeat }));
  await game.play('POST', game.endpoint('nothing'), { body: {}, ...as(ADA) });
});

afterAll(() => opened?.close());

test('players are named by their ids, as far as the game reports a name', async () => {
  const named = (query: string) =>
    opened.game.manage('GET', `/v3/manage/${opened.game.projectId}/players${query}`, { headers: { 'x-api-key': narrowKey } });
  await vi.waitFor(async () => {
    const { body } = await named(`?ids=${ADAM},${ADA},${ADA}`);
    expect(body).toMatchObject({ more: false, players: [{ platformId: ADA, name: 'Ada', online: true }] });
  }, 60_000);
  const ids = (count: number) => Array.from({ length: count }, (_, place) => `p${place}`).join(',');
  expect((await named(`?ids=${ids(100)}`)).body).toMatchObject({ players: [] });
  for (const wrong of [`?ids=${ids(101)}`, '?ids=,', '?ids=live/7', `?ids=${ADA}&name=Ada`, ''])
    expect((await named(wrong)).status).toBe(400);
});

describe('the page of a player', () => {
  test('shows what he has, and nothing of whose id begins the same', async () => {
    await vi.waitFor(async () => expect(items(await page(ADA), 'documents')).toHaveLength(2), { timeout: 60_000 });
    const shown = await page(ADA);
    expect(items(shown, 'documents')).toMatchObject([
      { collection: 'purses', key: ADA, version: 2, document: { gold: 12, name: 'nobody', gems: { ruby: 2 } } },
      { collection: 'purses', key: expect.stringMatching(new RegExp(`^${ADA}_`)), version: 1 },
    ]);
    expect(items(shown, 'balances')).toMatchObject([
      { key: ADA, field: 'gold', currency: 'gold', amount: 12 },
      { key: ADA, field: 'gems.ruby', amount: 2 },
      { key: expect.stringMatching(new RegExp(`^${ADA}_`)), field: 'gold', amount: 1 },
    ]);
    expect(items(shown, 'slots')).toMatchObject([{ collection: 'purses', recordName: 'hard mode' }]);
    expect(JSON.stringify(shown)).not.toContain(ADAM);
    expect(shown['leftOut']).toEqual([]);
  });

  test('shows sessions, limits, flags, boards with rank, calls, refusals and reports', async () => {
    await vi.waitFor(async () => expect(items(await page(ADA), 'reports')).toMatchObject([{ type: 'session.join' }]), {
      timeout: 60_000,
    });
    const shown = await page(ADA);
    expect(shown['profile']).toMatchObject({ name: 'Ada', online: true, playSessions: 1 });
    expect(items(shown, 'sessions')).toMatchObject([{ id: expect.stringMatching(/^[0-9a-f]{32}$/), revokedAt: null }]);
    expect(items(shown, 'windows')).toMatchObject([{ rule: 'greed', used: 13, limit: 5, flagged: true }]);
    expect(items(shown, 'flags')).toMatchObject([{ rule: 'greed', platformId: ADA }]);
    expect(items(shown, 'boards')).toMatchObject([
      { query: 'computed', rank: null, scanned: true },
      { query: 'rich', rank: 1, value: 12, total: 3 },
    ]);
    expect(items(shown, 'refusals')).toMatchObject([{ code: 'ENDPOINT_NOT_FOUND', platformId: ADA }]);
    expect(items(shown, 'calls').map(({ requestId }) => requestId)).toContain(items(shown, 'refusals')[0]?.['requestId']);
    expect(shown['guest']).toBeNull();
  });

  test('names routes that answer', async () => {
    const links = linksIn(await page(ADA)).filter((path) => !path.endsWith('/restore'));
    expect(links.length).toBeGreaterThan(15);
    for (const path of new Set(links)) await ok(opened.game.manage('GET', path, { headers: { 'x-api-key': wholeKey } }));
  });

  test('goes on in pages, part by part', async () => {
    const one = await page(ADA, '?part=documents&limit=1');
    expect(items(one, 'documents')).toMatchObject([{ key: ADA }]);
    expect(Object.keys(one)).not.toContain('sessions');
    const path = String(objectOf(one['documents'])['more']);
    const two = objectOf(await bodyOf(opened.game.manage('GET', path, { headers: { 'x-api-key': wholeKey } })));
    expect(items(two, 'documents')).toMatchObject([{ key: expect.stringMatching(new RegExp(`^${ADA}_`)) }]);
    expect(objectOf(two['documents'])['more']).toBeUndefined();
    expect(await refused(pageBy(wholeKey, ADA, '?after=x'))).toBe('400 INVALID_REQUEST');
    for (const part of ['documents', 'sessions', 'reports'])
      expect(await refused(pageBy(wholeKey, ADA, `?part=${part}&after=*`))).toBe('400 INVALID_REQUEST');
  });

  test('of large documents as many are whole as there is room for; the others are named', async () => {
    const keys = ['9000', '9000_2', '9000_3', '9000_4', '9000_5'];
    const body = { name: 'x'.repeat(60_000) };
    for (const key of keys) await ok(opened.game.manage('POST', opened.game.storage(`purses/${key}`), { body }));
    const documents = async () => items(await page('9000', '?part=documents'), 'documents');
    await vi.waitFor(async () => expect(await documents()).toHaveLength(keys.length), { timeout: 60_000 });
    const shown = await documents();
    expect(shown.map((item) => item['key'])).toEqual(keys);
    expect(shown.map((item) => 'document' in item)).toEqual([true, true, true, true, false]);
  });

  test('as of a moment shows what he had, and says what is of now alone', async () => {
    const shown = await page(ADA, `?at=${first}`);
    expect(shown['at']).toMatchObject({ revision: expect.any(Number) });
    expect(items(shown, 'documents')).toMatchObject([{ key: ADA, version: 1, document: { gold: 3 } }]);
    expect(items(shown, 'balances')).toMatchObject([
      { field: 'gold', amount: 3 },
      { field: 'gems.ruby', amount: 2 },
    ]);
    expect(items(shown, 'slots')).toEqual([]);
    const leftOut = listOf(shown['leftOut']).map((left) => objectOf(left)['part']);
    expect(leftOut).toEqual(['profile', 'sessions', 'guest', 'windows', 'flags', 'boards', 'calls', 'reports']);
    expect(await refused(pageBy(narrowKey, ADA, `?at=${first}`))).toBe('403 FORBIDDEN');
  });

  test('leaves out what the key may not see, and says so', async () => {
    const shown = objectOf(await bodyOf(pageBy(narrowKey, ADA)));
    expect(shown['leftOut']).toEqual([
      { part: 'documents', why: 'The key does not have x access to collections' },
      { part: 'slots', why: 'The key does not have x access to collections' },
      { part: 'flags', why: 'The key does not have r access to rate_limits' },
      { part: 'boards', why: 'The key does not have x access to queries' },
    ]);
    expect(JSON.stringify(shown)).not.toContain('ruby');
    expect(await refused(opened.game.manage('GET', `/v3/manage/${opened.game.projectId}/players/ada`))).toBe('403 FORBIDDEN');
  });

  test('of a guest has its devices; of nobody there is none', async () => {
    expect((await page(guest))['guest']).toMatchObject({ devices: [{ id: expect.any(String) }], account: null });
    expect(await refused(pageBy(wholeKey, 'never-heard-of'))).toBe('404 NOT_FOUND');
  });

  test('says what he is called: as the game reported, else as a document says it, then too, and never by a personal field', async () => {
    const { game } = opened;
    const schema = { nickname: { type: 'string', _personal: true }, tag: { type: 'string', _unique: true }, note: { type: 'string' } };
    await ok(game.manage('POST', game.definitions('collections'), { body: [{ name: 'cards', accessMode: 'public', schema }] }));
    const named = async (player: string, query = '') => (await page(player, `?part=name${query}`))['name'];
    expect(await named(ADA)).toEqual({ text: 'Ada' });
    await write('cards/7300', { nickname: 'Di', note: 'new' }, '7300');
    expect(await named('7300')).toBeNull();
    await write('cards/7300', { nickname: 'Di', tag: 'di#1' }, '7300');
    expect(await named('7300')).toEqual({ text: 'di#1', collection: 'cards', field: 'tag' });
    const then = await write('purses/7300', { name: 'Dido' }, '7300');
    await write('purses/7300', { name: 'Diana' }, '7300');
    expect((await page('7300'))['name']).toEqual({ text: 'Diana', collection: 'purses', field: 'name' });
    expect(await named('7300', `&at=${then}`)).toEqual({ text: 'Dido', collection: 'purses', field: 'name' });
    expect(objectOf(await bodyOf(pageBy(narrowKey, '7300', '?part=name')))['name']).toBeNull();
  });

  test('is a command, too', async () => {
    const { url, projectId } = opened.game;
    const env = { SAVEPOINT_URL: url, SAVEPOINT_PROJECT: projectId, SAVEPOINT_SECRET_KEY: wholeKey };
    const said = await printed(['player', 'show', ADA], { env });
    for (const text of [`${ADA}  Ada  online`, 'gems.ruby', 'hard mode', 'greed', 'rich', 'ENDPOINT_NOT_FOUND', 'session.join'])
      expect(said).toContain(text);
    const past = await printed(['player', 'show', ADA, '--at', String(first)], { env });
    expect(past).toContain('{"gold":3');
    expect(past).toContain('Not shown: sessions. It is of now alone');
    const json = JSON.parse(await printed(['player', 'show', ADA, '--json'], { env }));
    expect(json).toMatchObject({ ok: true, player: ADA });
  });
});

describe('what happened to a player', () => {
  const line = async (player: string, query = '', key = wholeKey): Promise<JsonObject> =>
    objectOf(await bodyOf(pageBy(key, player, `/timeline${query}`)));
  /** Each as a word: what it was. */
  const told = (shown: JsonObject) =>
    listOf(shown['items']).map((each) => {
      const { commit, call, report } = objectOf(each);
      return String(objectOf(commit ?? call ?? report)[commit === undefined ? (call === undefined ? 'type' : 'code') : 'cause']);
    });
  const CY = '7100';

  beforeAll(async () => {
    const { game } = opened;
    const join = { platformId: CY, event: 'join', sessionId: 's2' };
    const crash = { type: 'crash', severity: 'error', message: 'The bag is null', platformId: CY };
    const deeds = [
      () => write(`purses/${CY}`, { gold: 3, name: 'Cy' }, CY),
      () => game.play('POST', game.endpoint('nothing'), { body: {}, ...as(CY) }),
      () => ok(game.play('POST', game.storage('stats/heartbeat'), { body: join })),
      () => write(`purses/${CY}`, { ops: [{ op: 'set', path: 'name', value: 'Cyd' }] }, CY),
      () => ok(game.play('POST', game.storage('analytics/events'), { body: crash })),
      () => game.play('GET', game.storage(`no-such/${CY}`), as(CY)),
      () => ok(session(game, 'create', proofOf(CY))),
    ];
    for (const deed of deeds) {
      await deed();
      // Of one millisecond, commits stand first.
      await sleep(2);
    }
    await vi.waitFor(async () => expect(told(await line(CY))).toHaveLength(7), { timeout: 60_000 });
  });

  test('is one list by time: commits, requests that were refused, what games reported', async () => {
    const whole = await line(CY);
    expect(told(whole)).toEqual([
      ...['session.create', 'NOT_FOUND', 'error.reported', 'document.write'],
      ...['session.join', 'ENDPOINT_NOT_FOUND', 'document.write'],
    ]);
    expect(whole).toMatchObject({ player: CY, before: null, reached: null, leftOut: [] });
    const times = listOf(whole['items']).map((each) => String(objectOf(each)['at']));
    expect(times).toEqual(times.toSorted().toReversed());
  });

  test('goes on in pages without gaps and doubles, whatever comes meanwhile', async () => {
    const whole = listOf((await line(CY))['items']);
    for (const limit of [1, 2, 3]) {
      const found: unknown[] = [];
      for (let before: string | null = ''; before !== null; ) {
        const page = await line(CY, `?limit=${limit}${before === '' ? '' : `&before=${encodeURIComponent(before)}`}`);
        found.push(...listOf(page['items']));
        before = page['before'] === null ? null : String(page['before']);
        if (found.length === limit) await write(`purses/${ADAM}`, { gold: 1 }, ADAM);
      }
      expect(found).toEqual(whole);
    }
    expect(await refused(pageBy(wholeKey, CY, '/timeline?before=7'))).toBe('400 INVALID_REQUEST');
  });

  test('is narrowed to what somebody looks for', async () => {
    const of = async (query: string) => told(await line(CY, `?${query}`));
    expect(await of('what=changes')).toEqual(['document.write', 'document.write']);
    expect(await of('what=coins')).toEqual(['document.write']);
    expect(await of('what=calls')).toEqual(['ENDPOINT_NOT_FOUND']);
    expect(await of('what=refused')).toEqual(['NOT_FOUND', 'ENDPOINT_NOT_FOUND']);
    expect(await of('what=sessions')).toEqual(['session.create', 'session.join']);
    expect(await of('what=reports')).toEqual(['error.reported', 'session.join']);
    for (const what of ['buttons', 'grants', 'corrections']) expect(await of(`what=${what}`)).toEqual([]);
    expect(await of('endpoint=nothing')).toEqual(['ENDPOINT_NOT_FOUND']);
    expect(await of('field=name')).toEqual(['document.write', 'document.write']);
    expect(await of('field=gold')).toEqual(['document.write']);
    expect(await of('field=name&limit=1')).toEqual(['document.write']);
    for (const query of ['field=axe', 'field=gold.deep', 'field=gol', 'field=name&what=refused', 'field=name&what=grants'])
      expect(await of(query)).toEqual([]);
  });

  test('is told between two moments, revisions or times, of requests and reports, too', async () => {
    const items = listOf((await line(CY))['items']).map((each) => objectOf(each));
    const [newest, , , second, , , oldest] = items;
    const revision = (item: JsonObject | undefined) => Number(objectOf(item?.['commit'])['revision']);
    const until = await line(CY, `?to=${revision(second)}`);
    expect(told(until)).toEqual(told({ items: items.filter(({ at }) => String(at) <= String(second?.['at'])) }));
    expect(told(await line(CY, `?from=${revision(newest)}`))).toContain('session.create');
    expect(told(await line(CY, `?from=${revision(newest)}`))).not.toContain('session.join');
    expect(told(await line(CY, `?to=${encodeURIComponent(String(oldest?.['at']))}`))).toContain('document.write');
    expect(told(await line(CY, '?from=999999999'))).toEqual([]);
    expect(await refused(pageBy(wholeKey, CY, '/timeline?to=friday'))).toBe('400 INVALID_REQUEST');
  });

  test('leaves out what the key may not see, and says so', async () => {
    const key = await newApiKey({ DATABASE_URL: opened.databaseUrl }, opened.game.projectId, { history: 'r' });
    const shown = await line(CY, '', key);
    expect(new Set(told(shown))).toEqual(new Set(['session.create', 'document.write']));
    const why = 'The key does not have r access to players';
    expect(shown['leftOut']).toEqual([
      { source: 'calls', why },
      { source: 'reports', why },
    ]);
    expect(await refused(pageBy(key, CY, '/timeline?field=name'))).toBe('403 FORBIDDEN');
    expect(await refused(pageBy(narrowKey, CY, '/timeline'))).toBe('403 FORBIDDEN');
  });

  test('is a command, too', async () => {
    const { url, projectId } = opened.game;
    const env = { SAVEPOINT_URL: url, SAVEPOINT_PROJECT: projectId, SAVEPOINT_SECRET_KEY: wholeKey };
    const said = await printed(['player', 'timeline', CY, '--limit', '3'], { env });
    for (const text of ['session.create', 'error.reported', 'NOT_FOUND', 'Older: --before ']) expect(said).toContain(text);
    const [, before = ''] = /--before (\S+)/.exec(said) ?? [];
    const older = await printed(['player', 'timeline', CY, '--limit', '3', '--before', before], { env });
    expect(older).toContain('session.join');
    expect(older).not.toContain('error.reported');
    expect((await printed(['player', 'timeline', CY, '--field', 'gold'], { env })).match(/document\.write/g)).toHaveLength(1);
  });

  test('as a command tells requests that were refused alike as one, also where others stand between them, and in JSON each', async () => {
    const { url, projectId } = opened.game;
    const env = { SAVEPOINT_URL: url, SAVEPOINT_PROJECT: projectId, SAVEPOINT_SECRET_KEY: wholeKey };
    for (const slug of ['nothing', 'nothing', 'other', 'nothing'])
      await opened.game.play('POST', opened.game.endpoint(slug), { body: {}, ...as('7400') });
    await vi.waitFor(async () => expect(told(await line('7400'))).toHaveLength(4), { timeout: 60_000 });
    const rows = (await printed(['player', 'timeline', '7400'], { env })).split('\n').filter((row) => row.includes('ENDPOINT_NOT_FOUND'));
    expect(rows.map((row) => / \((\d+) times since 2/.exec(row)?.[1] ?? '1')).toEqual(['3', '1']);
    const json = JSON.parse(await printed(['player', 'timeline', '7400', '--json'], { env }));
    expect(json.items).toHaveLength(4);
  });
});

/** Every path that an answer names. */
function linksIn(value: unknown): string[] {
  if (typeof value === 'string') return value.startsWith('/v3/') ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(linksIn);
  return isObject(Object(value)) ? Object.entries(Object(value)).flatMap(([name, item]) => (name === 'path' ? [] : linksIn(item))) : [];
}
