import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** What stands between a game and its server: a proxy that may answer by itself, or break what it passes on. */
export interface Middlebox {
  readonly url: string;
  /** Requests that came, in their order. */
  readonly came: readonly IncomingMessage[];
  /** What becomes of the next requests, one after the other; afterwards all are passed on. */
  next(...fates: readonly Fate[]): void;
  /** What becomes of every request, until `null`. */
  always(fate: Fate | null): void;
  close(): Promise<void>;
}

export type Fate = (incoming: IncomingMessage, outgoing: ServerResponse, pass: () => void) => void;

/** It answers this, as a proxy, a hotel or a balancer does. */
export function answering(status: number, headers: Readonly<Record<string, string>>, body: string): Fate {
  return (_, outgoing) => void outgoing.writeHead(status, headers).end(body);
}

export const asItIs: Fate = (_, __, pass) => pass();

/** The server does what is asked for, and its answer breaks off: with the connection, or as if that were all of it. */
export function cutting(target: string, how: 'broken' | 'ended'): Fate {
  return (incoming, outgoing) =>
    passOn(target, incoming, outgoing, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.once('end', () => {
        const all = Buffer.concat(parts);
        const half = all.subarray(0, Math.ceil(all.length / 2));
        const { 'content-length': _, ...headers } = answer.headers;
        if (how === 'ended') outgoing.writeHead(answer.statusCode ?? 0, { ...headers, connection: 'close' }).end(half);
        else {
          outgoing.writeHead(answer.statusCode ?? 0, { ...headers, 'content-length': String(all.length) });
          outgoing.write(half, () => outgoing.destroy());
        }
      });
    });
}

function passOn(target: string, incoming: IncomingMessage, outgoing: ServerResponse, answered: (answer: IncomingMessage) => void): void {
  const { method, headers, url } = incoming;
  const onwards = request(new URL(url ?? '/', target), { method: method ?? 'GET', headers, agent: false }, answered);
  onwards.on('error', () => outgoing.destroy());
  outgoing.once('close', () => onwards.destroy());
  incoming.pipe(onwards);
}

export async function startMiddlebox(target: string): Promise<Middlebox> {
  const came: IncomingMessage[] = [];
  let fates: readonly Fate[] = [];
  let every: Fate | null = null;
  const server = createServer((incoming, outgoing) => {
    came.push(incoming);
    const [fate, ...rest] = fates;
    fates = rest;
    const pass = () =>
      passOn(target, incoming, outgoing, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(outgoing);
      });
    (fate ?? every ?? asItIs)(incoming, outgoing, pass);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    came,
    next(...more) {
      fates = more;
    },
    always(fate) {
      every = fate;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
