import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ParameterizedContext } from 'koa';
import { refusal } from '../../kernel/errors.ts';
import type { State } from '../exchange.ts';

/** Smaller answers are neither counted nor refused: the kernel's socket buffer holds them. */
const LARGE_BYTES = 65_536;
/** Most UTF-8 bytes of one UTF-16 unit. */
const MAX_CHARACTER = 3;

/** Throws 503 BUSY instead of a large answer if too many bytes of answers are unsent. */
export function boundUnsent(ctx: ParameterizedContext<State>, unsent: UnsentAnswers): void {
  const { body } = ctx;
  const isLarge = Buffer.isBuffer(body) || (typeof body === 'string' && body.length * MAX_CHARACTER > LARGE_BYTES);
  if (!isLarge) return;
  // Sent as bytes, because a text would be in memory twice: as text, and as its bytes.
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes.length <= LARGE_BYTES) return;
  // Only a read may be refused here, because it can be repeated.
  if (!unsent.hasRoomFor(bytes.length) && ctx.method === 'GET' && !ctx.state.done)
    throw refusal('BUSY', 'Too many answers wait to be taken; try again shortly');
  unsent.add(ctx.res, bytes.length);
  if (bytes !== body) ctx.body = bytes;
}

/**
 * Cuts the connection of a client that takes nothing of its answer for `ms`, because the answer stays in memory meanwhile. An answer that
 * was sent at once needs no timer, and a file has its own. The server's own timeout would set one for every request, which costs a tenth
 * of a read.
 */
export function boundDelivery(res: ServerResponse, ms: number): void {
  const { socket } = res;
  if (socket !== null && !socket.timeout && (!res.writableEnded || socket.writableLength > 0)) socket.setTimeout(ms);
}

/**
 * The same of a file that is made while it is taken, and holds back the next one meanwhile. Where nothing waits to be taken the server is
 * at work, however long that lasts.
 */
export function boundTaking(res: ServerResponse, file: Readable, ms: number): void {
  res.on('timeout', (socket: Socket) => {
    if (file.readableLength > 0 || res.writableLength > 0) file.destroy();
    else socket.setTimeout(ms);
  });
  res.socket?.setTimeout(ms);
}

interface Waiting {
  bytes: number;
  /** `performance.now()` at its beginning. */
  readonly since: number;
  readonly onClose: () => void;
}

/**
 * Large answers that clients have not taken yet. They are in memory, so a hundred answers of six megabytes to slow clients would end the
 * process. Above the bound, connections past their grace time are cut, the oldest first.
 */
export class UnsentAnswers {
  readonly #maxBytes: number;
  readonly #graceMs: number;
  #bytes = 0;
  /** In the order in which they began to wait. */
  readonly #waiting = new Map<Socket, Waiting>();

  constructor(most: number, graceMs: number) {
    this.#maxBytes = most;
    this.#graceMs = graceMs;
  }

  /** Whether so many more bytes may wait; always true if nothing else waits. Cuts connections if that makes room. */
  hasRoomFor(bytes: number): boolean {
    for (const [socket, { since }] of this.#waiting) {
      if (this.#bytes + bytes <= this.#maxBytes || performance.now() - since < this.#graceMs) break;
      socket.destroy();
      this.#forget(socket);
    }
    return this.#waiting.size === 0 || this.#bytes + bytes <= this.#maxBytes;
  }

  /** Counts an answer until it is sent or its connection has ended. */
  add(res: ServerResponse, bytes: number): void {
    const { socket } = res.req;
    if (socket.destroyed) return;
    const waiting = this.#waiting.get(socket) ?? this.#begin(socket);
    waiting.bytes += bytes;
    this.#bytes += bytes;
    res.once('finish', () => this.#sent(socket, waiting, bytes));
  }

  #begin(socket: Socket): Waiting {
    const waiting = { bytes: 0, since: performance.now(), onClose: () => this.#forget(socket) };
    this.#waiting.set(socket, waiting);
    socket.once('close', waiting.onClose);
    return waiting;
  }

  #sent(socket: Socket, waiting: Waiting, bytes: number): void {
    if (this.#waiting.get(socket) !== waiting) return;
    waiting.bytes -= bytes;
    this.#bytes -= bytes;
    if (waiting.bytes === 0) this.#forget(socket);
  }

  #forget(socket: Socket): void {
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) return;
    this.#waiting.delete(socket);
    this.#bytes -= waiting.bytes;
    socket.off('close', waiting.onClose);
  }
}
