import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Change, createClient, inc, openLive, set } from '../../src/client/index.ts';
import { removeFolders, startNode } from '../node/support/program.ts';
import { type Game, startGame } from './support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** The client's live values, on a node that is killed and started again. */

let game: Game;
beforeAll(async () => {
  game = await startGame();
});
afterAll(async () => {
  await game.node.stop();
  removeFolders();
});

const clientOf = (player: string) => {
  const { fetch: _, ...options } = game.options;
  return createClient({ ...options, player });
};

async function until(is: () => boolean): Promise<void> {
  for (const late = performance.now() + 60_000; !is(); await sleep(5)) if (performance.now() > late) throw new Error('it did not come');
}

test('a write shows at once and is confirmed; one that is refused goes away again', async () => {
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

test('what is followed later goes over the same connection, and nothing comes twice', async () => {
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

test('a value that may not be had is told as an error, and comes when it may', async () => {
  const live = openLive(clientOf(game.newPlayer()));
  const errors: string[] = [];
  const closed = live.document('vault', () => undefined, { key: 'x', onError: ({ code }) => errors.push(code) });
  await expect(closed.ready).rejects.toMatchObject({ code: 'ENDPOINT_ONLY' });
  expect(errors).toEqual(['ENDPOINT_ONLY']);
  live.close();
});

test('a node that is killed and comes back is found again, and nothing is lost or doubled', async () => {
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
