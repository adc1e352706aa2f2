import { connect, createServer, type Socket } from 'node:net';

/** A loopback network in front of a server, at a fixed port. It can stop delivering, and break. */
export interface Network {
  readonly port: number;
  /** Delivers nothing any more, in either direction, and closes nothing: like a stopped server, or an unplugged cable. */
  freeze(): void;
  /** Delivers requests, but no answers. */
  dropAnswers(): void;
  /** The present connections fall silent for good and stay open; new ones work. */
  strand(): void;
  /** Delivers again, beginning with what was held back. */
  restore(): void;
  /** Breaks all connections. */
  disconnect(): void;
  /** Connections that are open now. */
  readonly open: number;
  close(): Promise<void>;
}

interface Line {
  readonly near: Socket;
  readonly far: Socket;
  stranded: boolean;
}

/** `target` gives the port of the server behind, or `null` while nobody listens there. */
export async function startNetwork(target: () => number | null): Promise<Network> {
  const lines = new Set<Line>();
  let state: 'open' | 'muffled' | 'frozen' = 'open';

  const settle = ({ near, far, stranded }: Line) => {
    for (const socket of [near, far]) socket.unpipe();
    if (stranded) return;
    if (state !== 'frozen') near.pipe(far);
    if (state === 'open') far.pipe(near);
  };
  const become = (next: typeof state) => {
    state = next;
    for (const line of lines) settle(line);
  };

  const server = createServer((near) => {
    const port = target();
    if (port === null) return near.destroy();
    const line: Line = { near, far: connect(port, '127.0.0.1'), stranded: false };
    lines.add(line);
    for (const socket of [line.near, line.far]) {
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        lines.delete(line);
        line.near.destroy();
        line.far.destroy();
      });
    }
    settle(line);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');

  const disconnect = () => {
    for (const { near } of lines) near.destroy();
  };
  return {
    port: address.port,
    freeze: () => become('frozen'),
    dropAnswers: () => become('muffled'),
    strand() {
      for (const line of lines) {
        line.stranded = true;
        settle(line);
      }
    },
    restore: () => become('open'),
    disconnect,
    get open() {
      return lines.size;
    },
    async close() {
      disconnect();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
