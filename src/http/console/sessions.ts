import { createHash, timingSafeEqual } from 'node:crypto';
import type { SignedIn, SignIn } from '../../app/app.ts';
import { BruteForceGuard } from '../../kernel/brute-force-guard.ts';
import { refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { Answer } from '../answer.ts';
import { type BodyBounds, invalidBody, readJson } from '../body.ts';
import { countedNetwork } from '../client-address.ts';
import { type Exchange, headerText } from '../exchange.ts';
import type { ConsolePlace } from './place.ts';

/** `/api` of the console: who is signed in, signing in and out, and the sessions of a person. */

/** Wrong links and passwords of one address, name or person within a minute that block it. */
const MAX_WRONG = 10;
const MAX_TEXT = 256;
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

  /** Who has a token. `isUse`: a person asks. Throws 401 SIGNED_OUT. */
  async signedIn(token: string | null, isUse: boolean): Promise<SignedIn> {
    if (token === null) throw refusal('SIGNED_OUT');
    return this.#parts.signIn.signedIn(token, isUse);
  }

  /** Throws 403 ACCESS_DENIED unless the request shows the token that only a page of the console can read. */
  requireCsrf(exchange: Exchange, token: string | null): void {
    const sent = headerText(exchange, 'x-console-csrf');
    if (token !== null && sent !== null && isSame(sent, csrfOf(token))) return;
    throw refusal('ACCESS_DENIED', 'This takes the header x-console-csrf, with what /api/session answers as `csrf`');
  }

  /** Who is signed in and, for a change, that a page of the console sent it. Throws 401 SIGNED_OUT or 403 ACCESS_DENIED. */
  async proven(exchange: Exchange, place: ConsolePlace): Promise<SignedIn> {
    const token = this.tokenOf(exchange, place);
    if (exchange.method !== 'GET') this.requireCsrf(exchange, token);
    return this.signedIn(token, isAttended(exchange));
  }

  async answer(exchange: Exchange, place: ConsolePlace, address: string | null): Promise<Answer> {
    const { method, path } = exchange;
    if (path === '/api/session' && method === 'POST') return this.#open(exchange, place, address);
    const token = this.tokenOf(exchange, place);
    const signedIn = await this.proven(exchange, place);
    const { person, session } = signedIn;
    if (path === '/api/password' && method === 'PUT') return this.#setPassword(exchange, signedIn);
    if (path === '/api/session' && method === 'GET') return shown(await this.#sessionBody(token ?? '', signedIn));
    if (path === '/api/session' && method === 'DELETE') {
      await this.#parts.signIn.endSession(person.id, session.id);
      return shown({ ok: true }, { 'Set-Cookie': `${place.cookie}=; ${place.cookieAttributes}; Max-Age=0` });
    }
    if (path === '/api/sessions' && method === 'GET') return shown({ ok: true, sessions: await this.#listed(person.id, session.id) });
    if (path === '/api/sessions' && method === 'DELETE') {
      await this.#parts.signIn.endOtherSessions(person.id, session.id);
      return shown({ ok: true });
    }
    const [, ended] = SESSION_PATH.exec(path) ?? [];
    if (ended === undefined || method !== 'DELETE') throw refusal('NOT_FOUND');
    await this.#parts.signIn.endSession(person.id, ended);
    return shown({ ok: true });
  }

  async #open(exchange: Exchange, place: ConsolePlace, address: string | null): Promise<Answer> {
    const from = address === null ? HERE : countedNetwork(address);
    const token = await this.#counted(from, 'address', await this.#attempt(exchange, address));
    return shown(await this.#sessionBody(token, await this.signedIn(token, true)), {
      'Set-Cookie': `${place.cookie}=${token}; ${place.cookieAttributes}`,
    });
  }

  /** What somebody signs in with. Who tries passwords of one name is held back from whatever addresses. */
  async #attempt(exchange: Exchange, address: string | null): Promise<() => Promise<string>> {
    const { signIn, body } = this.#parts;
    const { link, name, password } = objectOf(await readJson(exchange, body, invalidBody));
    const from = { agent: headerText(exchange, 'user-agent') ?? '', address };
    if (typeof link === 'string') return () => signIn.byLink(link, from);
    if (typeof name !== 'string' || typeof password !== 'string' || name.length > MAX_TEXT || password.length > MAX_TEXT)
      throw refusal(
        'INVALID_BODY',
        'Signing in takes `{"link": …}`, with what stands behind the # of a sign-in link, or `{"name": …, "password": …}`',
      );
    return () => this.#counted(name.normalize('NFC').toLowerCase(), 'name', () => signIn.byPassword(name, password, from));
  }

  async #setPassword(exchange: Exchange, { person, session }: SignedIn): Promise<Answer> {
    const { password, current = null } = objectOf(await readJson(exchange, this.#parts.body, invalidBody));
    if (typeof password !== 'string' || (current !== null && (typeof current !== 'string' || current.length > MAX_TEXT)))
      throw refusal('INVALID_BODY', 'A password is set by `{"password": …, "current": …}`, `current` where there was one before');
    await this.#counted(person.id, 'person', () => this.#parts.signIn.setPassword(person.id, { password, current }, session.id));
    return shown({ ok: true });
  }

  /** An attempt counts as wrong until it has succeeded, so many at once are no more than one after another. */
  async #counted<T>(from: string, what: 'address' | 'name' | 'person', attempt: () => Promise<T>): Promise<T> {
    const waitMs = this.#wrong.admit(from, what);
    if (waitMs > 0) throw refusal('RATE_LIMITED', 'Too many attempts to sign in; wait a moment', { retryAfter: Math.ceil(waitMs / 1000) });
    let hasFailed = true;
    try {
      const answer = await attempt();
      hasFailed = false;
      return answer;
    } finally {
      this.#wrong.settle(from, what, hasFailed);
    }
  }

  async #sessionBody(token: string, { person }: SignedIn): Promise<JsonObject> {
    const { signIn, version } = this.#parts;
    const projects = await signIn.projectsOf(person);
    return {
      ok: true,
      person: { id: person.id, name: person.name, hasPassword: await signIn.hasPassword(person.id) },
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

/** Whether a person asks. A page that nobody has touched for a while says so: what it asks by itself does not prolong the session. */
export function isAttended(exchange: Exchange): boolean {
  return headerText(exchange, 'x-console-unattended') === null;
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
