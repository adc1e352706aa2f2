import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** From so many on, no more of a connection is read until some have gone. */
const READ_UNTIL = 256;
/** What one read of 64 KiB can hold, beside those: Node keeps as many. Whoever has more wait for answers is cut off. */
const MOST_WAITING = 4000;

/**
 * Serves the requests of a connection one after the other. Node begins each as soon as it has been read, so a read that was sent behind
 * a write without waiting for its answer would not see it (RFC 9112 9.3.2: side by side only where all are safe).
 */
export function inTurn(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  const pauseWhileMany = (socket: Socket) => {
    if ((waiting.get(socket) ?? 0) >= READ_UNTIL) socket.pause();
  };
  return (req, res) => {
    // Otherwise the one before has the connection.
    if (res.socket !== null) return serve(req, res);
    const { socket } = req;
    const before = waiting.get(socket);
    // Whoever reads the body of the request before resumes its whole connection.
    if (before === undefined) socket.on('resume', () => pauseWhileMany(socket));
    const number = (before ?? 0) + 1;
    if (number > MOST_WAITING) return void socket.destroy();
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
