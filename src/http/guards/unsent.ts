import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ParameterizedContext } from 'koa';
import { refusal } from '../../kernel/errors.ts';
import type { State } from '../exchange.ts';

/** Smaller answers are neither counted nor refused: the system keeps more than that for a connection. */
const LARGE_BYTES = 65_536;
/** The most bytes that one UTF-16 unit of a text takes. */
const MAX_CHARACTER = 3;

/** Throws 503 BUSY for a large answer if too many answers wait to be taken, so that it is not sent. */
export function boundUnsent(ctx: ParameterizedContext<State>, unsent: Unsent): void {
  const { body } = ctx;
  const isLarge = Buffer.isBuffer(body) || (typeof body === 'string' && body.length * MAX_CHARACTER > LARGE_BYTES);
  if (!isLarge) return;
  // A text would wait twice: as text, and as its bytes.
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  if (bytes.length <= LARGE_BYTES) return;
  // Only a read may be refused here: it can be repeated.
  if (!unsent.hasRoomFor(bytes.length) && ctx.method === 'GET' && !ctx.state.done)
    throw refusal('BUSY', 'Too many answers wait to be taken; try again shortly');
  unsent.add(ctx.res, bytes.length);
  if (bytes !== body) ctx.body = bytes;
}

/**
 * Cuts the connection of a client that takes nothing of its answer for so long, ms: the answer lies in memory while the connection is open. An
 * answer that went out at once needs no timer. A timeout of the server itself would set one for every request, a tenth of a read's time.
 */
export function boundTaking(res: ServerResponse, ms: number): void {
  const { socket } = res;
  if (socket !== null && (!res.writableEnded || socket.writableLength > 0)) socket.setTimeout(ms);
}

interface Waiting {
  bytes: number;
  /** `performance.now()` at its beginning. */
  readonly since: number;
  readonly onClose: () => void;
}

/**
 * Large answers that clients have not taken yet. They lie in memory, and a client may take its time: a hundred answers of six megabytes would
 * end the process. Above the bound, the connections of those that have had their time are cut, the longest first.
 */
export class Unsent {
  readonly #most: number;
  readonly #graceMs: number;
  #bytes = 0;
  /** In the order in which they began to wait. */
  readonly #waiting = new Map<Socket, Waiting>();

  constructor(most: number, graceMs: number) {
    this.#most = most;
    this.#graceMs = graceMs;
  }

  /** Whether so many more bytes may wait; always true if nothing else waits. Cuts connections if that makes room. */
  hasRoomFor(bytes: number): boolean {
    for (const [socket, { since }] of this.#waiting) {
      if (this.#bytes + bytes <= this.#most || performance.now() - since < this.#graceMs) break;
      socket.destroy();
      this.#forget(socket);
    }
    return this.#waiting.size === 0 || this.#bytes + bytes <= this.#most;
  }

  /** Counts an answer until it has left or its connection has ended. */
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
