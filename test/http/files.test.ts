import { request } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import { refusal } from '../../src/kernel/errors.ts';
import { SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

/** Files that are made while they are taken. */

const PATH = '/v3/manage/demo/documents/saves/export';
const IDLE_MS = 200;

let server: Harness;
afterEach(() => server.stop());

/** A server whose export is made of these texts. Answers how often one was closed. */
async function exporting(texts: () => AsyncGenerator<string>): Promise<{ readonly closed: () => number }> {
  server = await startServer({ fileIdleMs: IDLE_MS });
  let closed = 0;
  const close = () => {
    closed += 1;
  };
  server.app.documentLists.export = async () => ({ position: 14, stale: false, fileName: 'demo.ndjson', texts: texts(), close });
  return { closed: () => closed };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('a file ends that nobody takes, so that the next one may begin', async () => {
  const { closed } = await exporting(async function* () {
    for (;;) yield 'x'.repeat(1_000_000);
  });
  const reply = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port: server.port, path: PATH, headers: { 'x-api-key': SECRET_KEY } }, resolve);
    sent.once('error', reject).end();
  });
  reply.on('error', () => undefined);
  reply.pause();
  await vi.waitFor(() => expect(closed()).toBe(1), 60_000);
});

test('a file goes on where it is long before there is something to take', async () => {
  const { closed } = await exporting(async function* () {
    yield '{}\n';
    await wait(5 * IDLE_MS);
    yield '{}\n';
  });
  const { status, text } = await server.send('GET', PATH, { headers: { 'x-api-key': SECRET_KEY } });
  expect([status, text, closed()]).toEqual([200, '{}\n{}\n', 1]);
});

test('a file that is refused further on breaks off, which the log says in one line and calls no fault', async () => {
  const { closed } = await exporting(async function* () {
    yield '{}\n';
    throw refusal('SIGNED_OUT');
  });
  await expect(server.send('GET', PATH, { headers: { 'x-api-key': SECRET_KEY } })).rejects.toThrow();
  await expect.poll(closed).toBe(1);
  expect(server.log.filter(({ level, code }) => code === 'SIGNED_OUT' || Number(level) > 30)).toEqual([
    expect.objectContaining({ level: 20, code: 'SIGNED_OUT' }),
  ]);
});
