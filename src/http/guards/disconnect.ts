import type { ServerResponse } from 'node:http';
import { refusal } from '../../kernel/errors.ts';

const PROBE_MS = 100;

/**
 * A signal that aborts when the client disconnects before its answer. A client that has only ended its side looks the same, but still waits
 * for the answer. So it is sent interim answers (RFC 9110 15.2): if it has disconnected, it resets the connection at the first, and the
 * next cannot be written. Nobody reads the reason.
 */
export function disconnectSignal(res: ServerResponse): AbortSignal {
  const controller = new AbortController();
  const { socket } = res;
  let timer: NodeJS.Timeout | undefined;
  const abort = () => controller.abort(refusal('BUSY', 'The caller has disconnected'));
  const probe = () => {
    if (!res.headersSent && !res.destroyed) res.writeProcessing();
  };
  const hasEnded = () => {
    probe();
    timer = setInterval(probe, PROBE_MS).unref();
  };
  if (socket === null || socket.destroyed) abort();
  else if (socket.readableEnded) hasEnded();
  else socket.once('end', hasEnded);
  res.once('close', () => {
    clearInterval(timer);
    socket?.off('end', hasEnded);
    if (!res.writableFinished) abort();
  });
  return controller.signal;
}
