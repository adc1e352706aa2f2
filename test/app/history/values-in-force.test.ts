import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { listOf, objectOf } from '../../../src/kernel/json-read.ts';
import { newApiKey, printed } from '../../node/support/command-line.ts';
import { bodyOf, ok, type Reply } from '../../node/support/game-client.ts';
import { type Opened, openNode } from '../security/support.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** From a coin to the publish of the value that it was priced by. */

const PLAYER = '7001';

let opened: Opened;
let historyKey: string;

const positionOf = (reply: Reply) => Number(reply.headers['x-ns-position']);
const publish = async (kind: string, body: object, message: string, target = 'live') => {
  const headers = { 'x-ns-publish-message': message, 'x-ns-publish-target': target };
  return positionOf(await ok(opened.game.manage('POST', opened.game.definitions(kind), { body, headers })));
};
const buy = async (slug: string, target = 'live') => {
  const headers = { 'x-platform-id': PLAYER, 'x-ns-publish-target': target };
  return String(
    positionOf(await ok(opened.game.play('POST', opened.game.endpoint(slug), { body: { item: 'axe', group: 'g1' }, headers }))),
  );
};
const callOf = async (held: string): Promise<JsonObject> => {
  const path = `/v3/manage/${opened.game.projectId}/explain/${held}`;
  const { meanings } = await bodyOf(opened.game.manage('GET', path, { headers: { 'x-api-key': historyKey } }));
  return objectOf(objectOf(listOf(meanings)[0])['call']);
};
const usesOf = async (held: string) => listOf((await callOf(held))['uses']).map((use) => objectOf(use));
const publishOf = (uses: readonly JsonObject[], id: string, entry?: string) => {
  const found = uses.find((use) => use['id'] === id && use['entry'] === entry);
  return found?.['publish'] == null ? found?.['publish'] : objectOf(found['publish'])['revision'];
};
const prices = (axe: number, bow: number, table = 1) => ({
  groups: [
    { id: 'prices', entries: { axe, bow } },
    { id: 'unread', entries: { any: axe } },
  ],
  tables: [{ id: 'loot', columns: ['id', 'gold'], rows: [['wolf', table]] }],
});
const paying = (value: string) => ({
  id: 'pay',
  type: 'write',
  collection: 'purses',
  key: '{{platformId}}',
  ops: [{ op: 'inc', path: 'gold', value }],
});

beforeAll(async () => {
  opened = await openNode();
  const { game } = opened;
  historyKey = await newApiKey({ DATABASE_URL: opened.databaseUrl }, game.projectId, {
    history: 'r',
    endpoints: 'r',
    workflows: 'r',
    game_values: 'r',
    collections: 'r',
  });
  const purses = { name: 'purses', accessMode: 'public', schema: { gold: { type: 'number', _ledger: true } } };
  await ok(game.manage('POST', game.definitions('collections'), { body: [purses] }));
  await ok(game.play('POST', game.storage(`purses/${PLAYER}`), { body: { gold: 100 }, headers: { 'x-platform-id': PLAYER } }));
});

afterAll(() => opened?.close());

test('two purchases at two prices lead each to the publish of its price, by whatever the endpoint reads it', async () => {
  const response = { status: 200, body: { ok: true } };
  const first = await publish('game-values', prices(7, 9), 'the first prices');
  await publish('workflows', [{ id: 'charge', steps: [paying('{{values.prices.axe}}')] }], 'the charge');
  const endpoints = [
    { slug: 'exact', method: 'POST', steps: [paying('{{values.prices.axe}}')], response },
    { slug: 'calculated', method: 'POST', steps: [paying('{{values.prices[input.item]}}')], response },
    { slug: 'nested', method: 'POST', steps: [{ id: 'c', type: 'workflow', workflow: 'charge' }], response },
    {
      slug: 'table',
      method: 'POST',
      steps: [
        { id: 'row', type: 'lookup', source: 'values', table: 'loot', where: { field: 'id', op: 'eq', value: 'wolf' } },
        paying('{{row.gold}}'),
      ],
      response,
    },
  ];
  await publish('endpoints', endpoints, 'the endpoints');
  const before = { exact: await buy('exact'), calculated: await buy('calculated'), nested: await buy('nested'), table: await buy('table') };
  const dearer = await publish('game-values', prices(8, 9), 'axes are dearer');
  const bows = await publish('game-values', prices(8, 10), 'bows are dearer');
  const after = { exact: await buy('exact'), calculated: await buy('calculated'), nested: await buy('nested'), table: await buy('table') };

  expect(publishOf(await usesOf(before.exact), 'prices', 'axe')).toBe(first);
  const exact = await usesOf(after.exact);
  expect(publishOf(exact, 'prices', 'axe')).toBe(dearer);
  expect(exact[0]).toMatchObject({ kind: 'value', publish: { action: 'publish', target: 'live' } });
  expect(exact.map(({ id }) => id)).not.toContain('unread');
  expect(exact.map(({ kind, id }) => `${kind} ${id}`)).toEqual(['value prices', expect.stringMatching(/^collection /)]);

  expect(publishOf(await usesOf(before.calculated), 'prices')).toBe(first);
  expect(publishOf(await usesOf(after.calculated), 'prices')).toBe(bows);

  const nested = await usesOf(after.nested);
  expect(publishOf(nested, 'prices', 'axe')).toBe(dearer);
  expect(nested.map(({ kind }) => kind)).toContain('workflow');
  expect(publishOf(await usesOf(before.table), 'loot')).toBe(first);
  expect(publishOf(await usesOf(after.table), 'loot')).toBe(first);

  const { history } = objectOf(exact[0]?.['links']);
  const scoped = await newApiKey({ DATABASE_URL: opened.databaseUrl }, opened.game.projectId, { history: 'r', game_values: 'r' });
  const told = await bodyOf(opened.game.manage('GET', String(history), { headers: { 'x-api-key': scoped } }));
  expect(listOf(told.changes).map((change) => objectOf(change)['revision'])).toEqual([bows, dearer, first]);

  const env = { SAVEPOINT_URL: opened.game.url, SAVEPOINT_PROJECT: opened.game.projectId, SAVEPOINT_SECRET_KEY: historyKey };
  expect(await printed(['explain', after.exact], { env })).toContain(`value prices.axe, as it is since publish ${dearer}`);
});

test('of a call on next a value is told with what was staged, and else with what live has, also after that was promoted', async () => {
  const { game } = opened;
  const onNext = async () => usesOf(await buy('exact', 'next'));
  const live = await publish('game-values', prices(20, 21), 'in live');
  expect(publishOf(await onNext(), 'prices', 'axe')).toBe(live);
  const staged = await publish('game-values', prices(22, 21), 'staged', 'next');
  const uses = await onNext();
  expect(publishOf(uses, 'prices', 'axe')).toBe(staged);
  expect(uses.find(({ kind }) => kind === 'collection')?.['publish']).toMatchObject({ target: 'live' });
  const base = { 'x-ns-base': String(staged) };
  const promoted = positionOf(
    await ok(game.manage('POST', `/v3/manage/${game.projectId}/promote`, { body: { force: true }, headers: base })),
  );
  expect(publishOf(await onNext(), 'prices', 'axe')).toBe(promoted);
  const later = await publish('game-values', prices(23, 21), 'in live again');
  expect(publishOf(await onNext(), 'prices', 'axe')).toBe(later);
});

test('a value of a collection is told with the collection, and beyond twenty the rest is counted', async () => {
  const constants = Array.from({ length: 30 }, (_, place) => ({ id: `g${place}`, entries: { a: 1 } }));
  const shop = { id: 'shop', name: 'shop', accessMode: 'public', schema: {}, constants };
  const published = await publish('collections', [shop], 'the shop');
  const all = { slug: 'all', method: 'POST', steps: [paying('{{values[input.group].a}}')], response: { status: 200, body: {} } };
  const one = { ...all, slug: 'one', steps: [paying('{{values.g3.a}}')] };
  await publish('endpoints', [all, one], 'all of them');
  const [held] = await usesOf(await buy('one'));
  expect(held).toMatchObject({ kind: 'value', id: 'g3', entry: 'a', collection: 'shop', publish: { revision: published } });
  const { uses, left } = await callOf(await buy('all'));
  expect(listOf(uses)).toHaveLength(20);
  // All groups and tables, and the collection.
  expect(left).toBe(30 + 3 + 1 - 20);
});
