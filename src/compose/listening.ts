import { createServer } from 'node:net';
import type { Config } from '../config/config.ts';

/** Checks that ports are free, by listening on them for a moment. */

/** The error of listening on a port; `null`: it is free, or is 0. */
export function listeningError(port: number, host: string): Promise<NodeJS.ErrnoException | null> {
  if (port === 0) return Promise.resolve(null);
  return new Promise((done) => {
    const server = createServer();
    server.once('error', (error) => done(error));
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(null)));
  });
}

/** Throws the error of listening on a port of the node. It is checked first, because a database takes seconds and would be left behind. */
export async function requireFreePorts({ port, metricsPort, host }: Config): Promise<void> {
  for (const each of [port, metricsPort ?? 0]) {
    const error = await listeningError(each, host);
    if (error !== null) throw error;
  }
}
