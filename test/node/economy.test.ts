import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Env, newApiKey, printed } from './support/command-line.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const data = newFolder();
let env: Env;
let node: Node;
let game: Client;

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(data, { env });
  game = createClient(node.url, demoCredentials(data));
  const gold = { type: 'number', _ledger: true, _currency: 'gold' };
  const definitions = [
    { id: 'purses', schema: { gold, xp: { type: 'number', _ledger: true } } },
    { id: 'treasury', collectionType: 'global', schema: { stock: gold } },
  ];
  await ok(game.manage('PUT', game.definitions('collections'), { body: definitions }));
  const step = (id: string, collection: string, key: string, op: JsonObject) => ({ id, type: 'write', collection, key, ops: [op] });
  const pay = {
    slug: 'pay',
    steps: [
      step('from', 'purses', '{{platformId}}', { op: 'inc', path: 'gold', value: -30, source: 'tax' }),
      step('to', 'treasury', 'crown', { op: 'inc', path: 'stock', value: 25, source: 'tax' }),
    ],
  };
  await ok(game.manage('PUT', game.definitions('endpoints'), { body: [pay] }));
  for (const [player, value] of [
    ['1', 100],
    ['2', 0.1],
    ['3', 18446744073709],
  ] as const) {
    await ok(
      game.manage('POST', game.storage(`purses/${player}`), { body: { ops: [{ op: 'inc', path: 'gold', value, source: 'quest' }] } }),
    );
  }
  await ok(game.manage('POST', `/v3/endpoints/${game.projectId}/pay`, { body: { platformId: '1' } }));
  const refund = { op: 'inc', path: 'gold', value: 7, source: 'correction', reason: 'lost' };
  await ok(game.manage('POST', game.storage('purses/2'), { body: { ops: [refund] } }));
});

afterAll(async () => {
  game?.close();
  await node?.stop();
  removeFolders();
});

const read = async (path: string) => JSON.parse((await ok(game.manage('GET', path))).text);
const economy = (rest = '') => `/v3/manage/${game.projectId}/economy${rest}`;

test('a day of a currency over two collections adds up, and its classes are told', async () => {
  const { days } = await read(economy('?currency=gold'));
  expect(days).toMatchObject([
    {
      opening: 0,
      inflow: 18446744073841.1,
      outflow: 30,
      closing: 18446744073811.1,
      faucet: 18446744073809.1,
      sink: 5,
      transfer: 25,
      correctedIn: 7,
      ...{ active: null, holders: null, top: null },
    },
  ]);
});

test('every number opens what it is made of: the day its flows, a flow its players, a player the ledger', async () => {
  const { days } = await read(economy('?currency=gold'));
  const { flows } = await read(days[0].flows);
  expect(flows).toHaveLength(4);
  const quest = flows.find((flow: JsonObject) => flow['source'] === 'quest');
  expect(quest).toMatchObject({ collection: 'purses', field: 'gold', endpoint: '', correction: false, entries: 3, players: 3 });
  const { players } = await read(quest.opens);
  expect(players.map(({ player }: JsonObject) => player)).toEqual(['3', '1', '2']);
  const { entries } = await read(players[1].ledgers[0]);
  expect(entries.map(({ source, delta }: JsonObject) => [source, delta])).toEqual([
    ['quest', 100],
    ['tax', -30],
  ]);
});

test('a sum opens its entries, the newest first, with who made them', async () => {
  const { entries, cursor } = await read(economy('/entries?currency=gold&source=tax'));
  expect(entries).toMatchObject([
    {
      player: 'crown',
      collection: 'treasury',
      field: 'stock',
      before: 0,
      delta: 25,
      after: 25,
      source: 'tax',
      endpoint: 'pay',
      actor: { kind: 'secret' },
    },
    { player: '1', collection: 'purses', field: 'gold', before: 100, delta: -30, after: 70, source: 'tax', endpoint: 'pay' },
  ]);
  expect(cursor).toBeNull();
  const { entries: ofTwo } = await read(economy('/entries?currency=gold&player=2'));
  expect(ofTwo.map(({ source, reason }: JsonObject) => [source, reason])).toEqual([
    ['correction', 'lost'],
    ['quest', undefined],
  ]);
  expect((await game.manage('GET', economy('/entries'))).status).toBe(400);
  const { entries: out } = await read(economy('/entries?currency=gold&source=tax&direction=out'));
  expect(out.map(({ player, delta }: JsonObject) => [player, delta])).toEqual([['1', -30]]);
  const { entries: come } = await read(economy('/entries?currency=gold&source=tax&direction=in'));
  expect(come.map(({ player, delta }: JsonObject) => [player, delta])).toEqual([['crown', 25]]);
  expect((await game.manage('GET', economy('/entries?currency=gold&direction=up'))).status).toBe(400);
});

test('the entries that a class opens come to its sum, each with its part, also page by page', async () => {
  const {
    days: [day],
  } = await read(economy('?currency=gold'));
  const opened = async (query: string) => {
    const found: JsonObject[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: { entries: JsonObject[]; cursor: string | null } = await read(
        economy(`/entries?currency=gold&limit=1&${query}${cursor === '' ? '' : `&cursor=${cursor}`}`),
      );
      found.push(...page.entries);
      cursor = page.cursor;
    }
    return found.map(({ player, source, delta, part }) => ({ player, source, delta, part }));
  };
  const sum = (entries: Awaited<ReturnType<typeof opened>>, isIn: boolean) =>
    entries.filter(({ delta }) => Number(delta) > 0 === isIn).reduce((all, { part }) => all + Number(part), 0);
  const sums: Record<string, readonly [come: number, went: number]> = {
    faucet: [day.faucet, 0],
    sink: [0, day.sink],
    transfer: [day.transfer, day.transfer],
    correction: [day.correctedIn, day.correctedOut],
  };
  for (const [name, [come, went]] of Object.entries(sums)) {
    const entries = await opened(`class=${name}`);
    expect([sum(entries, true), sum(entries, false)], name).toEqual([come, went]);
    expect(await opened(`class=${name}&direction=in`), name).toEqual(entries.filter(({ delta }) => Number(delta) > 0));
  }
  // Of a tax of 30, of which 25 came to the crown, 5 went nowhere.
  expect(await opened('class=sink')).toEqual([{ player: '1', source: 'tax', delta: -30, part: 5 }]);
  expect(await opened('class=transfer&source=tax')).toEqual([
    { player: 'crown', source: 'tax', delta: 25, part: 25 },
    { player: '1', source: 'tax', delta: -30, part: 25 },
  ]);
  const { flows } = await read(economy('/flows?currency=gold&by=source'));
  for (const { source, faucet, sink } of flows) {
    expect(sum(await opened(`class=faucet&source=${source}`), true), source).toBe(faucet);
    expect(sum(await opened(`class=sink&source=${source}`), false), source).toBe(sink);
  }
  expect((await game.manage('GET', economy('/entries?currency=gold&class=rain'))).status).toBe(400);
});

test('pages follow each other without a gap, whatever they are added up by', async () => {
  for (const path of [
    '',
    '/flows',
    '/flows?by=source',
    '/flows?by=endpoint',
    '/flows?by=field',
    '/flows?by=day',
    '/players?currency=gold',
    '/entries?currency=gold',
  ]) {
    const with1 = (cursor: string | null) =>
      economy(`${path}${path.includes('?') ? '&' : '?'}limit=1${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    const [whole] = Object.values<JsonObject[]>(await read(economy(path))).filter(Array.isArray);
    const paged: JsonObject[] = [];
    let cursor: string | null = null;
    do {
      const page: Record<string, JsonObject[] | string | null> = await read(with1(cursor));
      paged.push(...Object.values(page).filter(Array.isArray).flat());
      cursor = page['cursor'] as string | null;
    } while (cursor !== null);
    expect(paged, path).toEqual(whole);
  }
});

test('a currency now: supply, holders, and the share of the richest', async () => {
  const supply = await read(economy('/supply?currency=gold'));
  expect(supply).toMatchObject({
    supply: 18446744073811.1,
    active: 18446744073811.1,
    holders: 4,
    top: { holders: 1, balance: 18446744073709 },
  });
});

test('what is not there and what is wrong is said, and a key needs the scope', async () => {
  const refusal = async (path: string, headers = {}) => {
    const { status, body } = await game.manage('GET', economy(path), { headers });
    return [status, JSON.stringify(body)] as const;
  };
  expect(await refusal('/supply?currency=gems')).toMatchObject([404, expect.stringContaining('gems')]);
  expect(await refusal('/players')).toMatchObject([400, expect.stringContaining('currency')]);
  expect(await refusal('?from=yesterday')).toMatchObject([400, expect.stringContaining('from')]);
  expect(await refusal('?cursor=x')).toMatchObject([400, expect.stringContaining('cursor')]);
  const key = await newApiKey(env, game.projectId, { collections: 'rwx' });
  expect(await refusal('', { 'x-api-key': key })).toMatchObject([403, expect.stringContaining('economy')]);
});

test('a table of the command line runs nothing in a spreadsheet: games name the sources', async () => {
  const source = '=HYPERLINK("http://evil")';
  const key = await newApiKey(env, game.projectId, { economy: 'r', collections: 'rwx' });
  await ok(game.manage('POST', game.storage('purses/9'), { body: { ops: [{ op: 'inc', path: 'xp', value: -5, source }] } }));
  const remote = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: game.projectId, SAVEPOINT_SECRET_KEY: key };
  const table = await vi.waitFor(async () => {
    const text = await printed(['economy', '--field', 'purses.xp', '--by', 'source', '--csv'], { env: remote });
    expect(text).toContain('HYPERLINK');
    return text.trim().split('\n');
  }, 60_000);
  expect(table[1]).toBe(`purses.xp,"'=HYPERLINK(""http://evil"")",1,0,5,0,5`);
});

test('the entry of a correction says why, with its ticket', async () => {
  const key = await newApiKey(env, game.projectId, { economy: 'r', restore: 'rw' });
  const { entries: before } = await read(economy('/entries?currency=gold&player=1'));
  expect(before.every(({ why }: JsonObject) => why === undefined)).toBe(true);
  const body = { revision: before[0].revision, reason: 'taxed twice', ticket: 'T-7' };
  await ok(game.manage('POST', `/v3/manage/${game.projectId}/undo`, { body, headers: { 'x-api-key': key } }));
  const { entries } = await read(economy('/entries?currency=gold&player=1'));
  expect(entries[0]).toMatchObject({ source: 'undo', delta: 30, why: { reason: 'taxed twice', ticket: 'T-7' } });
  // Undone once: the entries behind it are as they were.
  expect(entries.slice(1)).toEqual(before);
});
