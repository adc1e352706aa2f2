import { createServer as createNodeServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import Koa from 'koa';
import type { Logger } from 'pino';
import type { App, IssuerSignIn, PeopleDesk, SignIn } from '../app/app.ts';
import { wireNames } from '../domain/wire-names.ts';
import { BACKLOG } from '../kernel/backlog.ts';
import { BruteForceGuard } from '../kernel/brute-force-guard.ts';
import { throttled } from '../kernel/error-reporting.ts';
import { Refusal } from '../kernel/errors.ts';
import type { RoundRobin } from '../kernel/round-robin.ts';
import { Buckets, type SharedBuckets } from './buckets.ts';
import type { CallLog } from './call-log/call-log.ts';
import { CallReporter } from './call-reporter.ts';
import { clientAddresses } from './client-address.ts';
import { consoleOrigin } from './console/console.ts';
import type { HealthDesk } from './console/health.ts';
import { ConsolePlace, type ConsoleSettings } from './console/place.ts';
import { corsHeaders, preflight } from './cors.ts';
import { EventStreams } from './event-streams.ts';
import type { Middleware, State } from './exchange.ts';
import { frame } from './frame.ts';
import { IncomingBodies } from './guards/incoming-bodies.ts';
import { answerMalformedRequest } from './guards/malformed-requests.ts';
import { inPipelineOrder } from './guards/pipelining.ts';
import { boundDelivery, UnsentAnswers } from './guards/unsent.ts';
import type { Exposition, Metrics } from './metrics.ts';
import { buildFamilies } from './routes/families.ts';
import type { Probes } from './routes/system.ts';
import { limits, routes } from './routing.ts';
import type { HttpSettings } from './settings.ts';

/** What the console is made of. */
export interface ConsoleService extends ConsoleSettings {
  readonly signIn: SignIn;
  readonly people: PeopleDesk;
  readonly health: HealthDesk;
  /** Where people may sign in besides; `null` or left out: nowhere. */
  readonly issuer?: IssuerSignIn | null;
  /** Whether passwords sign in; left out: they do. */
  readonly passwords?: boolean;
}

export interface ServerParts {
  readonly app: App;
  readonly settings: HttpSettings;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly probes: Probes;
  /** The text of `/metrics`; `null`: they have a port of their own. */
  readonly exposition: Exposition | null;
  /** Shares computing time between projects. */
  readonly turns: RoundRobin;
  /** Counts requests over several processes; `null`: this process counts alone. */
  readonly sharedBuckets: SharedBuckets | null;
  readonly callLog: CallLog;
  /** The installation's own middleware. Every request passes it before its route, unless it was refused for its path or by its bucket. */
  readonly middleware?: readonly Middleware[];
  /** The console, on a listener of its own; `null` or left out: there is none. */
  readonly console?: ConsoleService | null;
}

export interface HttpServer {
  /** Resolves with the port: a free one if 0 was asked for. */
  listen(port: number, host: string): Promise<number>;
  /** Serves a connection that another process accepted, instead of listening. `head`: bytes of it that have been read. */
  accept(socket: Socket, head: Buffer): void;
  /** Listens for the console, and resolves with its origin, and the port. */
  listenConsole(port: number, host: string): Promise<{ readonly origin: string; readonly port: number }>;
  /** Stops accepting, gives running requests `drainMs` to finish, then cuts the remaining connections. */
  close(drainMs: number): Promise<void>;
}

/** Requests of one session under `/api` of the console: a person with several open pages sends few in a second. */
const CONSOLE_SESSION = { burst: 300, perSecond: 10 };

/** Heartbeats without a valid key that one client may send for one project within a minute. */
const MAX_BAD_KEYS = 30;

/** The HTTP server over the use cases. It listens only after {@link HttpServer.listen}. */
export function createServer(parts: ServerParts): HttpServer {
  const { settings, log, metrics } = parts;
  let closing = false;
  const streams = new EventStreams(settings.liveWaiting, {
    waiting: (bytes) => metrics.live.waiting.set(bytes),
    held: () => metrics.live.held.inc(),
    cut: () => metrics.live.cut.inc(),
  });
  const shared = sharedParts(parts, streams, () => closing);
  const server = nodeServer(handlerOf(gameChain(parts, shared), parts), settings, null);
  boundConnections(server, settings.maxConnections, 'connections', log);
  let consoleServer: Server | null = null;
  const handedOver = new Set<Socket>();
  let watched = false;

  return {
    listen: (port, host) => listen(server, port, host),
    accept(socket, head) {
      // Node checks for slow and idle connections only once its server listens.
      if (!watched) server.emit('listening');
      watched = true;
      handedOver.add(socket);
      socket.once('close', () => handedOver.delete(socket));
      socket.setNoDelay(true);
      socket.allowHalfOpen = true;
      if (head.length > 0) socket.unshift(head);
      server.emit('connection', socket);
    },
    async listenConsole(port, host) {
      const { console: service } = parts;
      if (!service) throw new Error('this server has no console');
      let place = new ConsolePlace(service, port);
      const chain = consoleChain(parts, shared, service, () => place);
      const listening = nodeServer(handlerOf(chain, parts), settings, service.tls);
      boundConnections(listening, settings.maxConsoleConnections, 'connections to the console', log);
      const taken = await listen(listening, port, host);
      place = new ConsolePlace(service, taken);
      consoleServer = listening;
      return { origin: place.origin, port: taken };
    },
    async close(drainMs) {
      closing = true;
      streams.close();
      await Promise.all([close(server, drainMs, handedOver), consoleServer && close(consoleServer, drainMs, new Set())]);
    },
  };
}

/** Hands requests to a chain. What broke outside of it is logged. */
function handlerOf(koa: Koa<State>, { settings, log }: ServerParts): RequestListener {
  const told = new WeakSet<object>();
  const broke = (error: unknown) => {
    // Each stream of an answer tells what ended it.
    if (error instanceof Object && told.has(error)) return;
    if (error instanceof Object) told.add(error);
    if (error instanceof Refusal) {
      const { status, code, message: reason } = error;
      log[status >= 500 ? 'warn' : settings.clientErrorLevel]({ code, reason }, 'an answer that had begun was refused further on');
    } else log[isDisconnect(error) ? 'debug' : 'error']({ err: error }, 'request broke outside its handler');
  };
  koa.on('error', (error: unknown, ctx?: Koa.Context) => {
    broke(error);
    // Nothing else would end the response.
    ctx?.res.destroy();
  });
  const handle = koa.callback();
  return (req, res) => {
    res.on('error', broke);
    void handle(req, res).then(() => boundDelivery(res, settings.requestTimeoutMs));
  };
}

type Shared = ReturnType<typeof sharedParts>;

/** What the chains of games and of the console have in common: the frame, and the routes with what they use. */
function sharedParts(parts: ServerParts, streams: EventStreams, closing: () => boolean) {
  const { app, settings, log, metrics, callLog } = parts;
  const incoming = new IncomingBodies(settings.arrivingBytes, settings.arrivingGraceMs);
  const body = { depth: settings.bodyDepth, timeoutMs: settings.bodyTimeoutMs, incoming };
  const services = {
    app,
    streams,
    callLog,
    settings,
    turns: parts.turns,
    calls: new CallReporter(metrics.calls, log, settings.callLevel),
    gameBody: { ...body, bytes: settings.gameBodyBytes },
    managementBody: { ...body, bytes: settings.managementBodyBytes },
    badKeys: settings.buckets && new BruteForceGuard(MAX_BAD_KEYS, () => performance.now()),
  };
  const addressOf = clientAddresses(settings.trustedProxies);
  const buckets = settings.buckets && new Buckets(settings.buckets, addressOf, parts.sharedBuckets);
  const unsent = new UnsentAnswers(settings.unsentBytes, settings.unsentGraceMs);
  return {
    frame: frame({ settings, names: wireNames(settings.wireNames), addressOf, unsent, metrics, log, callLog, closing }),
    limits: limits(buckets, settings.wholeV1),
    countSession: (session: string) => buckets?.takeOf(`console ${session}`, CONSOLE_SESSION),
    routes: routes(buildFamilies(services, parts), parts.turns),
    body: services.gameBody,
  };
}

/** The chain that every request of games and tools passes, in this order. */
function gameChain({ settings, middleware = [] }: ServerParts, shared: Shared): Koa<State> {
  const { corsOrigins } = settings;
  const koa = new Koa<State>();
  koa.use(shared.frame);
  if (corsOrigins.length > 0) koa.use(corsHeaders(corsOrigins));
  koa.use(shared.limits);
  if (corsOrigins.length > 0) koa.use(preflight(corsOrigins));
  for (const each of middleware) koa.use(each);
  koa.use(shared.routes);
  return koa;
}

/** The chain of the console: what is its own, and behind it the same routes. */
function consoleChain(
  { settings, middleware = [] }: ServerParts,
  shared: Shared,
  { signIn, people, health, folder, issuer = null, passwords = true }: ConsoleService,
  place: () => ConsolePlace,
): Koa<State> {
  const koa = new Koa<State>();
  koa.use(shared.frame);
  const { body, countSession } = shared;
  const { version } = settings;
  koa.use(consoleOrigin({ signIn, people, health, issuer, passwords, folder, place, body, countSession, version }));
  koa.use(shared.limits);
  for (const each of middleware) koa.use(each);
  koa.use(shared.routes);
  return koa;
}

function nodeServer(handle: RequestListener, settings: HttpSettings, tls: ConsoleSettings['tls']): Server {
  const options = {
    // A stalled upload, or a client that never ends its headers, must not hold a connection for ever.
    headersTimeout: settings.headersTimeoutMs,
    requestTimeout: settings.requestTimeoutMs,
    keepAliveTimeout: settings.keepAliveTimeoutMs,
    // The checks run at this interval, so a timeout may be noticed that much later.
    connectionsCheckingInterval: settings.checkingMs,
    requireHostHeader: false,
    noDelay: true,
  };
  const server = tls === null ? createNodeServer(options) : createTlsServer({ ...options, ...tls });
  // By default Node silently drops headers beyond a certain number: it could be `X-Forwarded-For` or a key. Their bytes are bounded
  // instead.
  server.maxHeadersCount = 0;
  // A client that ends its side after its request still waits for the answer, and gets none without this undocumented option.
  Reflect.set(server, 'httpAllowHalfOpen', true);
  const served = inPipelineOrder(handle);
  server.on('request', served);
  server.on('checkExpectation', served);
  server.on('clientError', answerMalformedRequest);
  return server;
}

/** How often the log says that connections are closed, ms. */
const DROPPED_EVERY_MS = 60_000;

/** Leaves the process some files. Without a bound, connections beyond its limit are closed by the system, and nothing tells of it. */
function boundConnections(server: Server, most: number, what: string, log: Logger): void {
  if (!Number.isFinite(most)) return;
  server.maxConnections = most;
  const report = throttled(
    () => log.warn({ connections: most }, `${what} are closed at once: this process may open no more files (ulimit -n, LimitNOFILE)`),
    DROPPED_EVERY_MS,
  );
  server.on('drop', () => report(undefined));
}

const DISCONNECT_CODES: ReadonlySet<string> = new Set(['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Whether the client disconnected in the middle, which is no fault of the server. */
function isDisconnect(error: unknown): boolean {
  return error instanceof Error && 'code' in error && DISCONNECT_CODES.has(String(error.code));
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject);
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
}

/** Closes the server. Node counts only connections that it accepted itself, so this also waits for handed-over ones. */
async function close(server: Server, drainMs: number, handedOver: ReadonlySet<Socket>): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), drainMs);
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeIdleConnections();
  const last = [...handedOver].map((socket) => new Promise((resolve) => socket.once('close', resolve)));
  await Promise.all([closed, ...last]);
  clearTimeout(timer);
}
