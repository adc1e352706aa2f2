import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Credentials } from '../../../infra/harness/project.ts';
import { brokenContract } from '../../support/contract.ts';

/** Sends requests in the form of the real game client: chunked bodies without a length, everything outside ASCII escaped, the key twice. */

export interface Reply {
  readonly status: number;
  /** The body as it came, because parsing would change large numbers. */
  readonly text: string;
  readonly body: unknown;
  readonly headers: IncomingHttpHeaders;
}

export interface Sent {
  readonly body?: unknown;
  /** The exact text of the body, instead of `body`. */
  readonly raw?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Accepts an answer of a view whether it is stale or not. */
  readonly once?: boolean;
}

export interface Client extends Credentials {
  readonly url: string;
  /** Every status that came. Bad input must never get a 500. */
  readonly statuses: number[];
  /** Sends as a player. `player: null` sends no id. */
  play(method: string, path: string, sent?: Sent, player?: string | null): Promise<Reply>;
  /** Sends as a studio's tool or a dedicated server, with the secret key. */
  manage(method: string, path: string, sent?: Sent): Promise<Reply>;
  /** Sends with these headers alone. */
  send(method: string, path: string, sent?: Sent): Promise<Reply>;
  storage(rest: string): string;
  endpoint(slug: string): string;
  definitions(rest: string): string;
  close(): void;
}

export const PLAYER = '76561198000000001';
export const NEXT = { 'x-ns-publish-target': 'next' };
const TIMEOUT_MS = 60_000;
/**
 * Paths of views. A request waits a quarter of a second for a view, and then says that it is stale, or refuses. On a busy machine a quarter
 * of a second is not enough.
 */
const VIEW =
  /\/(?:ledger|list)(?:\?|$)|\/stats\/|\/queries\/|\/manage\/[^/]+\/(?:players|explain|documents)\/|\/(?:commits|publishes)(?:\?|$)|\/economy(?:[/?]|$)/;

export function createClient(url: string, credentials: Credentials): Client {
  const agent = new Agent({ keepAlive: true, maxSockets: 64, noDelay: true });
  const statuses: number[] = [];
  const { projectId, publicKey, secretKey } = credentials;
  const send = async (method: string, path: string, sent: Sent = {}) => {
    const until = performance.now() + TIMEOUT_MS;
    for (;;) {
      const reply = await exchange(agent, method, url + path, sent);
      const broken = brokenContract(method, path, reply);
      if (broken !== null) throw new Error(broken);
      statuses.push(reply.status);
      const isLagging = reply.headers['x-ns-stale'] === 'true' || (reply.status === 503 && reply.text.includes('"BEHIND"'));
      const isStale = isLagging && method === 'GET' && VIEW.test(path);
      if (!isStale || sent.once === true || performance.now() > until) return reply;
      await sleep(50);
    }
  };
  const withHeaders = (sent: Sent, headers: Readonly<Record<string, string>>) => ({ ...sent, headers: { ...headers, ...sent.headers } });
  return {
    ...credentials,
    url,
    statuses,
    send,
    play(method, path, sent = {}, player = PLAYER) {
      const identity = player === null ? {} : { 'x-platform-id': player };
      return send(
        method,
        withKey(path, publicKey),
        withHeaders(sent, { 'x-public-key': publicKey, 'x-ns-client-type': 'game', ...identity }),
      );
    },
    manage: (method, path, sent = {}) => send(method, path, withHeaders(sent, { 'x-api-key': secretKey, 'x-public-key': publicKey })),
    storage: (rest) => `/v3/storage/${projectId}/${rest}`,
    endpoint: (slug) => `/v3/endpoints/${projectId}/${slug}`,
    definitions: (rest) => `/v3/manage/${projectId}/${rest}`,
    close: () => agent.destroy(),
  };
}

function withKey(path: string, publicKey: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}apiKey=${publicKey}`;
}

/** JSON as the client's serialiser writes it. */
export function wireText(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&'+`]|[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function exchange(agent: Agent, method: string, url: string, sent: Sent): Promise<Reply> {
  const text = sent.raw ?? (sent.body === undefined ? undefined : wireText(sent.body));
  const headers: Record<string, string> = { ...sent.headers };
  // Without a length Node sends the body in chunks, as the client does.
  if (text !== undefined) Object.assign(headers, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { agent, method, headers, timeout: TIMEOUT_MS }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('error', reject);
      incoming.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        resolve({ status: incoming.statusCode ?? 0, text, body: parsed(text), headers: incoming.headers });
      });
    });
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
    outgoing.on('error', reject);
    if (text !== undefined) outgoing.write(text);
    outgoing.end();
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The reply of a success; throws with any other. */
export async function ok(reply: Promise<Reply>): Promise<Reply> {
  const came = await reply;
  if (came.status === 200) return came;
  throw new Error(`expected 200, came ${came.status} ${came.text.slice(0, 500)}`);
}

/** The body of a success; throws with any other reply. */
export const bodyOf = async (reply: Promise<Reply>) => Object((await ok(reply)).body);

/** Status and code of a refusal. */
export async function refused(reply: Promise<Reply>): Promise<string> {
  const { status, body } = await reply;
  const code = typeof body === 'object' && body !== null && 'error' in body ? Object(body.error).code : undefined;
  return `${status} ${code}`;
}
