import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import getRawBody from 'raw-body';
import { type Awaitable, andThen } from '../kernel/awaitable.ts';
import { Refusal, refusal } from '../kernel/errors.ts';
import { type Json, JsonError, parseJsonBytes } from '../kernel/json.ts';
import type { Exchange } from './exchange.ts';
import type { IncomingBodies } from './guards/incoming-bodies.ts';
import { declaredLength } from './guards/unread-body.ts';

export interface BodyBounds {
  readonly bytes: number;
  readonly depth: number;
  readonly timeoutMs: number;
  /** Counts the body while it arrives. */
  readonly incoming: IncomingBodies;
}

/** Makes the refusal of an invalid body. Its code depends on the route. */
export type MakeRefusal = (message: string) => Refusal;

export const invalidBody: MakeRefusal = (message) => refusal('INVALID_BODY', message);
export const invalidJson: MakeRefusal = (message) => refusal('INVALID_JSON', message);

const NO_BYTES = Buffer.alloc(0);

/**
 * Reads the whole body, with or without a declared length: the game client never declares one. A request without a body gives no bytes.
 * Throws 413 PAYLOAD_TOO_LARGE above the bound, 408 REQUEST_TIMEOUT if the body does not arrive in time, 503 BUSY if too much is arriving
 * already, 415 UNSUPPORTED_ENCODING for a compressed body, `invalid` for one cut short.
 *
 * The caller must have awaited something since the request arrived: in the turn of Node's `request` event no body has arrived yet.
 */
function readBody(exchange: Exchange, bounds: BodyBounds, invalid: MakeRefusal): Awaitable<Buffer> {
  const { req } = exchange;
  const declared = declaredLength(req);
  if (declared === 0) return NO_BYTES;
  if (isCompressed(req)) throw refusal('UNSUPPORTED_ENCODING');
  if (declared !== null && declared > bounds.bytes) throw tooLarge(bounds);
  // A small body has usually arrived by the time the caller is known, and then needs no listeners and no timer.
  if (hasArrived(req, declared)) return bounded(arrived(req), bounds);
  return declared === null ? readNextTurn(req, bounds, invalid) : readSlowly(req, bounds, invalid);
}

async function readNextTurn(req: IncomingMessage, bounds: BodyBounds, invalid: MakeRefusal): Promise<Buffer> {
  await nextTurn();
  return hasArrived(req, null) ? bounded(arrived(req), bounds) : readSlowly(req, bounds, invalid);
}

/**
 * Whether the whole body has arrived. Node runs promises after the last bytes of a body, but before it marks the body as complete. A body
 * with a declared length is complete by its bytes; any other is known to be a turn later.
 */
function hasArrived(req: IncomingMessage, declared: number | null): boolean {
  return !req.readableFlowing && (req.complete || req.readableLength === declared);
}

/** All bytes that have arrived. From Node 26 on, one `read` gives a single chunk of them. */
function arrived(req: IncomingMessage): Buffer {
  const first: Buffer = req.read() ?? NO_BYTES;
  if (req.readableLength === 0) return first;
  const chunks = [first];
  while (req.readableLength > 0) chunks.push(req.read());
  return Buffer.concat(chunks);
}

function bounded(bytes: Buffer, bounds: BodyBounds): Buffer {
  if (bytes.length > bounds.bytes) throw tooLarge(bounds);
  return bytes;
}

async function readSlowly(req: IncomingMessage, bounds: BodyBounds, invalid: MakeRefusal): Promise<Buffer> {
  const { promise: given, reject: giveUp } = withReject();
  const timer = setTimeout(() => giveUp(refusal('REQUEST_TIMEOUT')), bounds.timeoutMs);
  const body = bounds.incoming.begin(() => giveUp(refusal('BUSY', 'Too many bodies are on their way; try again shortly')));
  const count = (chunk: Buffer) => bounds.incoming.add(body, chunk.length);
  try {
    const whole = getRawBody(req, { limit: bounds.bytes });
    req.on('data', count);
    return await Promise.race([whole, given]);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') throw tooLarge(bounds);
    throw invalid('The body could not be read to its end');
  } finally {
    clearTimeout(timer);
    req.off('data', count);
    bounds.incoming.end(body);
  }
}

function withReject(): { readonly promise: Promise<never>; readonly reject: (reason: Refusal) => void } {
  let reject: (reason: Refusal) => void = () => undefined;
  const promise = new Promise<never>((_, rejecting) => {
    reject = rejecting;
  });
  // A body may be refused before anybody awaits it, which must not count as an unhandled rejection.
  promise.catch(() => undefined);
  return { promise, reject };
}

function tooLarge(bounds: BodyBounds): Refusal {
  return refusal('PAYLOAD_TOO_LARGE', `The body is larger than the ${bounds.bytes} bytes of this route`);
}

/** Either header may name a compression. Node itself decodes only `chunked`, and only as the last coding. */
function isCompressed({ headers }: IncomingMessage): boolean {
  const encoding = headers['content-encoding'];
  if (encoding && encoding.toLowerCase() !== 'identity') return true;
  const transfer = headers['transfer-encoding'];
  return transfer !== undefined && transfer.toLowerCase() !== 'chunked';
}

/**
 * Reads and parses a JSON body: the only way to one, so that a person's passes the gate. `undefined`: no bytes at all. Throws as
 * {@link readBody} and as the gate, and `invalid` for a body that is not JSON.
 */
export function readJson(exchange: Exchange, bounds: BodyBounds, invalid: MakeRefusal): Awaitable<Json | undefined> {
  return andThen(readBody(exchange, bounds, invalid), (bytes) => {
    const body = parsedBody(bytes, bounds, invalid);
    if (exchange.keyed !== null && body !== undefined) exchange.keyed.read(body, bytes);
    return exchange.gate === null || body === undefined ? body : exchange.gate(body).then(() => body);
  });
}

function parsedBody(bytes: Buffer, bounds: BodyBounds, invalid: MakeRefusal): Json | undefined {
  if (bytes.length === 0) return undefined;
  try {
    return parseJsonBytes(bytes, { maxDepth: bounds.depth, finite: true });
  } catch (error) {
    if (error instanceof JsonError) throw invalid(whatIsWrong(error));
    throw error;
  }
}

/** Parser messages that say what is wrong and where. Other messages quote the body, which may hold secrets. */
const UNQUOTED = /^(?:[^"]* (?:in|after) JSON at position \d+|Unexpected end of JSON input)/;

function whatIsWrong({ kind, message }: JsonError): string {
  const known = kind === 'syntax' ? UNQUOTED.exec(message)?.[0] : message;
  return known === undefined ? 'Invalid JSON' : `Invalid JSON: ${known}`;
}
