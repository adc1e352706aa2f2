import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

/** A worker that waits in one turn until it is written to, so it does not hear meanwhile that its first process is gone. */
const WORKER = `
import { readSync } from 'node:fs';
import { serveAsWorker } from '${new URL('../../dist/src/cluster/worker.js', import.meta.url)}';
readSync(0, Buffer.alloc(1));
serveAsWorker(async () => { throw new Error('nobody says how to begin'); });`;

test('a worker whose first process ends during the start ends, too, and prints nothing', async () => {
  const worker = spawn(process.execPath, ['--input-type=module', '-e', WORKER], {
    stdio: ['pipe', 'inherit', 'pipe', 'ipc'],
    env: { ...process.env, NODE_UNIQUE_ID: '1' },
  });
  const ended = once(worker, 'exit');
  worker.disconnect();
  const { stdin, stderr } = worker;
  if (stdin === null || stderr === null) throw new Error('a child has pipes');
  stdin.end('x');
  expect(await text(stderr)).toBe('');
  expect(await ended).toEqual([0, null]);
});
