import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Node } from '../../src/main.ts';
import type { SignedBrowser } from '../support/console.ts';
import { here, printed } from './support/command-line.ts';
import { bodyOf, type Client, NEXT, ok, refused } from './support/game-client.ts';
import { startNodeHere } from './support/node-here.ts';
import { newFolder, removeFolders } from './support/program.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Documents of a collection as a table and as a file, asked of a node in this process. */

let node: Node;
let manager: Client;
let owner: SignedBrowser;

const PLAYERS = ['p1', 'p2', 'p3', 'p4', 'p5'] as const;
const GOLD = { p1: 10, p2: 50, p3: 30, p4: 50 } as const;

beforeAll(async () => {
  ({ node, manager, owner } = await startNodeHere('Lists'));
  const define = (kind: string, body: unknown) => ok(manager.manage('PUT', manager.definitions(kind), { body }));
  await define('collections', [
    {
      id: 'saves',
      schema: { name: { type: 'string' }, gold: { type: 'number' }, mail: { type: 'string', _unique: true }, bag: { type: 'array' } },
    },
    { id: 'feed', collectionType: 'global', schema: { text: { type: 'string' } } },
    { id: 'large' },
  ]);
  const richest = { id: 'richest', type: 'leaderboard', sources: [{ collectionId: 'saves' }], config: { field: 'gold' } };
  await ok(manager.manage('POST', manager.definitions('queries'), { body: [richest] }));
  for (const key of PLAYERS) {
    const gold = key === 'p5' ? {} : { gold: GOLD[key] };
    await write(`saves/${key}`, { name: `=${key}`, ...gold, mail: `${key}@example.org`, bag: [{ id: 'axe', why: 'x'.repeat(300) }] });
  }
  for (const text of ['one', 'two', 'three']) await ok(manager.manage('POST', manager.storage('feed/append'), { body: { text } }));
});

afterAll(async () => {
  manager?.close();
  await node?.close();
  removeFolders();
});

const write = (path: string, body: unknown, headers = {}) => ok(manager.manage('POST', manager.storage(path), { body, headers }));
const listPath = (collection: string, query: Readonly<Record<string, string>> = {}) =>
  manager.definitions(`documents/${collection}?${new URLSearchParams(query)}`);
const list = (collection: string, query: Readonly<Record<string, string>> = {}, headers = {}) =>
  bodyOf(manager.manage('GET', listPath(collection, query), { headers }));
const keysOf = (page: { readonly documents: readonly { readonly key: string }[] }) => page.documents.map(({ key }) => key);
/** Keys of all pages. */
async function allKeys(collection: string, query: Readonly<Record<string, string>>, headers = {}): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { cursor: string | null; documents: readonly { key: string }[] } = await list(
      collection,
      { ...query, ...(cursor === '' ? {} : { cursor }) },
      headers,
    );
    pages.push(keysOf(page));
    cursor = page.cursor;
  }
  return pages;
}

test('documents are listed by key, by the number of a leaderboard with the first to reach it first, and by time, either way, page by page', async () => {
  expect(await allKeys('saves', { limit: '2' })).toEqual([['p1', 'p2'], ['p3', 'p4'], ['p5']]);
  expect(await allKeys('saves', { limit: '3', order: 'desc' })).toEqual([
    ['p5', 'p4', 'p3'],
    ['p2', 'p1'],
  ]);
  expect(await allKeys('saves', { by: 'gold', limit: '3' })).toEqual([['p2', 'p4', 'p3'], ['p1']]);
  expect(await allKeys('saves', { by: 'gold', order: 'asc', limit: '1' })).toEqual([['p1'], ['p3'], ['p4'], ['p2']]);
  expect(await allKeys('saves', { by: 'gold', from: '20', to: '40' })).toEqual([['p3']]);
  expect(await allKeys('saves', { begins: 'p', from: 'p2', to: 'p3' })).toEqual([['p2', 'p3']]);
  const newest = await list('feed', { by: '_time', limit: '2' });
  expect(newest.documents.map(({ cells }: { cells: { text: string } }) => cells.text)).toEqual(['three', 'two']);
  expect((await allKeys('feed', { by: '_time', limit: '1' })).flat().reverse()).toEqual(
    (await allKeys('feed', { by: '_time', order: 'asc' })).flat(),
  );
  expect(await allKeys('feed', { by: '_time', to: '2020-01-01' })).toEqual([[]]);
});

test('one document is found by a unique value, of now alone', async () => {
  expect(keysOf(await list('saves', { by: 'mail', is: 'p3@example.org' }))).toEqual(['p3']);
  expect(keysOf(await list('saves', { by: 'mail', is: 'p3@example' }))).toEqual([]);
  await write('saves/p3', { ops: [{ op: 'set', path: 'mail', value: 'new@example.org' }] });
  expect(keysOf(await list('saves', { by: 'mail', is: 'p3@example.org' }))).toEqual([]);
  expect(keysOf(await list('saves', { by: 'mail', is: 'new@example.org' }))).toEqual(['p3']);
});

test('what no index keeps is refused, and the answer says by what there is an order, and by what not', async () => {
  const page = await list('saves');
  expect(page).toMatchObject({
    by: '_key',
    order: 'asc',
    orders: [
      { by: '_key', kind: 'key' },
      { by: 'gold', kind: 'number', query: 'richest' },
      { by: 'mail', kind: 'unique' },
    ],
    others: ['name', 'bag'],
    columns: ['name', 'gold', 'mail', 'bag'],
  });
  for (const query of [
    { by: 'name' },
    { by: 'mail' },
    { by: 'gold', is: '5' },
    { by: 'gold', begins: 'p' },
    { by: 'gold', from: 'much' },
    { by: '_time' },
    { cursor: '["a", 1]' },
    { cursor: 'p2' },
    { columns: 'a..b' },
    { limit: '0' },
  ])
    expect(await refused(manager.manage('GET', listPath('saves', query)))).toBe('400 INVALID_REQUEST');
  expect(await refused(manager.manage('GET', listPath('nothing')))).toBe('404 NOT_FOUND');
});

test('a cell is cut, and says of what it is the beginning', async () => {
  const [first] = (await list('saves', { columns: 'gold,bag,none' })).documents;
  expect(first).toMatchObject({ key: 'p1', player: 'p1', version: 1, cells: { gold: 10, bag: { of: 'list', whole: false } } });
  expect(first.cells.bag.text).toHaveLength(200);
  expect(Object.keys(first.cells)).toEqual(['gold', 'bag']);
});

test('next shows live with what it has itself, in each order', async () => {
  await write('saves/p2', { ops: [{ op: 'set', path: 'gold', value: 1 }] }, NEXT);
  await write('saves/p9', { gold: 40 }, NEXT);
  await ok(manager.manage('DELETE', manager.storage('saves/p1'), { headers: NEXT }));
  expect(await allKeys('saves', { limit: '2' }, NEXT)).toEqual([['p2', 'p3'], ['p4', 'p5'], ['p9']]);
  expect((await allKeys('saves', { by: 'gold' }, NEXT)).flat()).toEqual(['p4', 'p9', 'p3', 'p2']);
  expect((await allKeys('saves', {})).flat()).toEqual([...PLAYERS]);
});

const exportPath = (collection: string, query: Readonly<Record<string, string>> = {}) =>
  manager.definitions(`documents/${collection}/export?${new URLSearchParams(query)}`);

test('a collection is a file: whole documents, or columns in which no spreadsheet finds a formula, with the revision in its name', async () => {
  const whole = await ok(manager.manage('GET', exportPath('saves')));
  const lines = whole.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ key }) => key)).toEqual([...PLAYERS]);
  expect(lines[0]).toMatchObject({
    key: 'p1',
    player: 'p1',
    version: 1,
    document: { name: '=p1', gold: 10, bag: [{ why: 'x'.repeat(300) }] },
  });
  const revision = whole.headers['x-ns-position'];
  expect(whole.headers).toMatchObject({
    'content-type': 'application/x-ndjson',
    'content-disposition': `attachment; filename="${manager.projectId}-saves-r${revision}.ndjson"`,
  });
  const rich = await ok(manager.manage('GET', exportPath('saves', { format: 'csv', by: 'gold', from: '30', columns: 'name,gold' })));
  const [head, ...rows] = rich.text.trimEnd().split('\r\n');
  expect(head).toBe('_key,_player,_version,_updatedAt,_revision,name,gold');
  expect(rows.map((row) => row.split(',').filter((_, at) => at === 0 || at > 4))).toEqual([
    ['p2', `'=p2`, '50'],
    ['p3', `'=p3`, '30'],
    ['p4', `'=p4`, '50'],
  ]);
  const next = await ok(manager.manage('GET', exportPath('saves'), { headers: NEXT }));
  expect(
    next.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).key),
  ).toEqual(['p2', 'p3', 'p4', 'p5', 'p9']);
});

test('the command line shows the table, and makes a file that is there whole or not at all', async () => {
  const env = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: manager.projectId, SAVEPOINT_SECRET_KEY: manager.secretKey };
  const shown = await printed(['doc', 'list', 'saves', '--by', 'gold', '--columns', 'name,gold', '--limit', '2'], { env });
  expect(shown).toMatch(/^KEY +NAME +GOLD +VERSION +CHANGED\np2 +=p2 +50 +1 /);
  const out = join(newFolder(), 'rich.csv');
  const made = JSON.parse(await printed(['doc', 'export', 'saves', '--by', 'gold', '--from', '40', '--out', out, '--json'], { env }));
  expect(made).toMatchObject({ ok: true, collection: 'saves', file: out });
  expect(readFileSync(out, 'utf8').split('\r\n')).toHaveLength(4);
  expect(await here(['doc', 'export', 'saves', '--out', out], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--force replaces it'),
  });
  const misspelt = await here(['doc', 'export', 'savess', '--out', `${out}.ndjson`], { env });
  expect([misspelt.code, misspelt.stderr, existsSync(`${out}.ndjson`)]).toEqual([1, expect.stringContaining('saves'), false]);
});

test('a file shows one revision, whatever is written while it is read; a project has one at a time, and whoever leaves gives it back', async () => {
  const keys = Array.from({ length: 300 }, (_, place) => `d${String(place).padStart(3, '0')}`);
  for (const key of keys) await write(`large/${key}`, { value: 'then', n: 1, rest: randomBytes(30_000).toString('base64') });
  const { reply, revision } = await opened(exportPath('large'));
  expect(await refused(manager.manage('GET', exportPath('saves')))).toBe('503 BUSY');
  for (const key of keys.slice(-4)) await write(`large/${key}`, { value: 'now' });
  for (const key of keys.slice(-8, -4)) await ok(manager.manage('DELETE', manager.storage(`large/${key}`)));
  await write('large/d999', { value: 'now' });
  const lines = (await textOf(reply))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines.map(({ key }) => key)).toEqual(keys);
  expect(new Set(lines.map(({ document }) => document.value))).toEqual(new Set(['then']));
  expect(lines.every((line) => line.revision <= revision)).toBe(true);
  const again = await opened(exportPath('large'));
  again.reply.destroy();
  await vi.waitFor(async () => expect((await manager.manage('GET', exportPath('saves'))).status).toBe(200), 60_000);
});

test('what becomes personal while a person takes a file is masked from then on, and a file that is bounded by it breaks off', async () => {
  const schema = { value: { type: 'string' }, n: { type: 'number' } };
  const define = (marked: object) =>
    ok(manager.manage('PUT', manager.definitions('collections'), { body: [{ id: 'large', schema: { ...schema, ...marked } }] }));
  await define({});
  const largest = { id: 'largest', type: 'leaderboard', sources: [{ collectionId: 'large' }], config: { field: 'n' } };
  await ok(manager.manage('POST', manager.definitions('queries'), { body: [largest] }));
  const { origin, port } = new URL(node.console?.origin ?? '');
  const headers = { Host: new URL(origin).host, Cookie: owner.cookie };
  const open = (query = {}) => opened(exportPath('large', query), { host: '127.0.0.1', port, headers });
  const { reply } = await open();
  const texts = reply[Symbol.asyncIterator]();
  const first = String((await texts.next()).value);
  await define({ value: { ...schema.value, _personal: true } });
  const rest = await textOf({ [Symbol.asyncIterator]: () => texts });
  const values = `${first}${rest}`.split('\n').map((line) => /"value":"([^"]*)"/.exec(line)?.[1]);
  expect([values[0], values.at(-2)]).toEqual(['then', '[personal]']);
  const bounded = await open({ by: 'n', from: '0' });
  await define({ n: { ...schema.n, _personal: true } });
  await expect(textOf(bounded.reply)).rejects.toThrow('aborted');
});

async function textOf(reply: AsyncIterable<unknown>): Promise<string> {
  let text = '';
  for await (const chunk of reply) text += String(chunk);
  return text;
}

interface Opened {
  readonly reply: NodeJS.ReadableStream & { destroy(): void };
  readonly revision: number;
}

/** The answer of a request that is not read yet. */
function opened(
  path: string,
  by: RequestOptions = { port: new URL(node.url).port, headers: { 'x-api-key': manager.secretKey } },
): Promise<Opened> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', path, ...by }, (reply) => {
      reply.pause();
      resolve({ reply, revision: Number(reply.headers['x-ns-position']) });
    });
    sent.once('error', reject);
    sent.end();
  });
}
