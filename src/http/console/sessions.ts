import { createHash, timingSafeEqual } from 'node:crypto';
import type { SignedIn, SignIn } from '../../app/app.ts';
import { BruteForceGuard } from '../../kernel/brute-force-guard.ts';
import { refusal } from '../../kernel/errors.ts';
import { isObject, type JsonObject } from '../../kernel/json.ts';
import type { Answer } from '../answer.ts';
import { type BodyBounds, invalidBody, readJson } from '../body.ts';
import { type Exchange, headerText } from '../exchange.ts';
import type { ConsolePlace } from './place.ts';

/** `/api` of the console: who is signed in, signing in and out, and the sessions of a person. */

/** Wrong links of one address within a minute that block it. */
const MAX_WRONG = 10;
const SIGN_IN = 'sign-in';
/** Stands for this machine's own address. */
const HERE = 'this machine';
const SESSION_PATH = /^\/api\/sessions\/(s_[0-9a-f]{16})$/;

export interface SessionRoutesParts {
  readonly signIn: SignIn;
  readonly body: BodyBounds;
  readonly version: string;
}

export class SessionRoutes {
  readonly #parts: SessionRoutesParts;
  readonly #wrong = new BruteForceGuard(MAX_WRONG, () => performance.now());

  constructor(parts: SessionRoutesParts) {
    this.#parts = parts;
  }

  /** The token that a request's cookie carries; `null`: none. */
  tokenOf({ headers }: Exchange, { cookie }: ConsolePlace): string | null {
    const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim());
    const found = pairs.find((pair) => pair.startsWith(`${cookie}=`));
    return found?.slice(cookie.length + 1) || null;
  }

  /** Who has a token. Throws 401 SIGNED_OUT. */
  async signedIn(token: string | null): Promise<SignedIn> {
    if (token === null) throw refusal('SIGNED_OUT');
    return this.#parts.signIn.signedIn(token);
  }

  /** Throws 403 ACCESS_DENIED unless the request shows the token that only a page of the console can read. */
  requireCsrf(exchange: Exchange, token: string | null): void {
    const sent = headerText(exchange, 'x-console-csrf');
    if (token !== null && sent !== null && isSame(sent, csrfOf(token))) return;
    throw refusal('ACCESS_DENIED', 'This takes the header x-console-csrf, with what /api/session answers as `csrf`');
  }

  async answer(exchange: Exchange, place: ConsolePlace, address: string | null): Promise<Answer> {
    const { method, path } = exchange;
    if (path === '/api/session' && method === 'POST') return this.#open(exchange, place, address);
    const token = this.tokenOf(exchange, place);
    if (method !== 'GET') this.requireCsrf(exchange, token);
    const { person, session } = await this.signedIn(token);
    if (path === '/api/session' && method === 'GET') return shown(await this.#sessionBody(token ?? ''));
    if (path === '/api/session' && method === 'DELETE') {
      await this.#parts.signIn.endSession(person.id, session.id);
      return shown({ ok: true }, { 'Set-Cookie': `${place.cookie}=; ${place.cookieAttributes}; Max-Age=0` });
    }
    if (path === '/api/sessions' && method === 'GET') return shown({ ok: true, sessions: await this.#listed(person.id, session.id) });
    const [, ended] = SESSION_PATH.exec(path) ?? [];
    if (ended === undefined || method !== 'DELETE') throw refusal('NOT_FOUND');
    await this.#parts.signIn.endSession(person.id, ended);
    return shown({ ok: true });
  }

  async #open(exchange: Exchange, place: ConsolePlace, address: string | null): Promise<Answer> {
    const { signIn, body } = this.#parts;
    const sent = await readJson(exchange, body, invalidBody);
    const link = isObject(sent) ? sent['link'] : undefined;
    if (typeof link !== 'string')
      throw refusal('INVALID_BODY', 'Signing in takes `{"link": …}`, with what stands behind the # of a sign-in link');
    const token = await this.#counted(address ?? HERE, () =>
      signIn.byLink(link, { agent: headerText(exchange, 'user-agent') ?? '', address }),
    );
    return shown(await this.#sessionBody(token), { 'Set-Cookie': `${place.cookie}=${token}; ${place.cookieAttributes}` });
  }

  /** An attempt counts as wrong until it has succeeded, so many at once are no more than one after another. */
  async #counted(from: string, attempt: () => Promise<string>): Promise<string> {
    const waitMs = this.#wrong.admit(from, SIGN_IN);
    if (waitMs > 0) throw refusal('RATE_LIMITED', 'Too many attempts to sign in; wait a moment', { retryAfter: Math.ceil(waitMs / 1000) });
    let hasFailed = true;
    try {
      const token = await attempt();
      hasFailed = false;
      return token;
    } finally {
      this.#wrong.settle(from, SIGN_IN, hasFailed);
    }
  }

  async #sessionBody(token: string): Promise<JsonObject> {
    const { signIn, version } = this.#parts;
    const { person } = await signIn.signedIn(token);
    const projects = await signIn.projectsOf(person);
    return {
      ok: true,
      person: { id: person.id, name: person.name },
      csrf: csrfOf(token),
      projects: projects.map(({ id, title, role }) => ({ id, title, role, permissions: person.permissionsIn(id) ?? {} })),
      version,
    };
  }

  async #listed(person: string, current: string): Promise<readonly JsonObject[]> {
    const time = (ms: number) => new Date(ms).toISOString();
    return (await this.#parts.signIn.sessionsOf(person)).map(({ id, createdAt, usedAt, until, agent, address }) => ({
      id,
      createdAt: time(createdAt),
      usedAt: time(usedAt),
      until: time(until),
      agent,
      address,
      current: id === current,
    }));
  }
}

function shown(body: JsonObject, headers: Readonly<Record<string, string>> = {}): Answer {
  return { body, headers: { 'Cache-Control': 'no-store', ...headers } };
}

/** Follows from the session's token, which no page can read. */
function csrfOf(token: string): string {
  return createHash('sha256').update(`csrf ${token}`).digest('base64url');
}

function isSame(sent: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(expected));
}
