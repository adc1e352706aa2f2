import type { IncomingMessage, ServerResponse } from 'node:http';

const DRAIN_BYTES = 4_194_304;
const DRAIN_MS = 2_000;

/**
 * Reads the rest of a body before its request is answered, within bounds: closing a socket with unread bytes resets it, and the client
 * would not get its answer. Resolves to `false` if the body has not ended, and the connection must close.
 */
export async function readToEnd(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  return res.hasHeader('Connection') || discard(req);
}

/** The declared length of the body, bytes. 0: no body; `null`: unknown. */
export function declaredLength(req: IncomingMessage): number | null {
  if (req.headers['transfer-encoding'] !== undefined) return null;
  const length = req.headers['content-length'];
  return length === undefined ? 0 : Number(length);
}

/** Whether the client is still sending a body. */
export function hasUnreadBody(req: IncomingMessage): boolean {
  return !req.complete && declaredLength(req) !== 0;
}

/**
 * Discards the rest of a body, up to 4 MiB and 2 s. Resolves to whether the body ended, so that the connection can serve another request.
 */
function discard(req: IncomingMessage): Promise<boolean> {
  if (req.destroyed) return Promise.resolve(false);
  return new Promise((resolve) => {
    let left = DRAIN_BYTES;
    const finish = (): void => {
      clearTimeout(timer);
      req.off('data', take).off('end', finish).off('close', finish).off('error', finish);
      if (!req.complete) req.pause();
      resolve(req.complete);
    };
    const take = (chunk: Buffer): void => {
      left -= chunk.length;
      if (left < 0) finish();
    };
    const timer = setTimeout(finish, DRAIN_MS);
    req.on('data', take).on('end', finish).on('close', finish).on('error', finish);
    req.resume();
  });
}
