import { createHash, timingSafeEqual } from 'node:crypto';
import type { SignedIn } from '../../app/app.ts';
import { managesPeople, seesPeople } from '../../domain/people/power.ts';
import { refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { Answer } from '../answer.ts';
import { invalidBody, readJson } from '../body.ts';
import { type Exchange, headerText } from '../exchange.ts';
import { type ApiParts, isAttended, shown, shownSessions, signInFrom } from './api.ts';
import { Attempts } from './attempts.ts';
import { CommandRoutes } from './commands.ts';
import { cookieOf, IssuerRoutes } from './issuer.ts';
import type { ConsolePlace } from './place.ts';

/** `/api` of the console: who is signed in, signing in and out, and the sessions of a person. */

const MAX_TEXT = 256;
const SESSION_PATH = /^\/api\/sessions\/(s_[0-9a-f]{16})$/;

export class SessionRoutes {
  readonly #parts: ApiParts;
  readonly #attempts = new Attempts();
  readonly #issuer: IssuerRoutes;
  /** Of the command line. */
  readonly commands: CommandRoutes;

  constructor(parts: ApiParts) {
    this.#parts = parts;
    this.#issuer = new IssuerRoutes(parts.issuer);
    this.commands = new CommandRoutes(parts, this.#attempts);
  }

  /** The token that a request's cookie carries; `null`: none. */
  tokenOf(exchange: Exchange, { cookie }: ConsolePlace): string | null {
    return cookieOf(exchange, cookie);
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

  /** Who is signed in and, for a change, that a page of the console sent it, or a command line. Throws 401, 403 ACCESS_DENIED, 429. */
  async proven(exchange: Exchange, place: ConsolePlace): Promise<SignedIn> {
    const signedIn = await this.shown(exchange, place);
    this.#parts.countSession(signedIn.session.id);
    return signedIn;
  }

  /** The same, which does not count as a request. */
  shown(exchange: Exchange, place: ConsolePlace): Promise<SignedIn> {
    const sent = this.commands.tokenOf(exchange);
    if (sent !== null) return this.commands.signedIn(sent, true);
    const token = this.tokenOf(exchange, place);
    if (exchange.method !== 'GET') this.requireCsrf(exchange, token);
    return this.signedIn(token, isAttended(exchange));
  }

  async answer(exchange: Exchange, place: ConsolePlace, address: string | null): Promise<Answer> {
    const { method, path } = exchange;
    if (this.commands.isBeginning(exchange)) return this.commands.begin(exchange, place, address);
    if (this.commands.tokenOf(exchange) !== null) return this.#ofCommand(exchange, await this.proven(exchange, place));
    if (path === '/api/session' && method === 'POST') return this.#open(exchange, place, address);
    if (path === '/api/sign-in' && method === 'GET')
      return shown({ ok: true, passwords: this.#parts.passwords, issuer: this.#issuer.name });
    if (this.#issuer.isBegin(exchange)) return this.#toIssuer(exchange, place);
    if (this.#issuer.isAnswer(exchange)) return this.#fromIssuer(exchange, place, address);
    const token = this.tokenOf(exchange, place);
    const signedIn = await this.proven(exchange, place);
    const { person, session } = signedIn;
    const confirmed = await this.commands.answer(exchange, signedIn);
    if (confirmed !== null) return confirmed;
    if (path === '/api/password' && method === 'PUT') return this.#setPassword(exchange, signedIn);
    if (path === '/api/session' && method === 'GET') return shown({ ...(await this.#sessionBody(signedIn)), csrf: csrfOf(token ?? '') });
    if (path === '/api/session' && method === 'DELETE') {
      await this.#parts.signIn.endSession(person.id, session.id);
      return shown({ ok: true }, { 'Set-Cookie': `${place.cookie}=; ${place.cookieAttributes}; Max-Age=0` });
    }
    if (path === '/api/sessions' && method === 'GET')
      return shown({ ok: true, sessions: shownSessions(await this.#parts.signIn.sessionsOf(person.id), session.id) });
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
    return this.#opened(await this.#attempts.ofAddress(address, await this.#attempt(exchange, address)), place);
  }

  async #opened(token: string, place: ConsolePlace, cookies: readonly string[] = []): Promise<Answer> {
    const body = { ...(await this.#sessionBody(await this.signedIn(token, true))), csrf: csrfOf(token) };
    return shown(body, { 'Set-Cookie': [`${place.cookie}=${token}; ${place.cookieAttributes}`, ...cookies] });
  }

  /** Sends the browser to the issuer. Whoever is signed in comes to link an account, and shows that the page of the console asks. */
  async #toIssuer(exchange: Exchange, place: ConsolePlace): Promise<Answer> {
    const { purpose } = objectOf(await readJson(exchange, this.#parts.body, invalidBody));
    if (purpose !== 'sign-in' && purpose !== 'link') throw refusal('INVALID_BODY', 'It takes `{"purpose": "sign-in"}`, or `link`');
    const { signIn } = this.#issuer;
    const of = purpose === 'link' ? await this.proven(exchange, place) : null;
    const { url, secret } = await signIn.begin(this.#issuer.backTo(place), of);
    return shown({ ok: true, url }, { 'Set-Cookie': this.#issuer.keeping(secret, place) });
  }

  /** Takes what the issuer answered. The browser's secret is good for one answer. */
  async #fromIssuer(exchange: Exchange, place: ConsolePlace, address: string | null): Promise<Answer> {
    const { answer } = objectOf(await readJson(exchange, this.#parts.body, invalidBody));
    if (typeof answer !== 'string') throw refusal('INVALID_BODY', 'It takes `{"answer": …}`, the query with which the browser came back');
    const { signIn } = this.#issuer;
    const secret = this.#issuer.secretOf(exchange, place) ?? '';
    const back = this.#issuer.backTo(place);
    const forget = this.#issuer.forgetting(place);
    if (signIn.purposeOf(secret) === 'link') {
      const signedIn = await this.proven(exchange, place);
      const stillSignedIn = () => this.shown(exchange, place);
      await this.#attempts.ofPerson(signedIn.person.id, () => signIn.link(secret, back, answer, signedIn, stillSignedIn));
      return shown({ ok: true, linked: true }, { 'Set-Cookie': forget });
    }
    const from = signInFrom(exchange, address);
    const token = await this.#attempts.ofIssuer(address, () => signIn.finish(secret, back, answer, from));
    return this.#opened(token, place, [forget]);
  }

  /** What somebody signs in with. Who tries passwords of one name is held back from whatever addresses. */
  async #attempt(exchange: Exchange, address: string | null): Promise<() => Promise<string>> {
    const { signIn, body } = this.#parts;
    const { link, name, password } = objectOf(await readJson(exchange, body, invalidBody));
    const from = signInFrom(exchange, address);
    if (typeof link === 'string') return () => signIn.byLink(link, from);
    if (typeof name !== 'string' || typeof password !== 'string' || name.length > MAX_TEXT || password.length > MAX_TEXT)
      throw refusal(
        'INVALID_BODY',
        'Signing in takes `{"link": …}`, with what stands behind the # of a sign-in link, or `{"name": …, "password": …}`',
      );
    return () => this.#attempts.ofName(name, () => signIn.byPassword(name, password, from));
  }

  async #setPassword(exchange: Exchange, { person, session }: SignedIn): Promise<Answer> {
    const { password, current = null } = objectOf(await readJson(exchange, this.#parts.body, invalidBody));
    if (typeof password !== 'string' || (current !== null && (typeof current !== 'string' || current.length > MAX_TEXT)))
      throw refusal('INVALID_BODY', 'A password is set by `{"password": …, "current": …}`, `current` where there was one before');
    await this.#attempts.ofPerson(person.id, () => this.#parts.signIn.setPassword(person.id, { password, current }, session.id));
    return shown({ ok: true });
  }

  /** What the command line asks of `/api`: who it is, and to be signed out. A change of the password takes the page. */
  async #ofCommand({ method, path }: Exchange, signedIn: SignedIn): Promise<Answer> {
    if (path !== '/api/session' || (method !== 'GET' && method !== 'DELETE')) throw refusal('NOT_FOUND');
    if (method === 'GET') return shown(await this.#sessionBody(signedIn));
    await this.#parts.signIn.endSession(signedIn.person.id, signedIn.session.id);
    return shown({ ok: true });
  }

  async #sessionBody({ person }: SignedIn): Promise<JsonObject> {
    const { signIn, version } = this.#parts;
    const projects = await signIn.projectsOf(person);
    return {
      ok: true,
      person: {
        id: person.id,
        name: person.name,
        everywhere: person.everywhere,
        hasPassword: await signIn.hasPassword(person.id),
        isLinked: person.isLinked,
      },
      projects: projects.map(({ id, title, role }) => ({
        id,
        title,
        role,
        permissions: { ...person.permissionsIn(id), ...(seesPeople(role) ? { people: managesPeople(role) ? 'rw' : 'r' } : {}) },
      })),
      version,
    };
  }
}

/** Follows from the session's token, which no page can read. */
function csrfOf(token: string): string {
  return createHash('sha256').update(`csrf ${token}`).digest('base64url');
}

function isSame(sent: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(sent), digest(expected));
}
