import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** Waiting requests of one connection from which on no more of it is read. */
const READ_UNTIL = 256;
/** One read of 64 KiB can hold this many more requests, and Node keeps them. A connection with more is cut off. */
const MAX_WAITING = 4000;

/**
 * Serves the requests of a connection one after the other. Node starts each one as soon as it has been read. So a read that was sent right
 * behind a write would not see the write (RFC 9112 9.3.2 allows parallel requests only where all are safe).
 */
export function inTurn(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const pauseWhileMany = (socket: Socket) => {
    if ((waiting.get(socket) ?? 0) >= READ_UNTIL) socket.pause();
  };
  return (req, res) => {
    // Otherwise the request before has the connection.
    if (res.socket !== null) return serve(req, res);
    const { socket } = req;
    const before = waiting.get(socket);
    // Reading the body of the request before resumes the whole connection.
    if (before === undefined) socket.on('resume', () => pauseWhileMany(socket));
    const number = (before ?? 0) + 1;
    if (number > MAX_WAITING) return void socket.destroy();
    waiting.set(socket, number);
    pauseWhileMany(socket);
    res.once('socket', () => {
      const left = (waiting.get(socket) ?? 1) - 1;
      waiting.set(socket, left);
      if (left === READ_UNTIL - 1) socket.resume();
      serve(req, res);
    });
  };
}
