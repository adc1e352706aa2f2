import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createSignInStore } from '../../projections/sign-in.ts';
import { createIssuerSignIn, type IssuerSignIn, WAITING_MS } from '../../src/app/people/issuer-sign-in.ts';
import { createPeople, newPersonId, type People } from '../../src/app/people/people.ts';
import { createPeopleDesk } from '../../src/app/people/people-desk.ts';
import { createSignIn, type SignIn } from '../../src/app/people/sign-in.ts';
import { addPerson } from '../../src/domain/people/people.ts';
import type { HealthDesk } from '../../src/http/console/health.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { PEOPLE_STREAM } from '../../src/log/streams.ts';
import { createIssuer } from '../../src/outbound/issuer/issuer.ts';
import {
  askConsole,
  type ConsoleAt,
  type ConsoleHeaders,
  type ConsoleReply,
  codeOf,
  type SignedBrowser,
  signInTo,
} from '../support/console.ts';
import { CLIENT, type MadeUpIssuer, type ProviderOnLoopback, SECRET, startMadeUpIssuer, startProvider } from '../support/issuer.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Harness, startServer } from './harness.ts';

/** People sign in to the console at an issuer of OpenID Connect. */

let pool: pg.Pool;
let provider: ProviderOnLoopback;
let madeUp: MadeUpIssuer;
const health: HealthDesk = {
  report: () => Promise.reject(new Error('not asked')),
  checks: () => Promise.reject(new Error('not asked')),
  retry: () => Promise.reject(new Error('not asked')),
};
let late = 0;
const clock = { now: () => Date.now() + late, monotonic: () => performance.now() };

interface Console {
  readonly at: ConsoleAt;
  readonly log: ReturnType<typeof createMemoryLog>;
  readonly people: People;
  readonly signIn: SignIn;
  readonly server: Harness;
  /** What the log of the node was told of failures. */
  readonly failures: string[];
  readonly links: string[];
}
/** A console with an issuer. */
async function consoleWith(address: string, { passwords = true, domains = [] as readonly string[] } = {}): Promise<Console> {
  const log = createMemoryLog();
  const people = createPeople(log, clock);
  const store = createSignInStore(pool);
  const links: string[] = [];
  const failures: string[] = [];
  const signIn = createSignIn(store, people, clock, { passwords, onLink: (person) => void links.push(person) });
  const settings = { address, client: CLIENT, secret: SECRET, name: 'Work' };
  const issuer: IssuerSignIn = createIssuerSignIn({
    issuer: createIssuer(settings, clock, (reason) => void failures.push(reason)),
    domains,
    people,
    signIn,
    scheduler: clock,
  });
  const desk = createPeopleDesk(people, signIn, { ...store, projects: async () => [] });
  const parts = {
    origin: null,
    networks: null,
    proxies: [],
    tls: null,
    folder: '/nowhere',
    signIn,
    people: desk,
    health,
    issuer,
    passwords,
  };
  const server = await startServer({}, { console: parts });
  return { at: await server.server.listenConsole(0, '127.0.0.1'), log, people, signIn, server, failures, links };
}

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await migratedDatabase(), max: 4 });
  [provider, madeUp] = await Promise.all([startProvider(), startMadeUpIssuer()]);
});
afterAll(async () => {
  await Promise.all([provider.stop(), madeUp.stop()]);
  await pool.end();
});

const body = (reply: ConsoleReply) => JSON.parse(reply.text);
const messageOf = (reply: ConsoleReply) => String(body(reply).error?.message);

/** A browser before the console, with whatever cookies it was given. */
class Browser {
  readonly at: ConsoleAt;
  readonly jar = new Map<string, string>();
  #csrf = '';

  constructor({ at }: Pick<Console, 'at'>, session?: SignedBrowser) {
    this.at = at;
    this.#csrf = session?.csrf ?? '';
    if (session !== undefined) this.#keep([session.cookie]);
  }

  async ask(method: string, path: string, sent?: unknown, headers: ConsoleHeaders = {}): Promise<ConsoleReply> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const change: ConsoleHeaders = method === 'GET' ? {} : { Origin: this.at.origin, 'X-Console-Csrf': this.#csrf };
    const reply = await askConsole(this.at, method, path, { ...(cookie === '' ? {} : { Cookie: cookie }), ...change, ...headers }, sent);
    this.#keep(reply.headers['set-cookie'] ?? []);
    if (reply.status === 200 && method === 'POST') this.#csrf = body(reply).csrf ?? this.#csrf;
    return reply;
  }

  #keep(cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (value === '') this.jar.delete(name);
      else this.jar.set(name, value);
    }
  }

  async toIssuer(purpose = 'sign-in'): Promise<string> {
    const reply = await this.ask('POST', '/api/sign-in/issuer', { purpose });
    expect(reply.status, reply.text).toBe(200);
    return body(reply).url;
  }

  answer(search: string): Promise<ConsoleReply> {
    return this.ask('POST', '/api/sign-in/issuer/answer', { answer: search });
  }
}

/** Goes through the pages of the provider. Answers the query with which it leads back. */
async function through(url: string): Promise<string> {
  const jar = new Map<string, string>();
  let next = url;
  for (let steps = 0; steps < 10; steps += 1) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(next, { redirect: 'manual', headers: { cookie } });
    await reply.arrayBuffer();
    for (const set of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      jar.set(name, value);
    }
    const to = new URL(reply.headers.get('location') ?? '', next);
    if (to.pathname === '/sign-in/back') return to.search;
    next = to.href;
  }
  throw new Error('the provider does not lead back');
}

async function letIn({ people }: Console, name: string, email?: string): Promise<string> {
  const person = newPersonId();
  await people.change('person.add', { kind: 'operator' }, (state) =>
    addPerson(state, { person, name, email, project: '*', role: 'viewer' }),
  );
  return person;
}

describe('at a real provider', () => {
  let console: Console;
  /** Signs in as somebody, to the answer of the console. */
  const comeAs = async (user: string | null, browser = new Browser(console)) => {
    provider.user = user;
    return { browser, reply: await browser.answer(await through(await browser.toIssuer())) };
  };

  beforeAll(async () => {
    console = await consoleWith(provider.address);
    await provider.open(`${console.at.origin}/sign-in/back`);
  });
  afterAll(() => console.server.stop());

  it('the page is told how one signs in', async () => {
    expect(body(await new Browser(console).ask('GET', '/api/sign-in'))).toEqual({ ok: true, passwords: true, issuer: 'Work' });
  });

  it('whoever was let in with a verified e-mail address is signed in, and known by the account from then on', async () => {
    const ada = await letIn(console, 'ada', 'Ada@Game.example');
    provider.accounts.set('u-ada', { email: 'ada@game.example', email_verified: true });
    const { browser, reply } = await comeAs('u-ada');
    expect(body(reply)).toMatchObject({ ok: true, person: { id: ada, name: 'ada', isLinked: true }, csrf: expect.any(String) });
    expect(body(await browser.ask('GET', '/api/session'))).toMatchObject({ person: { name: 'ada' } });
    expect([...browser.jar.keys()].some((name) => name.endsWith('-issuer'))).toBe(false);
    // The address may become another one: the account stays.
    provider.accounts.set('u-ada', { email: 'countess@elsewhere.example', email_verified: false });
    expect(body((await comeAs('u-ada')).reply)).toMatchObject({ person: { id: ada } });
  });

  it('the stream of people says who was linked, and holds neither account nor token; nor does the log of requests', async () => {
    const events = await console.log.read(PEOPLE_STREAM, { from: 0, limit: 100, direction: 'forwards' });
    const linked = events.filter(({ type }) => type === 'person.linked');
    expect(linked.map(({ data }) => JSON.parse(data))).toEqual([
      expect.objectContaining({ issuer: provider.address, account: expect.stringMatching(/^[0-9a-f]{64}$/) }),
    ]);
    const texts = events.map(({ data, metadata }) => data + metadata);
    const written = JSON.stringify([texts, console.server.log, console.failures]);
    expect(written).not.toMatch(/u-ada|code=|eyJ|a-secret-of/);
  });

  it('nobody is let in who was not: unknown, not verified, without an address, or named by two', async () => {
    provider.accounts.set('u-eve', { email: 'eve@game.example', email_verified: true });
    await letIn(console, 'bo', 'bo@game.example');
    provider.accounts.set('u-bo', { email: 'bo@game.example', email_verified: false });
    provider.accounts.set('u-cy', {});
    await letIn(console, 'one', 'same@game.example');
    await letIn(console, 'two', 'same@game.example');
    provider.accounts.set('u-same', { email: 'same@game.example', email_verified: true });
    const before = (await console.people.latest()).people.size;
    const expected = {
      'u-eve': 'Nobody was let in',
      'u-bo': 'no verified e-mail',
      'u-cy': 'no verified e-mail',
      'u-same': 'Several people',
    };
    for (const [user, message] of Object.entries(expected)) {
      const { browser, reply } = await comeAs(user);
      expect([codeOf(reply), messageOf(reply)]).toEqual([[403, 'ACCESS_DENIED'], expect.stringContaining(message)]);
      expect((await browser.ask('GET', '/api/session')).status).toBe(401);
    }
    expect((await console.people.latest()).people.size).toBe(before);
  });

  it('an address that was given to somebody else is no way in: the account is another one', async () => {
    await letIn(console, 'dee', 'dee@game.example');
    provider.accounts.set('u-dee', { email: 'dee@game.example', email_verified: true });
    await comeAs('u-dee');
    provider.accounts.set('u-new', { email: 'dee@game.example', email_verified: true });
    const { reply } = await comeAs('u-new');
    expect(codeOf(reply)).toEqual([409, 'ACCOUNT_LINKED']);
  });

  it('an address that another alphabet spells alike is another one', async () => {
    await letIn(console, 'kim', 'Kim@game.example');
    // The sign for kelvin, of which a small letter is a k.
    provider.accounts.set('u-kelvin', { email: '\u212aim@game.example', email_verified: true });
    expect(codeOf((await comeAs('u-kelvin')).reply)).toEqual([403, 'ACCESS_DENIED']);
    provider.accounts.set('u-kim', { email: 'kIM@game.example', email_verified: true });
    expect(body((await comeAs('u-kim')).reply)).toMatchObject({ person: { name: 'kim' } });
  });

  it('an account is linked by the session that began it, and by one that began lately', async () => {
    provider.user = 'u-mallory';
    const session = async (name: string) =>
      new Browser(console, await signInTo(console.at, await console.signIn.newLink(await letIn(console, name))));
    const [mallory, hal] = [await session('mallory'), await session('hal')];
    const search = await through(await mallory.toIssuer('link'));
    const [secret] = [...mallory.jar].filter(([name]) => name.endsWith('-issuer'));
    expect(secret).toBeDefined();
    if (secret !== undefined) hal.jar.set(...secret);
    expect(codeOf(await hal.answer(search))).toEqual([401, 'UNAUTHORIZED']);
    late = 30 * 60_000;
    expect(codeOf(await hal.ask('POST', '/api/sign-in/issuer', { purpose: 'link' }))).toEqual([403, 'ACCESS_DENIED']);
    late = 0;
    expect(body(await hal.answer(await through(await hal.toIssuer('link'))))).toMatchObject({ linked: true });
  });

  it('whoever says no there is told so, and so is whoever sends an answer a second time', async () => {
    expect(messageOf((await comeAs(null)).reply)).toContain('cancelled');
    provider.user = 'u-ada';
    const browser = new Browser(console);
    const url = await browser.toIssuer();
    const search = await through(url);
    const kept = new Map(browser.jar);
    expect((await browser.answer(search)).status).toBe(200);
    expect(messageOf(await browser.answer(search))).toContain('begin again');
    for (const [name, value] of kept) browser.jar.set(name, value);
    expect(messageOf(await browser.answer(search))).toContain('used already');
  });

  it('an answer counts in the browser that began alone, for ten minutes, and from its page alone', async () => {
    provider.user = 'u-ada';
    const [mine, other] = [new Browser(console), new Browser(console)];
    const search = await through(await mine.toIssuer());
    expect(codeOf(await other.answer(search))).toEqual([401, 'UNAUTHORIZED']);
    await other.toIssuer();
    expect(messageOf(await other.answer(search))).toContain('does not belong to this sign-in');
    expect(codeOf(await mine.ask('POST', '/api/sign-in/issuer/answer', { answer: search }, { Origin: 'http://evil.example' }))).toEqual([
      403,
      'ACCESS_DENIED',
    ]);
    late = WAITING_MS + 1;
    expect(messageOf(await mine.answer(search))).toContain('ten minutes');
    late = 0;
    expect((await mine.answer(search)).status).toBe(200);
  });

  it('whoever is signed in links an account, whatever its address; a reset forgets it', async () => {
    const link = await console.signIn.newLink(await letIn(console, 'flo'));
    const browser = new Browser(console, await signInTo(console.at, link));
    provider.accounts.set('u-flo', {});
    provider.user = 'u-flo';
    expect(body(await browser.answer(await through(await browser.toIssuer('link'))))).toMatchObject({ ok: true, linked: true });
    expect(body((await comeAs('u-flo')).reply)).toMatchObject({ person: { name: 'flo' } });
    // An account is one person's.
    const second = new Browser(console, await signInTo(console.at, await console.signIn.newLink(await letIn(console, 'gil'))));
    expect(codeOf(await second.answer(await through(await second.toIssuer('link'))))).toEqual([409, 'ACCOUNT_LINKED']);
    expect(codeOf(await new Browser(console).ask('POST', '/api/sign-in/issuer', { purpose: 'link' }))).toEqual([403, 'ACCESS_DENIED']);
    const owner = new Browser(console, await signInTo(console.at, await console.signIn.ownerLink()));
    const flo = body(await owner.ask('GET', '/api/people')).people.find(({ name }: { readonly name: string }) => name === 'flo');
    expect(flo.isLinked).toBe(true);
    expect((await owner.ask('POST', `/api/people/${flo.id}/reset`)).status).toBe(200);
    expect(codeOf((await comeAs('u-flo')).reply)).toEqual([403, 'ACCESS_DENIED']);
  });
});

describe('at an issuer that answers otherwise', () => {
  let console: Console;
  beforeEach(async () => {
    madeUp.said = {};
    console = await consoleWith(madeUp.address, { passwords: false, domains: ['game.example'] });
    await letIn(console, 'ada', 'ada@game.example');
  });
  afterEach(() => console.server.stop());

  const MINE = { email: 'ada@game.example', email_verified: true };
  const answered = async (claims: object = {}, more: MadeUpIssuer['said'] = {}, query = '') => {
    const browser = new Browser(console);
    const url = new URL(await browser.toIssuer());
    expect(Object.fromEntries(url.searchParams)).toMatchObject({ code_challenge_method: 'S256', scope: 'openid email', client_id: CLIENT });
    madeUp.nonce = url.searchParams.get('nonce') ?? '';
    madeUp.said = { claims: { ...MINE, ...claims }, ...more };
    return browser.answer(`?code=c1&state=${url.searchParams.get('state')}${query}`);
  };

  it('a token counts that it has signed for this console, this sign-in and this time', async () => {
    expect((await answered()).status).toBe(200);
    const now = Math.floor(Date.now() / 1000);
    expect((await answered({ exp: now - 30, iat: now - 330 })).status, 'clocks differ a little').toBe(200);
    const bad: readonly (readonly [object, MadeUpIssuer['said'], string, string])[] = [
      [{ aud: 'another' }, {}, '', 'for somebody else'],
      [{ iss: 'https://evil.example' }, {}, '', 'another issuer'],
      [{ nonce: 'another' }, {}, '', 'another sign-in'],
      [{ exp: now - 300 }, {}, '', 'clocks differ'],
      [{}, { isForged: true }, '', 'has not signed'],
      [{}, {}, '&iss=https%3A%2F%2Fevil.example', 'does not belong'],
    ];
    for (const [claims, more, query, message] of bad) {
      const reply = await answered(claims, more, query);
      expect([codeOf(reply), messageOf(reply)]).toEqual([[401, 'UNAUTHORIZED'], expect.stringContaining(message)]);
    }
  });

  it('a reset, or the end of the session, ends the linking of an account that is under way', async () => {
    const owner = new Browser(console, await signInTo(console.at, await console.signIn.ownerLink()));
    const flo = await letIn(console, 'flo');
    for (const [method, path] of [
      ['POST', 'reset'],
      ['DELETE', 'sessions'],
    ] as const) {
      const browser = new Browser(console, await signInTo(console.at, await console.signIn.newLink(flo)));
      const url = new URL(await browser.toIssuer('link'));
      madeUp.nonce = url.searchParams.get('nonce') ?? '';
      const meanwhile = async () => expect((await owner.ask(method, `/api/people/${flo}/${path}`)).status).toBe(200);
      madeUp.said = { claims: { email: 'any@game.example', email_verified: true }, meanwhile };
      expect(codeOf(await browser.answer(`?code=c1&state=${url.searchParams.get('state')}`))).toEqual([401, 'SIGNED_OUT']);
      expect((await console.people.latest()).people.get(flo)?.accounts.size).toBe(0);
    }
  });

  it('a token that nobody signed, or that the secret of the console does, is none, and neither is a name that is empty or of two', async () => {
    for (const signedBy of ['none', 'HS256'] as const) {
      madeUp.said = { signedBy };
      // Each description is asked for anew.
      const other = await consoleWith(madeUp.address);
      const browser = new Browser(other);
      const url = new URL(await browser.toIssuer());
      madeUp.nonce = url.searchParams.get('nonce') ?? '';
      const reply = await browser.answer(`?code=c1&state=${url.searchParams.get('state')}`);
      expect([codeOf(reply), messageOf(reply)]).toEqual([[401, 'UNAUTHORIZED'], expect.stringContaining('signs its tokens in a way')]);
      await other.server.stop();
    }
    madeUp.said = {};
    expect(messageOf(await answered({}, {}, '&id_token=eyJ'))).toContain('another flow');
    expect(codeOf(await answered({ sub: '' }))).toEqual([503, 'ISSUER_UNAVAILABLE']);
  });

  it('an address that comes with another account is none', async () => {
    madeUp.said = { account: { sub: 'u2', ...MINE } };
    const other = await consoleWith(madeUp.address);
    await letIn(other, 'ada', 'ada@game.example');
    const browser = new Browser(other);
    const url = new URL(await browser.toIssuer());
    madeUp.nonce = url.searchParams.get('nonce') ?? '';
    const reply = await browser.answer(`?code=c1&state=${url.searchParams.get('state')}`);
    expect([codeOf(reply), messageOf(reply)]).toEqual([[401, 'UNAUTHORIZED'], expect.stringContaining('the address of another')]);
    await other.server.stop();
  });

  it('domains are asked for at every sign-in', async () => {
    for (const email of ['ada@elsewhere.example', 'ada@game.example.evil.example'])
      expect(codeOf(await answered({ email }))).toEqual([403, 'ACCESS_DENIED']);
    expect(codeOf(await answered({ email_verified: 'true' }))).toEqual([403, 'ACCESS_DENIED']);
  });

  it('a refusal, a fault, something endless: each is told, and none of its words', async () => {
    const told = { error: 'invalid_client', error_description: 'the-password-was-1234' };
    expect(messageOf(await answered({}, { status: 401, body: told }))).toContain('CONSOLE_OIDC_CLIENT_ID');
    expect(codeOf(await answered({}, { status: 500, body: {} }))).toEqual([503, 'ISSUER_UNAVAILABLE']);
    expect(codeOf(await answered({}, { body: { access_token: 'x'.repeat(300_000) } }))).toEqual([503, 'ISSUER_UNAVAILABLE']);
    const written = JSON.stringify([console.server.log, console.failures]);
    expect(written).not.toMatch(/the-password|eyJ|ada@game/);
    expect(console.failures).toHaveLength(3);
  });

  it('neither words that came with an answer nor a description that is no page lead anywhere', async () => {
    await answered({}, {}, '&error=made_up%20words');
    expect(console.failures).toEqual(['it refused the sign-in (for a reason of its own)']);
    madeUp.said = { description: { authorization_endpoint: 'javascript:alert(1)' } };
    const other = await consoleWith(madeUp.address);
    expect(codeOf(await new Browser(other).ask('POST', '/api/sign-in/issuer', { purpose: 'sign-in' }))).toEqual([
      503,
      'ISSUER_UNAVAILABLE',
    ]);
    await other.server.stop();
  });

  it('without passwords nobody sets or uses one, and a link signs in, loudly', async () => {
    const owner = new Browser(console, await signInTo(console.at, await console.signIn.ownerLink()));
    expect(console.links).toHaveLength(1);
    expect(codeOf(await owner.ask('PUT', '/api/password', { password: 'correct horse battery' }))).toEqual([403, 'ACCESS_DENIED']);
    const entered = await new Browser(console).ask('POST', '/api/session', { name: 'owner', password: 'correct horse battery' });
    expect(codeOf(entered)).toEqual([403, 'ACCESS_DENIED']);
    expect(body(await owner.ask('GET', '/api/sign-in'))).toMatchObject({ passwords: false });
  });
});

describe('an issuer that cannot be asked', () => {
  it('is told as such, asked again later, and never named elsewhere by its own description', async () => {
    const console = await consoleWith('http://127.0.0.1:1');
    const begin = () => new Browser(console).ask('POST', '/api/sign-in/issuer', { purpose: 'sign-in' });
    expect(codeOf(await begin())).toEqual([503, 'ISSUER_UNAVAILABLE']);
    expect((await begin()).headers['retry-after']).toBe('5');
    await console.server.stop();
    madeUp.said = { description: { token_endpoint: 'http://localhost:9/token' } };
    const misled = await consoleWith(madeUp.address);
    const browser = new Browser(misled);
    const url = new URL(await browser.toIssuer());
    expect(codeOf(await browser.answer(`?code=c1&state=${url.searchParams.get('state')}`))).toEqual([503, 'ISSUER_UNAVAILABLE']);
    expect(misled.failures.join()).toContain('no public host');
    madeUp.said = { description: { issuer: 'https://another.example' } };
    const settings = { address: madeUp.address, client: CLIENT, secret: null, name: 'Work' };
    expect(await createIssuer(settings, clock, () => undefined).problem()).toContain('issuer');
    madeUp.said = {};
    expect(await createIssuer(settings, clock, () => undefined).problem()).toBeNull();
    await misled.server.stop();
  });
});
