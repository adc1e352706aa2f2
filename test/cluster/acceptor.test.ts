import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type Acceptor, openAcceptor } from '../../src/cluster/acceptor.ts';

let front: Acceptor | null = null;
afterEach(() => front?.close());

/** Connects and writes these pieces, with a pause after each. */
async function dribble(port: number, pieces: Iterable<string>): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  for (const piece of pieces) {
    if (socket.destroyed) break;
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return socket;
}

function* forEver(): Generator<string> {
  for (;;) yield 'G';
}

describe('the acceptor of several workers', () => {
  it('passes a connection on with all bytes that were read of it, however small the pieces', async () => {
    const request = 'GET /v3/values/demo HTTP/1.1\r\n';
    const handed = new Promise((resolve) => {
      const hand = (socket: Socket, head: Buffer, project: string | null) => {
        socket.destroy();
        resolve([request.startsWith(head.toString()), project]);
      };
      openAcceptor(0, '127.0.0.1', hand).then((opened) => {
        front = opened;
        return dribble(opened.port, request);
      });
    });
    expect(await handed).toEqual([true, 'demo']);
  });

  it('cuts a connection that never completes its request line, even if it keeps sending', async () => {
    const handed: unknown[] = [];
    front = await openAcceptor(0, '127.0.0.1', (socket) => void handed.push(socket), 100);
    const socket = await dribble(front.port, forEver());
    expect([socket.destroyed, handed]).toEqual([true, []]);
  });
});
