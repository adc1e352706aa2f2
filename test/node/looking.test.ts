import { request } from 'node:http';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { calledOf } from '../../src/app/called.ts';
import type { AppContext } from '../../src/app/context.ts';
import { OF_PERSONS } from '../../src/contract/families.ts';
import { askingOf, namingsOf } from '../../src/contract/looking.ts';
import type { Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes/index.ts';
import type { AccessKey } from '../../src/domain/states.ts';
import type { Node } from '../../src/main.ts';
import { askConsole, type ConsoleHeaders, codeOf, type SignedBrowser, signInByLink } from '../support/console.ts';
import { type Client, ok } from './support/game-client.ts';
import { startNodeHere } from './support/node-here.ts';
import { removeFolders } from './support/program.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** What a person is shown of a player: recorded, and masked. Asked of a node in this process, by every route that a person reaches. */

const ADA = '76561198000000001';
type Telemetry = AppContext['telemetry'];
/** Stands in every personal value. */
const SECRET = '@personal.example';

/** Personal values inside of lists, maps and objects. */
const WITHIN = {
  friends: {
    type: 'array',
    items: { type: 'object', properties: { nick: { type: 'string', _personal: true }, since: { type: 'number' } } },
  },
  ids: { type: 'object', additionalProperties: { type: 'string', _personal: true } },
  deep: {
    type: 'object',
    properties: { list: { type: 'array', items: { type: 'object', properties: { of: { type: 'array', _personal: true } } } } },
  },
  notes: { type: 'object', _personal: true, additionalProperties: true },
};

let node: Node;
let manager: Client;
let owner: SignedBrowser;
let project: string;
/** Id of a save record and of a record, and the revision of a commit of the player. */
let ids: { readonly slot: string; readonly record: string; readonly commit: string };

beforeAll(async () => {
  ({ node, project, manager, owner } = await startNodeHere('Looking'));
  const define = (kind: string, body: unknown) => ok(manager.manage('PUT', manager.definitions(kind), { body }));
  const saves = (schema: object) => ({
    id: 'saves',
    name: 'saves',
    collectionType: 'per-platformid',
    accessMode: 'public',
    maxRecords: 3,
    schema: {
      gold: { type: 'number', _ledger: true },
      email: { type: 'string', _personal: true },
      // Called as members of the platform are.
      name: { type: 'string', _personal: true },
      level: { type: 'number', _personal: true },
      device: { type: 'string', _personal: true },
      ...WITHIN,
      ...schema,
    },
  });
  const others = [
    {
      id: 'feed',
      name: 'feed',
      collectionType: 'global',
      accessMode: 'public',
      schema: { text: { type: 'string' }, contact: { type: 'string', _personal: true } },
    },
    { id: 'open', name: 'open', schema: { text: { type: 'string' } } },
  ];
  await define('collections', [saves({ nick: { type: 'string', _personal: true } }), ...others]);
  const me = { id: 'me', type: 'read', collection: 'saves', key: '{{platformId}}' };
  await define('endpoints', [
    {
      slug: 'buy',
      method: 'POST',
      input: {},
      record: 'input',
      console: { page: 'player', label: 'Buy' },
      steps: [me],
      response: { body: { all: '{{me}}' } },
    },
    { slug: 'mail', method: 'POST', input: {}, steps: [me], response: { body: { said: 'to {{me.email}}' } } },
    { slug: 'print', method: 'POST', input: {}, steps: [me], response: { body: { said: 'all: {{me}}' } } },
    {
      ...{ slug: 'deny', method: 'POST', input: {}, response: { body: {} } },
      steps: [
        me,
        { id: 'no', type: 'assert', check: { field: 'me.gold', op: '<', value: 0 }, errorCode: 'NO', message: 'no: {{me.email}}' },
      ],
    },
  ]);
  const richest = { id: 'richest', name: 'richest', type: 'leaderboard', sources: [{ collectionId: 'saves' }], config: { field: 'gold' } };
  const byMail = { ...richest, id: 'by-mail', name: 'by-mail', config: { field: 'email' } };
  await ok(manager.manage('POST', manager.definitions('queries'), { body: [richest, byMail] }));
  // The document says of itself that it is of a collection without personal fields.
  const within = { friends: [{ nick: `one${SECRET}`, since: 1 }], ids: { steam: `st${SECRET}` }, deep: { list: [{ of: [`d${SECRET}`] }] } };
  const save = { gold: 5, email: `ada${SECRET}`, name: `Ada${SECRET}`, nick: `nick${SECRET}`, collection: 'open', ...within };
  const { headers } = await ok(manager.manage('POST', manager.storage(`saves/${ADA}`), { body: save }));
  await ok(
    manager.manage('POST', manager.storage(`saves/${ADA}`), { body: { ops: [{ op: 'set', path: 'email', value: `bo${SECRET}` }] } }),
  );
  const nested = [
    { op: 'push', path: 'friends', value: { nick: `two${SECRET}`, since: 2 } },
    { op: 'pull', path: 'friends', match: { nick: `one${SECRET}` } },
    { op: 'merge', path: 'ids', value: { epic: `ep${SECRET}` } },
    { op: 'push', path: 'deep.list', value: { of: [`e${SECRET}`] } },
    { op: 'set', path: 'notes', value: { [`about${SECRET}`]: `n${SECRET}` } },
  ];
  await ok(manager.manage('POST', manager.storage(`saves/${ADA}`), { body: { ops: nested } }));
  const slot = await ok(manager.manage('POST', manager.storage(`saves/${ADA}/records`), { body: { recordName: 'one' } }));
  const record = await ok(
    manager.manage('POST', manager.storage('feed/append'), {
      body: { text: 'hi', contact: `tel${SECRET}` },
      headers: { 'x-platform-id': ADA },
    }),
  );
  // What documents hold, and held, under a name that the schema has no longer.
  await define('collections', [saves({}), ...others]);
  // Sums of money follow the log a moment later.
  await vi.waitFor(async () => {
    const { text } = await owner.get(`/v3/manage/${project}/economy/players?currency=saves.gold`);
    if (JSON.parse(text).players.length === 0) throw new Error(text);
  }, 60_000);
  ids = {
    slot: String(Object(slot.body).record?.recordId ?? Object(slot.body).recordId),
    record: String(Object(record.body).record._id),
    commit: String(headers['x-ns-position']),
  };
});

afterAll(async () => {
  manager?.close();
  await node?.close();
  removeFolders();
});

const reached = routes.filter((route) => OF_PERSONS.includes(route.family) && namingsOf(route).length > 0);

/** A request that shows the player's data, as the contract's names say. */
function requestTo(route: Route): readonly [path: string, body: unknown] {
  const base = `/v3/${route.family}`;
  const collection = route.tag === 'Global records' ? 'feed' : 'saves';
  const held = route.id === 'explain' ? ADA : ids.commit;
  const path = route.path
    .replace(':project', project)
    .replace(':collection', collection)
    .replace('/record/:key', `/record/${ids.record}`)
    .replace(/:(?:player|key)/, ADA)
    .replace(':record', ids.slot)
    .replace(':slug', 'buy')
    .replace(':query', 'richest')
    .replace(':grant', 'none')
    .replace(':held', held);
  const query: Record<string, string> = {};
  if (Object.hasOwn(route.query ?? {}, 'topic')) query['topic'] = `documents/saves/${ADA}`;
  if (Object.hasOwn(route.query ?? {}, 'player')) query['player'] = ADA;
  else if (Object.hasOwn(route.query ?? {}, 'platformId') || route.id === 'runQuery') query['platformId'] = ADA;
  if (Object.hasOwn(route.query ?? {}, 'from') && route.path.endsWith('/compare')) query['from'] = ids.commit;
  if (route.path.includes('/economy/')) query['currency'] = 'saves.gold';
  return [`${base}${path}?${new URLSearchParams(query)}`, BODIES[route.id]?.() ?? {}];
}

/** Bodies of routes that take one. */
const BODIES: Readonly<Record<string, () => unknown>> = {
  writeDocument: () => ({ ops: [{ op: 'inc', path: 'gold', value: 1 }] }),
  appendRecord: () => ({ text: 'more' }),
  createSaveRecord: () => ({ recordName: 'two' }),
  renameSaveRecord: () => ({ recordName: 'three' }),
  callNamedEndpoint: () => ({ slug: 'buy' }),
  testEndpoint: () => ({ slug: 'buy', platformId: ADA }),
  restorePlayer: () => ({ to: ids.commit, dryRun: true, reason: 'look' }),
  pressButton: () => ({ player: ADA, dryRun: true, reason: 'look' }),
  undoCommit: () => ({ revision: Number(ids.commit), dryRun: true, reason: 'look' }),
  correctDocument: () => ({ deleted: true, dryRun: true, reason: 'look' }),
  beginGrant: () => ({ collection: 'saves', ops: [{ op: 'inc', path: 'gold', value: 1 }], players: [ADA], dryRun: true, reason: 'look' }),
  trackEvent: () => ({ eventType: 'x' }),
};

/** What shows nothing here, because there is none of it, and is not asked for. */
const NOT_THERE =
  /^(?:issueGuestCode|revokeGuestDevice|unlinkGuest|showGuestAccess|readGrant|listGrant|stopGrant|resumeGrant|undoGrant|autoTest|runTests|suggestTests|deleteSaveRecord|deleteDocument|initRevision|sendHeartbeat|readPlayerStats|trackEvent|findPlayers)/;

/** As the owner reads them, who looks at no one player by that. */
async function listed(query: Readonly<Record<string, string>> = {}): Promise<Readonly<Record<string, unknown>>> {
  const { status, text } = await owner.get(`/v3/manage/${project}/access?${new URLSearchParams({ limit: '200', ...query })}`);
  if (status !== 200) throw new Error(text);
  return JSON.parse(text);
}

async function looks(query: Readonly<Record<string, string>> = {}): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return Object(await listed(query)).looks;
}

/** Routes of which a person is shown personal values, where they are revealed. */
const SHOWING = [
  ...[
    'listCommits',
    'listDocuments',
    'exportDocuments',
    'readDocument',
    'compareDocument',
    'readDocumentHistory',
    'readRecord',
    'listRecords',
    'showPlayer',
    'showTimeline',
    'listen',
  ],
  ...['runQuery', 'callEndpoint', 'callEndpointByQuery', 'callNamedEndpoint', 'testEndpoint', 'restorePlayer', 'undoCommit'],
  ...['pressButton', 'correctDocument'],
];

/** Every route that shows what one player has, as the owner asks it. */
async function walk(reason: string | null, each: (route: Route, text: string) => Promise<void>): Promise<void> {
  const reveal: ConsoleHeaders = reason === null ? {} : { 'x-ns-reveal': encodeURIComponent(reason) };
  for (const route of reached.filter(({ id }) => !NOT_THERE.test(id))) {
    const [path, body] = requestTo(route);
    // The player is named where nothing else names one, so that each way of naming is tried.
    const claim: ConsoleHeaders = namingsOf(route).every((naming) => naming === 'claim') ? { 'X-Platform-Id': ADA } : {};
    const headers = { Cookie: owner.cookie, Origin: at().origin, 'X-Console-Csrf': owner.csrf, ...claim, ...reveal };
    const { status, text } =
      route.id === 'listen'
        ? await firstOf(path, headers)
        : await askConsole(at(), route.method, path, headers, route.method === 'GET' ? undefined : body);
    if (status !== 200) throw new Error(`${route.id}: ${status} ${text}`);
    await each(route, text);
  }
}

test('whatever shows a person what one player has is recorded before it is answered, without personal values, and what a key reads is not', async () => {
  const silent: string[] = [];
  const telling: string[] = [];
  await walk(null, async ({ id }, text) => {
    if (text.includes(SECRET)) telling.push(id);
    if ((await looks()).every(({ page }) => page !== id)) silent.push(id);
  });
  expect({ silent, telling }).toEqual({ silent: [], telling: [] });
  const all = await looks();
  const others = all.filter(
    ({ page, player, person, name }) =>
      player !== (page === 'exportDocuments' ? undefined : ADA) || !/^per_/.test(String(person)) || name !== 'owner',
  );
  expect(others).toEqual([]);
  const read = await ok(manager.manage('GET', manager.storage(`saves/${ADA}`)));
  const own = await ok(manager.play('GET', manager.storage(`saves/${ADA}`), {}, ADA));
  expect([Object(read.body).email, Object(own.body).email]).toEqual([`bo${SECRET}`, `bo${SECRET}`]);
  expect(await looks()).toHaveLength(all.length);
});

test('what fields became is told without personal values among the commits of all, and of one by its revision', async () => {
  const ops = [
    { op: 'inc', path: 'gold', value: 1 },
    { op: 'set', path: 'email', value: `cy${SECRET}` },
    { op: 'push', path: 'friends', value: { nick: `three${SECRET}`, since: 3 } },
  ];
  const { headers } = await ok(manager.manage('POST', manager.storage(`saves/${ADA}`), { body: { ops } }));
  const revision = headers['x-ns-position'];
  for (const path of [`commits?to=${revision}&limit=1`, `explain/${revision}`]) {
    const { text } = await owner.get(`/v3/manage/${project}/${path}`);
    expect(text).toContain('{"path":"email","value":"[personal]","before":"[personal]"}');
    expect(text).toContain('"path":"friends"');
    expect(text).not.toContain(SECRET);
  }
  const back = [{ op: 'set', path: 'email', value: `bo${SECRET}` }];
  await ok(manager.manage('POST', manager.storage(`saves/${ADA}`), { body: { ops: back } }));
});

test('the key of a shared document names no player, whatever shows it, but who changed it is one', async () => {
  const put = async (player: string) => ok(manager.play('POST', manager.storage('feed/market'), { body: { text: player } }, player));
  await put(ADA);
  const { headers } = await put(ADA);
  const before = await looks();
  for (const path of ['', '/ledger', '/compare?from=0', '/probe', '/history'])
    expect((await owner.get(`/v3/storage/${project}/feed/market${path}`)).status).toBe(200);
  for (const path of [
    `explain/${headers['x-ns-position']}`,
    'explain/market',
    `commits?to=${headers['x-ns-position']}&limit=1`,
    'documents/feed',
  ])
    expect((await owner.get(`/v3/manage/${project}/${path}`)).status).toBe(200);
  const topics = `topic=documents%2Ffeed%2Fmarket&topic=values`;
  await firstOf(`/v3/live/${project}?${topics}`, { Cookie: owner.cookie });
  const come = (await looks()).slice(0, (await looks()).length - before.length);
  expect(come.filter(({ player }) => player !== ADA)).toEqual([]);
});

test('of an answer that shows more players than are named it is said how many they were', async () => {
  for (const place of [1, 2, 3, 4, 5, 6, 7])
    await ok(manager.manage('POST', manager.storage(`saves/many${place}`), { body: { gold: place } }));
  await owner.get(`/v3/queries/${project}/richest?limit=100`);
  const [newest] = (await looks()).filter(({ page }) => page === 'runQuery');
  expect(newest).toMatchObject({ players: expect.any(Number) });
  expect(newest).not.toHaveProperty('player');
});

test('with a reason personal values are shown, and the reason is recorded with whose they are', async () => {
  const reason = 'ticket 7: „wrong e-mail”';
  const telling: string[] = [];
  await walk(reason, async ({ id }, text) => {
    if (text.includes(SECRET)) telling.push(id);
    const found = (await looks()).find(({ page, reason: given }) => page === id && given === reason);
    if (found === undefined) throw new Error(`${id} was revealed without a record`);
  });
  expect(telling.sort()).toEqual([...SHOWING].sort());
});

test('every route that could tell of a personal field which its request names takes a reason first, and does nothing without one', async () => {
  // A player or an endpoint may be called as a field is, and by no other parameter of these is anything chosen. Reports meet no document.
  const free = ['findPlayers', 'readLogs', 'trackEvent', 'sendHeartbeat'];
  const asking = routes.filter(
    (route) => OF_PERSONS.includes(route.family) && askingOf(route) !== 'nothing' && !route.path.endsWith('/') && !free.includes(route.id),
  );
  const head = async () => JSON.parse((await owner.get(`/v3/manage/${project}/commits?limit=1`)).text).commits[0].revision;
  const before = await head();
  const open: string[] = [];
  for (const route of asking) {
    const [path, body] = requestTo(route);
    const named = `${path}&${Object.hasOwn(route.query ?? {}, 'by') ? 'by' : route.id === 'callEndpointByQuery' ? 'email' : 'field'}=email`;
    const guess = { ...Object(body), email: 'guess', contact: 'guess' };
    const asked: (readonly [string, unknown])[] = askingOf(route) === 'run' && route.body !== undefined ? [] : [[named, body]];
    if (route.body !== undefined) asked.push([path, guess]);
    for (const [address, sent] of asked) {
      const { status, text } = await askConsole(at(), route.method, address, changing(), route.method === 'GET' ? undefined : sent);
      if (status !== 403 || !text.includes('REVEAL_NEEDED')) open.push(`${route.id}: ${status} ${text.slice(0, 200)}`);
    }
  }
  expect(open).toEqual([]);
  expect(asking.length + free.length).toBeGreaterThan(60);
  expect(await head()).toBe(before);
});

test('names that the platform gives are told, and asked for without a reason, though a personal field is called so', async () => {
  const get = async (path: string) => JSON.parse((await owner.get(path)).text);
  const listed = await get(`/v3/manage/${project}/documents/saves?columns=name,gold`);
  expect([listed.name, listed.documents[0].cells.name]).toEqual(['saves', '[personal]']);
  expect((await get(`/v3/manage/${project}/players/${ADA}?part=boards`)).boards.items[0]).toMatchObject({
    query: 'richest',
    name: 'richest',
  });
  expect((await get(`/v3/queries/${project}/richest`)).performance.sources[0].name).toBe('saves');
  const tried = await owner.change('POST', `/v3/manage/${project}/test-endpoint`, { slug: 'buy', platformId: ADA });
  expect(JSON.parse(tried.text).name).toBe('buy test');
  const post = async (path: string, body: object) => codeOf(await askConsole(at(), 'POST', path, changing(), body))[1];
  expect(await post(`/v3/manage/${project}/guests/${ADA}/revoke`, { device: 'd' })).toBe('NOT_FOUND');
  expect(await post(`/v3/storage/${project}/saves/${ADA}/records`, { recordName: 'one', name: 'x' })).toBe('REVEAL_NEEDED');
  const event = { type: 'level_done', platformId: ADA, context: { level: 3, email: 'a level is called so' } };
  expect((await askConsole(at(), 'POST', `/v3/storage/${project}/analytics/events`, changing(), event)).status).toBe(200);
});

test('what is ordered or chosen by a personal field, or made of it, takes a reason; a mask that is sent back is refused', async () => {
  const get = async (path: string) => codeOf(await owner.get(path));
  expect(await get(`/v3/queries/${project}/by-mail`)).toEqual([403, 'REVEAL_NEEDED']);
  expect(await get(`/v3/storage/${project}/saves/${ADA}/ledger?field=email`)).toEqual([403, 'REVEAL_NEEDED']);
  const mail = await askConsole(at(), 'POST', `/v3/endpoints/${project}/mail`, changing(), {});
  expect([mail.status, JSON.parse(mail.text)]).toEqual([200, { masked: '[personal]' }]);
  const listed = (query: string) => `/v3/manage/${project}/documents/saves?${query}`;
  for (const query of ['by=email', 'by=email&from=1', 'by=%65mail']) expect(await get(listed(query))).toEqual([403, 'REVEAL_NEEDED']);
  expect(await get(listed('by=email').replace('?', '/export?'))).toEqual([403, 'REVEAL_NEEDED']);
  const shown = JSON.parse((await owner.get(listed('columns=email,gold'))).text);
  expect(shown.documents[0].cells).toMatchObject({ email: '[personal]', gold: expect.any(Number) });
  const back = await owner.change('POST', `/v3/storage/${project}/saves/${ADA}`, { gold: 9, email: '[personal]' });
  expect(codeOf(back)).toEqual([400, 'INVALID_BODY']);
  for (const reveal of ['%20', 'a'.repeat(257), '%E0%A4%A', 'T-1%0AT-2', '%1B%5B2J', 'T-1%E2%80%AE2'])
    expect(codeOf(await askConsole(at(), 'GET', `/v3/storage/${project}/saves/${ADA}`, { ...changing(), 'x-ns-reveal': reveal }))).toEqual([
      400,
      'INVALID_REQUEST',
    ]);
});

test('what an endpoint says of personal values in a refusal, in a text, or in the call log is masked, and recorded where it is shown', async () => {
  const call = (slug: string, more: ConsoleHeaders = {}) =>
    askConsole(at(), 'POST', `/v3/endpoints/${project}/${slug}`, { ...changing(), ...more }, {});
  const refused = await call('deny');
  expect([refused.status, JSON.parse(refused.text).error]).toEqual([400, expect.objectContaining({ code: 'NO', message: '[personal]' })]);
  expect(JSON.parse((await call('print')).text)).toEqual({ masked: '[personal]' });
  const reason = 'why it says no';
  const shown = await call('deny', { 'x-ns-reveal': encodeURIComponent(reason) });
  expect([shown.status, JSON.parse(shown.text).message]).toEqual([400, `no: bo${SECRET}`]);
  expect(await looks()).toContainEqual(expect.objectContaining({ page: 'callEndpoint', player: ADA, reason }));
  const logs = await vi.waitFor(async () => {
    const { text } = await owner.get(`/v3/manage/${project}/logs?code=NO`);
    if (JSON.parse(text).requests.length < 2) throw new Error(text);
    return text;
  }, 60_000);
  expect(JSON.parse(logs).requests[0]).toMatchObject({ slug: 'deny', code: 'NO', message: '[personal]' });
  const report = await owner.change('POST', `/v3/manage/${project}/test-endpoint`, { slug: 'deny', platformId: ADA });
  expect([report.status, report.text.includes(SECRET)]).toEqual([200, false]);
});

test('a test that asks for a personal field takes a reason: whether it passes tells of it', async () => {
  const asked = { slug: 'buy', platformId: ADA, expect: { body: { all: { email: 'x' } } } };
  expect(codeOf(await owner.change('POST', `/v3/manage/${project}/test-endpoint`, asked))).toEqual([403, 'REVEAL_NEEDED']);
});

test('a correction of a personal field is recorded with its reason before it is tried, and a look at one takes one: what comes of it tells what is there', async () => {
  const before = await looks();
  const change = async (what: object, more: ConsoleHeaders = {}, key = ADA) =>
    codeOf(
      await askConsole(
        at(),
        'POST',
        `/v3/manage/${project}/corrections/saves/${key}`,
        { ...changing(), ...more },
        { reason: 'T-5', ...what },
      ),
    );
  const guess = { ops: [{ op: 'set', path: 'email', value: `bo${SECRET}` }] };
  for (const what of [guess, { ops: [{ op: 'merge', path: 'deep', value: { email: 'x' } }] }, { document: { email: 'x' } }])
    expect(await change({ ...what, dryRun: true })).toEqual([403, 'REVEAL_NEEDED']);
  expect((await change({ ops: [{ op: 'inc', path: 'gold', value: 1 }], dryRun: true }))[0]).toBe(200);
  const probes = async () => (await looks()).slice(0, (await looks()).length - before.length).map(({ player, reason }) => [player, reason]);
  expect((await probes()).filter(([, given]) => given !== undefined)).toEqual([]);
  // Refused, so no commit tells of it.
  expect(await change({ ...guess, version: 999 })).toEqual([409, 'STALE_SAVE']);
  expect(await probes()).toContainEqual([ADA, 'T-5']);
  const reason = { 'x-ns-reveal': 'asked%20by%20phone' };
  // A plain write of a person is no way round.
  const write = (more: ConsoleHeaders) =>
    askConsole(at(), 'POST', `/v3/storage/${project}/saves/${ADA}`, { ...changing(), ...more }, guess);
  expect(codeOf(await write({ 'x-ns-save-version': '999' }))).toEqual([403, 'REVEAL_NEEDED']);
  expect(codeOf(await write({ 'x-ns-save-version': '999', ...reason }))).toEqual([409, 'STALE_SAVE']);
  expect((await change({ ...guess, dryRun: true, version: 999 }, reason))[0]).toBe(409);
  expect(await probes()).toContainEqual([ADA, 'asked by phone']);
});

test('whom an answer shows is recorded, whomever the request names beside, and of many that it was shown', async () => {
  const of = async (page: string) => (await looks()).filter((look) => look['page'] === page).map(({ player }) => player);
  const nobody = { Cookie: owner.cookie, Origin: at().origin, 'X-Console-Csrf': owner.csrf };
  await askConsole(at(), 'POST', `/v3/endpoints/${project}/buy`, nobody, { who: ADA });
  expect(await of('callEndpoint')).toContain(undefined);
  // Nothing reads these, so they say nothing.
  await owner.get(`/v3/manage/${project}/commits?limit=1&platformId=other`);
  await askConsole(at(), 'GET', `/v3/queries/${project}/richest`, { ...nobody, 'X-Platform-Id': 'other' });
  expect(await of('listCommits')).toContain(ADA);
  expect(await of('listCommits')).not.toContain('other');
  expect(await of('runQuery')).toContain(ADA);
  for (let count = 0; count < 51; count += 1)
    await ok(
      manager.manage('POST', manager.storage('feed/append'), {
        body: { text: 'hi' },
        headers: { 'x-platform-id': `7656119800000${1_000 + count}` },
      }),
    );
  await owner.get(`/v3/storage/${project}/feed/list?limit=100`);
  expect(await of('listRecords')).toContain(undefined);
  expect((await of('listRecords')).filter((player) => player !== undefined && player !== ADA)).toEqual([]);
});

function changing(): ConsoleHeaders {
  return { Cookie: owner.cookie, Origin: at().origin, 'X-Console-Csrf': owner.csrf, 'X-Platform-Id': ADA };
}

function at() {
  const origin = node.console?.origin ?? '';
  return { origin, port: Number(new URL(origin).port) };
}

/** Opens a stream, and ends it with its first value. */
function firstOf(path: string, headers: ConsoleHeaders): Promise<{ readonly status: number; readonly text: string }> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: at().port, path, headers: { ...headers, Host: new URL(at().origin).host } };
    const sent = request(options, (reply) => {
      let text = '';
      reply.on('data', (chunk) => {
        text += String(chunk);
        if (!text.includes('"value"')) return;
        resolve({ status: reply.statusCode ?? 0, text });
        reply.destroy();
      });
    });
    sent.once('error', reject);
    sent.end();
  });
}

test('looks are found by player, person and time, page by page', async () => {
  // That somebody reads this list is recorded, too, once a minute: a minute may begin in between.
  const besides = (list: readonly unknown[]) =>
    list.map(Object).filter((each: Readonly<Record<string, unknown>>) => each['page'] !== 'listLooks');
  const found = async (query: Readonly<Record<string, string>> = {}) => besides(await looks(query));
  expect((await found({ player: ADA })).length).toBeGreaterThan(15);
  const all = await found();
  const { person, at: newest } = Object(all[0]);
  expect(await found({ person })).toEqual(all);
  expect(await found({ person: 'per_1' })).toEqual([]);
  expect(await found({ from: newest })).toEqual(all.filter((each) => String(each['at']) >= newest));
  expect(await found({ to: '2020-01-01' })).toEqual([]);
  // Those of lists, which name nobody, are found by that.
  expect(await found({ of: 'many' })).toEqual(all.filter((each) => each['player'] === undefined));
  expect(await found({ of: 'one' })).toEqual(all.filter((each) => each['player'] !== undefined));
  const pages: unknown[] = [];
  let before: string | null = null;
  do {
    const page: Record<string, unknown> & { readonly looks: readonly unknown[] } = Object(
      await listed({ limit: '5', ...(before === null ? {} : { before }) }),
    );
    pages.push(...page.looks);
    before = page['before'] === null ? null : String(page['before']);
  } while (before !== null);
  expect(besides(pages)).toEqual(all);
  await expect(looks({ from: 'yesterday' })).rejects.toThrow('INVALID_REQUEST');
  expect((await manager.manage('GET', `/v3/manage/${project}/access`)).status).toBe(403);
});

test('a look at what no table can hold is told as any other, and hides none', async () => {
  const nobody = `${ADA}\0`;
  expect(await looks({ player: nobody })).toEqual([]);
  expect(await looks()).toContainEqual(expect.objectContaining({ page: 'listLooks', player: nobody }));
});

test('auditors and managers see a player as support does, recorded and masked, and do nothing for a guest; whoever reads definitions alone does not', async () => {
  const as = async (role: string) => {
    const { text } = await owner.change('POST', '/api/people', { name: `${role} sees`, role, project });
    return signInByLink(JSON.parse(text).url);
  };
  const shown = `/v3/manage/${project}/players/${ADA}`;
  for (const role of ['auditor', 'manager']) {
    const person = await as(role);
    const { status, text } = await person.get(shown);
    const { documents, leftOut } = JSON.parse(text);
    expect([role, status, documents.items[0]?.document, leftOut]).toMatchObject([role, 200, { email: '[personal]' }, []]);
    expect(text).not.toContain(SECRET);
    expect((await person.get(`/v3/manage/${project}/players?name=a`)).status).toBe(200);
    expect(codeOf(await person.get(`/v3/manage/${project}/guests/${ADA}`))).toEqual([404, 'NOT_FOUND']);
    for (const act of ['code', 'unlink', 'revoke'])
      expect(codeOf(await person.change('POST', `/v3/manage/${project}/guests/${ADA}/${act}`, { device: 'd' }))).toEqual([
        403,
        'FORBIDDEN',
      ]);
    expect(await looks({ player: ADA })).toContainEqual(expect.objectContaining({ page: 'showPlayer', name: `${role} sees` }));
  }
  for (const role of ['designer', 'viewer']) expect(codeOf(await (await as(role)).get(shown))).toEqual([403, 'FORBIDDEN']);
});

test('what players are called stands beside whom an answer names, for whoever finds players by name, and is no look of its own', async () => {
  const beat = { platformId: ADA, event: 'join', sessionId: 's', playerName: 'Bo the Bold' };
  await ok(manager.play('POST', manager.storage('stats/heartbeat'), { body: beat }));
  const called = async (path: string, by = owner) => JSON.parse((await by.get(`/v3/manage/${project}/${path}`)).text).called;
  // Telemetry is projected after the answer.
  await expect.poll(() => called(`access?player=${ADA}`)).toEqual({ [ADA]: 'Bo the Bold' });
  for (const path of [`commits?player=${ADA}`, `explain/${ids.commit}`, 'economy/players?currency=saves.gold'])
    expect([path, await called(path)]).toEqual([path, expect.objectContaining({ [ADA]: 'Bo the Bold' })]);
  const reader = { profiles: () => Promise.reject(new Error('not asked')) } as unknown as Telemetry['reader'];
  const telemetry = { reader } as unknown as Telemetry;
  expect(await calledOf({ telemetry }, project, { kind: 'secret', permissions: { history: 'r' } } as unknown as AccessKey, [ADA])).toEqual(
    {},
  );
});
