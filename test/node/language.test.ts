import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Chat, openChat } from './game/webhooks.ts';
import { bodyOf, type Client, createClient, NEXT, ok, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The language over HTTP, against the built program: what shows only over several calls. */

let node: Node;
let game: Client;
let chat: Chat;

beforeAll(async () => {
  const data = newFolder();
  chat = await openChat();
  node = await startNode(data, { env: { DATABASE_URL: await migratedDatabase(), WEBHOOK_PREFIXES: chat.hooks } });
  game = createClient(node.url, demoCredentials(data));
  const schema = { gold: { type: 'number', _ledger: true } };
  await push('collections', [
    { id: 'purses', name: 'Purses', collectionType: 'per-platformid', accessMode: 'public', schema },
    { id: 'boards', name: 'Boards', collectionType: 'global', accessMode: 'public', schema: {} },
  ]);
});

afterAll(async () => {
  game?.close();
  await node?.stop();
  chat?.close();
  removeFolders();
});

const push = (route: string, body: unknown, headers = {}) => ok(game.manage('PUT', game.definitions(route), { body, headers }));
const call = (slug: string, body: object = {}, headers = {}, player?: string) =>
  game.play('POST', game.endpoint(slug), { body, headers }, player);
const write = (id: string, collection: string, key: string, op: object) => ({ id, type: 'write', collection, key, ops: [op] });

test('an answer that is too large is refused, in a test, too, and nothing of its call is stored', async () => {
  const text = 'x'.repeat(200_000);
  const note = write('note', 'boards', 'large', { op: 'set', path: 'n', value: 1 });
  await push('endpoints', [{ slug: 'large', steps: [note], response: { body: { all: Array(22).fill('{{input.text}}') } } }]);
  expect(await refused(call('large', { text }))).toBe('413 RESULT_TOO_LARGE');
  expect((await game.play('GET', game.storage('boards/large'))).status).toBe(404);
  const dry = await bodyOf(game.manage('POST', game.definitions('test-endpoint'), { body: { slug: 'large', input: { text } } }));
  expect(dry.result).toMatchObject({ status: 413, body: { error: { code: 'RESULT_TOO_LARGE' } } });
  expect(await bodyOf(call('large', { text: 'x' }))).toMatchObject({ all: expect.any(Array) });
});

describe('a clamp inside an endpoint', () => {
  test('is seen by the steps after it, by copies and by the answer, and each write step has its ledger entry', async () => {
    const rules = [
      { name: 'Gold a day', collection: 'purses', field: 'gold', scope: 'per_player', window: 'perDay', limit: 10, action: 'clamp' },
    ];
    await push('rate-limit-rules', { rules });
    const steps = [
      write('first', 'purses', '{{platformId}}', { op: 'inc', path: 'gold', value: 7, reason: 'one' }),
      write('second', 'purses', '{{platformId}}', { op: 'inc', path: 'gold', value: 7, reason: 'two' }),
      { id: 'purse', type: 'read', collection: 'purses', key: '{{platformId}}' },
      write('copy', 'boards', 'best', { op: 'set', path: 'gold', value: '{{purse.gold}}' }),
    ];
    await push('endpoints', [{ id: 'grab', slug: 'grab', steps, response: { body: { gold: '{{purse.gold}}' } } }]);
    const player = '76561198000000801';
    expect(await bodyOf(call('grab', {}, {}, player))).toEqual({ gold: 10 });
    expect(await bodyOf(game.play('GET', game.storage(`purses/${player}`), {}, player))).toMatchObject({ gold: 10 });
    expect(await bodyOf(game.play('GET', game.storage('boards/best')))).toMatchObject({ gold: 10 });
    const ledger = await bodyOf(game.manage('GET', game.storage(`purses/${player}/ledger`)));
    const entries = ledger.entries.map(({ delta, reason }: { delta: number; reason: string }) => [reason, delta]);
    expect(entries.sort()).toEqual([
      ['one', 7],
      ['two', 3],
    ]);
    await push('rate-limit-rules', { rules: [] });
  });
});

describe('libraries', () => {
  const library = (price: number) => ({
    kind: 'library',
    sourceFormat: 'yaml',
    sourcePath: 'economy.library.yml',
    sourceText: `sourceVersion: 1
kind: library
id: economy
blocks:
  price:
    params: { level: { type: number } }
    steps:
      - { id: total, type: transform, expression: "{{level}} * ${price}" }
    returns: { total: "{{total}}" }
`,
  });
  const steps = [{ id: 'bill', type: 'call', target: 'economy.price', params: { level: 3 } }];
  const shop = { id: 'shop', slug: 'shop', imports: ['economy'], steps, response: { body: { total: '{{bill.total}}' } } };

  test('are pushed, staged, promoted, listed, synced and deleted like the others; calls run their blocks', async () => {
    const early = await push('endpoints', [shop]);
    expect(early.text).toContain('BLOCK_NOT_FOUND');
    expect(await refused(call('shop'))).toBe('400 ENDPOINT_ERROR.CALL');

    const pushed = await push('libraries', [library(10)]);
    expect(pushed.text).not.toContain('diagnostics');
    expect(await bodyOf(call('shop'))).toEqual({ total: 30 });
    expect((await push('endpoints', [{ ...shop, notes: 'again' }])).text).not.toContain('BLOCK_NOT_FOUND');

    await push('libraries', [library(20)], NEXT);
    expect(await bodyOf(call('shop'))).toEqual({ total: 30 });
    expect(await bodyOf(call('shop', {}, NEXT))).toEqual({ total: 60 });
    await ok(game.manage('POST', game.definitions('promote'), { body: {} }));
    expect(await bodyOf(call('shop'))).toEqual({ total: 60 });

    await ok(game.manage('PUT', game.definitions('sync'), { body: { libraries: [library(5)] } }));
    expect(await bodyOf(call('shop'))).toEqual({ total: 15 });
    const { data } = await bodyOf(game.manage('GET', game.definitions('libraries')));
    expect(data.map(({ id }: { id: string }) => id)).toEqual(['economy']);
    await ok(game.manage('DELETE', game.definitions('libraries/economy')));
    expect(await refused(call('shop'))).toBe('400 ENDPOINT_ERROR.CALL');
  });
});

describe('webhooks that nobody asks about', () => {
  const steps = [
    { id: 'hook', type: 'webhook', url: '{{input.to}}{{input.path}}', title: 'Rung' },
    write('w', 'boards', 'bell', { op: 'inc', path: 'rung', value: 1 }),
    { id: 'c', type: 'condition', check: { field: 'input.fail', op: 'not_exists' } },
  ];

  test('leave once each when their call is stored, and not at all for a call that is refused', async () => {
    await push('endpoints', [{ id: 'ring', slug: 'ring', steps }]);
    const ring = (body: object) => call('ring', { to: chat.hooks, ...body });
    expect(await refused(ring({ path: 'never', fail: true }))).toBe('400 CONDITION_FAILED');
    await Promise.all(Array.from({ length: 20 }, (_, n) => ok(ring({ path: `n${n}` }))));
    await vi.waitFor(() => expect(chat.posted).toHaveLength(20), 60_000);
    expect([...chat.posted].sort()).toEqual(Array.from({ length: 20 }, (_, n) => `/hooks/n${n}`).sort());
    expect(await refused(ring({ to: 'http://127.0.0.1:1/', path: 'x' }))).toBe('400 ENDPOINT_ERROR.WEBHOOK');
  });
});

describe('what tools ask', () => {
  test('which publish a call ran with', async () => {
    await push('endpoints', [{ id: 'which', slug: 'which', steps: [], response: { body: { ok: true } } }]);
    const { headers } = await ok(call('which'));
    const { publishes } = await bodyOf(game.manage('GET', game.definitions('publishes')));
    expect(headers['x-ns-publish']).toMatch(/^[0-9a-f]{16}$/);
    expect(publishes[0].hash.startsWith(headers['x-ns-publish'])).toBe(true);
    const refusedCall = await call('ring', { to: chat.hooks, path: 'never', fail: true });
    expect([refusedCall.status, refusedCall.headers['x-ns-publish']]).toEqual([400, headers['x-ns-publish']]);
  });

  test('what a project holds, and what became of a push', async () => {
    const manifest = await bodyOf(game.manage('GET', game.definitions('agent-manifest')));
    expect(manifest).toMatchObject({ ok: true, target: 'live', project: { id: game.projectId } });
    expect(manifest.collections.map(({ id }: { id: string }) => id)).toContain('purses');
    expect(manifest.endpoints.find(({ slug }: { slug: string }) => slug === 'which')).toMatchObject({ method: 'POST', exposure: 'public' });
    const which = [{ id: 'which', slug: 'which', steps: [] }];
    const { jobId } = await bodyOf(game.manage('PUT', game.definitions('endpoints?async=true'), { body: which }));
    expect(await bodyOf(game.manage('GET', game.definitions(`sync-jobs/${jobId}`)))).toMatchObject({
      ok: true,
      jobId,
      status: 'completed',
    });
    expect(await refused(game.manage('GET', game.definitions('sync-jobs/999999999')))).toBe('404 NOT_FOUND');
    expect(await refused(game.manage('GET', game.definitions('sync-jobs/none')))).toBe('404 NOT_FOUND');
  });
});

test('a call that works without end is ended, and the next is answered', async () => {
  const each = '{{input.a}}'.repeat(40);
  const steps = [{ id: 'c', type: 'transform', expression: `count(input.list, "${each}")` }];
  await push('endpoints', [{ id: 'slow', slug: 'slow', steps }]);
  expect(await refused(call('slow', { list: Array.from({ length: 100_000 }, () => 0) }))).toBe('400 LIMIT_EXCEEDED');
  await ok(call('which'));
});

test('a large push is compiled beside the requests of others, in a thread of its own', async () => {
  const check = "check: { field: 'purse.gold|0', op: '>=', value: '{{input.n}}' }, routes: { false: continue }";
  const steps = Array.from({ length: 2500 }, (_, n) => `  - { id: s${n}, type: condition, ${check} }`).join('\n');
  const sourceText = `sourceVersion: 1\nkind: endpoint\nid: huge\nsteps:\n${steps}\n`;
  let answered = 0;
  let isDone = false;
  const others = (async () => {
    while (!isDone) {
      await ok(call('which'));
      answered += 1;
    }
  })();
  const item = { kind: 'endpoint', sourceFormat: 'yaml', sourcePath: 'huge.endpoint.yml', sourceText };
  expect((await push('endpoints', [item])).body).toMatchObject({ ok: true, createdCount: 1 });
  const preflight = await bodyOf(game.manage('POST', game.definitions('sync/preflight'), { body: { endpoints: [item] } }));
  expect(preflight).toMatchObject({ ok: true, summary: { total: 1, failed: 0 } });
  isDone = true;
  await others;
  expect(answered).toBeGreaterThan(20);
  const { data } = await bodyOf(game.manage('GET', game.definitions('endpoints')));
  expect(data.find(({ slug }: { slug: string }) => slug === 'huge').sourceText).toBe(sourceText);
  const broken = { ...item, sourceText: `${sourceText}  - {` };
  expect(await refused(game.manage('PUT', game.definitions('endpoints'), { body: [broken] }))).toBe('400 SOURCE_COMPILE_FAILED');
  // Its first call compiles its steps.
  await ok(call('huge', { n: 0 }));
});
