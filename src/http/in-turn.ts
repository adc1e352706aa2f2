import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** What comes behind so many others of its connection goes on at once: its answer waits, and holds a flood back, where it would not. */
const MOST_WAITING = 64;

/**
 * Serves the requests of a connection one after the other. Node begins each as soon as it has been read, so a read that was sent behind
 * a write without waiting for its answer would not see it (RFC 9112 9.3.2: side by side only where all are safe).
 */
export function inTurn(serve: RequestListener): RequestListener {
  const waiting = new WeakMap<Socket, number>();
  return (req, res) => {
    // The one before has the connection.
    const before = res.socket === null ? (waiting.get(req.socket) ?? 0) : MOST_WAITING;
    if (before >= MOST_WAITING) return serve(req, res);
    waiting.set(req.socket, before + 1);
    res.once('socket', () => {
      waiting.set(req.socket, (waiting.get(req.socket) ?? 1) - 1);
      serve(req, res);
    });
  };
}
