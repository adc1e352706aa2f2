import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSignInStore } from '../../projections/sign-in.ts';
import { createPeople, type People } from '../../src/app/people/people.ts';
import { createPeopleDesk } from '../../src/app/people/people-desk.ts';
import { createSignIn, type SignIn } from '../../src/app/people/sign-in.ts';
import { addPerson } from '../../src/domain/people/people.ts';
import type { HealthDesk } from '../../src/http/console/health.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { PEOPLE_STREAM } from '../../src/log/streams.ts';
import { askConsole, type ConsoleAt, changeSlowly, codeOf, type SignedBrowser, signInTo } from '../support/console.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Harness, startServer } from './harness.ts';

/** People are managed by people: owners of every project, and owners of one, who reach no further than their project. */

let pool: pg.Pool;
let people: People;
let signIn: SignIn;
let server: Harness;
let at: ConsoleAt;
let owner: SignedBrowser;
/** Nobody asks it here. */
const health: HealthDesk = {
  report: () => Promise.reject(new Error('not asked')),
  checks: () => Promise.reject(new Error('not asked')),
  retry: () => Promise.reject(new Error('not asked')),
};
const log = createMemoryLog();
const clock = { now: () => Date.now(), monotonic: () => performance.now() };

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await migratedDatabase(), max: 4 });
  const store = createSignInStore(pool);
  const projects = [
    { id: 'p1', title: 'One' },
    { id: 'p2', title: 'Two' },
  ];
  const known = { ...store, projects: async () => projects };
  people = createPeople(log, clock);
  signIn = createSignIn(known, people, clock);
  const desk = createPeopleDesk(people, signIn, known);
  const console = { origin: null, networks: null, proxies: [], tls: null, folder: '/nowhere', signIn, people: desk, health };
  server = await startServer({}, { console });
  at = await server.server.listenConsole(0, '127.0.0.1');
  owner = await signInTo(at, await signIn.ownerLink());
});

afterAll(async () => {
  await server.stop();
  await pool.end();
});

const body = (reply: { readonly text: string }) => JSON.parse(reply.text);
const invite = (by: SignedBrowser, name: string, role: string, project = '*') => by.change('POST', '/api/people', { name, role, project });
const inBy = (url: string) => signInTo(at, new URL(url).hash.slice(1));
/** Lets somebody in, who signs in. */
async function invited(name: string, role: string, project = '*'): Promise<{ readonly id: string; readonly browser: SignedBrowser }> {
  const { person, url } = body(await invite(owner, name, role, project));
  return { id: person, browser: await inBy(url) };
}
const listed = async (by: SignedBrowser) => body(await by.get('/api/people')).people as readonly Record<string, unknown>[];

/** A command line that asked, and that a person has confirmed: the secret by which it asks for its token. */
async function confirmedBy(by: SignedBrowser): Promise<string> {
  const { code, secret } = body(await askConsole(at, 'POST', '/api/command-line', {}, { machine: 'box' }));
  expect((await by.change('POST', `/api/command-line/${code}`)).status).toBe(200);
  return secret;
}
const tokenOf = (secret: string) => askConsole(at, 'POST', '/api/command-line/token', {}, { secret });

describe('an owner of every project', () => {
  it('lets somebody in by a link that is shown once, and the stream says who did it', async () => {
    const reply = await invite(owner, 'ada', 'manager', 'p1');
    const { person, url } = body(reply);
    expect(url).toMatch(new RegExp(`^${at.origin}/sign-in#[\\w-]{43}$`));
    const ada = await inBy(url);
    expect(body(await ada.get('/api/session'))).toMatchObject({ person: { id: person, name: 'ada', everywhere: null } });
    expect(codeOf(await askConsole(at, 'POST', '/api/session', { Origin: at.origin }, { link: new URL(url).hash.slice(1) }))).toEqual([
      401,
      'UNAUTHORIZED',
    ]);
    expect(await listed(owner)).toContainEqual(
      expect.objectContaining({
        id: person,
        name: 'ada',
        roles: { p1: 'manager' },
        hasPassword: false,
        isGoverned: true,
        usedAt: expect.any(String),
      }),
    );
    expect(JSON.stringify(server.log)).not.toContain(new URL(url).hash.slice(1));
  });

  it('lets somebody in on every node at once: one that read the people just before knows them, too', async () => {
    const other = createPeople(log, { now: () => Date.now(), monotonic: () => 0 });
    await other.latest();
    const { person, url } = body(await invite(owner, 'freya', 'viewer'));
    const token = await signIn.byLink(new URL(url).hash.slice(1), { agent: '', address: null });
    const elsewhere = createSignIn(createSignInStore(pool), other, clock);
    expect((await elsewhere.signedIn(token, true)).person.id).toBe(person);
  });

  it('lets nobody in by a session that ended while the body came', async () => {
    const { id, browser } = await invited('gus', 'owner');
    const sent = ['POST', '/api/people', { name: 'mallory', role: 'owner', project: '*' }] as const;
    const reply = await changeSlowly(at, browser, sent, () => owner.change('DELETE', `/api/people/${id}/sessions`));
    expect(codeOf(reply)).toEqual([401, 'SIGNED_OUT']);
    expect((await listed(owner)).map(({ name }) => name)).not.toContain('mallory');
    expect((await owner.change('DELETE', `/api/people/${id}`)).status).toBe(200);
  });

  it('gives and takes roles, resets, ends sessions, removes', async () => {
    const { id, browser } = await invited('bo', 'viewer');
    expect((await owner.change('PUT', `/api/people/${id}/roles/p2`, { role: 'support' })).status).toBe(200);
    expect((await owner.change('PUT', `/api/people/${id}/roles/*`, { role: 'none' })).status).toBe(200);
    expect((await people.latest()).people.get(id)?.roles).toEqual(new Map([['p2', 'support']]));
    const { sessions } = body(await owner.get(`/api/people/${id}/sessions`));
    expect((await owner.change('DELETE', `/api/people/${id}/sessions/${sessions[0].id}`)).status).toBe(200);
    expect(codeOf(await browser.get('/api/session'))).toEqual([401, 'SIGNED_OUT']);
    const again = await inBy(body(await owner.change('POST', `/api/people/${id}/reset`)).url);
    expect((await owner.change('DELETE', `/api/people/${id}/sessions`)).status).toBe(200);
    expect(codeOf(await again.get('/api/session'))).toEqual([401, 'SIGNED_OUT']);
    expect((await owner.change('DELETE', `/api/people/${id}`)).status).toBe(200);
    expect((await listed(owner)).map(({ name }) => name)).not.toContain('bo');
  });

  it('is told what is wrong: names, roles, projects, the last owner, and whoever is not there', async () => {
    const [me] = await listed(owner);
    expect(codeOf(await invite(owner, ' ', 'viewer'))).toEqual([400, 'VALIDATION_FAILED']);
    expect(codeOf(await invite(owner, 'cy', 'king'))).toEqual([400, 'VALIDATION_FAILED']);
    expect(codeOf(await invite(owner, 'cy', 'viewer', 'p3'))).toEqual([404, 'NOT_FOUND']);
    expect(codeOf(await invite(owner, 'OWNER', 'viewer'))).toEqual([409, 'PERSON_EXISTS']);
    expect(codeOf(await owner.change('POST', '/api/people', { name: 1 }))).toEqual([400, 'INVALID_BODY']);
    for (const bad of [{ reason: 1 }, { ticket: {} }])
      expect(codeOf(await owner.change('DELETE', `/api/people/${me?.['id']}`, bad))).toEqual([400, 'INVALID_BODY']);
    expect(codeOf(await owner.change('DELETE', `/api/people/${me?.['id']}`))).toEqual([409, 'LAST_OWNER']);
    expect(codeOf(await owner.change('PUT', `/api/people/${me?.['id']}/roles/*`, { role: 'viewer' }))).toEqual([409, 'LAST_OWNER']);
    expect(codeOf(await owner.change('PUT', '/api/people/per_0000000000000000/roles/p1', { role: 'viewer' }))).toEqual([404, 'NOT_FOUND']);
    expect(codeOf(await askConsole(at, 'POST', '/api/people', { Cookie: owner.cookie, Origin: at.origin }, {}))).toEqual([
      403,
      'ACCESS_DENIED',
    ]);
  });
});

describe('when somebody signed in last', () => {
  it('is told to owners and auditors, also once that session is over, and is forgotten with the person', async () => {
    const { browser: auditor } = await invited('pia', 'auditor');
    const { id } = await invited('quin', 'viewer');
    const of = async (by: SignedBrowser) => (await listed(by)).find((person) => person['id'] === id);
    expect((await of(auditor))?.['signedInAt']).toMatch(/^2.*Z$/);
    const { signedInAt } = Object(await of(owner));
    await owner.change('POST', `/api/people/${id}/reset`);
    expect(await of(owner)).toMatchObject({ signedInAt, usedAt: null });
    expect((await signIn.lastSignIns()).get(id)).toBe(Date.parse(signedInAt));
    await owner.change('DELETE', `/api/people/${id}`);
    expect((await signIn.lastSignIns()).has(id)).toBe(false);
    const { person } = body(await invite(owner, 'rosa', 'viewer'));
    expect((await listed(auditor)).find((each) => each['id'] === person)).toMatchObject({ signedInAt: null });
  });
});

describe('an owner of one project', () => {
  it('manages its people, and nobody who may do something elsewhere', async () => {
    const { browser: chief } = await invited('chief', 'owner', 'p1');
    const { id: far } = await invited('far', 'viewer', 'p2');
    const { id: both } = await invited('both', 'viewer', 'p1');
    await owner.change('PUT', `/api/people/${both}/roles/p2`, { role: 'manager' });
    const { person: near } = body(await invite(chief, 'near', 'designer', 'p1'));
    const seen = await listed(chief);
    expect(seen.map(({ name }) => name)).not.toContain('far');
    expect(seen).toContainEqual(expect.objectContaining({ id: near, isGoverned: true }));
    expect(seen).toContainEqual(
      expect.objectContaining({ id: both, isGoverned: false, roles: { p1: 'viewer' }, email: null, usedAt: null }),
    );
    expect((await chief.change('PUT', `/api/people/${both}/roles/p1`, { role: 'support' })).status).toBe(200);
    expect((await chief.change('PUT', `/api/people/${far}/roles/p1`, { role: 'viewer' })).status).toBe(200);
    const master = String((await listed(owner)).find(({ name }) => name === 'owner')?.['id']);
    const refused = [
      invite(chief, 'more', 'owner'),
      invite(chief, 'more', 'viewer', 'p2'),
      chief.change('PUT', `/api/people/${near}/roles/*`, { role: 'owner' }),
      chief.change('PUT', `/api/people/${near}/roles/p2`, { role: 'owner' }),
      ...[both, far, master].flatMap((id) => [
        chief.change('POST', `/api/people/${id}/reset`),
        chief.change('DELETE', `/api/people/${id}`),
        chief.change('DELETE', `/api/people/${id}/sessions`),
        chief.get(`/api/people/${id}/sessions`),
      ]),
    ];
    for (const reply of await Promise.all(refused)) expect(codeOf(reply)).toEqual([403, 'ACCESS_DENIED']);
    expect((await owner.get('/api/session')).status).toBe(200);
    expect((await chief.change('DELETE', `/api/people/${near}`)).status).toBe(200);
  });
});

it('an auditor sees who has which role where they audit, without e-mails and sessions, and manages nobody', async () => {
  const { browser } = await invited('reva', 'auditor', 'p1');
  const { person: near } = body(
    await owner.change('POST', '/api/people', { name: 'nina', email: 'n@game.example', project: 'p1', role: 'designer' }),
  );
  await owner.change('PUT', `/api/people/${near}/roles/p2`, { role: 'viewer' });
  await invited('otto', 'viewer', 'p2');
  const seen = await listed(browser);
  expect(seen).toContainEqual(
    expect.objectContaining({ name: 'nina', roles: { p1: 'designer' }, email: null, hasPassword: null, usedAt: null, isGoverned: false }),
  );
  expect(seen.map(({ name }) => name)).toContain('owner');
  expect(seen.map(({ name }) => name)).not.toContain('otto');
  const refused = [
    invite(browser, 'friend', 'viewer', 'p1'),
    browser.change('PUT', `/api/people/${near}/roles/p1`, { role: 'owner' }),
    browser.change('POST', `/api/people/${near}/reset`),
    browser.change('DELETE', `/api/people/${near}`),
    browser.get(`/api/people/${near}/sessions`),
  ];
  for (const reply of await Promise.all(refused)) expect(codeOf(reply)).toEqual([403, 'ACCESS_DENIED']);
});

describe('what changed among people', () => {
  type Changes = { readonly changes: readonly Record<string, unknown>[]; readonly before: number | null };
  const changesFor = async (by: SignedBrowser, query = ''): Promise<Changes> => body(await by.get(`/api/people/history${query}`));

  it('says who let whom in, gave, took, ended and forgot what, and why, the newest first, without e-mail; whoever is forgotten is in no reason', async () => {
    const { person, url } = body(
      await owner.change('POST', '/api/people', { name: 'hana', email: 'hana@game.example', project: 'p1', role: 'viewer' }),
    );
    await inBy(url);
    await owner.change('PUT', `/api/people/${person}/roles/p1`, { role: 'support', reason: ' Hana moves to support ', ticket: 'T-7' });
    await owner.change('PUT', `/api/people/${person}/roles/p2`, { role: 'viewer' });
    await owner.change('PUT', `/api/people/${person}/roles/p2`, { role: 'none' });
    expect((await owner.change('DELETE', `/api/people/${person}/sessions`, { ticket: 'T-8' })).status).toBe(200);
    // Nobody is signed in any more, and whoever signs themselves out did nothing to anybody.
    await owner.change('DELETE', `/api/people/${person}/sessions`);
    const again = await inBy(body(await owner.change('POST', `/api/people/${person}/reset`, { reason: 'Hana lost it' })).url);
    const { sessions } = body(await again.get('/api/sessions'));
    await owner.change('DELETE', `/api/people/${person}/sessions/${sessions[0].id}`);
    await owner.change('DELETE', `/api/people/${person}`, { reason: 'Hana leaves' });
    const { changes } = await changesFor(owner, `?person=${person}`);
    const by = { kind: 'person', person: expect.any(String), name: 'owner' };
    const of = (said: object) => ({ revision: expect.any(Number), at: expect.any(String), by, person, name: 'hana', ...said });
    expect(changes).toEqual([
      of({ what: 'removed', reason: 'Hana leaves' }),
      of({ what: 'signedOut', sessions: 'one' }),
      of({ what: 'reset', reason: 'Hana lost it' }),
      of({ what: 'signedOut', sessions: 'all', ticket: 'T-8' }),
      of({ what: 'role', project: 'p2', role: 'none' }),
      of({ what: 'role', project: 'p2', role: 'viewer' }),
      of({ what: 'role', project: 'p1', role: 'support', reason: 'Hana moves to support', ticket: 'T-7' }),
      of({ what: 'letIn', project: 'p1', role: 'viewer' }),
    ]);
    expect(JSON.stringify(changes)).not.toContain('hana@');
    const forget = (why?: object) => owner.change('POST', `/api/people/${person}/forget`, why);
    expect(codeOf(await forget({ reason: 'x'.repeat(501) }))).toEqual([400, 'INVALID_REQUEST']);
    await forget({ reason: 'asked for it', ticket: 'T-9' });
    const told = async () => {
      const { changes } = await changesFor(owner, `?person=${person}`);
      return changes.map(({ what, name, reason, ticket }) => [what, name, reason, ticket]);
    };
    const before = ['removed', 'signedOut', 'reset', 'signedOut', 'role', 'role', 'role', 'letIn'].map((what) => [what, ...Array(3)]);
    expect(await told()).toEqual([['forgotten', undefined, 'asked for it', 'T-9'], ...before]);
    // Why somebody was forgotten can be forgotten, too.
    await forget();
    expect(await told()).toEqual([...Array(2).fill(['forgotten', ...Array(3)]), ...before]);
    const stored = await log.read(PEOPLE_STREAM, { from: 0, limit: 500, direction: 'forwards' });
    expect(stored.map(({ data }) => data).join()).not.toMatch(/hana|Hana|"T-[789]"/);
  });

  it('is told to owners and auditors, of one project alone what happens there, and in pages', async () => {
    const { browser: auditor } = await invited('ines', 'auditor');
    const { browser: near } = await invited('jana', 'auditor', 'p1');
    const { browser: manager } = await invited('kim', 'manager');
    expect((await changesFor(auditor)).changes.map(({ project }) => project)).toEqual(expect.arrayContaining(['*', 'p1', 'p2']));
    // Who is let in anew is told to whoever sees a role of that person.
    const there = await invited('mona', 'support', 'p1');
    const elsewhere = await invited('nils', 'support', 'p2');
    for (const { id: reset } of [there, elsewhere]) await owner.change('POST', `/api/people/${reset}/reset`, { reason: 'lost a phone' });
    const { changes } = await changesFor(near);
    const roles = changes.filter(({ what }) => what === 'role' || what === 'letIn');
    expect(new Set(roles.map(({ project }) => project))).toEqual(new Set(['p1', '*']));
    expect(changes[0]).toMatchObject({ what: 'reset', person: there.id, name: 'mona', by: { name: 'owner' }, reason: 'lost a phone' });
    expect(changes.map(({ person }) => person)).not.toContain(elsewhere.id);
    expect(changes.map(({ what }) => what)).not.toContain('removed');
    expect(codeOf(await manager.get('/api/people/history'))).toEqual([403, 'ACCESS_DENIED']);
    expect(codeOf(await auditor.get('/api/people/history?before=soon'))).toEqual([400, 'INVALID_REQUEST']);
    const { id } = await invited('lou', 'viewer', 'p2');
    for (let turn = 0; turn < 52; turn += 1)
      await owner.change('PUT', `/api/people/${id}/roles/p2`, { role: turn % 2 === 0 ? 'support' : 'viewer', reason: 'turns' });
    const seen: unknown[] = [];
    const turned: unknown[] = [];
    let before: number | null = null;
    do {
      const page: Changes = await changesFor(auditor, before === null ? '' : `?before=${before}`);
      seen.push(...page.changes.map(({ revision }) => revision));
      turned.push(...page.changes.filter(({ person, what }) => person === id && what === 'role').map(({ reason }) => reason));
      before = page.before;
    } while (before !== null);
    expect(seen.length).toBeGreaterThan(52);
    // However pages end, what was done and why it was are not parted.
    expect(turned).toEqual(Array(52).fill('turns'));
    expect(seen).toEqual([...new Set(seen)].sort((one, other) => Number(other) - Number(one)));
  });
});

it('whoever is neither owner nor auditor manages nobody, and sees nobody', async () => {
  const { id, browser } = await invited('manager', 'manager');
  const refused = [
    browser.get('/api/people'),
    invite(browser, 'friend', 'viewer', 'p1'),
    browser.change('PUT', `/api/people/${id}/roles/*`, { role: 'owner' }),
    browser.change('POST', `/api/people/${id}/reset`),
  ];
  for (const reply of await Promise.all(refused)) expect(codeOf(reply)).toEqual([403, 'ACCESS_DENIED']);
});

it('a link that the machine makes is told, without the link, and why', async () => {
  const { id } = await invited('mo', 'viewer');
  const link = await signIn.machineLink(id, { reason: 'lost the phone' });
  await expect(signIn.machineLink(id, { ticket: 'x'.repeat(129) })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  const { changes } = body(await owner.get(`/api/people/history?person=${id}`));
  expect(changes).toMatchObject([{ what: 'linkMade', by: { kind: 'operator' }, name: 'mo', reason: 'lost the phone' }, { what: 'letIn' }]);
  expect((await signInTo(at, link)).cookie).not.toBe('');
  const events = await log.read(PEOPLE_STREAM, { from: 0, limit: 500, direction: 'forwards' });
  expect(JSON.stringify(events.map(({ data, metadata }) => [data, metadata]))).not.toContain(link);
});

describe('whoever is forgotten', () => {
  it('is removed, and the log holds a commitment in place of name and e-mail; what was done stays, by an id', async () => {
    const { person, url } = body(
      await owner.change('POST', '/api/people', { name: 'Wanda', email: 'w@game.example', project: '*', role: 'owner' }),
    );
    const wanda = await inBy(url);
    const { id: added } = await invited('wilma', 'viewer');
    expect((await owner.change('POST', `/api/people/${person}/forget`)).text).toContain('"isGone":true');
    expect(codeOf(await wanda.get('/api/session'))).toEqual([401, 'SIGNED_OUT']);
    const events = await log.read(PEOPLE_STREAM, { from: 0, limit: 500, direction: 'forwards' });
    expect(JSON.stringify(events.map(({ data, metadata }) => [data, metadata]))).not.toMatch(/Wanda|w@game/);
    expect(events.map(({ data }) => data).join()).toContain(person);
    expect(people.nameOf(person)).toBeUndefined();
    // Whoever reads the stream from its beginning finds it whole.
    const anew = createPeople(log, clock);
    expect([...(await anew.latest()).people.keys()]).toEqual([...(await people.latest()).people.keys()]);
    expect((await anew.latest()).people.get(added)?.name).toBe('wilma');
    expect(codeOf(await owner.change('POST', `/api/people/${person}/forget`))).toEqual([404, 'NOT_FOUND']);
  });

  it('is forgotten by the next who reads the stream, where a process ended before the log gave up the name', async () => {
    const { id } = await invited('Zora', 'viewer');
    const ends = createPeople({ ...log, redact: () => Promise.reject(new Error('killed')) }, clock);
    await expect(ends.forget({ kind: 'operator' }, id, {}, () => null)).rejects.toThrow('killed');
    await createPeople(log, clock).latest();
    const events = await log.read(PEOPLE_STREAM, { from: 0, limit: 500, direction: 'forwards' });
    expect(JSON.stringify(events.map(({ data, metadata }) => [data, metadata]))).not.toContain('Zora');
  });

  it('is nobody whom an owner of one project governs, and never the last owner', async () => {
    const { browser: chief } = await invited('xaver', 'owner', 'p1');
    const { id: near } = await invited('yara', 'viewer', 'p1');
    expect(codeOf(await chief.change('POST', `/api/people/${near}/forget`))).toEqual([403, 'ACCESS_DENIED']);
    const owners = [...(await people.latest()).people.values()].filter(({ roles }) => roles.get('*') === 'owner');
    const [last] = owners;
    const lonely = createPeople(createMemoryLog(), clock);
    const only = { person: last?.id ?? '', name: 'only', project: '*', role: 'owner' };
    await lonely.change('person.add', { kind: 'operator' }, (state) => addPerson(state, only));
    await expect(lonely.forget({ kind: 'operator' }, only.person, {}, () => null)).rejects.toMatchObject({ code: 'LAST_OWNER' });
  });
});

it('an owner of every project is told that somebody is gone, and not that it takes another owner', async () => {
  const { id } = await invited('gone', 'viewer');
  expect((await owner.change('DELETE', `/api/people/${id}`)).status).toBe(200);
  const again = [
    ['DELETE', ''],
    ['POST', '/reset'],
    ['GET', '/sessions'],
  ].map(([method = '', part]) =>
    method === 'GET' ? owner.get(`/api/people/${id}${part}`) : owner.change(method, `/api/people/${id}${part}`),
  );
  for (const reply of await Promise.all(again)) expect(codeOf(reply)).toEqual([404, 'NOT_FOUND']);
});

describe('what an open session or a token may not be used for', () => {
  it('the log tells of no reset that broke off before its person was signed out', async () => {
    const { id, browser } = await invited('rex', 'viewer');
    const told = async () => body(await owner.get(`/api/people/history?person=${id}`)).changes.map(({ what }: { what: string }) => what);
    // Nor does one that is refused sign anybody out.
    expect((await owner.change('POST', `/api/people/${id}/reset`, { reason: 'two\nlines' })).status).toBe(400);
    const holder = await pool.connect();
    try {
      await holder.query("SELECT pg_advisory_lock(hashtextextended('sign-in ' || $1, 0))", [id]);
      const asked = owner.change('POST', `/api/people/${id}/reset`);
      const waiting = "FROM pg_locks JOIN pg_database ON oid = database WHERE datname = current_database() AND locktype = 'advisory'";
      const breakOff = `SELECT pg_cancel_backend(pid) ${waiting} AND NOT granted`;
      await expect.poll(async () => (await holder.query(breakOff)).rows.length).toBe(1);
      expect((await asked).status).toBeGreaterThanOrEqual(500);
    } finally {
      holder.release(true);
    }
    expect([(await browser.get('/api/session')).status, await told()]).toEqual([200, ['letIn']]);
    expect((await owner.change('POST', `/api/people/${id}/reset`)).status).toBe(200);
    expect([(await browser.get('/api/session')).status, await told()]).toEqual([401, ['reset', 'letIn']]);
  });

  it('nobody resets themselves, which would forget the password that they must show to change it', async () => {
    const { id, browser } = await invited('selma', 'owner');
    expect(codeOf(await browser.change('POST', `/api/people/${id}/reset`))).toEqual([403, 'ACCESS_DENIED']);
    expect((await browser.get('/api/session')).status).toBe(200);
  });

  it('ending all other sessions ends links and what was confirmed for a command line, too', async () => {
    const { id, browser } = await invited('tilda', 'viewer');
    const link = await signIn.newLink(id);
    const secret = await confirmedBy(browser);
    expect((await browser.change('DELETE', '/api/sessions')).status).toBe(200);
    await expect(signInTo(at, link)).rejects.toThrow('401');
    expect(codeOf(await tokenOf(secret))).toEqual([401, 'UNAUTHORIZED']);
  });

  it('ending one session ends what it confirmed for a command line, and not what another one did', async () => {
    const { id, browser } = await invited('tobi', 'viewer');
    const other = await signInTo(at, await signIn.newLink(id));
    const [secret, kept] = [await confirmedBy(browser), await confirmedBy(other)];
    const { sessions } = body(await browser.get('/api/sessions'));
    const { id: own } = sessions.find(({ current }: { readonly current: boolean }) => current);
    expect((await owner.change('DELETE', `/api/people/${id}/sessions/${own}`)).status).toBe(200);
    expect(codeOf(await tokenOf(secret))).toEqual([401, 'UNAUTHORIZED']);
    expect(body(await tokenOf(kept))).toMatchObject({ ok: true, name: 'tobi' });
  });

  it("a command line's token, even an owner's, reads people and changes nothing of them", async () => {
    const { id, browser } = await invited('uli', 'owner');
    const { token } = body(await tokenOf(await confirmedBy(browser)));
    const ask = (method: string, path: string, sent?: unknown) => askConsole(at, method, path, { 'X-Person-Token': token }, sent);
    expect((await ask('GET', '/api/people')).status).toBe(200);
    const refused = [
      ask('POST', '/api/people', { name: 'friend', role: 'owner', project: '*' }),
      ask('PUT', `/api/people/${id}/roles/p1`, { role: 'viewer' }),
      ask('POST', `/api/people/${id}/reset`),
      ask('DELETE', `/api/people/${id}/sessions`),
      ask('DELETE', `/api/people/${id}`),
    ];
    for (const reply of await Promise.all(refused)) expect(codeOf(reply)).toEqual([403, 'ACCESS_DENIED']);
    expect((await people.latest()).people.get(id)?.roles).toEqual(new Map([['*', 'owner']]));
  });

  it('an owner of one project takes nothing there from somebody who has a role in all', async () => {
    const { browser } = await invited('uma', 'owner', 'p1');
    const everywhere = await invited('vera', 'owner');
    expect(codeOf(await browser.change('PUT', `/api/people/${everywhere.id}/roles/p1`, { role: 'viewer' }))).toEqual([
      403,
      'ACCESS_DENIED',
    ]);
    expect((await people.latest()).people.get(everywhere.id)?.roles).toEqual(new Map([['*', 'owner']]));
  });
});
