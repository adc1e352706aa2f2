import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { type Client, createClient, inc, memoryStorage, openLive, openQueue, push, signInGuest } from '../../src/client/index.ts';
import { answering, asItIs, cutting, type Middlebox, startMiddlebox } from '../support/middlebox.ts';
import { startNetwork } from '../support/network.ts';
import { endGame, type Game, startGame } from './support.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** The client on bad networks: captive portals, cut answers, sleep, wrong clocks. */

let game: Game;
let box: Middlebox;
beforeAll(async () => {
  game = await startGame({ LIVE_TOPICS: '4' });
  box = await startMiddlebox(game.options.url);
});
afterEach(() => {
  vi.restoreAllMocks();
  box.always(null);
});
afterAll(async () => {
  await box?.close();
  await endGame(game);
});

/** A client whose requests pass through the box. */
const over = (player: string, more: object = {}) => createClient({ ...game.options, url: box.url, player, ...more });

async function until(is: () => boolean): Promise<void> {
  for (const late = performance.now() + 30_000; !is(); await sleep(5)) if (performance.now() > late) throw new Error('it did not come');
}

const HTML = { 'content-type': 'text/html' };
const WELCOME = '<html><h1>Welcome to the hotel</h1>\n\ndata: {}\n\n</html>';

test('a write happens once, whatever a box on the network does', async () => {
  const client = over(await game.newRich(), { retries: 6 });
  const soon = new Date(Date.now() + 1_000).toUTCString();
  const from = box.came.length;
  box.next(
    answering(502, HTML, '<h1>Bad gateway</h1>'),
    cutting(game.options.url, 'broken'),
    cutting(game.options.url, 'ended'),
    answering(429, { ...HTML, 'retry-after': soon }, '<h1>Slow down</h1>'),
    answering(200, HTML, WELCOME),
  );
  await client.documents('players').update([inc('gold', 5), push('items', 'rope')]);
  expect(new Set(box.came.slice(from).map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(box.came.length - from).toBe(6);
  expect(await client.documents('players').get()).toMatchObject({ gold: 15, items: ['rope'] });
});

test('a captive portal that answers instead of the server is an error, receives no token, and live values resume once it lets requests through', async () => {
  const told: IncomingHttpHeaders[] = [];
  const portal = createServer(({ headers }, answer) => {
    told.push(headers);
    answer.writeHead(200, HTML).end(WELCOME);
  });
  await new Promise<void>((resolve) => portal.listen(0, '127.0.0.1', resolve));
  const { port } = portal.address() as AddressInfo;
  const elsewhere = answering(302, { location: `http://127.0.0.1:${port}/login` }, '');
  const client = over(await game.newRich(), { retries: 1 });
  for (const fate of [elsewhere, answering(200, HTML, WELCOME), answering(511, HTML, WELCOME)]) {
    box.always(fate);
    const from = box.came.length;
    const live = openLive(client);
    const me = live.document('players', () => undefined);
    me.ready.catch(() => undefined);
    const read = await client.documents('players').tryGet();
    expect(read.ok ? null : read.error.code).toMatch(/^(?:HTTP_ERROR|INVALID_RESPONSE)$/);
    await until(() => box.came.slice(from).filter(({ url }) => url?.startsWith('/v3/live')).length > 1);
    box.always(null);
    await until(() => me.value?.gold === 10);
    live.close();
  }
  expect(told).toEqual([]);
  portal.close();
});

test('a shown value stays while a captive portal answers', async () => {
  const player = await game.newRich();
  const live = openLive(over(player));
  const errors: string[] = [];
  const golds: number[] = [];
  const onValue = ({ gold }: { gold: number }) => golds.push(gold);
  await live.document('players', onValue, { onError: ({ code }) => errors.push(code) }).ready;
  const from = box.came.length;
  box.always(answering(403, HTML, WELCOME));
  // A new subscription reopens the stream.
  const other = live.document('bags', () => undefined, { onError: ({ code }) => errors.push(code) });
  await until(() => box.came.length > from + 1);
  await createClient({ ...game.options, player })
    .documents('players')
    .update(inc('gold', 1));
  box.always(null);
  await until(() => golds.at(-1) === 11 && other.value === null);
  expect([golds, errors]).toEqual([[10, 11], ['HTTP_ERROR']]);
  live.close();
});

test('a topic that the server refuses does not end the others', async () => {
  const player = await game.newRich();
  const live = openLive(over(player));
  const errors: string[] = [];
  const follow = (collection: string) =>
    live.document(collection, () => undefined, { onError: ({ code }) => errors.push(`${collection} ${code}`) });
  const me = follow('players');
  // An older server refuses an option that it does not know.
  const refused = { code: 'INVALID_REQUEST', message: `"documents/bags/${player}" is no topic: it does not know it` };
  box.next(answering(400, { 'content-type': 'application/json' }, JSON.stringify({ ok: false, error: refused })), asItIs);
  const bag = follow('bags');
  expect((await me.ready)?.gold).toBe(10);
  expect([errors, bag.value]).toEqual([['bags INVALID_REQUEST'], undefined]);
  bag.close();
  // The node takes four topics per stream.
  const more = ['scores', 'counters', 'meters'].map(follow);
  await Promise.all(more.map(({ ready }) => ready));
  const fifth = follow('bags');
  await expect(fifth.ready).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  await createClient({ ...game.options, player })
    .documents('players')
    .update(inc('gold', 1));
  await until(() => me.value?.gold === 11);
  more[0]?.close();
  fifth.close();
  const again = follow('bags');
  expect(await again.ready).toBeNull();
  live.close();
});

test('unknown events in the stream of a newer server are ignored', async () => {
  const lines = [
    'retry: 2000\n\n',
    'event: hello\ndata: {"topic":"values","revision":7,"value":"no value"}\n\n',
    'event: message\nfuture: x\nid: 8\ndata: {"topic":"values","revision":8,"value":{"constants":1},"more":true}\n\n',
    'data: {"revision":9}\n\n',
  ];
  box.next((_, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    outgoing.write(lines.join(''));
  });
  const live = openLive(over(game.newPlayer()));
  const seen: unknown[] = [];
  await live.values((value) => seen.push(value)).ready;
  expect(seen).toEqual([{ constants: 1 }]);
  live.close();
});

describe('a machine', () => {
  const HOURS = 3_600_000;
  const clock = Date.now.bind(Date);

  /** Uses everything that depends on the clock. */
  async function plays(client: Client, gold: number): Promise<void> {
    await client.documents('players').update(inc('gold', 7));
    expect(await client.call('buy', { item: 'axe' })).toMatchObject({ left: gold });
  }

  test.each([5, -5])('whose clock is %d hours off plays with guests, sessions, sealed calls and a queue', async (hours) => {
    vi.spyOn(Date, 'now').mockImplementation(() => clock() + hours * HOURS);
    await game.change({ requirePlayerAuth: true, guestSignIn: true, enableAuthSessions: true, enableEncryptedRequests: true });
    try {
      const client = createClient(game.options);
      await signInGuest(client, { storage: memoryStorage() });
      await plays(client, 10);
      expect(client.sessions.current).not.toBeNull();
      const storage = memoryStorage();
      const lost = createClient({ ...client.connection.options, fetch: losing(client) });
      const first = await openQueue(lost, { storage, name: 'of a machine' });
      await first.update('players', inc('gold', 1));
      await expect.poll(() => first.state).toBe('waiting');
      await first.close();
      // The clock changes in between. What the server remembers does not depend on it.
      vi.spyOn(Date, 'now').mockImplementation(() => clock() - hours * 6 * HOURS);
      const settled: boolean[] = [];
      const second = await openQueue(client, { storage, name: 'of a machine', onSettled: (_, { ok }) => void settled.push(ok) });
      await second.idle();
      expect([settled, await client.documents('players').get()]).toEqual([[true], expect.objectContaining({ gold: 11 })]);
      await second.close();
      await plays(client, 11);
    } finally {
      await game.change({ requirePlayerAuth: false, enableAuthSessions: false, enableEncryptedRequests: false });
    }
  });

  /** The first write happens, but its answer never arrives. */
  function losing({ connection }: Client) {
    const { fetch = globalThis.fetch } = connection.options;
    return async (url: string, init: RequestInit) => {
      const response = await fetch(url, init);
      if (init.method === 'GET') return response;
      await response.text();
      throw new TypeError('fetch failed');
    };
  }

  test('that slept has its values at once when it wakes, although its connection is silent', async () => {
    const player = await game.newRich();
    const network = await startNetwork(() => Number(new URL(game.options.url).port));
    const live = openLive(createClient({ ...game.options, url: `http://127.0.0.1:${network.port}`, player }));
    const me = live.document('players', () => undefined);
    await me.ready;
    network.strand();
    await createClient({ ...game.options, player })
      .documents('players')
      .update(inc('gold', 1));
    // The monotonic clock stands still meanwhile.
    vi.spyOn(Date, 'now').mockImplementation(() => clock() + 8 * HOURS);
    await until(() => me.value?.gold === 11);
    live.close();
    await network.close();
  });
});
