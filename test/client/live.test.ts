import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Change, createClient, inc, openLive, set } from '../../src/client/index.ts';
import { startNode } from '../node/support/program.ts';
import { endGame, type Fate, type Game, network, refusing, startGame } from './support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** The client's live values, on a node that is killed and started again. */

let game: Game;
beforeAll(async () => {
  game = await startGame();
});
afterAll(() => endGame(game));

const clientOf = (player: string) => {
  const { fetch: _, ...options } = game.options;
  return createClient({ ...options, player });
};

async function until(is: () => boolean): Promise<void> {
  for (const late = performance.now() + 60_000; !is(); await sleep(5)) if (performance.now() > late) throw new Error('it did not come');
}

test('a write shows at once and is confirmed; a refused write is taken back', async () => {
  const player = await game.newRich();
  const client = clientOf(player);
  const live = openLive(client);
  const seen: [number, boolean][] = [];
  const me = live.document('players', (document: { gold: number }, { isPending }: Change) => seen.push([document.gold, isPending]));
  await me.ready;
  await client.documents('players').update([inc('gold', 5), set('name', 'Bo')]);
  await until(() => seen.at(-1)?.[1] === false && seen.at(-1)?.[0] === 15);
  const refused = await client.documents('players').trySave({ gold: 1 }, { ifVersion: 1 });
  expect(refused.ok).toBe(false);
  await until(() => me.value?.gold === 15);
  expect(seen.slice(0, 2)).toEqual([
    [10, false],
    [15, true],
  ]);
  expect(seen.slice(-2)).toEqual([
    [1, true],
    [15, false],
  ]);
  live.close();
});

test('after one of two subscriptions is closed, the other still shows own writes and a changed player', async () => {
  const client = clientOf(await game.newRich());
  const [older, newer] = [openLive(client), openLive(client)];
  const seen: boolean[] = [];
  const me = newer.document('players', (_: { gold: number }, { isPending }: Change) => seen.push(isPending));
  await me.ready;
  older.close();
  await client.documents('players').update(inc('gold', 5));
  expect(seen.slice(0, 2)).toEqual([false, true]);
  client.publishTarget = 'next';
  await createClient({ ...client.connection.options })
    .documents('players')
    .save({ gold: 99 });
  await until(() => me.value?.gold === 99);
  newer.close();
});

test('a subscription that ends before its first value fails it, and opens no stream', async () => {
  const { fetch, sent } = network();
  const live = openLive(createClient({ ...game.options, player: game.newPlayer(), fetch }));
  const errors: string[] = [];
  const onError = ({ code }: { readonly code: string }) => errors.push(code);
  const aborted = live.document('players', () => undefined, { signal: AbortSignal.abort(), onError });
  const left = live.values(() => undefined, { onError });
  left.close();
  const open = live.values(() => undefined, { onError });
  live.close();
  const late = live.values(() => undefined, { onError });
  for (const { ready } of [aborted, left, open, late]) await expect(ready).rejects.toMatchObject({ code: 'ABORTED' });
  await sleep(20);
  expect([sent, errors]).toEqual([[], []]);
});

const STREAM = { headers: { 'content-type': 'text/event-stream' } };

/** A stream that the server ends with this refusal. */
const ending = (error: object) => () => new Response(`event: refused\ndata: ${JSON.stringify({ error })}\n\n`, STREAM);
const UNPROVEN = { code: 'PLATFORM_AUTH_FAILED', message: 'too old', status: 401 };
const AWAY = { code: 'PLATFORM_AUTH_FAILED', authFailureKind: 'service_unavailable' };
const isAway = () => Response.json({ ok: false, error: AWAY }, { status: 401, headers: { 'retry-after': '0' } });

test.each<readonly [string, readonly Fate[], number]>([
  ['whose token has become too old', [ending(UNPROVEN)], 2],
  ['whose login cannot be asked for a while', [ending(UNPROVEN), isAway, isAway], 4],
])('a player %s is proven anew, and the values go on', async (_, fates, opens) => {
  const { fetch, sent } = network(...fates);
  let tokens = 0;
  const player = { id: await game.newRich(), token: () => `token ${++tokens}` };
  const live = openLive(createClient({ ...game.options, player, fetch }));
  const errors: string[] = [];
  const me = live.document('players', () => undefined, { onError: ({ code }) => errors.push(code) });
  expect(await me.ready).toMatchObject({ gold: 10 });
  expect(sent.map(({ headers }) => headers['x-platform-token'])).toEqual(Array.from({ length: opens }, (_, at) => `token ${at + 1}`));
  expect(errors).toEqual([]);
  live.close();
});

test('a player whose new token is refused, too, gets the error, and no request follows before another player is set', async () => {
  const { fetch, sent } = network(ending(UNPROVEN), refusing(401, 'PLATFORM_AUTH_FAILED'));
  const client = createClient({ ...game.options, player: await game.newRich(), fetch });
  const live = openLive(client);
  const errors: string[] = [];
  const values = live.values(() => undefined, { onError: ({ code }) => errors.push(code) });
  await expect(values.ready).rejects.toMatchObject({ code: 'PLATFORM_AUTH_FAILED' });
  expect([sent.length, errors]).toEqual([2, ['PLATFORM_AUTH_FAILED']]);
  client.player = await game.newRich();
  await until(() => values.value !== undefined);
  live.close();
});

test('later subscriptions use the same connection, and no value comes twice', async () => {
  const [player, other] = [await game.newRich(), await game.newRich(50)];
  const live = openLive(clientOf(player));
  const golds: number[] = [];
  const me = live.document('players', (document: { gold: number }) => golds.push(document.gold));
  await me.ready;
  const board = live.leaderboard('top', () => undefined, { limit: 5 });
  const theirs = live.document('players', () => undefined, { key: other });
  expect((await theirs.ready)?.gold).toBe(50);
  expect((await board.ready).type).toBe('leaderboard');
  await clientOf(player).documents('players').update(inc('gold', 1));
  await until(() => golds.at(-1) === 11);
  expect(golds).toEqual([10, 11]);
  live.close();
});

test('a refused value is reported as an error, and comes once it is allowed', async () => {
  const live = openLive(clientOf(game.newPlayer()));
  const errors: string[] = [];
  const closed = live.document('vault', () => undefined, { key: 'x', onError: ({ code }) => errors.push(code) });
  await expect(closed.ready).rejects.toMatchObject({ code: 'ENDPOINT_ONLY' });
  expect(errors).toEqual(['ENDPOINT_ONLY']);
  live.close();
});

test('a node that is killed and restarted is found again, and no change is lost or doubled', async () => {
  const player = await game.newRich();
  const live = openLive(clientOf(player));
  const golds: number[] = [];
  const me = live.document('players', (document: { gold: number }) => golds.push(document.gold));
  await me.ready;
  await clientOf(player).documents('players').update(inc('gold', 1));
  await until(() => golds.at(-1) === 11);
  await game.node.kill();
  const port = Number(new URL(game.node.url).port);
  const node = await startNode(game.node.data, { env: { ...game.env }, args: ['--no-demo'], port });
  game = { ...game, node };
  await clientOf(player).documents('players').update(inc('gold', 1));
  await until(() => golds.at(-1) === 12);
  expect(golds).toEqual([10, 11, 12]);
  live.close();
});
