import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { BACKLOG } from '../kernel/backlog.ts';
import { peekProject } from './affinity.ts';

/** The one port of a node with several workers. It accepts a connection, reads its first bytes and passes it on to a worker. */
export interface Acceptor {
  readonly port: number;
  /** Stops accepting. Connections that have not sent enough yet are closed. */
  close(): void;
}

/**
 * How long a connection may take to send the start of its request line, ms. It is the same as the HTTP server's own limit for headers.
 */
const HEAD_TIMEOUT_MS = 20_000;

/** Sockets read nothing in advance: a socket with an unread chunk pauses. */
const NOTHING_AHEAD = 0;

/**
 * Listens on the port. `dispatch` gets each connection with the bytes that were read of it; this process reads no further. Rejects if it
 * cannot listen on the port.
 */
export async function openAcceptor(
  port: number,
  host: string,
  dispatch: (socket: Socket, head: Buffer, project: string | null) => void,
  headMs = HEAD_TIMEOUT_MS,
): Promise<Acceptor> {
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
      dispatch(socket, head, project);
    });
  });
  await once(server.listen({ port, host, backlog: BACKLOG }), 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close() {
      server.close();
      for (const socket of waiting) socket.destroy();
    },
  };
}

/** Reads no more than necessary: bytes that the socket read after it was passed on would be lost. */
function readHead(socket: Socket, done: (head: Buffer, project: string | null) => void): void {
  const chunks: Buffer[] = [];
  const look = () => {
    const chunk: Buffer | null = socket.read();
    if (chunk === null) return;
    chunks.push(chunk);
    const head = Buffer.concat(chunks);
    const seen = peekProject(head);
    if (seen === 'more') return void socket.read(0);
    socket.off('readable', look);
    done(head, seen === 'none' ? null : seen.project);
  };
  socket.on('readable', look);
}
