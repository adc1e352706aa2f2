import { createServer } from 'node:net';

/**
 * Below those that systems hand out by themselves (Linux: from 32768): such a port may be another program's, or one end of anybody's
 * connection, by the time that it is used, or while a node that was killed on it is away.
 */
const FIRST = 10_000;
const COUNT = 20_000;
/** Processes that look for ports at the same time begin apart. */
let next = (process.pid * 211) % COUNT;

/** A loopback port that nobody listens on at this moment, and that this process has not been given lately. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < COUNT; tries += 1) {
    const port = FIRST + next;
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
