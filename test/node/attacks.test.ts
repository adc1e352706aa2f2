import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { demoCredentials } from '../../infra/harness/node.ts';
import { testDatabase } from '../support/postgres.ts';
import { verified } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { type Client, createClient, NEXT, ok, PLAYER, refused } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** What somebody hostile would send to the running program. Each once stalled it, filled its log or answered 500. */

let env: { readonly DATABASE_URL: string };
let node: Node;
let game: Client;

beforeAll(async () => {
  env = { DATABASE_URL: await testDatabase() };
  node = await startNode(newFolder(), { env });
  game = createClient(node.url, demoCredentials(node.data));
  await publishGame(game);
  const rules = [{ name: 'World', collection: 'towns', field: 'sold', scope: 'per_player', window: 'perDay', limit: 50, action: 'reject' }];
  await ok(game.manage('PUT', game.definitions('rate-limit-rules'), { body: { rules } }));
});

afterAll(async () => {
  expect(game.statuses.filter((status) => status >= 500)).toEqual([]);
  game.close();
  await verified(env);
  await node.stop();
  removeFolders();
});

const bodyOf = async (reply: ReturnType<Client['play']>) => Object((await ok(reply)).body);

/** A write and the view of it: shows that the read models still move. */
async function viewsMove(gold: number): Promise<void> {
  await ok(game.play('POST', game.storage(`players/${PLAYER}`), { body: { gold } }));
  const ledger = await ok(game.play('GET', game.storage(`players/${PLAYER}/ledger?limit=100`)));
  expect(ledger.headers['x-ns-stale']).toBeUndefined();
  expect(Object(ledger.body).entries.at(-1)).toMatchObject({ after: gold });
}

// Random: an index compresses what repeats.
const LONG_ID = Array.from({ length: 6_000 }, () => Math.random().toString(36).slice(2, 3)).join('');

test.each([
  ['header', { headers: { 'x-platform-id': LONG_ID } }, ''],
  ['query', {}, `?platformId=${LONG_ID}`],
  ['U+0000 in the query', {}, '?platformId=7%00'],
])('a claimed id that no index could hold is refused before it is stored: %s', async (_, sent, query) => {
  const body = { ops: [{ op: 'inc', path: 'sold', value: 1 }] };
  expect(await refused(game.play('POST', game.storage(`towns/market${query}`), { ...sent, body }, null))).toBe('400 INVALID_PLATFORMID');
  await viewsMove(LONG_ID.length + query.length);
});

test('U+0000 in the path of a record is a record that is not there', async () => {
  expect(await refused(game.play('GET', game.storage('feed/record/%00')))).toBe('404 NOT_FOUND');
});

test('a leaderboard over a field too long to be a key fails alone', async () => {
  const config = { field: LONG_ID, order: 'desc' };
  const query = { id: 'long', name: 'Long', type: 'leaderboard', sources: [{ collectionId: 'scores' }], config };
  await ok(game.manage('POST', game.definitions('queries'), { body: [query] }));
  await viewsMove(77);
});

test('definitions of many commits: one text of 700 KB, a thousand small ones, and both are there afterwards', async () => {
  const endpoint = (id: string, text: string) => ({ id, slug: id, method: 'POST', steps: [], response: { status: 200, body: { text } } });
  const push = (body: unknown) => ok(game.manage('PUT', game.definitions('endpoints'), { body }));
  await push([endpoint('large', 'x'.repeat(700_000))]);
  await push(Array.from({ length: 1_000 }, (_, n) => endpoint(`small-${n}`, String(n))));
  expect(await bodyOf(game.play('POST', game.endpoint('small-999'), { body: {} }))).toEqual({ text: '999' });
  expect((await ok(game.play('POST', game.endpoint('large'), { body: {} }))).text.length).toBeGreaterThan(700_000);
});

test('what a staged test does to windows, documents and boards stays in its space', async () => {
  const inc = (sent: object) =>
    game.play('POST', game.storage('towns/fair'), { ...sent, body: { ops: [{ op: 'inc', path: 'sold', value: 1 }] } });
  for (let n = 0; n < 40; n++) await ok(inc({}));
  const staged = await Promise.all(Array.from({ length: 20 }, () => inc({ headers: NEXT })));
  const live = await Promise.all(Array.from({ length: 20 }, () => inc({})));
  for (const replies of [staged, live]) expect(replies.filter(({ status }) => status === 200)).toHaveLength(10);
  expect(await bodyOf(game.play('GET', game.storage('towns/fair')))).toMatchObject({ sold: 50 });
});
