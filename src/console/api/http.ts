import { type ApiResponse, HttpError, ok, type SuccessResponse, type WithHeaders } from '@oazapfts/runtime';
import { sentJson, withExactNumbers } from '../words/exact.ts';
import { Refused, refusalOf } from '../words/refusal.ts';
import { isAttended } from './attended.ts';
import { onceNotBehind } from './behind.ts';
import { defaults } from './generated.ts';
import { reasonAt, tellsOfStored } from './reveal.ts';

/** Every request of the console: to its own origin, with the token that proves that it was this page. */

let csrf = '';
/** What this page has written last, by project: reads wait for it. */
const written = new Map<string, number>();

export function keepCsrf(token: string): void {
  csrf = token;
}

/** Headers of answers to what was to change something: what a refusal is made of knows its headers, and not its request. */
const ofActs = new WeakSet<Headers>();

/**
 * Every act has a key, so that it happens once; a look at what one would do has none. What is asked of the console itself is an act unless
 * it reads.
 */
function isAct(address: string, { method = 'GET', headers }: RequestInit): boolean {
  return method !== 'GET' && (address.startsWith('/api/') || new Headers(headers).has('idempotency-key'));
}

async function send(address: string, init: RequestInit = {}): Promise<Response> {
  const method = init.method ?? 'GET';
  const project = projectOf(address);
  const position = written.get(project);
  const response = await onceNotBehind(
    () => opened(address, { ...init, method }),
    ({ headers }) => method === 'GET' && position !== undefined && headers.get('x-ns-stale') === 'true',
  );
  const reached = Number(response.headers.get('x-ns-position') ?? Number.NaN);
  if (method !== 'GET' && response.ok && reached > (position ?? -1)) written.set(project, reached);
  const text = withExactNumbers(await textOf(response));
  if (isAct(address, init)) ofActs.add(response.headers);
  // Another response of the same text would encode and decode megabytes once more.
  return Object.assign(response, { text: async () => text });
}

/** From so many bytes on an answer is read in one piece: as text it would come in small parts, which takes twice the time. */
const LARGE_BYTES = 200_000;

async function textOf(response: Response): Promise<string> {
  const isLarge = Number(response.headers.get('content-length')) >= LARGE_BYTES;
  return isLarge ? (await response.blob()).text() : response.text();
}

/** Sends a request with what every request of the page says. The answer is read by the caller. */
async function opened(address: string, init: RequestInit): Promise<Response> {
  const isRead = init.method === 'GET';
  const headers = new Headers(init.headers);
  const position = written.get(projectOf(address));
  if (!isRead) headers.set('x-console-csrf', csrf);
  // So that the session of a forgotten page ends, whatever the page reads by itself.
  if (!isAttended()) headers.set('x-console-unattended', 'true');
  if (isRead && position !== undefined) headers.set('x-ns-position', String(position));
  const reason = isRead || tellsOfStored(address) ? reasonAt(address, init.body) : undefined;
  if (reason !== undefined && !headers.has('x-ns-reveal')) headers.set('x-ns-reveal', encodeURIComponent(reason));
  const body = typeof init.body === 'string' ? sentJson(init.body) : init.body;
  return fetch(address, { ...init, headers, body, credentials: 'same-origin' }).catch(() => {
    throw unreachable();
  });
}

function unreachable(): Refused {
  return new Refused({ status: 0, code: 'UNREACHABLE', message: '', details: {} });
}

/** An answer that is read as it comes. Throws `Refused`. */
export async function openAnswer(address: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Response> {
  const response = await opened(address, { method: 'GET', headers, signal });
  if (response.ok) return response;
  const text = await response.text();
  throw new Refused(refusalOf(response.status, jsonIn(text)));
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Throws `Refused` where no answer comes, whatever it would be. */
export async function reach(): Promise<void> {
  await send('/api/session');
}

function projectOf(address: string): string {
  return /^\/v3\/[a-z]+\/([^/?]+)/.exec(address)?.[1] ?? '';
}

defaults.baseUrl = '';
defaults.fetch = (address, init) => send(String(address), init);

/** The body of a successful answer. Throws `Refused`. */
export async function answerOf<T extends ApiResponse>(request: Promise<WithHeaders<T>>): Promise<SuccessResponse<T>> {
  try {
    return await ok(request);
  } catch (error) {
    throw error instanceof HttpError ? new Refused(refusalOf(error.status, error.data, ofActs.has(error.headers))) : error;
  }
}

/** The same with the revision of the log that it shows. */
export async function datedAnswerOf<T extends ApiResponse>(request: Promise<WithHeaders<T>>) {
  const answer = await request;
  return { body: await answerOf<T>(Promise.resolve(answer)), revision: Number(answer.headers.get('x-ns-position')) };
}

/** The same for routes that the contract of games does not describe. */
export async function askConsole<Body>(method: string, address: string, body?: object): Promise<Body> {
  const sent = body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await send(address, { method, ...sent });
  const text = await response.text();
  const answer: unknown = text === '' ? null : JSON.parse(text);
  if (!response.ok) throw new Refused(refusalOf(response.status, answer, ofActs.has(response.headers)));
  return answer as Body;
}
