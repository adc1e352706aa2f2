import { type ChildProcess, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  createClient,
  fileStorage,
  inc,
  memoryStorage,
  openQueue,
  push,
  type Queue,
  type QueuedWrite,
  type Result,
  type SavepointError,
} from '../../src/client/index.ts';
import { newFolder, startNode } from '../node/support/program.ts';
import { endGame, type Game, network, refusing, startGame } from './support.ts';

/** The offline queue: writes wait in their order, and each happens once. */

let game: Game;
beforeAll(async () => {
  game = await startGame();
});
afterAll(() => endGame(game));

const AWAY = { code: 'PLATFORM_AUTH_FAILED', message: 'away', authFailureKind: 'service_unavailable' };
const ROOT = join(import.meta.dirname, '../..');

describe('a write', () => {
  test('that has no network waits, and the writes behind it keep their order', async () => {
    let isOnline = false;
    const { fetch } = network();
    const player = await game.newRich();
    const client = createClient({
      ...game.options,
      player,
      fetch: (url, init) => (isOnline ? fetch(url, init) : Promise.reject(new TypeError())),
    });
    const queue = await openQueue(client, { storage: memoryStorage() });
    for (const mark of ['a', 'b', 'c']) await queue.update('counters', [push('marks', mark), inc('n')]);
    await expect.poll(() => queue.state).toBe('waiting');
    expect([queue.size, queue.error?.code]).toEqual([3, 'NETWORK_ERROR']);
    isOnline = true;
    queue.flush();
    await queue.idle();
    expect(await client.documents('counters').get()).toEqual({ n: 3, marks: ['a', 'b', 'c'] });
    expect([queue.size, queue.state, queue.error]).toEqual([0, 'idle', null]);
  });

  test('that is refused is returned to the game, and the next one is sent', async () => {
    const settled: [string, SavepointError | null][] = [];
    const onSettled = (write: QueuedWrite, result: Result<unknown>) => {
      settled.push([write.kind, result.ok ? null : result.error]);
    };
    const client = createClient({ ...game.options, player: await game.newRich() });
    const queue = await openQueue(client, { storage: memoryStorage(), onSettled });
    const stale = await queue.save('players', { gold: 1 }, { ifVersion: 7 });
    const poor = await queue.call('buy', { item: 'castle' });
    const bought = await queue.call('buy', { item: 'axe' });
    expect(await stale.result).toMatchObject({ ok: false, error: { code: 'STALE_SAVE', details: { expected: 7, actual: 1 } } });
    expect(await poor.result).toMatchObject({ ok: false, error: { code: 'NO_ITEM' } });
    expect(await bought.result).toMatchObject({ ok: true, value: { left: 3 } });
    expect(settled.map(([kind, error]) => [kind, error?.code])).toEqual([
      ['save', 'STALE_SAVE'],
      ['call', 'NO_ITEM'],
      ['call', undefined],
    ]);
  });

  test.each([
    ['a wrong key', refusing(401, 'UNAUTHORIZED', { 'x-correlation-id': 'x' }), 'blocked'],
    ['a hotel’s page', () => new Response('<h1>Welcome</h1>'), 'waiting'],
    ['a proxy that refuses', refusing(403, null), 'waiting'],
    ['a login that cannot be asked', () => Response.json({ ok: false, error: AWAY }, { status: 401 }), 'waiting'],
    ['a failure of the server', refusing(500, 'INTERNAL_ERROR', { 'x-correlation-id': 'x' }), 'waiting'],
  ])('keeps its place whatever comes in between: %s', async (_, answer, state) => {
    // The first request checks whether the server is reachable.
    const { fetch } = network('as it is', answer);
    const client = createClient({ ...game.options, player: await game.newRich(), fetch });
    const queue = await openQueue(client, { storage: memoryStorage() });
    const { result } = await queue.update('players', inc('gold', 5));
    await expect.poll(() => queue.state).toBe(state);
    queue.flush();
    expect(await result).toMatchObject({ ok: true });
    expect(await client.documents('players').get()).toMatchObject({ gold: 15 });
  });

  test('that was sent longer ago than the server remembers keys is not sent again but returned to the game', async () => {
    const storage = memoryStorage();
    const client = createClient({ ...game.options, player: await game.newRich() });
    const closed = createClient({ ...client.connection.options, fetch: network('as it is', 'answer lost').fetch });
    const first = await openQueue(closed, { storage, name: 'q' });
    await first.update('players', inc('gold', 5));
    await expect.poll(() => first.state).toBe('waiting');
    await first.close();
    const settled: Result<unknown>[] = [];
    const second = await openQueue(client, { storage, name: 'q', keptHours: 0, onSettled: (_, result) => void settled.push(result) });
    await second.idle();
    expect(settled).toMatchObject([{ ok: false, error: { code: 'OUTCOME_UNKNOWN' } }]);
    expect(await client.documents('players').get()).toMatchObject({ gold: 15 });
  });

  test('goes to the target that it was made for', async () => {
    const client = createClient({ ...game.options, player: await game.newRich(), publishTarget: 'next' });
    const queue = await openQueue(client, { storage: memoryStorage() });
    await queue.update('players', inc('gold', 5));
    client.publishTarget = 'live';
    await queue.idle();
    expect(await client.documents('players').get()).toMatchObject({ gold: 10 });
    client.publishTarget = 'next';
    expect(await client.documents('players').get()).toMatchObject({ gold: 15 });
  });

  test('is never sent as another player', async () => {
    const client = createClient({ ...game.options, player: await game.newRich() });
    const storage = memoryStorage();
    const queue = await openQueue(client, { storage });
    const [mine, other] = [client.player, await game.newRich()];
    client.player = other;
    const { result } = await queue.update('players', inc('gold', 5));
    await expect.poll(() => queue.state).toBe('blocked');
    expect(await client.documents('players').get()).toMatchObject({ gold: 10 });
    client.player = mine;
    queue.flush();
    expect(await result).toMatchObject({ ok: true });
  });
});

test('a flush while an attempt is under way sends anew at once when that has failed', async () => {
  const busy = refusing(503, 'BUSY', { 'x-correlation-id': 'x', 'retry-after': '3600' });
  let queue: Queue | undefined;
  const { fetch } = network('as it is', () => {
    // The game comes online again, or has logged in, before the answer is there.
    queue?.flush();
    return busy();
  });
  const client = createClient({ ...game.options, player: await game.newRich(), fetch });
  queue = await openQueue(client, { storage: memoryStorage() });
  const { result } = await queue.update('players', inc('gold', 5));
  expect(await result).toMatchObject({ ok: true });
});

test('a program names the storage of its queue', async () => {
  const client = createClient({ ...game.options, player: game.newPlayer() });
  await expect(openQueue(client)).rejects.toMatchObject({ code: 'QUEUE_STORAGE', message: expect.stringContaining('Give `storage`') });
});

test('a queue is bounded', async () => {
  const offline = createClient({ ...game.options, player: game.newPlayer(), fetch: () => Promise.reject(new TypeError()) });
  const queue = await openQueue(offline, { storage: memoryStorage(), limit: 2 });
  await queue.update('counters', inc('n'));
  await queue.update('counters', inc('n'));
  await expect(queue.update('counters', inc('n'))).rejects.toMatchObject({ code: 'QUEUE_FULL' });
  await queue.close();
});

test('a failing storage is an error, and a write that is not stored is not sent', async () => {
  const storage = { ...memoryStorage(), setItem: () => Promise.reject(new Error('the disk is full')) };
  const client = createClient({ ...game.options, player: await game.newRich() });
  const queue = await openQueue(client, { storage });
  await expect(queue.update('players', inc('gold'))).rejects.toMatchObject({ code: 'QUEUE_STORAGE' });
  expect(await client.documents('players').get()).toMatchObject({ gold: 10 });
});

test('without locks, two queues on one storage lose nothing: a write that would overwrite another is refused', async () => {
  // Node has Web Locks from version 24 on; some platforms of games have none.
  vi.stubGlobal('navigator', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const storage = memoryStorage();
  const player = await game.newRich();
  let isOnline = false;
  const fetch: typeof globalThis.fetch = (url, init) => (isOnline ? globalThis.fetch(url, init) : Promise.reject(new TypeError()));
  const opened = () => openQueue(createClient({ ...game.options, player, fetch: (url, init) => fetch(url, init) }), { storage, name: 'q' });
  const [first, second] = [await opened(), await opened()];
  await first.update('players', inc('gold', 5));
  await expect(second.update('players', inc('gold', 1))).rejects.toMatchObject({ code: 'QUEUE_OPEN' });
  isOnline = true;
  first.flush();
  await first.idle();
  await expect(second.update('players', inc('gold', 1))).rejects.toMatchObject({ code: 'QUEUE_OPEN' });
  await first.update('players', inc('gold', 2));
  await first.idle();
  expect(
    await createClient({ ...game.options, player })
      .documents('players')
      .get(),
  ).toMatchObject({ gold: 17 });
});

test('a damaged entry is set aside and told, and the others go out', async () => {
  const storage = memoryStorage();
  const player = await game.newRich();
  const offline = createClient({ ...game.options, player, fetch: () => Promise.reject(new TypeError()) });
  const queue = await openQueue(offline, { storage, name: 'damaged' });
  for (const mark of ['a', 'b', 'c', 'd']) await queue.update('counters', push('marks', mark));
  await queue.close();
  await storage.setItem('damaged:1', '{"kind":"upd');
  await storage.setItem('damaged:2', '{"id":5}');
  const settled: unknown[] = [];
  const client = createClient({ ...game.options, player });
  const onSettled = (write: QueuedWrite, result: Result<unknown>) => {
    settled.push([write.kind, result.ok ? null : result.error.code]);
  };
  const again = await openQueue(client, { storage, name: 'damaged', onSettled });
  await again.idle();
  expect(settled).toEqual([
    ['update', null],
    ['damaged', 'QUEUE_STORAGE'],
    ['damaged', 'QUEUE_STORAGE'],
    ['update', null],
  ]);
  expect(await client.documents('counters').get()).toEqual({ marks: ['a', 'd'] });
  expect([await storage.getItem('damaged:damaged:1'), await storage.getItem('damaged:damaged:2')]).toEqual(['{"kind":"upd', '{"id":5}']);
  await again.close();
  await storage.setItem('damaged', 'x');
  await expect(openQueue(client, { storage, name: 'damaged' })).rejects.toMatchObject({ code: 'QUEUE_STORAGE' });
});

test('a direct save is refused while an older write of its document waits, which would overwrite it; the game may write when it is told', async () => {
  let isOnline = false;
  const { fetch } = network();
  const player = await game.newRich();
  const offline = { fetch: (url: string, init: RequestInit) => (isOnline ? fetch(url, init) : Promise.reject(new TypeError())) };
  const client = createClient({ ...game.options, player, retries: 0, ...offline });
  const players = client.documents('players');
  const resolved: unknown[] = [];
  const onSettled = async (_: QueuedWrite, result: Result<unknown>) => {
    if (!result.ok) resolved.push((await players.trySave({ gold: 3 })).ok);
  };
  const queue = await openQueue(client, { storage: memoryStorage(), onSettled });
  await queue.save('players', { gold: 1 }, { ifVersion: 7 });
  const codes = await Promise.all([players.trySave({ gold: 2 }), players.tryUpdate(inc('gold', 1)), players.tryDelete()]);
  expect(codes.map((result) => !result.ok && result.error.code)).toEqual(['WRITE_QUEUED', 'WRITE_QUEUED', 'WRITE_QUEUED']);
  expect(await client.documents('bags').trySave({ a: 1 })).toMatchObject({ ok: false, error: { code: 'NETWORK_ERROR' } });
  isOnline = true;
  queue.flush();
  await queue.idle();
  expect([resolved, (await players.get())?.['gold']]).toEqual([[true], 3]);
  await queue.update('players', inc('gold', 2));
  expect((await players.tryUpdate(inc('gold', 1))).ok).toBe(true);
  await queue.idle();
  expect(await players.get()).toMatchObject({ gold: 6 });
});

test('numbers that doubles do not hold are refused by the queue with their path, or kept by a codec of the game', async () => {
  const player = game.newPlayer();
  const { url, projectId, publicKey } = game.options;
  const write = { method: 'POST', headers: { 'x-public-key': publicKey, 'content-type': 'application/json', 'x-platform-id': player } };
  await fetch(`${url}/v3/storage/${projectId}/bags/${player}`, { ...write, body: '{"id":9007199254740993}' });
  const client = createClient({ ...game.options, player });
  const bag = await client.documents('bags').get();
  const queue = await openQueue(client, { storage: memoryStorage() });
  await expect(queue.save('bags', { ...bag, n: 1 })).rejects.toMatchObject({
    code: 'INVALID_ARGUMENT',
    message: expect.stringContaining('`id`'),
  });

  const text = /(?<=:)\d{16,}(?=[,}])/g;
  const json = {
    parse: (given: string) =>
      JSON.parse(given.replace(text, '"big:$&"'), (_, value) => (/^big:/.test(value) ? BigInt(value.slice(4)) : value)),
    stringify: (value: unknown) =>
      JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? `big:${member}` : member)).replace(/"big:(\d+)"/g, '$1'),
  };
  const exact = createClient({ ...game.options, player, json });
  const storage = memoryStorage();
  const other = await openQueue(exact, { storage, name: 'exact' });
  await other.save('bags', { ...(await exact.documents('bags').get()), n: 2 });
  await other.idle();
  expect(await exact.documents('bags').get()).toEqual({ id: 9007199254740993n, n: 2 });
});

test('a crash between two storage operations neither loses nor repeats a write', async () => {
  const folder = newFolder();
  const storage = fileStorage(folder);
  const entry = { player: '1', target: 'live', queuedAt: 1, kind: 'update', collection: 'counters', at: {}, body: [] };
  // The first is done, and its entry is still there.
  storage.setItem('crashed', '1');
  for (const n of [0, 1, 2]) storage.setItem(`crashed:${n}`, JSON.stringify({ ...entry, id: String(n) }));
  const client = createClient({ ...game.options, player: '1', fetch: () => Promise.reject(new TypeError()) });
  const queue = await openQueue(client, { storage, name: 'crashed' });
  expect(queue.size).toBe(2);
  expect(storage.getItem('crashed:0')).toBeNull();
  await queue.close();
});

/** A game in its own process. It queues writes with marks from..to, and prints a line for each that is stored or settled. */
const PROGRAM = `
import { createClient, fileStorage, inc, openQueue, push } from '${join(ROOT, 'dist/src/client/index.js')}';
const [options, folder, from, to] = process.argv.slice(2);
const client = createClient(JSON.parse(options));
const onSettled = (write, result) => console.log('settled', result.ok ? 'ok' : result.error.code);
const queue = await openQueue(client, { storage: fileStorage(folder), onSettled });
for (let n = Number(from); n < Number(to); n++) {
  await queue.update('counters', [inc('n'), push('marks', String(n))]);
  console.log('stored', n);
}
setInterval(() => queue.flush(), 200);
await queue.idle();
console.log('idle');
process.exit(0);
`;

test('every write happens once and in order, although node and game are killed with kill -9', async () => {
  const folder = newFolder();
  const program = join(newFolder(), 'game.mjs');
  writeFileSync(program, PROGRAM);
  const { url, projectId, publicKey } = game.options;
  const player = game.newPlayer();
  const runs: ChildProcess[] = [];
  const play = (from: number, to: number) => {
    const words = [program, JSON.stringify({ url, projectId, publicKey, player }), folder, String(from), String(to)];
    const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const run = { child, out: '' };
    child.stdout.on('data', (chunk: Buffer) => {
      run.out += chunk.toString();
    });
    runs.push(child);
    return run;
  };
  try {
    const first = play(0, 40);
    await expect.poll(() => first.out).toContain('settled');
    await game.node.kill();
    await expect.poll(() => first.out).toContain('stored 39');
    first.child.kill('SIGKILL');
    const node = await startNode(newFolder(), { env: { ...game.env }, args: ['--no-demo'], port: Number(new URL(url).port) });
    game = { ...game, node };
    const second = play(40, 80);
    await expect.poll(() => second.out).toContain('stored 79');
    second.child.kill('SIGKILL');
    const third = play(80, 81);
    await expect.poll(() => third.out).toContain('idle');
    const marks = Array.from({ length: 81 }, (_, n) => String(n));
    expect(
      await createClient({ ...game.options, player })
        .documents('counters')
        .get(),
    ).toEqual({ n: 81, marks });
  } finally {
    for (const child of runs) child.kill('SIGKILL');
  }
});
