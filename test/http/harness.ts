import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { pino } from 'pino';
import { MemoryCallLog } from '../../src/http/call-log/memory.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import type { Health, Ready } from '../../src/http/routes/system.ts';
import { createServer, type HttpServer, type ServerParts } from '../../src/http/server.ts';
import { HTTP_DEFAULTS, type HttpSettings } from '../../src/http/settings.ts';
import { RoundRobin } from '../../src/kernel/round-robin.ts';
import { realScheduler } from '../../src/kernel/scheduler.ts';
import { brokenContract } from '../support/contract.ts';
import { type FakeApp, fakeApp, PUBLIC_KEY } from './fake-app.ts';

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** Parsed, or `undefined` where it is not JSON. */
  readonly json: Parsed;
}

// biome-ignore lint/suspicious/noExplicitAny: what a test looks at in an answer is checked by its expectations
type Parsed = any;

export interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent chunked and without a length, as the game client does. */
  readonly body?: string | Buffer;
}

export interface Harness {
  readonly app: FakeApp;
  readonly server: HttpServer;
  readonly port: number;
  /** Lines of the log, parsed. */
  readonly log: Record<string, unknown>[];
  health: Health;
  ready: Ready;
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
  /** As a player: public key in header and query, with an id. */
  play(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  /** Writes bytes to a socket and answers all that comes back, until the other side closes or `until` is met. */
  raw(bytes: string | Buffer, until?: (received: string) => boolean): Promise<string>;
  stop(): Promise<void>;
}

/** `anything`: the use cases will answer what the contract does not know, as a test's own middleware may. */
export async function startServer(
  settings: Partial<HttpSettings> = {},
  { anything = false, ...more }: Partial<ServerParts> & { readonly anything?: boolean } = {},
): Promise<Harness> {
  const app = fakeApp();
  const log: Record<string, unknown>[] = [];
  const state: { health: Health; ready: Ready } = {
    ready: { status: 'ready', version: 'test' },
    health: { status: 'ok', version: 'test', database: 'memory', databaseLatencyMs: 0 },
  };
  const metrics = createMetrics();
  const server = createServer({
    app,
    settings: { ...HTTP_DEFAULTS, ...settings },
    log: pino({ level: 'debug' }, { write: (line: string) => void log.push(JSON.parse(line)) }),
    metrics,
    exposition: async () => Buffer.from(await metrics.registry.metrics()),
    probes: { health: async () => state.health, ready: async () => state.ready },
    sharedBuckets: null,
    callLog: new MemoryCallLog(),
    turns: new RoundRobin(realScheduler),
    ...more,
  });
  const port = await server.listen(0, '127.0.0.1');
  const agent = new Agent({ keepAlive: true });
  const send = async (method: string, path: string, sent: Sent = {}): Promise<Reply> => {
    const reply = await exchange(agent, port, method, path, sent);
    const broken = anything || more.middleware ? null : brokenContract(method, path, reply, settings.wholeV1);
    if (broken !== null) throw new Error(broken);
    return reply;
  };
  return {
    app,
    server,
    port,
    log,
    get health() {
      return state.health;
    },
    set health(health) {
      state.health = health;
    },
    get ready() {
      return state.ready;
    },
    set ready(ready) {
      state.ready = ready;
    },
    send,
    play: (method, path, body, headers) =>
      send(method, `${path}${path.includes('?') ? '&' : '?'}apiKey=${PUBLIC_KEY}`, {
        headers: { 'X-Public-Key': PUBLIC_KEY, 'X-Platform-Id': '76561190000000042', ...headers },
        ...(body === undefined ? {} : { body: escapedJson(body) }),
      }),
    raw: (bytes, until) => rawExchange(port, bytes, until),
    async stop() {
      agent.destroy();
      await server.close(0);
    },
  };
}

/** JSON as the game client writes it: characters outside ASCII, and some others, are escaped. */
export function escapedJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&'+`\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function exchange(agent: Agent, port: number, method: string, path: string, sent: Sent): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const headers = sent.body === undefined ? { ...sent.headers } : { ...sent.headers, 'Transfer-Encoding': 'chunked' };
    const outgoing = request({ agent, host: '127.0.0.1', port, method, path, headers }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, json: parsed(text) });
      });
    });
    outgoing.on('error', reject);
    outgoing.end(sent.body);
  });
}

function parsed(text: string): Parsed {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function rawExchange(port: number, bytes: string | Buffer, until: (received: string) => boolean = () => false): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
      if (until(received)) socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(received));
  });
}
