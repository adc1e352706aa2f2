import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClientOptions, createClient, inc, memoryStorage, openQueue } from '../../src/client/index.ts';
import { openStream } from '../../src/client/stream.ts';

/** A server whose answers never end: the client reads no more of them than it may. */

const CHUNK = Buffer.alloc(64 * 1024, ' ');
let server: Server;
let asked = 0;
let closed = 0;

beforeAll(async () => {
  server = createServer((_request, answer) => {
    asked += 1;
    answer.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!answer.destroyed && answer.write(CHUNK));
    };
    answer.on('drain', more).on('close', () => {
      closed += 1;
    });
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

function clientOf(more: ClientOptions = {}) {
  const { port } = server.address() as AddressInfo;
  return createClient({ url: `http://127.0.0.1:${port}`, projectId: 'p', publicKey: 'k', player: 'ada', ...more });
}

test('an answer without an end is refused once, and its connection is closed', async () => {
  const from = asked;
  const read = await clientOf({ maxAnswerBytes: 1_000_000 }).tryValues();
  expect(read).toMatchObject({ ok: false, error: { code: 'RESPONSE_TOO_LARGE', status: 200 } });
  expect(read.ok ? '' : read.error.message).toContain('1000000 bytes (maxAnswerBytes)');
  expect(asked - from).toBe(1);
  await expect.poll(() => closed).toBe(asked);
});

test('so is what comes in place of a stream', async () => {
  const ask = { method: 'GET', family: 'live', path: [], isRepeatable: true } as const;
  const opened = await openStream(clientOf({ maxAnswerBytes: 1_000_000 }).connection, ask, new AbortController().signal);
  expect(opened).toMatchObject({ ok: false, error: { code: 'RESPONSE_TOO_LARGE' } });
  await expect.poll(() => closed).toBe(asked);
});

test('a write of the queue stays, because nothing says that it was carried out', async () => {
  const queue = await openQueue(clientOf({ maxAnswerBytes: 1_000_000 }), { storage: memoryStorage() });
  await queue.update('players', inc('gold', 1));
  await expect.poll(() => queue.error?.code).toBe('RESPONSE_TOO_LARGE');
  expect(queue.size).toBe(1);
  await queue.close();
});

test('without the option the bound is 64 MiB', async () => {
  const read = await clientOf().tryValues();
  expect(read.ok ? '' : read.error.message).toContain('67108864 bytes');
});

test('a platform whose answers have no stream is served', async () => {
  const withoutStream = new Response('{"ok":true}');
  Object.defineProperty(withoutStream, 'body', { value: undefined });
  const read = await clientOf({ fetch: async () => withoutStream }).connection.send({
    method: 'GET',
    family: 'values',
    path: [],
    isRepeatable: true,
  });
  expect(read).toMatchObject({ ok: true, value: { body: { ok: true } } });
});
