import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { glance } from './route.ts';

/** The one port of a node with several workers: accepts, looks at the first bytes, hands the connection on. */
export interface Front {
  readonly port: number;
  /** Accepts no more; connections that have said nothing yet are cut. */
  close(): void;
}

/** Until a connection has said where it wants to go, however it dribbles; like the HTTP server's own limit for headers. */
const HEAD_MS = 20_000;

/** Bytes that a socket reads before somebody asks: with a chunk in hand it stops until it is asked to go on. */
const NOTHING_AHEAD = 0;

/** `hand` gets each connection with what was read of it; nothing more is read of it here. Rejects when the port cannot be had. */
export async function openFront(
  port: number,
  host: string,
  hand: (socket: Socket, head: Buffer, project: string | null) => void,
  headMs = HEAD_MS,
): Promise<Front> {
  const waiting = new Set<Socket>();
  const server = createServer({ highWaterMark: NOTHING_AHEAD }, (socket) => {
    waiting.add(socket);
    const late = setTimeout(() => socket.destroy(), headMs);
    const settle = () => {
      clearTimeout(late);
      waiting.delete(socket);
    };
    socket.on('error', () => undefined);
    socket.once('close', settle);
    readHead(socket, (head, project) => {
      settle();
      hand(socket, head, project);
    });
  });
  await once(server.listen(port, host), 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close() {
      server.close();
      for (const socket of waiting) socket.destroy();
    },
  };
}

/** Reads no more than it has to: what a socket reads after it is handed on would be lost. */
function readHead(socket: Socket, done: (head: Buffer, project: string | null) => void): void {
  const chunks: Buffer[] = [];
  const look = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    chunks.push(chunk);
    const head = Buffer.concat(chunks);
    const seen = glance(head);
    if (seen === 'more') return void socket.read(0);
    socket.off('readable', look);
    done(head, seen === 'none' ? null : seen.project);
  };
  socket.on('readable', look);
}
