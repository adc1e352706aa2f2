import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSignInStore } from '../../projections/sign-in.ts';
import type { PeopleDesk } from '../../src/app/app.ts';
import { createPeople, newPersonId, type People } from '../../src/app/people/people.ts';
import { createPeopleDesk } from '../../src/app/people/people-desk.ts';
import { createSignIn, LINK_MS, type SignIn } from '../../src/app/people/sign-in.ts';
import { addPerson } from '../../src/domain/people/people.ts';
import type { HealthDesk } from '../../src/http/console/health.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { here, printed } from '../node/support/command-line.ts';
import {
  askConsole,
  type ConsoleAt,
  type ConsoleHeaders,
  type ConsoleReply,
  codeOf,
  type SignedBrowser,
  signInTo,
} from '../support/console.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Harness, startServer } from './harness.ts';

const NO_JOBS = { status: 'ok', store: 'postgres', counts: {}, reason: null, listed: [] } as const;

/** On this machine alone. */
const LOCAL = { origin: null, networks: null, proxies: [], tls: null } as const;

let pool: pg.Pool;
let people: People;
let signIn: SignIn;
let desk: PeopleDesk;
let server: Harness;
/** The console that is asked. */
let at: ConsoleAt;
let folder: string;
/** What the desk of health was told to do. */
const retried: unknown[] = [];
const health: HealthDesk = {
  report: async () => ({
    status: 'ready',
    behind: 0,
    log: { engine: 'postgres', end: '7' },
    processes: [],
    day: { stepMs: 1, pieces: [] },
    jobs: NO_JOBS,
  }),
  checks: async () => ({ at: 0, findings: [] }),
  retry: async (which, person) => {
    retried.push([which, person]);
    return ['long-1'];
  },
};
const clock = { now: () => time, monotonic: () => performance.now() };
let time = Date.now();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-console-'));
  mkdirSync(join(folder, 'assets'));
  const asks = '<link rel="preload" as="fetch" href="/api/session" crossorigin>';
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html>${asks}<script type="module" nonce="__NONCE__" src="/assets/main-abc.js"></script>`,
  );
  writeFileSync(join(folder, 'assets/main-abc.js'), 'export {};'.repeat(100));
  pool = new pg.Pool({ connectionString: await migratedDatabase(), max: 4 });
  people = createPeople(createMemoryLog(), clock);
  const store = createSignInStore(pool);
  signIn = createSignIn(store, people, clock);
  desk = createPeopleDesk(people, signIn, store);
  server = await startServer({}, { console: { ...LOCAL, folder, signIn, people: desk, health }, anything: true });
  at = await server.server.listenConsole(0, '127.0.0.1');
});

afterAll(async () => {
  await server.stop();
  await pool.end();
  rmSync(folder, { recursive: true });
});

const ask = (method: string, path: string, headers: ConsoleHeaders = {}, body?: unknown) => askConsole(at, method, path, headers, body);
const signedIn = async () => signInTo(at, await signIn.ownerLink());
const changing = ({ cookie, csrf }: SignedBrowser): ConsoleHeaders => ({ Cookie: cookie, Origin: at.origin, 'X-Console-Csrf': csrf });

beforeEach(() => {
  server.app.calls.length = 0;
  server.app.presented.length = 0;
});

describe('the page', () => {
  it('is answered for every path of it, with a nonce of its own and a policy that lets nothing else run', async () => {
    const [one, other] = [await ask('GET', '/p/demo/player/a.b'), await ask('GET', '/')];
    const nonce = /nonce="([^"]{20,})"/.exec(one.text)?.[1];
    expect(one.headers['content-security-policy']).toContain(`script-src 'self' 'nonce-${nonce}'`);
    expect(one.headers['content-security-policy']).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
    expect(other.text).not.toContain(nonce);
    expect(one.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it('asks who is signed in from its first line on, but not where one comes to sign in: that would be refused', async () => {
    const asking = async (path: string) => (await ask('GET', path)).text.includes('/api/session');
    expect([await asking('/'), await asking('/p/some'), await asking('/sign-in'), await asking('/sign-in?next=%2F')]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('has assets that are kept for ever, small where the browser takes it so', async () => {
    const plain = await ask('GET', '/assets/main-abc.js');
    const zipped = await ask('GET', '/assets/main-abc.js', { 'Accept-Encoding': 'gzip' });
    expect([plain.status, plain.headers['content-type'], plain.headers['cache-control']]).toEqual([
      200,
      'text/javascript; charset=utf-8',
      'public, max-age=31536000, immutable',
    ]);
    expect(zipped.headers['content-encoding']).toBe('gzip');
    for (const path of ['/assets/other.js', '/assets/../index.html', '/assets/%2e%2e/index.html'])
      expect((await ask('GET', path)).status).toBe(404);
  });

  it('is said to be missing, and how to build it, where it is not built', async () => {
    const empty = mkdtempSync(join(tmpdir(), 'savepoint-console-'));
    const bare = await startServer(
      {},
      { console: { origin: null, networks: null, proxies: [], tls: null, folder: empty, signIn, people: desk, health } },
    );
    const before = at;
    at = await bare.server.listenConsole(0, '127.0.0.1');
    try {
      const { status, text } = await ask('GET', '/anything');
      expect([status, text]).toEqual([200, expect.stringContaining('npm run build')]);
    } finally {
      at = before;
      await bare.stop();
      rmSync(empty, { recursive: true });
    }
  });
});

describe('who may ask', () => {
  it('answers its own host name alone, so no page elsewhere can make its name lead here', async () => {
    for (const host of ['evil.example', 'evil.example:8090', 'console.localhost', `console.localhost.evil.example:${at.port}`])
      expect(codeOf(await ask('GET', '/api/session', { Host: host }))).toEqual([403, 'ACCESS_DENIED']);
    const elsewhere = await ask('GET', '/p/demo?x=1', { Host: `127.0.0.1:${at.port}` });
    expect([elsewhere.status, elsewhere.headers.location]).toEqual([307, `${at.origin}/p/demo?x=1`]);
    expect((await ask('POST', '/api/session', { Host: `127.0.0.1:${at.port}`, Origin: at.origin }, {})).status).toBe(403);
  });

  it('takes no change without its own origin, and none without the token that its page has', async () => {
    const person = await signedIn();
    const change = (headers: ConsoleHeaders) => ask('POST', '/v3/manage/demo/promote', headers, {});
    const { Origin: _, ...fromNowhere } = changing(person);
    expect(codeOf(await change(fromNowhere))).toEqual([403, 'ACCESS_DENIED']);
    expect(codeOf(await change({ ...changing(person), Origin: 'http://evil.example' }))).toEqual([403, 'ACCESS_DENIED']);
    expect(codeOf(await change({ Cookie: person.cookie, Origin: at.origin }))).toEqual([403, 'ACCESS_DENIED']);
    expect(codeOf(await change({ ...changing(person), 'X-Console-Csrf': (await signedIn()).csrf }))).toEqual([403, 'ACCESS_DENIED']);
    expect(server.app.calls).toEqual([]);
    expect((await change(changing(person))).status).toBe(200);
    expect(server.app.calls.map(({ name }) => name)).toHaveLength(1);
  });

  it('runs no endpoint for a link of another page, whatever its method', async () => {
    const person = await signedIn();
    const run = (path: string, headers: ConsoleHeaders) => ask('GET', path, { Cookie: person.cookie, ...headers });
    for (const path of ['/v3/endpoints/demo/buy?item=axe', '/v3/Endpoints/demo/buy'])
      expect(codeOf(await run(path, {}))).toEqual([403, 'ACCESS_DENIED']);
    expect(server.app.calls).toEqual([]);
    expect((await run('/v3/endpoints/demo/buy?item=axe', { 'X-Console-Csrf': person.csrf })).status).toBe(200);
  });

  it('has nothing read in the name of somebody by a page elsewhere, not even one of the same site: it would be recorded as a look', async () => {
    const { cookie } = await signedIn();
    const read = async (path: string, from: string) => (await ask('GET', path, { Cookie: cookie, 'Sec-Fetch-Site': from })).status;
    for (const path of ['/api/session', '/v3/manage/p1/players/42'])
      expect([path, await read(path, 'same-site'), await read(path, 'cross-site')]).toEqual([path, 403, 403]);
    expect([await read('/api/session', 'same-origin'), await read('/api/session', 'none')]).toEqual([200, 200]);
    expect((await ask('GET', '/api/session', { Cookie: cookie, Origin: 'https://evil.example' })).status).toBe(403);
    // A link to a page of it leads there.
    expect(await read('/p/p1/players/42', 'cross-site')).toBe(200);
  });

  it('has connections of its own, so that whoever opens as many as there are keeps no game out', async () => {
    const few = await startServer({ maxConsoleConnections: 2 }, { console: { ...LOCAL, folder, signIn, people: desk, health } });
    const { port } = await few.server.listenConsole(0, '127.0.0.1');
    const open = () => connect(port, '127.0.0.1').on('error', () => undefined);
    const held = [open(), open()];
    try {
      await Promise.all(held.map((socket) => once(socket, 'connect')));
      await once(open(), 'close');
      expect((await few.send('GET', '/health')).status).toBe(200);
      expect(few.log).toContainEqual(
        expect.objectContaining({ msg: expect.stringContaining('connections to the console are closed at once') }),
      );
    } finally {
      for (const socket of held) socket.destroy();
      await few.stop();
    }
  });

  it('answers HEAD as it answers GET, without the body, and takes no token for it', async () => {
    const { cookie } = await signedIn();
    for (const path of ['/api/session', '/api/people', '/api/health', '/api/sign-in']) {
      const [{ status, text, headers }, got] = [await ask('HEAD', path, { Cookie: cookie }), await ask('GET', path, { Cookie: cookie })];
      expect([path, status, text, headers['content-type']]).toEqual([path, got.status, '', got.headers['content-type']]);
    }
    expect((await ask('HEAD', '/api/session')).status).toBe(401);
  });

  it('has no session for whoever is not signed in, whatever key is sent', async () => {
    const key = { 'X-Api-Key': 'platform_sk_secret' };
    for (const path of ['/api/session', '/api/sessions', '/v3/manage/demo/publishes', '/v3/storage/demo/saves/k'])
      expect(codeOf(await ask('GET', path, key))).toEqual([401, 'SIGNED_OUT']);
  });

  it('passes on the routes of managers and of data alone, as the person', async () => {
    const { cookie } = await signedIn();
    expect((await ask('GET', '/v3/manage/demo/publishes', { Cookie: cookie, 'X-Api-Key': 'platform_ns_disabled' })).status).toBe(200);
    expect(await server.app.presented[0]?.person?.()).toMatchObject({ name: 'owner' });
    for (const path of [
      '/metrics',
      '/openapi.json',
      '/v3/auth-sessions/demo/create',
      '/v3/guests/demo/devices',
      '/v3/security-config/demo',
    ])
      expect((await ask('GET', path, { Cookie: cookie })).text).not.toMatch(/openapi|# HELP|"ok":true/);
  });
});

describe('a session', () => {
  it('is opened by a link once, within ten minutes, and its cookie is for this origin alone', async () => {
    const link = await signIn.ownerLink();
    const enter = () => ask('POST', '/api/session', { Origin: at.origin }, { link });
    const first = await enter();
    expect(first.headers['set-cookie']).toEqual([
      expect.stringMatching(new RegExp(`^savepoint-console-${at.port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict$`)),
    ]);
    expect(JSON.parse(first.text)).toMatchObject({
      ok: true,
      person: { name: 'owner', hasPassword: false },
      csrf: expect.any(String),
      projects: [],
    });
    expect(codeOf(await enter())).toEqual([401, 'UNAUTHORIZED']);
    const late = await signIn.ownerLink();
    time += LINK_MS;
    expect(codeOf(await ask('POST', '/api/session', { Origin: at.origin }, { link: late }))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('is not opened by a link that is dead: whoever has it learns why, for a day, and of any other nothing', async () => {
    const [used, over] = [await signIn.ownerLink(), await signIn.ownerLink()];
    const from = { agent: 'test', address: null };
    const why = (link: string) =>
      signIn.byLink(link, from).then(
        () => 'open',
        ({ code, extra }) => (code === 'UNAUTHORIZED' ? extra.error.details.link : code),
      );
    expect([await why(used), await why(used), await why('a'.repeat(43))]).toEqual(['open', 'used', 'unknown']);
    time += LINK_MS;
    expect([await why(over), await why(used)]).toEqual(['over', 'used']);
    // A sign-in sweeps what is over.
    await signedIn();
    expect([await why(over), await why(used)]).toEqual(['over', 'used']);
    time += 24 * 3_600_000;
    await signedIn();
    expect([await why(over), await why(used)]).toEqual(['unknown', 'unknown']);
    expect((await pool.query('SELECT FROM savepoint.sign_in_links_gone WHERE hash IN ($1, $2)', [used, over])).rows).toEqual([]);
  });

  it('is listed, revoked from another one, and ended', async () => {
    const [mine, lost] = [await signedIn(), await signedIn()];
    const { sessions } = JSON.parse((await ask('GET', '/api/sessions', { Cookie: lost.cookie })).text);
    const { id } = sessions.find(({ current }: { readonly current: boolean }) => current);
    expect((await ask('DELETE', `/api/sessions/${id}`, changing(mine))).status).toBe(200);
    expect(codeOf(await ask('GET', '/api/session', { Cookie: lost.cookie }))).toEqual([401, 'SIGNED_OUT']);
    expect(codeOf(await ask('GET', '/v3/manage/demo/publishes', { Cookie: lost.cookie }))).toEqual([401, 'SIGNED_OUT']);
    expect((await ask('DELETE', '/api/session', changing(mine))).headers['set-cookie']).toEqual([expect.stringContaining('Max-Age=0')]);
    expect(codeOf(await ask('GET', '/api/session', { Cookie: mine.cookie }))).toEqual([401, 'SIGNED_OUT']);
  });

  it('is shown nothing more by a long request that began before its end', async () => {
    const [mine, lost] = [await signedIn(), await signedIn()];
    const { authenticate } = server.app;
    const { days } = server.app.economy;
    // As the node does.
    server.app.authenticate = async (project, found) => {
      await found.person?.();
      return authenticate(project, found);
    };
    server.app.economy.days = async (...asked) => {
      await mine.change('DELETE', '/api/sessions');
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      return days(...asked);
    };
    const answer = await lost.get('/v3/manage/demo/economy?currency=gold');
    server.app.economy.days = days;
    server.app.authenticate = authenticate;
    expect(codeOf(answer)).toEqual([401, 'SIGNED_OUT']);
  });

  it('has six requests worked on at a time, and keeps nobody else waiting', async () => {
    const mine = await signedIn();
    const invited = await desk.add((await people.latest()).people.keys().next().value ?? '', { name: 'next', project: '*', role: 'owner' });
    const other = await signInTo(at, invited.link);
    const { days } = server.app.economy;
    let begun = 0;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.app.economy.days = async (...asked) => {
      begun += 1;
      await released;
      return days(...asked);
    };
    const asked = Array.from({ length: 9 }, () => mine.get('/v3/manage/demo/economy?currency=gold'));
    await expect.poll(() => begun).toBe(6);
    expect((await other.get('/v3/manage/demo/publishes')).status).toBe(200);
    // The pause lets those come that wait; the test holds without it.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(begun).toBe(6);
    release();
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(9).fill(200));
    server.app.economy.days = days;
    expect(begun).toBe(9);
  });

  it('is over when nobody uses it for half a day, and after a week', async () => {
    const idle = await signedIn();
    time += 12 * 3_600_000;
    expect(codeOf(await ask('GET', '/api/session', { Cookie: idle.cookie }))).toEqual([401, 'SIGNED_OUT']);
    const used = await signedIn();
    for (let hours = 0; hours < 7 * 24; hours += 8) {
      expect((await ask('GET', '/api/session', { Cookie: used.cookie })).status).toBe(200);
      time += 8 * 3_600_000;
    }
    expect(codeOf(await ask('GET', '/api/session', { Cookie: used.cookie }))).toEqual([401, 'SIGNED_OUT']);
  });

  it('goes on for a person alone: neither an open stream nor a page that nobody touches prolongs it', async () => {
    const { cookie } = await signedIn();
    await ask('GET', '/v3/manage/demo/publishes', { Cookie: cookie });
    const stream = server.app.presented.at(-1)?.person;
    await stream?.();
    time += 6 * 3_600_000;
    await stream?.();
    expect((await ask('GET', '/api/session', { Cookie: cookie, 'X-Console-Unattended': 'true' })).status).toBe(200);
    expect((await ask('GET', '/v3/manage/demo/publishes', { Cookie: cookie, 'X-Console-Unattended': 'true' })).status).toBe(200);
    time += 6 * 3_600_000;
    await expect(stream?.()).rejects.toMatchObject({ code: 'SIGNED_OUT' });
    expect(codeOf(await ask('GET', '/api/session', { Cookie: cookie }))).toEqual([401, 'SIGNED_OUT']);
  });

  it('is the only one left when a person ends all others', async () => {
    const [mine, lost] = [await signedIn(), await signedIn()];
    expect(codeOf(await ask('DELETE', '/api/sessions', { Cookie: mine.cookie, Origin: at.origin }))).toEqual([403, 'ACCESS_DENIED']);
    expect((await mine.change('DELETE', '/api/sessions')).status).toBe(200);
    expect(codeOf(await lost.get('/api/session'))).toEqual([401, 'SIGNED_OUT']);
    expect(JSON.parse((await mine.get('/api/sessions')).text).sessions).toHaveLength(1);
  });

  it('asks under /api as much as a person with many pages does, and no more; another session goes on', async () => {
    const [mine, other] = [await signedIn(), await signedIn()];
    // It may ask again and again meanwhile: a slow machine takes longer to come beyond it.
    let refused: ConsoleReply | undefined;
    for (let waves = 0; refused === undefined && waves < 50; waves += 1) {
      const asked = await Promise.all(Array.from({ length: 100 }, () => mine.get('/api/session')));
      refused = asked.find(({ status }) => status === 429);
    }
    expect(refused?.headers['retry-after']).toBe('1');
    expect((await other.get('/api/session')).status).toBe(200);
  });

  it('is kept as a hash alone, and neither token nor link is in the log', async () => {
    const link = await signIn.ownerLink();
    const reply = await ask('POST', '/api/session', { Origin: at.origin }, { link });
    const token = /=([\w-]{43});/.exec(String(reply.headers['set-cookie']))?.[1] ?? '?';
    const { rows } = await pool.query('SELECT * FROM savepoint.sign_in_sessions');
    expect(JSON.stringify([rows, server.log])).not.toMatch(new RegExp(`${token}|${link}`));
  });
});

describe('a password', () => {
  const enter = (name: string, password: string) => ask('POST', '/api/session', { Origin: at.origin }, { name, password });

  it('is set by whoever is signed in, ends the other sessions, and signs in by name', async () => {
    const [mine, other] = [await signedIn(), await signedIn()];
    expect(codeOf(await mine.change('PUT', '/api/password', { password: 'short' }))).toEqual([400, 'VALIDATION_FAILED']);
    expect((await mine.change('PUT', '/api/password', { password: 'correct horse battery' })).status).toBe(200);
    expect(codeOf(await other.get('/api/session'))).toEqual([401, 'SIGNED_OUT']);
    expect(JSON.parse((await mine.get('/api/session')).text)).toMatchObject({ person: { hasPassword: true } });
    const reply = await enter('Owner', 'correct horse battery');
    expect([reply.status, JSON.parse(reply.text).person?.name]).toEqual([200, 'owner']);
    expect(codeOf(await enter('owner', 'correct horse batterY'))).toEqual([401, 'UNAUTHORIZED']);
    expect((await enter('nobody', 'correct horse battery')).text.replace(/req_\w+/g, '')).toBe(
      (await enter('owner', 'wrong')).text.replace(/req_\w+/g, ''),
    );
    const { rows } = await pool.query('SELECT hash FROM savepoint.sign_in_passwords');
    expect(rows).toEqual([{ hash: expect.stringMatching(/^scrypt:32768:8:1:[\w-]{22}:[\w-]{43}$/) }]);
  });

  it('is replaced by whoever knows it alone: an open session is not enough', async () => {
    const mine = await signedIn();
    const set = (body: object) => mine.change('PUT', '/api/password', body);
    const [password, current] = ['another horse battery', 'correct horse battery'];
    for (const wrong of [{}, { current: null }, { current: 'correct horse' }])
      expect(codeOf(await set({ password, ...wrong }))).toEqual([401, 'UNAUTHORIZED']);
    expect((await enter('owner', current)).status).toBe(200);
    expect((await set({ password, current })).status).toBe(200);
    expect((await enter('owner', password)).status).toBe(200);
    await signIn.lockOut(JSON.parse((await mine.get('/api/session')).text).person.id);
  });
});

describe('a command line', () => {
  const begin = async () => JSON.parse((await ask('POST', '/api/command-line', {}, { machine: 'savepoint on box' })).text);
  const poll = (secret: string) => ask('POST', '/api/command-line/token', {}, { secret });
  const confirmed = async (by: SignedBrowser) => {
    const { code, secret } = await begin();
    expect((await by.change('POST', `/api/command-line/${code}`)).status).toBe(200);
    return String(JSON.parse((await poll(secret)).text).token);
  };
  const as = (token: string): ConsoleHeaders => ({ 'X-Person-Token': token });

  it('is signed in when a person confirms its code, once, and acts as that person without a cookie', async () => {
    const mine = await signedIn();
    const { code, secret, page } = await begin();
    expect([code, page]).toEqual([expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/), `${at.origin}/confirm`]);
    expect(JSON.parse((await poll(secret)).text)).toEqual({ ok: true, waiting: true });
    expect(JSON.parse((await mine.get(`/api/command-line/${code}`)).text)).toMatchObject({ machine: 'savepoint on box', address: null });
    for (const machine of ['box\nYour own machine', 'box \u202Eenihcam nwo ruoy'])
      expect(codeOf(await ask('POST', '/api/command-line', {}, { machine }))).toEqual([400, 'INVALID_BODY']);
    expect((await mine.change('POST', `/api/command-line/${code}`)).status).toBe(200);
    expect(codeOf(await mine.change('POST', `/api/command-line/${code}`))).toEqual([404, 'NOT_FOUND']);
    const { token, name } = JSON.parse((await poll(secret)).text);
    expect([token, name]).toEqual([expect.stringMatching(/^sp_person_[\w-]{43}$/), 'owner']);
    expect(codeOf(await poll(secret))).toEqual([401, 'UNAUTHORIZED']);
    expect((await ask('POST', '/v3/manage/demo/promote', as(token), {})).status).toBe(200);
    expect((await ask('POST', '/v3/manage/demo/promote', { ...as(token), Host: `localhost:${at.port}` }, {})).status).toBe(200);
    expect(await server.app.presented.at(-1)?.person?.()).toMatchObject({ name: 'owner' });
    expect(JSON.parse((await ask('GET', '/api/session', as(token))).text)).toMatchObject({ person: { name: 'owner' } });
    const { rows } = await pool.query('SELECT * FROM savepoint.sign_in_sessions');
    expect(JSON.stringify([rows, server.log])).not.toMatch(new RegExp(`${token.slice(10)}|${secret}`));
  });

  it('is `savepoint login --console`, which keeps the token for its owner alone, until `savepoint logout`', async () => {
    const env = { XDG_CONFIG_HOME: mkdtempSync(join(folder, 'config-')) };
    const to = ['--address', 'https://game.example'];
    const mine = await signedIn();
    const login = printed(['login', '--console', at.origin, ...to, '--json'], { env });
    const shown = `SELECT code FROM savepoint.sign_in_requests WHERE person IS NULL AND agent = 'savepoint on ${hostname()}'`;
    const { code } = await vi.waitUntil(async () => (await pool.query(shown)).rows[0], 20_000);
    await mine.change('POST', `/api/command-line/${code}`);
    const { file, ...told } = JSON.parse(await login);
    expect(told).toMatchObject({ person: 'owner', address: 'https://game.example', console: at.origin });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const whoami = ['whoami', ...to, '--project', 'demo', '--json'];
    expect(JSON.parse(await printed(whoami, { env }))).toMatchObject({ name: 'owner', project: 'demo', role: null });
    await printed(['logout', ...to], { env });
    expect(await here(whoami, { env })).toMatchObject({ code: 1, stderr: expect.stringContaining('No secret key') });
    expect((await mine.get('/api/sessions')).text).not.toContain(`savepoint on ${hostname()}`);
  });

  it('is signed in on the console itself where no server is named, and the command says how others name that', async () => {
    const env = { XDG_CONFIG_HOME: mkdtempSync(join(folder, 'config-')) };
    const cwd = mkdtempSync(join(folder, 'nowhere-'));
    const mine = await signedIn();
    const login = printed(['login', '--console', at.origin, '--dir', cwd], { env });
    const shown = `SELECT code FROM savepoint.sign_in_requests WHERE person IS NULL AND agent = 'savepoint on ${hostname()}'`;
    const { code } = await vi.waitUntil(async () => (await pool.query(shown)).rows[0], 20_000);
    await mine.change('POST', `/api/command-line/${code}`);
    expect(await login).toContain(`Commands with \`--address ${at.origin}\` name you`);
    expect(await here(['logout', '--dir', cwd], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('give the `--address`'),
    });
    await printed(['logout', '--address', at.origin], { env });
  });

  it('is listed among the sessions, ended there, and ends itself; a reset ends what was confirmed, too', async () => {
    const mine = await signedIn();
    const [one, other] = [await confirmed(mine), await confirmed(mine)];
    const { sessions } = JSON.parse((await mine.get('/api/sessions')).text);
    const [listed] = sessions.filter(({ kind }: { readonly kind: string }) => kind === 'command');
    expect(listed.agent).toBe('savepoint on box');
    expect((await ask('DELETE', '/api/session', as(one))).status).toBe(200);
    expect(codeOf(await ask('GET', '/api/session', as(one)))).toEqual([401, 'UNAUTHORIZED']);
    expect((await mine.change('DELETE', '/api/sessions')).status).toBe(200);
    expect(codeOf(await ask('GET', '/v3/manage/demo/publishes', as(other)))).toEqual([401, 'UNAUTHORIZED']);
    const { code, secret } = await begin();
    await mine.change('POST', `/api/command-line/${code}`);
    await signIn.lockOut(JSON.parse((await mine.get('/api/session')).text).person.id);
    expect(codeOf(await poll(secret))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('is over after a week without use, after a month, and when nobody confirms it for ten minutes', async () => {
    const token = await confirmed(await signedIn());
    for (let days = 0; days < 30; days += 6) {
      expect((await ask('GET', '/api/session', as(token))).status).toBe(200);
      time += 6 * 86_400_000;
    }
    expect(codeOf(await ask('GET', '/api/session', as(token)))).toEqual([401, 'UNAUTHORIZED']);
    const idle = await confirmed(await signedIn());
    time += 7 * 86_400_000;
    expect(codeOf(await ask('GET', '/api/session', as(idle)))).toEqual([401, 'UNAUTHORIZED']);
    const { code, secret } = await begin();
    time += LINK_MS;
    expect(codeOf(await (await signedIn()).change('POST', `/api/command-line/${code}`))).toEqual([404, 'NOT_FOUND']);
    expect(codeOf(await poll(secret))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('has a token of its own kind: no cookie, no page of a browser, no other host, and no password by it', async () => {
    const mine = await signedIn();
    const token = await confirmed(mine);
    const cookieName = mine.cookie.split('=')[0];
    expect(codeOf(await ask('GET', '/api/session', { Cookie: `${cookieName}=${token}` }))).toEqual([401, 'SIGNED_OUT']);
    expect(codeOf(await ask('GET', '/api/session', as(mine.cookie.split('=')[1] ?? '')))).toEqual([401, 'UNAUTHORIZED']);
    expect(codeOf(await ask('GET', '/v3/manage/demo/publishes', { ...as('sp_person_wrong'), Cookie: mine.cookie }))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
    for (const from of [{ Origin: at.origin }, { Origin: 'http://evil.example' }, { 'Sec-Fetch-Site': 'cross-site' }])
      expect(codeOf(await ask('POST', '/v3/manage/demo/promote', { ...as(token), ...from }, {}))).toEqual([403, 'ACCESS_DENIED']);
    expect(codeOf(await ask('POST', '/api/command-line', { Origin: 'http://evil.example' }, {}))).toEqual([403, 'ACCESS_DENIED']);
    expect(codeOf(await ask('GET', '/api/session', { ...as(token), Host: 'evil.example' }))).toEqual([403, 'ACCESS_DENIED']);
    expect(codeOf(await ask('PUT', '/api/password', as(token), { password: 'correct horse battery' }))).toEqual([404, 'NOT_FOUND']);
    expect(codeOf(await ask('GET', '/v3/auth-sessions/demo/create', as(token)))).toEqual([404, 'NOT_FOUND']);
  });

  it('is confirmed by a person on the page alone, who may refuse it, and codes are not to be guessed', async () => {
    const mine = await signedIn();
    // Not over HTTP: this machine has asked as often as one may in a minute.
    const { request, secret } = await signIn.request({ agent: 'savepoint on box', address: null });
    const { code } = request;
    expect(codeOf(await ask('POST', `/api/command-line/${code}`, { Cookie: mine.cookie, Origin: at.origin }))).toEqual([
      403,
      'ACCESS_DENIED',
    ]);
    expect((await mine.change('DELETE', `/api/command-line/${code}`)).status).toBe(200);
    expect(codeOf(await poll(secret))).toEqual([401, 'UNAUTHORIZED']);
    for (let tries = 0; tries < 10; tries += 1) await mine.get('/api/command-line/BBBB-BBBB');
    expect((await mine.get('/api/command-line/BBBB-BBBB')).status).toBe(429);
  });
});

describe('whoever is signed out or let in anew', () => {
  const from = { agent: '', address: null };
  const PASSWORD = 'correct horse battery staple';

  async function opened() {
    const { person, session } = await signIn.signedIn(await signIn.byLink(await signIn.ownerLink(), from), true);
    return { person: person.id, session: session.id };
  }

  it('is out once the log tells it, however the act breaks off', async () => {
    const broken = { ...people, change: () => Promise.reject(new Error('the node was killed')) };
    const ending = createSignIn(createSignInStore(pool), broken, { now: () => time });
    for (const act of ['signOut', 'reset'] as const) {
      const { person, session } = await opened();
      const why = { reason: 'a lost laptop' };
      const done =
        act === 'reset' ? ending.reset({ kind: 'operator' }, person, why) : ending.signOut({ kind: 'operator' }, person, session, why);
      await expect(done).rejects.toThrow('the node was killed');
      expect((await signIn.sessionsOf(person)).some(({ id }) => id === session)).toBe(false);
    }
  });

  it('has no password that a session of before was about to set', async () => {
    const { person, session } = await opened();
    const setting = signIn.setPassword(person, { password: PASSWORD, current: null }, session).catch((error: unknown) => error);
    await signIn.lockOut(person);
    await setting;
    expect(await signIn.hasPassword(person)).toBe(false);
    await expect(signIn.setPassword(person, { password: PASSWORD, current: null }, session)).rejects.toMatchObject({ code: 'SIGNED_OUT' });
  });

  it('has no session that a password or a link of before was about to open', async () => {
    const { person, session } = await opened();
    await signIn.setPassword(person, { password: PASSWORD, current: null }, session);
    const link = await signIn.ownerLink();
    const entering = [signIn.byPassword('owner', PASSWORD, from), signIn.byLink(link, from)].map((entry) => entry.catch(() => null));
    await signIn.lockOut(person);
    await Promise.all(entering);
    expect(await signIn.sessionsOf(person)).toEqual([]);
  });
});

describe('the health of the installation', () => {
  const as = async (project: string, role: string) => {
    const person = newPersonId();
    await people.change('person.add', { kind: 'operator' }, (state) => addPerson(state, { person, name: `Of ${person}`, project, role }));
    return { person, browser: await signInTo(at, await signIn.newLink(person)) };
  };

  it('is seen by whoever has a role in every project, and by nobody else', async () => {
    const { browser } = await as('*', 'viewer');
    const part = (await as('p1', 'owner')).browser;
    const asked = async (by: SignedBrowser) => Promise.all(['/api/health', '/api/checks'].map(async (path) => (await by.get(path)).status));
    expect([await asked(browser), await asked(part)]).toEqual([
      [200, 200],
      [403, 403],
    ]);
    expect((await ask('GET', '/api/health')).status).toBe(401);
    expect(JSON.parse((await browser.get('/api/health')).text)).toMatchObject({ ok: true, status: 'ready', log: { end: '7' } });
  });

  it('lets an owner alone have jobs run again, from a page of the console', async () => {
    const { browser, person } = await as('*', 'owner');
    const auditor = (await as('*', 'auditor')).browser;
    const retry = { retry: 'long-1' };
    expect((await auditor.change('POST', '/api/jobs', retry)).status).toBe(403);
    expect((await ask('POST', '/api/jobs', { Cookie: browser.cookie, Origin: at.origin }, retry)).status).toBe(403);
    expect((await browser.change('POST', '/api/jobs', { retry: 7 })).status).toBe(400);
    expect(retried).toEqual([]);
    expect(JSON.parse((await browser.change('POST', '/api/jobs', retry)).text)).toEqual({ ok: true, retried: ['long-1'] });
    expect((await browser.change('POST', '/api/jobs', { retry: 'all' })).status).toBe(200);
    expect(retried).toEqual([
      [{ id: 'long-1' }, person],
      ['all', person],
    ]);
  });
});

it('lets nobody try links one after another', async () => {
  const wrong = () => ask('POST', '/api/session', { Origin: at.origin }, { link: 'a'.repeat(43) });
  const codes = [];
  for (let attempt = 0; attempt < 11; attempt += 1) codes.push((await wrong()).status);
  expect(new Set(codes.slice(-1))).toEqual(new Set([429]));
  expect(Number((await wrong()).headers['retry-after'])).toBeGreaterThan(0);
});

describe('beyond this machine', () => {
  const behindProxy = (network: string) => ({
    origin: 'https://console.game.example',
    networks: [network],
    proxies: ['127.0.0.1'],
    tls: null,
    folder,
    signIn,
    people: desk,
    health,
  });

  it('counts wrong links by network, because one client of IPv6 has more addresses than anybody could count', async () => {
    const behind = await startServer({}, { console: behindProxy('2001:db8::/32') });
    const before = at;
    try {
      at = await behind.server.listenConsole(0, '127.0.0.1');
      const wrong = (address: string) =>
        ask('POST', '/api/session', { 'X-Forwarded-For': address, Origin: at.origin }, { link: 'a'.repeat(43) });
      for (let attempt = 1; attempt <= 10; attempt += 1) await wrong(`2001:db8:1:2::${attempt}`);
      expect((await wrong('2001:db8:1:2:ffff::1')).status).toBe(429);
      expect((await wrong('2001:db8:1:3::1')).status).toBe(401);
    } finally {
      at = before;
      await behind.stop();
    }
  });

  it('may be open to every network, and reads addresses with the port that some proxies add', async () => {
    const behind = await startServer({}, { console: { ...behindProxy('0.0.0.0/0'), networks: ['0.0.0.0/0', '::/0'] } });
    const listed = await startServer({}, { console: behindProxy('192.0.2.0/24') });
    const before = at;
    try {
      at = await behind.server.listenConsole(0, '127.0.0.1');
      for (const from of ['192.0.2.7', '203.0.113.9', '2001:db8::7'])
        expect((await ask('GET', '/', { 'X-Forwarded-For': from })).status).toBe(200);
      at = await listed.server.listenConsole(0, '127.0.0.1');
      for (const [from, status] of [
        ['192.0.2.7:51234', 200],
        ['192.0.2.7:51234, 203.0.113.9:443', 403],
      ] as const)
        expect((await ask('GET', '/', { 'X-Forwarded-For': from })).status).toBe(status);
    } finally {
      at = before;
      await Promise.all([behind.stop(), listed.stop()]);
    }
  });

  it('lets in the listed networks alone, through the proxies alone, with a cookie that no other host can set', async () => {
    const settings = behindProxy('192.0.2.0/24');
    const behind = await startServer({}, { console: settings });
    const direct = await startServer({}, { console: { ...settings, proxies: ['198.51.100.1'] } });
    const before = at;
    try {
      at = await behind.server.listenConsole(0, '127.0.0.1');
      const through = { 'X-Forwarded-For': '192.0.2.7', Origin: at.origin };
      const reply = await ask('POST', '/api/session', through, { link: await signIn.ownerLink() });
      expect(reply.headers['set-cookie']).toEqual([
        expect.stringMatching(/^__Host-savepoint-console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/),
      ]);
      for (const from of ['203.0.113.9', '192.0.2.7, 203.0.113.9'])
        expect((await ask('GET', '/', { 'X-Forwarded-For': from })).status).toBe(403);
      // Some proxies write the port that an address leaves out.
      for (const [host, status] of [
        ['console.localhost', 403],
        ['console.game.example:8443', 403],
        ['console.game.example:80', 403],
        ['console.game.example:443', 200],
      ] as const)
        expect([host, (await ask('GET', '/', { ...through, Host: host })).status]).toEqual([host, status]);
      at = await direct.server.listenConsole(0, '127.0.0.1');
      expect((await ask('GET', '/', through)).status).toBe(403);
    } finally {
      at = before;
      await Promise.all([behind.stop(), direct.stop()]);
    }
  });
});
