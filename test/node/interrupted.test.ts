import { execFileSync } from 'node:child_process';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { newFolder, removeFolders, run, savepoint } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000 });

/** Commands that wait for what does not come: they say so, or end when they are told to. */

const dir = newFolder();
const pipe = join(dir, 'pipe');
execFileSync('mkfifo', [pipe]);
let silent: Server | undefined;

afterAll(() => {
  silent?.close();
  removeFolders();
});

test.each([
  ['log', 'copy', '--from', `file:${pipe}`, '--to', `file:${join(dir, 'copy.ndjson.gz')}`],
  ['log', 'copy', '--from', 'esdb://127.0.0.1:1?tls=false', '--to', `file:${pipe}`],
  ['project', 'import', pipe, '--into', 'p1'],
  ['project', 'import', '/dev/stdin', '--into', 'p1'],
])('a pipe is refused at once: %s %s', async (...words) => {
  const { code, stderr } = await savepoint(words);
  expect(stderr).toMatch(/is no regular file/);
  expect(code).toBe(1);
});

/** A database that takes connections and never answers. */
async function silentDatabase(): Promise<{ readonly url: string; readonly asked: Promise<void> }> {
  let asked: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    asked();
  });
  silent = server;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `postgres://127.0.0.1:${Object(server.address()).port}/game`, asked: first };
}

test('log copy ends by a signal while it opens a place', async () => {
  const { url, asked } = await silentDatabase();
  const copying = run(['log', 'copy', '--from', 'esdb://127.0.0.1:1?tls=false', '--to', url]);
  await asked;
  copying.child.kill('SIGTERM');
  expect(await copying.ended).toMatchObject({ code: null, signal: 'SIGTERM' });
});

test('log copy ends at the second signal where it cannot end at the first', async () => {
  const { url, asked } = await silentDatabase();
  const copying = run(['log', 'copy', '--from', url, '--to', `file:${join(dir, 'never.ndjson.gz')}`]);
  await asked;
  copying.child.kill('SIGTERM');
  copying.child.kill('SIGINT');
  expect(await copying.ended).toMatchObject({ code: 130 });
});
