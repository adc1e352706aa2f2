import { createServer } from 'node:net';

/**
 * Below the ports that systems assign by themselves (Linux: from 32768). A port of that range may be taken by another program or an
 * outgoing connection before it is used, or while a node that was killed is down.
 */
const FIRST = 10_000;
const COUNT = 20_000;
/** Processes that look for ports at the same time begin at different numbers. */
let next = (process.pid * 211) % COUNT;

/** A loopback port on which nobody listens at this moment, and which this process was not given lately. */
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
