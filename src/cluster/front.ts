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

/** `hand` gets each connection with what was read of it; nothing more is read of it here. Rejects when the port cannot be had. */
export async function openFront(
  port: number,
  host: string,
  hand: (socket: Socket, head: Buffer, project: string | null) => void,
  headMs = HEAD_MS,
): Promise<Front> {
  const waiting = new Set<Socket>();
  const server = createServer((socket) => {
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

/** The part of a socket's inner handle that stops the system's reading at once; bytes read after it is handed on would be lost. */
interface Handle {
  readStop(): number;
  readStart(): number;
}

function handleOf(socket: Socket): Handle | null {
  const handle: unknown = Reflect.get(socket, '_handle');
  const fits = typeof handle === 'object' && handle !== null && 'readStop' in handle && 'readStart' in handle;
  // Node's own class; there is no public way to stop between two reads.
  return fits ? (handle as Handle) : null;
}

function readHead(socket: Socket, done: (head: Buffer, project: string | null) => void): void {
  const chunks: Buffer[] = [];
  const look = (chunk: Buffer) => {
    const handle = handleOf(socket);
    if (handle === null) return socket.destroy();
    handle.readStop();
    chunks.push(chunk);
    const head = Buffer.concat(chunks);
    const seen = glance(head);
    if (seen === 'more') return handle.readStart();
    socket.off('data', look);
    done(head, seen === 'none' ? null : seen.project);
  };
  socket.on('data', look);
}
