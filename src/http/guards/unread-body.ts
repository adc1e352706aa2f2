import type { IncomingMessage, ServerResponse } from 'node:http';

const DRAIN_BYTES = 4_194_304;
const DRAIN_MS = 2_000;

/**
 * Reads what the client is still sending before it is answered, within bounds: closing a socket with unread bytes resets it, and the client
 * would never see its answer. Answers `false` if the connection must close, because the body has not ended.
 */
export async function readToEnd(req: IncomingMessage, res: ServerResponse): Promise<boolean> {
  return res.hasHeader('Connection') || drain(req);
}

/** Bytes that the header declares. 0: no body; `null`: unknown length. */
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
 * Discards what a client is still sending, up to 4 MiB and 2 s. Resolves with whether the body ended, in which case the connection can serve
 * another request.
 */
function drain(req: IncomingMessage): Promise<boolean> {
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
