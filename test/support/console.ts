import { type IncomingHttpHeaders, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { brokenContract } from './contract.ts';

/** Asks a console as a browser does that resolves its name. */

export interface ConsoleAt {
  readonly origin: string;
  readonly port: number;
}

export interface ConsoleReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export type ConsoleHeaders = Readonly<Record<string, string>>;

export function askConsole(
  at: ConsoleAt,
  method: string,
  path: string,
  headers: ConsoleHeaders = {},
  body?: unknown,
): Promise<ConsoleReply> {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const length = text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) };
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: at.port, method, path, headers: { Host: new URL(at.origin).host, ...length, ...headers } };
    const sent = request(options, async (reply) => {
      const chunks: Buffer[] = [];
      for await (const chunk of reply) chunks.push(chunk as Buffer);
      resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text: Buffer.concat(chunks).toString() });
    });
    sent.once('error', reject);
    sent.end(text);
  });
}

/** Status and code of a refusal. */
export function codeOf({ status, text }: ConsoleReply): readonly [status: number, code: string | undefined] {
  return [status, JSON.parse(text).error?.code];
}

/**
 * Sends a change whose last byte comes only once `meanwhile` is done. The pause lets the server look at who asks; a test holds without it,
 * too.
 */
export async function changeSlowly(
  at: ConsoleAt,
  { cookie, csrf }: SignedBrowser,
  [method, path, body]: readonly [method: string, path: string, body: unknown],
  meanwhile: () => Promise<unknown>,
): Promise<ConsoleReply> {
  const text = JSON.stringify(body);
  const headers = {
    ...{ Host: new URL(at.origin).host, Origin: at.origin, Cookie: cookie, 'X-Console-Csrf': csrf },
    ...{ 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) },
  };
  const sent = request({ host: '127.0.0.1', port: at.port, method, path, headers });
  const replied = new Promise<ConsoleReply>((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', async (reply) => {
      const chunks: Buffer[] = [];
      for await (const chunk of reply) chunks.push(chunk as Buffer);
      resolve({ status: reply.statusCode ?? 0, headers: reply.headers, text: Buffer.concat(chunks).toString() });
    });
  });
  sent.write(text.slice(0, -1));
  await sleep(300);
  await meanwhile();
  sent.end(text.slice(-1));
  return replied;
}

/** A browser with a session. */
export interface SignedBrowser {
  readonly cookie: string;
  readonly csrf: string;
  get(path: string): Promise<ConsoleReply>;
  /** As the console's page sends changes. */
  change(method: string, path: string, body?: unknown): Promise<ConsoleReply>;
}

/** Signs in with what stands behind the `#` of a link. */
export async function signInTo(at: ConsoleAt, link: string): Promise<SignedBrowser> {
  const reply = await askConsole(at, 'POST', '/api/session', { Origin: at.origin }, { link });
  if (reply.status !== 200) throw new Error(`not signed in: ${reply.status} ${reply.text}`);
  return browserWith(at, String(reply.headers['set-cookie']?.[0]).split(';')[0] ?? '', JSON.parse(reply.text).csrf);
}

/** Signs in with the link that a command printed. */
export function signInByLink(url: string): Promise<SignedBrowser> {
  const { origin, port, hash } = new URL(url);
  return signInTo({ origin, port: Number(port) }, hash.slice(1));
}

function browserWith(at: ConsoleAt, cookie: string, csrf: string): SignedBrowser {
  return {
    cookie,
    csrf,
    get: async (path) => fitting('GET', path, await askConsole(at, 'GET', path, { Cookie: cookie })),
    change: async (method, path, body) =>
      fitting(method, path, await askConsole(at, method, path, { Cookie: cookie, Origin: at.origin, 'X-Console-Csrf': csrf }, body)),
  };
}

/** The answer, if it is one that the contract promises, or the console's own to a session that is over. */
function fitting(method: string, path: string, reply: ConsoleReply): ConsoleReply {
  const isOver = reply.status === 401 && reply.text.includes('"SIGNED_OUT"');
  const problem = path.startsWith('/v3/') && !isOver ? brokenContract(method, path, reply) : null;
  if (problem !== null) throw new Error(problem);
  return reply;
}
