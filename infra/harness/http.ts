import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** An answer. `body` is the parsed JSON, or the text if it was none; `ms` is the time from sending to the last byte. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
  readonly ms: number;
}

export interface Call {
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** JSON over HTTP with keep-alive connections, like a game client. Throws when no whole answer arrives (cut off, time-out). */
export interface Http {
  send(method: string, path: string, call?: Call): Promise<Answer>;
  /** Closes all connections. */
  close(): void;
}

const TIMEOUT_MS = 20_000;

/** `base` is an address such as `http://127.0.0.1:8080`, without a trailing slash. */
export function createHttp(base: string, maxSockets = 256): Http {
  // In turn, so that none is idle for so long that the server closes it: new connections take long where the server is busy.
  const agent = new Agent({ keepAlive: true, maxSockets, maxFreeSockets: maxSockets, noDelay: true, scheduling: 'fifo' });
  return {
    send: (method, path, call = {}) => send(agent, method, base + path, call),
    close: () => agent.destroy(),
  };
}

function send(agent: Agent, method: string, url: string, call: Call): Promise<Answer> {
  const started = performance.now();
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const headers: Record<string, string | number> = { ...call.headers };
  if (body !== undefined) {
    headers['content-type'] = 'application/json';
    headers['content-length'] = Buffer.byteLength(body);
  }
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers, timeout: TIMEOUT_MS }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({
          status: incoming.statusCode ?? 0,
          body: jsonOrText(text),
          headers: incoming.headers,
          ms: performance.now() - started,
        });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
