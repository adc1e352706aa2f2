import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createClient, openLive } from '../../../src/client/index.ts';
import { ok, PLAYER } from '../../node/support/game-client.ts';
import { createHearing } from '../../support/lag.ts';
import { type Came, listen } from '../../support/live-stream.ts';
import { type Opened, openNode } from '../security/support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const hearing = createHearing();
let node: Opened;
beforeAll(async () => {
  node = await openNode();
  const { game } = node;
  const saves = { id: 'saves', name: 'saves', collectionType: 'per-platformid', accessMode: 'public', schema: {} };
  await ok(game.manage('PUT', game.definitions('collections'), { body: [saves] }));
});
afterAll(async () => {
  vi.restoreAllMocks();
  await node?.close();
});

const isStale = (stale: boolean) => (came: Came) => came.event === 'stale' && Object(came.data).stale === stale;

test('a stream of a node that has lost sight of the log says so, to the client library as well, and says when it sees it again', async () => {
  const { url, projectId, publicKey } = node.game;
  const client = await listen(url, projectId, [`documents/saves/${PLAYER}`], { 'x-public-key': publicKey });
  await client.next(({ event }) => event === 'message');
  const heard: boolean[] = [];
  const live = openLive(createClient({ url, projectId, publicKey }), { onStale: (stale) => void heard.push(stale) });
  await live.values(() => undefined).ready;
  await expect.poll(() => live.isStale).toBe(false);
  await hearing.without(async () => {
    await client.next(isStale(true));
    await expect.poll(() => live.isStale).toBe(true);
    // Whoever comes now is told at once.
    const late = await listen(url, projectId, ['values'], { 'x-public-key': publicKey });
    await late.next(isStale(true));
    late.close();
  });
  await client.next(isStale(false));
  await expect.poll(() => live.isStale).toBe(false);
  // Told when it begins and when it ends. On a busy machine it may happen by itself, too.
  expect(heard).toEqual(heard.map((_, at) => at % 2 === 0));
  expect(heard.length).toBeGreaterThanOrEqual(2);
  live.close();
  client.close();
});
