import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { routes } from '../../src/contract/routes/index.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Client, createClient } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** A change of a manager says with `x-ns-base` what it was made on, on every route that publishes. */

const data = newFolder();
let node: Node;
let game: Client;

beforeAll(async () => {
  node = await startNode(data, { env: { DATABASE_URL: await migratedDatabase() } });
  game = createClient(node.url, demoCredentials(data));
});
afterAll(async () => {
  game?.close();
  await node?.stop();
  removeFolders();
});

const KINDS: Readonly<Record<string, unknown>> = {
  collections: [{ id: 'towns', schema: {} }],
  endpoints: [{ slug: 'look', steps: [] }],
  workflows: [{ id: 'w', steps: [] }],
  libraries: [{ id: 'l', blocks: {} }],
  queries: [{ id: 'q', collection: 'towns' }],
};

const CHANGES: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ...Object.entries(KINDS).flatMap(([kind, items]) => [
    // Queries have fewer routes.
    ...(kind === 'queries' ? [] : [['PUT', kind, items] as const]),
    ['POST', kind, items] as const,
    ['DELETE', `${kind}/none`] as const,
  ]),
  ['PATCH', 'collections', { id: 'towns', schema: {} }],
  ['PATCH', 'endpoints', { slug: 'look', steps: [] }],
  ['PUT', 'game-values', { items: [{ id: 'a', type: 'group', entries: { b: 1 } }] }],
  ['DELETE', 'game-values'],
  ['PUT', 'rate-limit-rules', []],
  ['DELETE', 'rate-limit-rules'],
  ['PUT', 'tests', []],
  ['PUT', 'settings', { fillDefaults: true }],
  ['PUT', 'sync', {}],
  ['POST', 'discard', {}],
  ['POST', 'promote', {}],
  ['POST', 'rollback', {}],
];

const send = async (method: string, path: string, body: unknown, base: string) => {
  const { projectId, secretKey } = demoCredentials(data);
  const headers = { 'x-api-key': secretKey, 'content-type': 'application/json', 'x-ns-base': base };
  const reply = await fetch(`${node.url}/v3/manage/${projectId}/${path}`, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { error } = JSON.parse(await reply.text());
  return `${reply.status} ${error?.code ?? ''}`.trim();
};

test('what is not a revision is refused on every such route, and one before what others published is a conflict', async () => {
  const listed = game.definitions('collections');
  await game.manage('PUT', listed, { body: [{ id: 'towns', schema: {} }] });
  await game.manage('PUT', listed, { body: [{ id: 'roads', schema: {} }] });
  for (const [method, path, body] of CHANGES) {
    expect(await send(method, path, body, 'three'), `${method} ${path}`).toBe('400 INVALID_REQUEST');
    expect(await send(method, path, body, '0'), `${method} ${path}`).toBe('409 PUBLISH_CONFLICT');
  }
});

test('of two managers who change settings on one base, the second is refused', async () => {
  const { projectId, secretKey } = demoCredentials(data);
  const read = await fetch(`${node.url}/v3/manage/${projectId}/settings`, { headers: { 'x-api-key': secretKey } });
  const base = read.headers.get('x-ns-position') ?? '';
  const both = await Promise.all([
    send('PUT', 'settings', { fillDefaults: false }, base),
    send('PUT', 'settings', { fillDefaults: true }, base),
  ]);
  expect([...both].sort()).toEqual(['200', '409 PUBLISH_CONFLICT']);
  expect(await send('PUT', 'settings', { fillDefaults: true }, base)).toBe('409 PUBLISH_CONFLICT');
});

test('a message says why something was published, in `publishes`, in a conflict and in the log; one that is too long or no line is refused', async () => {
  const listed = game.definitions('collections');
  const why = 'Summer: 50% off — für alle ☀';
  await game.manage('PUT', `${listed}?message=${encodeURIComponent(why)}`, { body: [{ id: 'lakes', schema: {} }] });
  const { publishes } = Object((await game.manage('GET', `${game.definitions('publishes')}?limit=1`)).body);
  expect(publishes).toMatchObject([{ message: why, actor: { label: expect.any(String) } }]);
  const refused = async (message: string) => send('PUT', `collections?message=${encodeURIComponent(message)}`, [{ id: 'seas' }], '999');
  expect(await refused('x'.repeat(501))).toBe('400 INVALID_REQUEST');
  expect(await refused('two\nlines')).toBe('400 INVALID_REQUEST');
  expect(await refused('right\u202eleft')).toBe('400 INVALID_REQUEST');
});

test('each route of management that answers with a publish says that it takes x-ns-base and a message', () => {
  const publishing = routes.filter(({ answerHeaders, writes }) => writes === true && Object.hasOwn(answerHeaders ?? {}, 'x-ns-published'));
  expect(publishing.length).toBeGreaterThan(20);
  expect(publishing.filter(({ headers }) => !Object.hasOwn(headers ?? {}, 'x-ns-base')).map(({ id }) => id)).toEqual([]);
  expect(publishing.filter(({ query }) => !Object.hasOwn(query ?? {}, 'message')).map(({ id }) => id)).toEqual([]);
});
