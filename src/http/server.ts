import { createServer as createNodeServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import Koa from 'koa';
import type { Logger } from 'pino';
import type { App } from '../app/app.ts';
import { Throttle } from '../kernel/throttle.ts';
import { Arriving } from './arriving.ts';
import { Buckets } from './buckets.ts';
import { CallNotes } from './call-notes.ts';
import { clientAddresses } from './client-address.ts';
import { newRequestId, type State } from './exchange.ts';
import { inTurn } from './in-turn.ts';
import type { Exposition, Metrics } from './metrics.ts';
import { buildFamilies } from './routes/families.ts';
import type { Probes } from './routes/system.ts';
import type { HttpSettings } from './settings.ts';
import { transport } from './transport.ts';

export interface ServerParts {
  readonly app: App;
  readonly settings: HttpSettings;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly probes: Probes;
  /** The text of `/metrics`; `null`: they are on a port of their own. */
  readonly exposition: Exposition | null;
}

export interface HttpServer {
  /** Resolves with the port, which is a free one when 0 was asked for. */
  listen(port: number, host: string): Promise<number>;
  /** Serves a connection that another process accepted, instead of listening. `head`: what was read of it already. */
  accept(socket: Socket, head: Buffer): void;
  /** Stops accepting, lets what runs finish for `drainMs` at most, then cuts what is left. */
  close(drainMs: number): Promise<void>;
}

/** Heartbeats without a valid key, of one client for one project within a minute (security 9.1). */
const MOST_BAD_KEYS = 30;

/** The HTTP server over the use cases. Nothing listens before {@link HttpServer.listen}. */
export function createServer(parts: ServerParts): HttpServer {
  const { app, settings, log, metrics } = parts;
  let closing = false;
  const arriving = new Arriving(settings.arrivingBytes, settings.arrivingGraceMs);
  const body = { depth: settings.bodyDepth, timeoutMs: settings.bodyTimeoutMs, arriving };
  const services = {
    app,
    settings,
    calls: new CallNotes(metrics.calls, log, settings.callLevel),
    gameBody: { ...body, bytes: settings.gameBodyBytes },
    managementBody: { ...body, bytes: settings.managementBodyBytes },
    badKeys: settings.buckets && new Throttle(MOST_BAD_KEYS, () => performance.now()),
  };

  const addressOf = clientAddresses(settings.trustedProxies);
  // Koa makes the contexts that the routes know. Its own handler stays out of the way: it hangs a library on every answer and writes it,
  // while all that is sent here passes `send`; that measured a tenth of a read.
  const koa = new Koa<State>();
  const serve = transport({
    settings,
    families: buildFamilies(services, parts),
    buckets: settings.buckets && new Buckets(settings.buckets, addressOf),
    addressOf,
    metrics,
    log,
    closing: () => closing,
  });
  const broke = (error: unknown) => log[isHangUp(error) ? 'debug' : 'error']({ err: error }, 'request broke outside its handler');
  const server = nodeServer((req, res) => {
    const fault = (error: unknown) => {
      broke(error);
      // Nobody else would end it.
      res.destroy();
    };
    res.on('error', broke);
    try {
      const serving = serve(koa.createContext<State>(req, res));
      if (serving) serving.catch(fault);
    } catch (error) {
      fault(error);
    }
  }, settings);
  const handedOver = new Set<Socket>();
  let watched = false;

  return {
    listen: (port, host) => listen(server, port, host),
    accept(socket, head) {
      // Node begins to look for slow and idle connections when its server listens.
      if (!watched) server.emit('listening');
      watched = true;
      handedOver.add(socket);
      socket.once('close', () => handedOver.delete(socket));
      socket.setNoDelay(true);
      socket.allowHalfOpen = true;
      if (head.length > 0) socket.unshift(head);
      server.emit('connection', socket);
    },
    close(drainMs) {
      closing = true;
      return close(server, drainMs, handedOver);
    },
  };
}

function nodeServer(handle: RequestListener, settings: HttpSettings): Server {
  const server = createNodeServer({
    // A stalled upload or a client that never ends its headers must not hold a connection for ever.
    headersTimeout: settings.headersTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    connectionsCheckingInterval: 5_000,
    requireHostHeader: false,
    noDelay: true,
  });
  // Node drops headers beyond a number of them, without a word: a proxy's `X-Forwarded-For` or a key behind many. Their bytes are bounded.
  server.maxHeadersCount = 0;
  // Nor must one that never takes its answers: they lie in memory for as long as it is open.
  server.timeout = settings.requestTimeoutMs;
  // A client that ends its side after its request still wants the answer; without this, which Node keeps without words, it gets none.
  Reflect.set(server, 'httpAllowHalfOpen', true);
  const served = inTurn(handle);
  server.on('request', served);
  server.on('checkExpectation', served);
  server.on('clientError', answerBrokenRequest);
  return server;
}

/** A client that went away in the middle is no fault of ours. */
function isHangUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EPIPE' || error.code === 'ECONNRESET');
}

const BROKEN: ReadonlyMap<string, readonly [status: string, code: string, message: string]> = new Map([
  ['HPE_HEADER_OVERFLOW', ['431 Request Header Fields Too Large', 'HEADERS_TOO_LARGE', 'The headers are too large']],
  ['ERR_HTTP_REQUEST_TIMEOUT', ['408 Request Timeout', 'REQUEST_TIMEOUT', 'The request did not arrive in time']],
]);
const MALFORMED = ['400 Bad Request', 'INVALID_REQUEST', 'This is not valid HTTP'] as const;

/** What could not be parsed as HTTP never becomes a request, but its sender gets an envelope all the same. */
function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (!socket.writable || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const [status, code, message] = BROKEN.get(error.code ?? '') ?? MALFORMED;
  const requestId = newRequestId();
  const text = JSON.stringify({ ok: false, error: { code, message, requestId }, message });
  const headers = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Correlation-ID: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${headers.join('\r\n')}\r\n\r\n${text}`);
}

/** Whether an earlier request of this connection has its answer under way: bytes in between would garble it. Node's own test. */
function isAnswering(socket: Socket): boolean {
  const response: unknown = Reflect.get(socket, '_httpMessage');
  return typeof response === 'object' && response !== null && 'headersSent' in response && response.headersSent === true;
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/** Node counts only what it has accepted itself, so connections that were handed over are waited for beside it. */
async function close(server: Server, drainMs: number, handedOver: ReadonlySet<Socket>): Promise<void> {
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeIdleConnections();
  const last = [...handedOver].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  await Promise.all([closed, ...last]);
  clearTimeout(cut);
}
