import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';

/** With so many waiting requests, a connection is no longer read. */
const PAUSE_AT = 256;
/** A connection with more waiting requests is cut off. One read of 64 KiB may contain this many, all of which Node keeps. */
const MAX_QUEUED = 4000;

/**
 * Serves the requests of a connection one after the other. Node starts each request as soon as it has parsed it, so a read sent right
 * behind a write would not see that write. RFC 9112 9.3.2 allows parallel processing of safe requests alone.
 */
export function inPipelineOrder(serve: RequestListener): RequestListener {
  const queued = new WeakMap<Socket, number>();
  const pauseWhileMany = (socket: Socket) => {
    if ((queued.get(socket) ?? 0) >= PAUSE_AT) socket.pause();
  };
  return (req, res) => {
    // Without a socket, the response waits for the previous one.
    if (res.socket !== null) return serve(req, res);
    const { socket } = req;
    const before = queued.get(socket);
    // Reading the body of the previous request resumes the whole connection.
    if (before === undefined) socket.on('resume', () => pauseWhileMany(socket));
    const number = (before ?? 0) + 1;
    if (number > MAX_QUEUED) return void socket.destroy();
    queued.set(socket, number);
    pauseWhileMany(socket);
    res.once('socket', () => {
      const left = (queued.get(socket) ?? 1) - 1;
      queued.set(socket, left);
      if (left === PAUSE_AT - 1) socket.resume();
      serve(req, res);
    });
  };
}
