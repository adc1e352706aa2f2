import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { DEFAULT_PERMISSIONS } from '../../src/domain/project/permissions.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { newApiKey } from './support/command-line.ts';
import { type Client, createClient, NEXT, ok, type Reply, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** What was, over the wire: a read as of a moment answers what the same read answered then. */

let env: { readonly DATABASE_URL: string };
let node: Node;
let game: Client;
let historian: string;

const PLAYER = '76561199000000001';
const OTHER = '76561199000000002';
const heroes = (gold: number, more: object = {}) => ({
  id: 'heroes',
  name: 'heroes',
  collectionType: 'per-platformid',
  accessMode: 'public',
  allowRecordDelete: true,
  maxRecords: 3,
  constants: { shop: { axe: gold } },
  visibility: 'public',
  schema: { gold: { type: 'number', default: gold, _ledger: true }, bag: { type: 'array', items: { type: 'string' } } },
  ...more,
});

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env: { ...env, V1_ROUTES: 'all' } });
  const demo = demoCredentials(node.data);
  // The first key of a project has no scopes of support.
  game = createClient(node.url, { ...demo, secretKey: await newApiKey(env, demo.projectId, { ...DEFAULT_PERMISSIONS, history: 'r' }) });
  historian = await newApiKey(env, demo.projectId, { history: 'r' });
  await ok(
    game.manage('PUT', game.definitions('collections'), {
      body: [heroes(100), { id: 'own', accessMode: 'public', history: 'owner', schema: {} }],
    }),
  );
});

afterAll(async () => {
  expect(game.statuses.filter((status) => status >= 500)).toEqual([]);
  game?.close();
  await node?.stop();
  removeFolders();
});

const position = ({ headers }: Reply) => Number(headers['x-ns-position']);
const staged = (target: string) => (target === 'next' ? { headers: NEXT } : {});

/** A read with its path, and whether it goes by a target. */
const READS: readonly (readonly [path: () => string, target: 'live' | 'next'])[] = [
  ...(['live', 'next'] as const).flatMap((target) => [
    [() => game.storage(`heroes/${PLAYER}`), target] as const,
    [() => game.storage(`heroes/${PLAYER}_slot`), target] as const,
    [() => game.storage(`heroes/${PLAYER}/probe`), target] as const,
    [() => game.storage(`heroes/${PLAYER}/records`), target] as const,
    [() => game.storage(`heroes/${PLAYER}/ledger`), target] as const,
    [() => `/v3/values/${game.projectId}`, target] as const,
  ]),
  [() => `${game.definitions('collections')}?includeStaged=true`, 'live'],
  [() => game.definitions('settings'), 'live'],
];

async function seen(at?: number): Promise<readonly (readonly [status: number, body: string])[]> {
  const replies = READS.map(([path, target]) => {
    const moment = at === undefined ? '' : `${path().includes('?') ? '&' : '?'}at=${at}`;
    return game.manage('GET', `${path()}${moment}`, staged(target));
  });
  return (await Promise.all(replies)).map(({ status, body }) => [status, shown(body)] as const);
}

/** The body without what says of which moment it is, and without sentences of refusals. */
function shown(body: unknown): string {
  const { at: _, building: __, error, message: ___, ...rest } = Object(body);
  return JSON.stringify(error === undefined ? rest : error.code);
}

describe('a read as of a moment', () => {
  test('answers what the same read answered then, whatever happened since', async () => {
    let random = 7;
    const next = (below: number) => {
      random = (random * 1103515245 + 12345) % 2147483648;
      return Math.floor((random / 2147483648) * below);
    };
    const write = (key: string, body: unknown, target: string) =>
      game.manage('POST', game.storage(`heroes/${key}`), { body, ...staged(target) });
    const acts: readonly (() => Promise<Reply>)[] = [
      () =>
        write(
          PLAYER,
          {
            ops: [
              { op: 'inc', path: 'gold', value: next(9) },
              { op: 'push', path: 'bag', value: `i${next(9)}` },
            ],
          },
          'live',
        ),
      () => write(PLAYER, { ops: [{ op: 'inc', path: 'gold', value: 1 + next(9) }] }, 'next'),
      () => write(PLAYER, { bag: ['axe'] }, ['live', 'next'][next(2)] ?? ''),
      () => write(`${PLAYER}_slot`, { gold: next(50) }, ['live', 'next'][next(2)] ?? ''),
      () => game.manage('DELETE', game.storage(`heroes/${PLAYER}${next(2) === 0 ? '' : '_slot'}`), staged(['live', 'next'][next(2)] ?? '')),
      () => game.manage('PUT', game.definitions('collections'), { body: [heroes(next(500))], ...staged(['live', 'next'][next(2)] ?? '') }),
      () => game.manage('POST', game.definitions('promote'), { body: { force: true } }),
      () => game.manage('PUT', game.definitions('settings'), { body: { fillDefaults: next(2) === 0 } }),
    ];
    const known: { readonly at: number; readonly was: Awaited<ReturnType<typeof seen>> }[] = [];
    for (let count = 0; count < 40; count += 1) {
      const reply = await acts[count < 20 ? count % 8 : next(8)]?.();
      if (reply === undefined || reply.status >= 400) continue;
      known.push({ at: position(reply), was: await seen() });
    }
    expect(known.length).toBeGreaterThan(25);
    for (const { at, was } of known) expect([at, await seen(at)]).toEqual([at, was]);
  });

  test('by a time is the same as by its revision, which the answer names', async () => {
    const key = `${OTHER}`;
    const first = await ok(game.manage('POST', game.storage(`heroes/${key}`), { body: { gold: 1 } }));
    await ok(game.manage('POST', game.storage(`heroes/${key}`), { body: { gold: 2 } }));
    const was = await ok(game.manage('GET', game.storage(`heroes/${key}?at=${position(first)}&view=stored`)));
    expect([was.text, was.headers['x-ns-at'], was.headers['x-ns-save-version']]).toEqual(['{"gold":1}', String(position(first)), '1']);
    const list = await ok(game.manage('GET', game.storage(`heroes/${key}/records?at=${position(first)}`)));
    const { time } = Object(list.body).at;
    const byTime = await ok(game.manage('GET', game.storage(`heroes/${key}/records?at=${time}`)));
    expect(Object(byTime.body).at.time).toBe(time);
    expect(Object(byTime.body).at.revision).toBeGreaterThanOrEqual(position(first));
    const now = await ok(game.manage('GET', game.storage(`heroes/${key}?view=stored`)));
    expect(now.text).toBe('{"gold":2}');
  });

  test('that is none has its own answer', async () => {
    const read = (at: string) => refused(game.manage('GET', game.storage(`heroes/${OTHER}?at=${at}`)));
    expect(await read('soon')).toBe('400 INVALID_AT');
    expect(await read('2026-03-01T12:00:00')).toBe('400 INVALID_AT');
    expect(await read('-1')).toBe('400 INVALID_AT');
    expect(await read('1999-01-01')).toBe('404 AT_BEFORE_FIRST');
    expect(await read('2999-01-01T00:00:00%2B01:00')).toBe('400 AT_IN_FUTURE');
    expect(await read('999999999')).toBe('404 AT_AFTER_LAST');
    expect(await read('1')).toBe('404 NOT_FOUND');
  });

  test('finds the data of a collection that was removed since', async () => {
    await ok(game.manage('PUT', game.definitions('collections'), { body: [{ id: 'brief', accessMode: 'public', schema: {} }] }));
    const stored = await ok(game.manage('POST', game.storage(`brief/${PLAYER}`), { body: { a: 1 } }));
    await ok(game.manage('DELETE', game.definitions('collections/brief')));
    expect(await refused(game.manage('GET', game.storage(`brief/${PLAYER}`)))).toBe('404 NOT_FOUND');
    expect((await ok(game.manage('GET', game.storage(`brief/${PLAYER}?at=${position(stored)}`)))).text).toBe('{"a":1}');
  });
});

describe('what happened to a document', () => {
  const KEY = '76561199000000003';
  const write = (ops: readonly object[], more = {}) => game.manage('POST', game.storage(`heroes/${KEY}`), { body: { ops }, ...more });

  test('is listed change by change, with who, what, and what the ledger says, page by page', async () => {
    const publish = position(await ok(game.manage('PUT', game.definitions('collections'), { body: [heroes(7, { history: 'owner' })] })));
    const positions: number[] = [];
    for (const value of [1, 2, 3]) positions.push(position(await ok(write([{ op: 'inc', path: 'gold', value, reason: `r${value}` }]))));
    positions.push(position(await ok(game.manage('DELETE', game.storage(`heroes/${KEY}`)))));
    const all = Object((await ok(game.manage('GET', game.storage(`heroes/${KEY}/history`)))).body);
    const told = all.changes.map(({ action, version, fields }: Record<string, unknown>) => [action, version, fields]);
    expect(told).toEqual([
      ['deleted', 3, [{ path: '/gold', label: 'gold', before: 13 }]],
      ['written', 3, [{ path: '/gold', label: 'gold', before: 10, after: 13 }]],
      ['written', 2, [{ path: '/gold', label: 'gold', before: 8, after: 10 }]],
      ['written', 1, [{ path: '/gold', label: 'gold', after: 8 }]],
    ]);
    expect(all.before).toBe(null);
    const [, third] = all.changes;
    expect(third).toMatchObject({ publish, cause: 'document.write', actor: { kind: 'secret', keyId: expect.any(String) } });
    const ledger = Object((await ok(game.manage('GET', game.storage(`heroes/${KEY}/ledger`)))).body).entries;
    const entries = all.changes.toReversed().flatMap((change: { ledger: readonly { eventId: string }[] }) => change.ledger);
    expect(entries.map(({ eventId }: { eventId: string }) => eventId)).toEqual(ledger.map(({ eventId }: { eventId: string }) => eventId));
    const pages: unknown[] = [];
    for (let before: number | null = Number.MAX_SAFE_INTEGER - 1; before !== null && pages.length < 9; ) {
      const query: string = pages.length === 0 ? '' : `&before=${before}`;
      const page: Readonly<{ changes: readonly unknown[]; before: number | null }> = Object(
        (await ok(game.manage('GET', game.storage(`heroes/${KEY}/history?limit=2${query}`)))).body,
      );
      pages.push(...page.changes);
      before = page.before;
    }
    expect(pages).toEqual(all.changes);
    const early = Object((await ok(game.manage('GET', game.storage(`heroes/${KEY}/history?at=${positions[1]}`)))).body);
    expect(early.changes).toEqual(all.changes.slice(2));
    const own = Object((await ok(game.play('GET', game.storage(`heroes/${KEY}/history`), {}, KEY))).body);
    expect(own.changes[0].actor).toEqual({ kind: 'secret' });
    expect(await refused(game.play('GET', game.storage(`heroes/${KEY}/history`), {}, OTHER))).toBe('403 FORBIDDEN');

    const compared = await ok(game.manage('GET', game.storage(`heroes/${KEY}/compare?from=${positions[0]}&to=${positions[2]}`)));
    expect(Object(compared.body).fields).toEqual([{ path: '/gold', label: 'gold', before: 8, after: 13 }]);
    const gone = Object((await ok(game.manage('GET', game.storage(`heroes/${KEY}/compare?from=${positions[2]}`)))).body);
    expect([gone.from.version, gone.to.version]).toEqual([3, null]);
    const sinceBegin = Object((await ok(game.manage('GET', game.storage(`heroes/${KEY}/compare?to=${positions[0]}`)))).body);
    expect([sinceBegin.from.version, sinceBegin.to.version]).toEqual([null, 1]);
    await ok(game.manage('PUT', game.definitions('collections'), { body: [heroes(7)] }));
  });

  test('is told in shorter pages where each change is large', async () => {
    const key = '76561199000000005';
    for (let gold = 0; gold < 40; gold += 1)
      await ok(game.manage('POST', game.storage(`heroes/${key}`), { body: { gold, text: 'x'.repeat(60_000) } }));
    const first = Object((await ok(game.manage('GET', game.storage(`heroes/${key}/history?limit=50`)))).body);
    expect([first.changes[0].version, first.changes.length < 40]).toEqual([40, true]);
    const rest = Object((await ok(game.manage('GET', game.storage(`heroes/${key}/history?limit=50&before=${first.before}`)))).body);
    expect([first.changes.length + rest.changes.length, rest.changes.at(-1).version, rest.before]).toEqual([40, 1, null]);
  });

  test('in next goes on with live behind the fork', async () => {
    const key = '76561199000000004';
    await ok(game.manage('POST', game.storage(`heroes/${key}`), { body: { gold: 1 } }));
    await ok(game.manage('POST', game.storage(`heroes/${key}`), { body: { gold: 2 }, headers: NEXT }));
    await ok(game.manage('POST', game.storage(`heroes/${key}`), { body: { gold: 3 } }));
    const { changes } = Object((await ok(game.manage('GET', game.storage(`heroes/${key}/history`), { headers: NEXT }))).body);
    expect(changes.map(({ fields }: { fields: readonly object[] }) => fields[0])).toEqual([
      { path: '/gold', label: 'gold', before: 1, after: 2 },
      { path: '/gold', label: 'gold', after: 1 },
    ]);
  });
});

describe('what happened to a definition', () => {
  const shop = (price: number, more: readonly object[] = []) => ({
    items: [
      {
        id: 'bazaar',
        type: 'table',
        name: 'Shop',
        rows: [
          { name: 'sword', price },
          { name: 'rope', price: 2 },
        ],
      },
      { id: 'camp', type: 'group', entries: { fires: 1 } },
      ...more,
    ],
  });
  const put = async (price: number, target: string, message = '') => {
    const path = `${game.definitions('game-values')}${message === '' ? '' : `?message=${encodeURIComponent(message)}&ticket=T-77`}`;
    return position(await ok(game.manage('PUT', path, { body: shop(price), ...staged(target) })));
  };
  const read = async (path: string, target = 'live') => Object((await ok(game.manage('GET', game.definitions(path), staged(target)))).body);
  const PRICE = { path: '/rows/0/price', label: 'sword › price' };

  test('and to a game value is listed for live and for next, with who, why, promotions and rollbacks', async () => {
    const first = await put(30, 'live');
    const second = await put(35, 'live', 'Summer prices');
    const other = position(
      await ok(game.manage('PUT', game.definitions('game-values'), { body: shop(35, [{ id: 'moon', type: 'group', entries: { a: 1 } }]) })),
    );
    const third = await put(40, 'next');
    const promoted = position(await ok(game.manage('POST', game.definitions('promote'), { body: {} })));
    const back = position(await ok(game.manage('POST', game.definitions('rollback'), { body: {} })));

    const live = await read('game-values/bazaar/history');
    const told = live.changes.map(({ action, change, fields }: Record<string, unknown>) => [action, change, fields]);
    expect(told.slice(0, 3)).toEqual([
      ['rollback', 'change', [{ ...PRICE, before: 40, after: 35 }]],
      ['promote', 'change', [{ ...PRICE, before: 35, after: 40 }]],
      ['publish', 'change', [{ ...PRICE, before: 30, after: 35 }]],
    ]);
    expect(live.changes.map(({ revision }: { revision: number }) => revision).includes(other)).toBe(false);
    expect(live.changes[2]).toMatchObject({
      message: 'Summer prices',
      ticket: 'T-77',
      cause: 'game-values.put',
      actor: { kind: 'secret', label: expect.any(String) },
    });
    const { commits } = await read(`commits?kind=game-values&to=${second}&limit=1`);
    expect(commits).toMatchObject([{ revision: second, why: { reason: 'Summer prices', ticket: 'T-77' } }]);
    expect(live.changes[0].restored).toBeLessThan(promoted);
    const pages: unknown[] = [];
    for (let before: number | null = null, page = 0; page < 9; page += 1) {
      const found = await read(`game-values/bazaar/history?limit=1${before === null ? '' : `&before=${before}`}`);
      pages.push(...found.changes);
      before = found.before;
      if (before === null) break;
    }
    expect(pages).toEqual(live.changes);

    const next = await read('game-values/bazaar/history', 'next');
    expect(next.changes.slice(0, 1)).toMatchObject([{ action: 'publish', fields: [{ ...PRICE, before: 35, after: 40 }] }]);
    const whole = await read('definitions/game-values/*/history?limit=2', 'next');
    expect(whole.changes.map(({ action, change }: Record<string, unknown>) => [action, change])).toEqual([
      ['promote', 'none'],
      ['publish', 'change'],
    ]);
    const early = await read(`game-values/bazaar/history?at=${first}`);
    expect(early.changes).toEqual(live.changes.slice(-early.changes.length));
    expect(early.changes[0].revision).toBeLessThanOrEqual(first);

    const compared = await read(`game-values/bazaar/compare?from=${first}&to=${second}`);
    expect(compared.fields).toEqual([{ ...PRICE, before: 30, after: 35 }]);
    const ofNext = await read(`definitions/game-values/*/compare?from=${second}&to=${third}`, 'next');
    expect(ofNext.fields).toContainEqual({ path: '/items/0/rows/0/price', label: 'Shop › sword › price', before: 35, after: 40 });
    const all = await read(`definitions/compare?from=${first}&to=${second}`);
    expect(all.changes).toEqual([
      {
        kind: 'game-values',
        id: '*',
        action: 'change',
        members: ['items'],
        fields: [{ path: '/items/0/rows/0/price', label: 'Shop › sword › price', before: 30, after: 35 }],
      },
    ]);
    expect((await read(`definitions/compare?from=${second}&to=${third}`)).changes).toMatchObject([{ kind: 'game-values' }]);
    expect((await read(`definitions/compare?from=${promoted}&to=${promoted}`)).changes).toEqual([]);
    const staged = await read(`definitions/compare?from=${first}&to=${third}&toTarget=next`);
    expect(staged.changes[0].fields).toContainEqual({
      path: '/items/0/rows/0/price',
      label: 'Shop › sword › price',
      before: 30,
      after: 40,
    });
    const ofLive = await read(`definitions/game-values/*/compare?from=${other}&to=${back}`);
    expect(ofLive.fields).toEqual([]);
    expect(await refused(game.manage('GET', game.definitions('game-values/nothing/history')))).toBe('404 NOT_FOUND');
    expect(await refused(game.manage('GET', game.definitions('game-values/nothing/compare')))).toBe('404 NOT_FOUND');
  });

  test('and a row that was put on top is one new row, in the history of the value, of publishes, and beside what is staged', async () => {
    const table = async (rows: readonly object[], target: string) => {
      const body = { items: [{ id: 'bows', type: 'table', name: 'Bows', rows }] };
      return position(await ok(game.manage('PUT', game.definitions('game-values'), { body, ...staged(target) })));
    };
    const [twig, short, long] = [
      { name: 'twig', power: 0 },
      { name: 'short', power: 1 },
      { name: 'long', power: 5 },
    ];
    const first = await table([short, long], 'live');
    await table([twig, short, { ...long, power: 6 }], 'next');
    const fields = [
      { path: '/items/0/rows/2/power', label: 'Bows › long › power', before: 5, after: 6 },
      { path: '/items/0/rows/0', label: 'Bows › twig', after: twig },
    ];
    expect((await read('diff')).changes).toMatchObject([{ fields }]);
    await ok(game.manage('POST', game.definitions('promote'), { body: {} }));
    const { publishes } = await read('publishes?limit=1');
    expect(publishes[0].changes).toMatchObject([{ fields }]);
    expect((await read(`definitions/compare?from=${first}`)).changes).toMatchObject([{ fields }]);
    const { changes } = await read('game-values/bows/history?limit=1');
    expect(changes[0].fields.map(({ label }: { label: string }) => label)).toEqual(['long › power', 'twig']);
  });

  test('is found by slug or name, by its id after it is gone, and of a value that a collection holds by the value', async () => {
    const endpoint = (amount: number) => ({
      id: 'e1',
      slug: 'pay',
      steps: [{ id: 'a', type: 'transform', value: amount }],
      response: { status: 200, body: {} },
    });
    await ok(game.manage('PUT', game.definitions('endpoints'), { body: [endpoint(1)] }));
    await ok(game.manage('PUT', game.definitions('endpoints'), { body: [endpoint(2)] }));
    const { changes } = await read('definitions/endpoint/pay/history');
    expect(changes.map(({ change, fields }: { change: string; fields: unknown[] }) => [change, fields.length > 0])).toEqual([
      ['change', true],
      ['add', true],
    ]);
    await ok(game.manage('DELETE', game.definitions('endpoints/pay')));
    expect((await read('definitions/endpoint/e1/history')).changes[0]).toMatchObject({ action: 'publish', change: 'delete' });
    expect(await refused(game.manage('GET', game.definitions('definitions/endpoint/pay/history')))).toBe('404 NOT_FOUND');
    expect(await refused(game.manage('GET', game.definitions('definitions/nothing/pay/history')))).toBe('400 INVALID_REQUEST');
    const since = await read(`definitions/endpoint/e1/compare?from=${changes[0].revision}`);
    expect([since.from.exists, since.to.exists]).toEqual([true, false]);

    const tavern = (beer: number) => ({ id: 'tavern', accessMode: 'public', schema: {}, constants: { prices: { beer } } });
    await ok(game.manage('PUT', game.definitions('collections'), { body: [tavern(1)] }));
    await ok(game.manage('PUT', game.definitions('collections'), { body: [tavern(2)] }));
    await ok(game.manage('PUT', game.definitions('collections'), { body: [{ ...tavern(2), maxRecords: 7 }] }));
    const held = await read('game-values/prices/history');
    expect([held.collection, held.changes[0].fields, held.changes.length]).toEqual([
      'tavern',
      [{ path: '/entries/beer', label: 'beer', before: 1, after: 2 }],
      2,
    ]);
  });

  test('is shown to who may read what was and the definitions of the kind', async () => {
    const path = game.definitions('game-values/bazaar/history');
    const as = (key: string) => refused(game.send('GET', path, { headers: { 'x-secret-key': key } }));
    expect(await as(historian)).toBe('403 FORBIDDEN');
    expect(await as(await newApiKey(env, game.projectId, { game_values: 'r' }))).toBe('403 FORBIDDEN');
    const both = await newApiKey(env, game.projectId, { game_values: 'r', history: 'r' });
    await ok(game.send('GET', path, { headers: { 'x-secret-key': both } }));
    const ofCollection = game.definitions('game-values/prices/history');
    expect(await refused(game.send('GET', ofCollection, { headers: { 'x-secret-key': both } }))).toBe('403 FORBIDDEN');
  });
});

test('what happened to the save records of a player is listed, with the names before and after', async () => {
  const player = '76561199000000009';
  const path = game.storage(`heroes/${player}/records`);
  const made = await ok(game.manage('POST', path, { body: { recordName: 'Camp' } }));
  const { recordId } = Object(made.body);
  const renamed = await ok(game.manage('PATCH', `${path}/${recordId}`, { body: { recordName: 'Old camp' } }));
  const gone = await ok(game.manage('DELETE', `${path}/${recordId}`));
  const { changes, before } = Object((await ok(game.manage('GET', `${path}/history`))).body);
  expect(before).toBe(null);
  expect(changes.map(({ revision, action, fields }: Record<string, unknown>) => [revision, action, fields])).toEqual([
    [expect.any(Number), 'deleted', [{ path: `/${recordId}`, label: recordId, before: { recordName: 'Old camp' } }]],
    [
      position(renamed),
      'renamed',
      [{ path: `/${recordId}/recordName`, label: `${recordId} › recordName`, before: 'Camp', after: 'Old camp' }],
    ],
    [position(made), 'created', [{ path: `/${recordId}`, label: recordId, after: { recordName: 'Camp' } }]],
  ]);
  const compared = Object((await ok(game.manage('GET', `${path}/compare?from=${position(made)}&to=${position(renamed)}`))).body);
  expect([compared.from.records, compared.to.records, compared.fields.length]).toEqual([1, 1, 1]);
  const since = Object((await ok(game.manage('GET', `${path}/compare?to=${position(gone)}`))).body);
  expect([since.from.records, since.to.records, since.fields]).toEqual([0, 0, []]);
  expect(await refused(game.play('GET', `${path}/history`, {}, player))).toBe('403 FORBIDDEN');
  expect(await refused(game.manage('GET', game.storage('heroes/a.b/records/history')))).toMatch(/^40[04]/);
});

describe('who may read what was', () => {
  test('a secret key with the permission for it, which gives it nothing of now', async () => {
    const stored = await ok(game.manage('POST', game.storage(`own/${PLAYER}`), { body: { a: 1 } }));
    const as = (key: string, path: string) => game.send('GET', path, { headers: { 'x-secret-key': key } });
    const path = game.storage(`own/${PLAYER}`);
    expect((await ok(as(historian, `${path}?at=${position(stored)}`))).text).toBe('{"a":1}');
    expect(await refused(as(historian, path))).toBe('403 FORBIDDEN');
    const without = await newApiKey(env, game.projectId, { collections: 'rwx', settings: 'rw' });
    expect(await refused(as(without, `${path}?at=${position(stored)}`))).toBe('403 FORBIDDEN');
    expect(await refused(as(without, `${game.definitions('settings')}?at=${position(stored)}`))).toBe('403 FORBIDDEN');
    expect(await refused(as(historian, `${game.definitions('settings')}?at=${position(stored)}`))).toBe('403 FORBIDDEN');
  });

  test('a player, of his own data, where the collection has `history: owner`', async () => {
    const at = position(await ok(game.manage('POST', game.storage(`own/${PLAYER}`), { body: { a: 2 } })));
    const read = (path: string, player: string | null) => game.play('GET', game.storage(`${path}?at=${at}`), {}, player);
    expect((await ok(read(`own/${PLAYER}`, PLAYER))).text).toBe('{"a":2}');
    expect(await refused(read(`own/${PLAYER}`, OTHER))).toBe('403 FORBIDDEN');
    expect(await refused(read(`own/${PLAYER}`, null))).toBe('400 MISSING_PLATFORM_ID');
    expect(await refused(read(`heroes/${PLAYER}`, PLAYER))).toBe('403 FORBIDDEN');
    expect(await refused(game.play('GET', `/v3/values/${game.projectId}?at=${at}`))).toBe('403 FORBIDDEN');
  });
});
