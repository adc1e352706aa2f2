import type { ServerResponse } from 'node:http';
import { refusal } from '../../kernel/errors.ts';

const PROBE_MS = 100;

/**
 * Aborts when a client disconnects before it got its answer. A client that has only ended its side may still wait for the answer, and looks the
 * same. So it is sent interim answers (RFC 9110 15.2): a client that has gone rejects the first one, and the next one cannot be written. Nobody
 * reads the reason.
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
