import type { ServerResponse } from 'node:http';
import { refusal } from '../../kernel/errors.ts';

const ASK_MS = 100;

/**
 * Aborts when a client has gone before it got its answer. A client that has only ended its side may still wait for the answer, and looks the
 * same. So it is sent interim answers (RFC 9110 15.2): a client that has gone rejects the first one, and the next one cannot be written. Nobody
 * reads the reason.
 */
export function leftOf(res: ServerResponse): AbortSignal {
  const left = new AbortController();
  const { socket } = res;
  let asking: NodeJS.Timeout | undefined;
  const leave = () => left.abort(refusal('BUSY', 'Whoever asked for this has left'));
  const ask = () => {
    if (!res.headersSent && !res.destroyed) res.writeProcessing();
  };
  const hasEnded = () => {
    ask();
    asking = setInterval(ask, ASK_MS).unref();
  };
  if (socket === null || socket.destroyed) leave();
  else if (socket.readableEnded) hasEnded();
  else socket.once('end', hasEnded);
  res.once('close', () => {
    clearInterval(asking);
    socket?.off('end', hasEnded);
    if (!res.writableFinished) leave();
  });
  return left.signal;
}
