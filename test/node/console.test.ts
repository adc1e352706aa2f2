import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ConsoleAt, changeSlowly, codeOf, type SignedBrowser, signInByLink } from '../support/console.ts';
import { type LiveClient, listen } from '../support/live-stream.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Env, here, newProject, printed } from './support/command-line.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { eventually, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The console of the real program: signed in by a link of the command line, on the routes that games have. */

let env: { readonly DATABASE_URL: string };
let node: Node;
let client: Client;
let at: ConsoleAt;
let browser: SignedBrowser;
let projectId: string;

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env: { ...env, CONSOLE_LISTEN: '127.0.0.1:0' } });
  const project = await newProject(env, 'Market');
  projectId = project.projectId;
  client = createClient(node.url, project);
  browser = await newBrowser();
});

afterAll(async () => {
  client?.close();
  await node?.stop();
  removeFolders();
});

async function newBrowser(...name: readonly string[]): Promise<SignedBrowser> {
  const { url } = JSON.parse(await printed(['console', 'link', ...name, '--json'], { env }));
  const { origin, port } = new URL(url);
  at = { origin, port: Number(port) };
  return signInByLink(url);
}

interface Shown {
  readonly revision: number;
  readonly actor: unknown;
}

/** What a view lists, once it has caught up. */
async function shown(path: string, list: string): Promise<readonly Shown[]> {
  return eventually(`${path} shows something`, async () => {
    const found = JSON.parse((await browser.get(path)).text)[list];
    return found?.length > 0 && found;
  });
}

const SHOP = {
  id: 'shop',
  name: 'shop',
  collectionType: 'per-platformid',
  schema: { type: 'object', properties: { gold: { type: 'number', _ledger: true } } },
};

test('a link of the command line signs in, and the projects are there with the role', async () => {
  const { person, projects, version } = JSON.parse((await browser.get('/api/session')).text);
  expect(person).toMatchObject({ name: 'owner', id: expect.stringMatching(/^per_[0-9a-f]{16}$/) });
  expect(version).toMatch(/^\d/);
  expect(projects).toContainEqual({
    id: projectId,
    title: 'Market',
    role: 'owner',
    permissions: expect.objectContaining({ history: 'rwx' }),
  });
  expect(node.stdout() + node.stderr()).not.toContain('sign-in#');
});

test('a person publishes, writes and reads what was, and everything says who', async () => {
  const { person } = JSON.parse((await browser.get('/api/session')).text);
  const who = { kind: 'person', person: person.id, label: 'owner' };
  expect((await browser.change('PUT', `/v3/manage/${projectId}/collections`, [SHOP])).status).toBe(200);
  expect((await browser.change('POST', `/v3/storage/${projectId}/shop/p1`, { gold: 7 })).status).toBe(200);
  expect(JSON.parse((await browser.get(`/v3/storage/${projectId}/shop/p1`)).text)).toMatchObject({ gold: 7 });
  const publishes = await shown(`/v3/manage/${projectId}/publishes`, 'publishes');
  expect(publishes[0]?.actor).toEqual(who);
  const { changes } = JSON.parse((await browser.get(`/v3/storage/${projectId}/shop/p1/history`)).text);
  expect(changes[0].actor).toEqual(who);
  const { commits } = JSON.parse((await browser.get(`/v3/manage/${projectId}/commits?key=${person.id}`)).text);
  expect(commits.map(({ actor }: { readonly actor: unknown }) => actor)).toEqual([who, who]);
  const entries = await shown(`/v3/storage/${projectId}/shop/p1/ledger?who=true`, 'entries');
  expect(entries[0]?.actor).toEqual(who);
  const explained = JSON.parse((await browser.get(`/v3/manage/${projectId}/explain/${publishes[0]?.revision}`)).text);
  expect(JSON.stringify(explained)).toContain('"label":"owner"');
  await printed(['verify', '--wait'], { env });
});

test('nothing of the console is served to games, and no session opens what games call', async () => {
  for (const path of ['/api/session', '/sign-in']) expect((await client.send('GET', path)).status).toBe(404);
  const manage = await client.send('GET', `/v3/manage/${projectId}/publishes`, { headers: { Cookie: browser.cookie } });
  expect(manage.status).toBe(401);
});

test('an unknown project, and one that was deleted, are refused alike', async () => {
  const { projectId: gone } = await newProject(env, 'Gone');
  await printed(['project', 'delete', gone, '--yes'], { env });
  for (const id of ['nothing', gone]) expect(codeOf(await browser.get(`/v3/manage/${id}/publishes`))).toEqual([403, 'FORBIDDEN']);
});

test('a node whose console finds its port in use serves games all the same', async () => {
  const other = await startNode(newFolder(), { env: { ...env, CONSOLE_LISTEN: `127.0.0.1:${at.port}` } });
  expect(other.stderr() + other.stdout()).toMatch(/this node has no console/);
  await other.stop();
  expect((await browser.get('/api/session')).status).toBe(200);
});

test('people are added, given roles, let in anew and removed by the command line', async () => {
  const user = (...words: readonly string[]) => printed(['user', ...words], { env });
  const { url, person } = JSON.parse(
    await user('add', 'Ada Ż', '--role', 'viewer', '--project', projectId, '--email', 'ada@example.org', '--json'),
  );
  expect((await user('list')).split('\n')[2]).toMatch(/^Ada Ż .*never yet$/);
  const ada = await signInByLink(url);
  const write = () => ada.change('PUT', `/v3/manage/${projectId}/collections`, [SHOP]);
  expect(JSON.parse((await ada.get('/api/session')).text).projects).toEqual([expect.objectContaining({ id: projectId, role: 'viewer' })]);
  expect(codeOf(await write())).toEqual([403, 'FORBIDDEN']);
  expect((await ada.get(`/v3/storage/${projectId}/shop/p1`)).status).toBe(403);
  await user('role', 'ada ż', 'manager', '--project', projectId);
  await expect.poll(async () => (await write()).status).toBe(200);
  expect((await user('list')).split('\n')[2]).toMatch(/^Ada Ż +per_\w+ +manager of p.*Z$/);
  const open = async () => JSON.parse(await user('sessions', 'Ada Ż', '--json')).map(({ id }: { readonly id: string }) => id);
  const [first] = await open();
  const her = await newBrowser('Ada Ż');
  const [session] = (await open()).filter((each: string) => each !== first);
  expect(await user('sign-out', 'Ada Ż', 'other')).toContain('no such session');
  expect(await user('sign-out', 'Ada Ż', session, '--reason', 'a lost laptop')).toContain('1 session ended');
  expect(await open()).toEqual([first]);
  expect(codeOf(await her.get('/api/session'))).toEqual([401, 'SIGNED_OUT']);
  expect((await ada.get('/api/session')).status).toBe(200);
  expect(await user('history', '--person', 'Ada Ż', '--limit', '1')).toContain('a lost laptop');
  expect(await user('reset', 'Ada Ż')).toContain('/sign-in#');
  expect(codeOf(await ada.get('/api/session'))).toEqual([401, 'SIGNED_OUT']);
  const again = await newBrowser('Ada Ż');
  await user('remove', 'Ada Ż');
  expect(codeOf(await again.get('/api/session'))).toEqual([401, 'SIGNED_OUT']);
  await expect(user('remove', 'owner')).rejects.toThrow('only owner');
  await expect(user('forget', 'owner', '--yes')).rejects.toThrow('only owner');
  await expect(user('forget', person)).rejects.toThrow('--yes');
  const pool = new pg.Pool({ connectionString: env.DATABASE_URL, max: 1 });
  // The whole name, because a random salt can hold a short one.
  const naming = () =>
    pool.query(`SELECT type, data::text FROM savepoint.log_events WHERE stream = 'people' AND data::text ~ 'Ada Ż|ada@example'`);
  expect((await naming()).rows).not.toEqual([]);
  expect(await user('forget', person, '--yes', '--ticket', 'T-9')).toContain('is forgotten');
  expect(await user('history', '--person', person, '--limit', '1')).toContain('T-9');
  expect((await naming()).rows).toEqual([]);
  await pool.end();
  const { publishes } = JSON.parse((await browser.get(`/v3/manage/${projectId}/publishes`)).text);
  expect(publishes.at(0).actor).toMatchObject({ kind: 'person' });
  expect(JSON.stringify(publishes)).not.toContain('ada@example.org');
});

test('an open stream ends within seconds when its session does, and when the role is taken', async () => {
  const watcher = async (name: string) => {
    const line = ['user', 'add', name, '--role', 'manager', '--project', projectId, '--json'];
    const { cookie } = await signInByLink(JSON.parse(await printed(line, { env })).url);
    const headers = { Cookie: cookie, Host: new URL(at.origin).host };
    const stream = await listen(`http://127.0.0.1:${at.port}`, projectId, ['documents/shop/p1'], headers);
    expect(stream.status).toBe(200);
    return stream;
  };
  const endOf = async (stream: LiveClient) => (await stream.next(({ event, data }) => event === 'refused' && !data.topic)).data.error?.code;
  const [eve, kim] = [await watcher('Eve'), await watcher('Kim')];
  await printed(['user', 'reset', 'Eve', '--reason', 'lost her phone', '--ticket', 'T-9'], { env });
  await printed(['user', 'role', 'Kim', 'none', '--project', projectId], { env });
  expect(await Promise.all([endOf(eve), endOf(kim)])).toEqual(['SIGNED_OUT', 'FORBIDDEN']);
});

test('the stream of people is verified, copied and examined', async () => {
  const file = `file:${newFolder()}/log.ndjson`;
  await printed(['log', 'copy', '--to', file], { env });
  const copy = { DATABASE_URL: await migratedDatabase() };
  await printed(['log', 'copy', '--from', file], { env: copy });
  // When each signed in is in the database alone, and no copy of the log has it.
  const listed = async (where: Env) =>
    JSON.parse(await printed(['user', 'list', '--json'], { env: where })).map((person: object) => ({
      ...person,
      signedInAt: null,
      neverSignedIn: false,
    }));
  expect(await listed(copy)).toEqual(await listed(env));
  const history = JSON.parse(await printed(['user', 'history', '--person', 'Eve', '--json'], { env: copy }));
  expect(history.map(({ what, by, name, reason }: Readonly<Record<string, unknown>>) => [what, by, name, reason])).toEqual([
    ['reset', { kind: 'operator' }, 'Eve', 'lost her phone'],
    ['letIn', { kind: 'operator' }, 'Eve', undefined],
  ]);
  expect(await printed(['user', 'history'], { env: copy })).toMatch(
    / reset +Eve +lost her phone · T-9\n[\s\S]* the operator +link made +owner/,
  );
  expect(await printed(['user', 'history', '--limit', '1'], { env: copy })).toMatch(/^WHEN +BY +WHAT +WHOM +ROLE +OF\n\S+ +the operator /);
  expect((await here(['verify', '--wait'], { env: copy })).code).toBe(0);
  expect((await here(['doctor'], { env: copy })).stdout).toMatch(/ok +people +\d, 1 of them owner of every project/);
  const pool = new pg.Pool({ connectionString: copy.DATABASE_URL, max: 1 });
  await pool.query(
    `UPDATE savepoint.log_events SET data = ('{"$redacted":"' || encode(sha256(convert_to(data::text, 'UTF8')), 'hex') || '"}')::json
     WHERE stream = 'people' AND type = 'person.removed'`,
  );
  expect((await here(['verify', '--wait'], { env: copy })).stdout).toMatch(/redaction .*people .*revision/);
  expect((await here(['doctor'], { env: copy })).stdout).toMatch(/people +Corrupt log/);
  await pool.query(
    `UPDATE savepoint.log_events SET data = replace(data::text, '"owner"', '"viewer"')::json WHERE stream = 'people' AND type = 'person.roleGiven'`,
  );
  await pool.end();
  const { code, stdout } = await here(['verify', '--wait'], { env: copy });
  expect([code, stdout]).toEqual([1, expect.stringMatching(/chain .*people .*revision 1/)]);
});

test('a settled session ends at once where it is revoked', async () => {
  const lost = await newBrowser();
  const { sessions } = JSON.parse((await lost.get('/api/sessions')).text);
  const { id } = sessions.find(({ current }: { readonly current: boolean }) => current);
  expect((await browser.change('DELETE', `/api/sessions/${id}`)).status).toBe(200);
  expect(codeOf(await lost.get(`/v3/manage/${projectId}/publishes`))).toEqual([401, 'SIGNED_OUT']);
  await ok(client.manage('GET', `/v3/manage/${projectId}/publishes`));
});

test('a link for somebody else says that it leads to the console on this machine alone, where nothing names it for others', async () => {
  const { stdout, stderr } = await here(['user', 'add', 'elsewhere', '--role', 'viewer'], { env });
  expect([stdout, stderr]).toEqual([expect.stringContaining('/sign-in#'), expect.stringContaining('on this machine alone')]);
});

test('nothing is done for whoever was removed, signed out or given another role while the body came', async () => {
  const owner = await newBrowser();
  await ok(client.manage('PUT', client.definitions('collections'), { body: [SHOP] }));
  const change = async (path: string, method: string, body?: unknown) => expect((await owner.change(method, path, body)).status).toBe(200);
  const endings: readonly (readonly [string, (id: string) => Promise<unknown>, number, string])[] = [
    ['removed', (id) => change(`/api/people/${id}`, 'DELETE'), 401, 'SIGNED_OUT'],
    ['signed-out', (id) => change(`/api/people/${id}/sessions`, 'DELETE'), 401, 'SIGNED_OUT'],
    ['without-role', (id) => change(`/api/people/${id}/roles/*`, 'PUT', { role: 'none' }), 403, 'FORBIDDEN'],
    ['reader', (id) => change(`/api/people/${id}/roles/*`, 'PUT', { role: 'auditor' }), 403, 'FORBIDDEN'],
  ];
  for (const [name, end, status, code] of endings) {
    const slow = await signInByLink(JSON.parse(await printed(['user', 'add', name, '--role', 'support', '--json'], { env })).url);
    const { person } = JSON.parse((await slow.get('/api/session')).text);
    const correction = { ops: [{ op: 'set', path: 'gold', value: 1000 }], reason: 'too late' };
    const sent = ['POST', client.definitions(`corrections/shop/${name}`), correction] as const;
    const reply = await changeSlowly(at, slow, sent, () => end(person.id));
    expect([name, ...codeOf(reply)]).toEqual([name, status, code]);
    expect((await client.manage('GET', client.storage(`shop/${name}`))).status).toBe(404);
  }
  for (const publish of ['game-values', 'game-values?revisionTarget=next']) {
    const slow = await signInByLink(JSON.parse(await printed(['user', 'add', 'pub', '--role', 'manager', '--json'], { env })).url);
    const { person } = JSON.parse((await slow.get('/api/session')).text);
    const values = { items: [{ id: 'prices', type: 'group', entries: { axe: 1 } }] };
    const sent = ['PUT', client.definitions(publish), values] as const;
    const reply = await changeSlowly(at, slow, sent, () => change(`/api/people/${person.id}`, 'DELETE'));
    expect(codeOf(reply)).toEqual([401, 'SIGNED_OUT']);
  }
});
