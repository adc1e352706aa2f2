import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { answerGuest, createClient, guestRelay, inc, memoryStorage, openQueue, type SaveState, saveState } from '../../src/client/index.ts';
import { endGame, type Game, network, startGame } from './support.ts';

/** What a game shows of its writes, on a real node. */

let game: Game;
beforeAll(async () => {
  game = await startGame();
});
afterAll(() => endGame(game));

function seenBy(saves: SaveState) {
  const seen: string[] = [];
  saves.onChange(({ status }) => seen.push(status));
  return seen;
}

test('of several writes at once the last one ends the saving, and one that was refused makes it an error', async () => {
  const client = createClient({ ...game.options, player: await game.newRich() });
  const saves = saveState(client);
  const seen = seenBy(saves);
  await Promise.all([client.documents('players').update(inc('gold')), client.tryCall('buy', { item: 'castle' })]);
  expect([seen, saves.lastError?.code]).toEqual([['saving', 'error'], 'NO_ITEM']);
  await client.records('slots').create('Camp');
  expect([seen.slice(2), saves.lastError]).toEqual([['saving', 'saved'], null]);
  saves.close();
  await client.documents('players').update(inc('gold'));
  expect(seen).toHaveLength(4);
});

test('reads are no saving, and a state of one handle follows no other', async () => {
  const client = createClient({ ...game.options, player: await game.newRich() });
  const [all, bags] = [saveState(client), saveState(client.documents('bags'))];
  await client.documents('players').get();
  expect(all.status).toBe('idle');
  await client.documents('players').update(inc('gold'));
  expect([all.status, bags.status]).toEqual(['saved', 'idle']);
  await client.documents('bags').save({ n: 1 });
  expect(bags.status).toBe('saved');
});

test('a host follows its own writes, and not those that it sends for its guests', async () => {
  const [host, guest] = [
    createClient({ ...game.options, player: await game.newRich() }),
    createClient({ ...game.options, player: await game.newRich() }),
  ];
  guest.relay = guestRelay(guest, (request) => answerGuest(host, request, guest.player?.id ?? ''));
  const [ofHost, ofGuest] = [saveState(host), saveState(guest)];
  await guest.call('buy', { item: 'axe' });
  expect([ofHost.status, ofGuest.status]).toEqual(['idle', 'saved']);
});

test('a state of one document follows no other of its collection, be it a player’s, a save record’s, or one of the offline queue', async () => {
  const client = createClient({ ...game.options, player: await game.newRich() });
  const slots = client.documents('slots');
  const { recordId } = await client.records('slots').create('Camp');
  const [all, own, camp, other] = [
    saveState(slots),
    saveState(slots, { key: client.player?.id ?? '' }),
    saveState(slots, { record: recordId }),
    saveState(slots, { key: '76561198000000009', record: recordId }),
  ];
  const states = () => [all, own, camp, other].map(({ status }) => status);
  await slots.save({ day: 1 }, { record: recordId });
  expect(states()).toEqual(['saved', 'idle', 'saved', 'idle']);
  const queue = await openQueue(client, { storage: memoryStorage() });
  const seen = seenBy(own);
  const { result } = await queue.save('slots', { day: 2 }, { ifVersion: 7 });
  expect(states()).toEqual(['saving', 'saving', 'saved', 'idle']);
  await result;
  expect([states(), own.lastError?.code, camp.lastError, seen]).toEqual([
    ['error', 'error', 'saved', 'idle'],
    'STALE_SAVE',
    null,
    ['saving', 'error'],
  ]);
  await queue.close();
});

test('what is refused before it is sent is no success either: a value that JSON drops, and a save that would be overwritten by the queue', async () => {
  const { fetch } = network(...Array.from({ length: 50 }, () => 'lost' as const));
  const client = createClient({ ...game.options, player: await game.newRich(), fetch });
  const saves = saveState(client);
  await client.tryCall('buy', { item: () => 'axe' });
  expect([saves.status, saves.lastError?.message]).toEqual(['error', expect.stringContaining('`item`')]);
  const queue = await openQueue(client, { storage: memoryStorage() });
  const own = saveState(client.documents('players'));
  await queue.save('players', { gold: 1 });
  await client.documents('players').trySave({ gold: 2 });
  expect([own.status, own.lastError?.code]).toEqual(['saving', 'WRITE_QUEUED']);
  await queue.close();
});

test('a queue that is closed saves nothing more, until it is opened again', async () => {
  const storage = memoryStorage();
  const { fetch } = network(...Array.from({ length: 3 }, () => 'lost' as const));
  const client = createClient({ ...game.options, player: await game.newRich(), fetch });
  const saves = saveState(client);
  const first = await openQueue(client, { storage });
  await first.update('players', inc('gold', 5));
  await vi.waitUntil(() => first.state === 'waiting', 30_000);
  await first.close();
  expect([saves.status, saves.lastError?.code]).toEqual(['error', 'QUEUE_CLOSED']);
  const second = await openQueue(client, { storage });
  expect(saves.status).toBe('saving');
  await second.idle();
  expect([saves.status, saves.lastError]).toEqual(['saved', null]);
  await second.close();
});

test('a write of the offline queue is one saving until it is stored, also over a restart of the game', async () => {
  const storage = memoryStorage();
  const player = await game.newRich();
  const { fetch } = network(...Array.from({ length: 50 }, () => 'lost' as const));
  const offline = createClient({ ...game.options, player, fetch });
  const before = saveState(offline);
  const first = await openQueue(offline, { storage });
  await first.update('players', inc('gold', 5));
  await vi.waitUntil(() => first.state === 'waiting', 30_000);
  expect([before.status, before.isBusy]).toEqual(['saving', true]);
  await first.close();
  const client = createClient({ ...game.options, player });
  const saves = saveState(client.documents('players'));
  const seen = seenBy(saves);
  const second = await openQueue(client, { storage });
  expect(saves.status).toBe('saving');
  await second.idle();
  expect(seen).toEqual(['saving', 'saved']);
  await second.close();
});
