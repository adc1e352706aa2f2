import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Credentials } from '../../infra/harness/project.ts';
import { pushFolder } from '../../src/folder/push.ts';
import { Remote } from '../../src/folder/remote.ts';
import { readFolder } from '../../src/folder/sources.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { here, newApiKey, newProject, printed } from './support/command-line.ts';
import { ALL_ROLES, type Node, newFolder, removeFolders, savepoint, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** A game's folder and the commands that move its definitions, with nothing but an address and a key. */

let node: Node;
let database: { readonly DATABASE_URL: string };

beforeAll(async () => {
  database = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env: { ...database, ...ALL_ROLES }, args: ['--no-demo'] });
});
afterAll(async () => {
  await node?.stop();
  removeFolders();
});

/** A folder of its own for a project, as one manager has it. */
function managerOf(project: Credentials) {
  const dir = newFolder();
  const env = { SAVEPOINT_URL: node.url, SAVEPOINT_PROJECT: project.projectId, SAVEPOINT_SECRET_KEY: project.secretKey };
  const run = (words: readonly string[]) => here([...words, '--dir', dir], { env });
  return {
    dir,
    env,
    run,
    write(path: string, text: string) {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), text);
    },
    read: (path: string) => readFileSync(join(dir, path), 'utf8'),
    /** Runs a command that has to end with `code`, and gives what it printed. */
    async ends(code: number, ...words: readonly string[]) {
      const ended = await run(words);
      expect(ended, words.join(' ')).toMatchObject({ code });
      return ended.stdout;
    },
  };
}

const manager = async (name: string) => managerOf(await newProject(database, name));
const LOOK =
  'kind: endpoint\nsourceVersion: 1\nid: look\nsteps:\n  - { id: x, type: transform, value: 1 }\nresponse: { status: 200, body: { ok: true } }\n';
const HEROES = 'sourceVersion: 1\nkind: collection\nid: heroes\naccessMode: public\nschema:\n  gold: { type: number }\n';

async function inDatabase(statement: string, values: readonly unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: database.DATABASE_URL });
  await client.connect();
  await client.query(statement, [...values]).finally(() => client.end());
}

/** Every file of a folder but its state, with its bytes. */
function bytesOf(dir: string): Readonly<Record<string, string>> {
  const paths = readdirSync(dir, { recursive: true, withFileTypes: true }).filter(
    (entry) => entry.isFile() && !entry.parentPath.includes('.savepoint'),
  );
  return Object.fromEntries(
    paths.map(({ parentPath, name }) => [
      join(parentPath, name).slice(dir.length),
      readFileSync(join(parentPath, name)).toString('base64'),
    ]),
  );
}

test.each(['game', 'empty'])(
  'a folder of the template %s checks clean, is pushed, passes its tests and is promoted; a second init overwrites nothing',
  async (template) => {
    const { dir, ends, run } = await manager(template);
    await ends(0, 'init', '--template', template);
    expect(await run(['init'])).toMatchObject({ code: 1, stderr: expect.stringContaining('savepoint.json') });
    expect(await ends(0, 'check')).toContain('no findings');
    expect(await ends(0, 'check', '--offline')).toContain('no findings');
    await ends(0, 'push');
    expect(await ends(0, 'push')).toContain('Nothing to push');
    const promoted = JSON.parse(await ends(0, 'promote', '--yes', '--json'));
    expect(promoted).toMatchObject({ ok: true, tests: { failed: 0, total: template === 'game' ? 2 : 0 }, findings: [] });
    expect(await ends(0, 'diff', '--live')).toContain('No difference');
    expect(readFileSync(join(dir, '.gitignore'), 'utf8')).toContain('savepoint.credentials.json');
    if (template === 'empty') return;
    const [latest] = JSON.parse(await ends(0, 'publishes', '--json')).publishes;
    const unknown = await run(['rollback', '--to', String(latest.revision + 1)]);
    expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining(`--to ${latest.revision}.`) });
    await ends(0, 'call', 'find-gold', 'name=Ada', '--player', '7');
    expect(await ends(0, 'doc', 'get', 'players', '7')).toContain('"name":"Ada"');
  },
);

test('what was pushed comes back byte by byte into an empty folder: YAML and JSON, comments, folders, values and rules', async () => {
  const one = await manager('Round trip');
  await one.ends(0, 'init');
  one.write('deep/er/heroes.collection.yml', `# why\r\n${HEROES.replaceAll('\n', '\r\n')}\r\n# the end, and no newline`);
  one.write(
    'deep/shout.endpoint.json',
    '{ "kind": "endpoint",\n\t"id": "shout", "steps": [{"id": "x", "type": "transform", "value": "ä 🜁"}],"response":{"body":{"x":"{{x}}"}}}',
  );
  await one.ends(0, 'push', '--no-strict');
  const other = managerOf({ projectId: one.env.SAVEPOINT_PROJECT, secretKey: one.env.SAVEPOINT_SECRET_KEY, publicKey: '' });
  await other.ends(0, 'pull');
  const made = join(newFolder(), 'new/folder');
  await here(['pull', '--dir', made], { env: other.env });
  expect(bytesOf(made)).toEqual(bytesOf(other.dir));
  const { '/savepoint.json': begun, ...sent } = bytesOf(one.dir);
  expect(bytesOf(other.dir)).toEqual({ ...sent, '/savepoint.json': expect.not.stringContaining(String(begun)) });
  // The folder now knows its project.
  const { SAVEPOINT_URL: _, SAVEPOINT_PROJECT: __, ...keyAlone } = other.env;
  expect((await here(['push', '--no-strict', '--dir', other.dir], { env: keyAlone })).stdout).toContain('Nothing to push');
  expect(await other.ends(0, 'pull')).toContain('Nothing to pull');
  expect(await other.ends(0, 'diff')).toContain('No difference');
  await one.ends(0, 'promote', '--yes', '--force');
  expect(await other.ends(0, 'diff', '--live')).toContain('No difference');
});

test('a pull writes nothing outside its folder, and nothing at all where one of its files has no place', async () => {
  const one = await manager('Places');
  const outside = newFolder();
  one.write('sub/heroes.collection.yml', HEROES);
  one.write('look.endpoint.yml', LOOK);
  await one.ends(0, 'push', '--no-strict');
  const other = managerOf({ projectId: one.env.SAVEPOINT_PROJECT, secretKey: one.env.SAVEPOINT_SECRET_KEY, publicKey: '' });
  symlinkSync(outside, join(other.dir, 'sub'));
  expect(await other.run(['pull'])).toMatchObject({ code: 1, stderr: expect.stringContaining('sub is a link') });
  expect([readdirSync(outside), bytesOf(other.dir)]).toEqual([[], {}]);
  rmSync(join(other.dir, 'sub'));
  mkdirSync(join(other.dir, 'look.endpoint.yml'));
  expect(await other.run(['pull'])).toMatchObject({ code: 1, stderr: expect.stringContaining('there is a folder of that name') });
  expect(bytesOf(other.dir)).toEqual({});
  rmSync(join(other.dir, 'look.endpoint.yml'), { recursive: true });
  await other.ends(0, 'pull');
  expect(Object.keys(bytesOf(other.dir))).toEqual(expect.arrayContaining(['/look.endpoint.yml', '/sub/heroes.collection.yml']));
});

test('definitions that came as data keep every digit, and what YAML cannot keep is pulled as JSON', async () => {
  const project = await newProject(database, 'Exact');
  const one = managerOf(project);
  const text =
    '{"collections":[{"id":"wide","name":"wide","schema":{"gold":{"type":"number","max":9007199254740993.25}}},' +
    '{"id":"odd","name":"odd","schema":{"<<":{"type":"number"}}}]}';
  const headers = { 'x-api-key': project.secretKey, 'content-type': 'application/json' };
  const pushed = await fetch(`${node.url}/v3/manage/${project.projectId}/sync`, { method: 'PUT', headers, body: text });
  expect(pushed.status, await pushed.text()).toBe(200);
  await one.ends(0, 'pull', '--live');
  expect(one.read('wide.collection.yml')).toContain('max: 9007199254740993.25');
  expect(JSON.parse(one.read('odd.collection.json'))).toMatchObject({ id: 'odd' });
  expect(await one.ends(0, 'pull', '--live')).toContain('Nothing to pull');
});

test('an address at which something else answers is named, and what it answers is not obeyed', async () => {
  const one = await manager('Elsewhere');
  const answers: Readonly<Record<string, string>> = { html: '<html>\u001b[2Jhello</html>', empty: '', null: 'null', other: '{"data":"x"}' };
  const other = createServer(({ url = '' }, response) => response.end(answers[url.split('/')[1] ?? '']));
  await once(other.listen(0, '127.0.0.1'), 'listening');
  try {
    const port = (other.address() as AddressInfo).port;
    for (const kind of Object.keys(answers)) {
      const ended = await one.run(['pull', '--address', `http://127.0.0.1:${port}/${kind}`]);
      expect(ended).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(new RegExp(`127.0.0.1:${port} gave an answer.* Check the address`)),
      });
      expect(ended.stderr).not.toContain('\u001b[2J');
    }
  } finally {
    other.close();
  }
});

test('ids that are no names of files, or differ in letter case alone, are pulled into files of their own in the folder', async () => {
  const project = await newProject(database, 'Odd names');
  const one = managerOf(project);
  const ids = ['a b', '../up', 'ä', 'Buys', 'buys', 'x'.repeat(200)];
  const body = {
    endpoints: [{ id: '.hidden', slug: '.hidden', name: 'hidden', method: 'POST', steps: [], response: { status: 200, body: {} } }],
    tests: ids.map((id) => ({ id, endpoint: '.hidden', expect: { status: 200 } })),
  };
  const headers = { 'x-api-key': project.secretKey, 'content-type': 'application/json' };
  const pushed = await fetch(`${node.url}/v3/manage/${project.projectId}/sync`, { method: 'PUT', headers, body: JSON.stringify(body) });
  expect(pushed.status).toBe(200);
  await one.ends(0, 'pull', '--live');
  const files = Object.keys(bytesOf(one.dir)).filter((path) => /\.(test|endpoint)\.yml$/.test(path));
  expect(new Set(files.map((path) => path.toLowerCase())).size).toBe(ids.length + 1);
  expect(await one.ends(0, 'pull', '--live')).toContain('Nothing to pull');
  const differences = (await one.ends(0, 'diff', '--live')).trim().split('\n').slice(0, -1);
  expect(differences.filter((line) => !line.includes('(the same;'))).toEqual([]);
  expect(differences).toHaveLength(ids.length + 1);
});

test('of two managers who push at once exactly one wins, and the other is told what, when and by whom; --force overwrites', async () => {
  const one = await manager('Two managers');
  const other = managerOf({ projectId: one.env.SAVEPOINT_PROJECT, secretKey: one.env.SAVEPOINT_SECRET_KEY, publicKey: '' });
  one.write('heroes.collection.yml', HEROES);
  await one.ends(0, 'push');
  await other.ends(0, 'pull');
  const { SAVEPOINT_URL: address, SAVEPOINT_PROJECT: project, SAVEPOINT_SECRET_KEY: secretKey } = one.env;
  const place = { address, project, secretKey, publicKey: null };
  for (let round = 0; round < 5; round += 1) {
    one.write('heroes.collection.yml', `${HEROES}  one: { type: number, default: ${round} }\n`);
    other.write('heroes.collection.yml', `${HEROES}  other: { type: number, default: ${round} }\n`);
    const push = ({ dir }: { readonly dir: string }) =>
      pushFolder(new Remote({ ...place, dir }), readFolder(dir), { target: 'next', strict: true, prune: false, force: false });
    const ended = await Promise.all([push(one), push(other)]);
    expect(ended.map(({ ok }) => ok).sort(), JSON.stringify(ended)).toEqual([false, true]);
    expect(ended.find(({ ok }) => !ok)).toMatchObject({
      reason: 'conflict',
      publishes: [{ target: 'next', changes: [{ kind: 'collection', id: 'heroes' }], actor: { kind: 'secret' } }],
    });
    const loser = ended[0]?.ok ? other : one;
    expect(await loser.ends(1, 'pull')).toContain('changes of yours');
    await loser.ends(0, 'pull', '--force');
  }
  one.write('heroes.collection.yml', `${HEROES}# one\n`);
  await one.ends(0, 'push');
  other.write('heroes.collection.yml', `${HEROES}# other\n`);
  expect(await other.ends(1, 'push')).toContain('published since');
  await other.ends(0, 'push', '--force');
});

test('a folder that never met its project overwrites nothing, and a push without a base is as it always was', async () => {
  const one = await manager('Strangers');
  one.write('heroes.collection.yml', HEROES);
  await one.ends(0, 'push');
  const other = managerOf({ projectId: one.env.SAVEPOINT_PROJECT, secretKey: one.env.SAVEPOINT_SECRET_KEY, publicKey: '' });
  other.write('heroes.collection.yml', `${HEROES}  lives: { type: number }\n`);
  expect(await other.ends(1, 'push')).toContain('never pulled');
  const sync = (headers: Record<string, string>) =>
    fetch(`${node.url}/v3/manage/${one.env.SAVEPOINT_PROJECT}/sync`, {
      method: 'PUT',
      headers: { 'x-api-key': one.env.SAVEPOINT_SECRET_KEY, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ collections: [{ id: 'towns', accessMode: 'public' }] }),
    });
  expect((await sync({})).status).toBe(200);
  expect((await sync({ 'x-ns-base': '0' })).status).toBe(409);
  expect((await sync({ 'x-ns-base': 'three' })).status).toBe(400);
  expect((await sync({ 'x-ns-base': '999999' })).status).toBe(400);
  // The answer of a write that is sent again is the first one, though it is now behind itself.
  const { publishes } = JSON.parse(await one.ends(0, 'publishes', '--json'));
  const keyed = { 'x-ns-base': String(publishes[0].revision), 'idempotency-key': 'again', 'x-ns-publish-target': 'next' };
  expect([(await sync(keyed)).status, (await sync(keyed)).status]).toEqual([200, 200]);
});

test('whoever may not read what was published is not told of it in a conflict, only that there is one', async () => {
  const one = await manager('Weak keys');
  one.write('secrets.collection.yml', HEROES.replaceAll('heroes', 'secrets'));
  await one.ends(0, 'push');
  const url = `${node.url}/v3/manage/${one.env.SAVEPOINT_PROJECT}/sync`;
  const conflict = async (key: string) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', 'x-ns-base': '0' };
    const reply = await fetch(url, { method: 'PUT', headers, body: '{}' });
    return { status: reply.status, text: await reply.text() };
  };
  const weak = await newApiKey(database, one.env.SAVEPOINT_PROJECT, { endpoints: 'rw' });
  const { status, text } = await conflict(weak);
  expect([status, JSON.parse(text).error]).toMatchObject([409, { code: 'PUBLISH_CONFLICT', details: { publishes: [] } }]);
  expect(text).not.toContain('secrets');
  expect((await conflict(one.env.SAVEPOINT_SECRET_KEY)).text).toContain('secrets');
});

test('check tells file, line, column, the line itself and a caret, of YAML and JSON, and ends with 1; a push refuses the same', async () => {
  const { write, ends } = await manager('Findings');
  write(
    'deep/buy.endpoint.yml',
    'kind: endpoint\nsourceVersion: 1\nid: buy\nsteps:\n  - id: pay\n    type: write\n    collection: nowhere\n    ops: []\n',
  );
  write('heroes.collection.json', '{"kind": "collection", "sourceVersion": 1, "id": "heroes",\n  "colectionType": "global"}');
  write('broken.endpoint.yml', 'id: broken\nsteps: [\n');
  const text = await ends(1, 'check');
  expect(text).toContain('deep/buy.endpoint.yml:7:17 error COLLECTION_NOT_FOUND');
  expect(text).toContain('    7 |     collection: nowhere\n      |                 ^');
  expect(text).toContain('heroes.collection.json:2:3 error');
  expect(text).toContain('broken.endpoint.yml:3:1 error INVALID_YAML');
  expect(await ends(1, 'diff')).toMatch(/\+ endpoint buy[\s\S]*broken\.endpoint\.yml:3:1[\s\S]*Not all of the folder can be read/);
  write('broken.endpoint.yml', 'kind: endpoint\nsourceVersion: 1\nid: broken\nsteps:\n  - { id: x, type: transform, value: 1 }\n');
  expect(await ends(1, 'check', '--offline')).toContain('deep/buy.endpoint.yml:7:17');
  const pushed = JSON.parse(await ends(1, 'push', '--json'));
  expect(pushed).toMatchObject({ ok: false, reason: 'findings' });
  expect(pushed.findings).toEqual(
    expect.arrayContaining([expect.objectContaining({ path: 'deep/buy.endpoint.yml', line: 7, column: 17 })]),
  );
  write('other/heroes.collection.yml', HEROES);
  expect(await ends(1, 'check')).toContain('DUPLICATE_DEFINITION');
});

test('what next holds with findings is told by push, check and promote, which end with 1; what live has already stops no promotion', async () => {
  const { write, ends } = await manager('Staged findings');
  const PAY =
    'kind: endpoint\nsourceVersion: 1\nid: pay\nsteps:\n  - { id: a, type: read, collection: nowhere, key: x }\nresponse: { body: { ok: true } }\n';
  write('pay.endpoint.yml', PAY);
  await ends(0, 'push', '--no-strict');
  const place = 'pay.endpoint.yml:5:38 error COLLECTION_NOT_FOUND';
  expect(await ends(1, 'push')).toMatch(new RegExp(`${place}[\\s\\S]*Nothing was pushed: next holds all of this already, with 1 finding`));
  expect(JSON.parse(await ends(1, 'push', '--json'))).toMatchObject({ ok: false, isHeld: true, findings: [{ line: 5, column: 38 }] });
  expect(await ends(0, 'push', '--no-strict')).toMatch(/COLLECTION_NOT_FOUND[\s\S]*Nothing to push/);
  expect(await ends(1, 'check')).toContain(place);
  expect(await ends(1, 'promote', '--yes')).toContain(place);
  expect(JSON.parse(await ends(0, 'promote', '--yes', '--force', '--json'))).toMatchObject({
    promoted: true,
    definitionFindings: [{ id: 'pay' }],
  });
  write('heroes.collection.yml', HEROES);
  await ends(0, 'push', '--no-strict');
  await ends(0, 'promote', '--yes');
});

test('findings in values, rules and tests have their places, too', async () => {
  const { write, ends } = await manager('Places');
  write('values.yml', '- id: shop\n  type: table\n  columns: [{ key: price, type: nubmer }]\n  rows: []\n');
  write('rules.yml', 'rules:\n  - id: r\n    field: gold\n    window: perMinit\n    limit: 3\n');
  write('a.test.yml', 'sourceVersion: 1\nkind: test\nid: a\nendpoint: buy\nexpect:\n  statsu: 200\n');
  const text = await ends(1, 'check');
  expect(text).toMatch(/values\.yml:3:\d+ error/);
  expect(text).toContain('rules.yml:4:13 error INVALID_RATE_LIMIT_WINDOW');
  expect(text).toContain('a.test.yml:6:3 error UNKNOWN_TEST_MEMBER');
});

test('what is no longer in the folder is left alone and told of, and --prune removes it in the same publish', async () => {
  const { dir, write, ends, run } = await manager('Prune');
  write('heroes.collection.yml', HEROES);
  write('rules.yml', 'rules:\n  - { id: r, field: gold, window: perMinute, limit: 3 }\n');
  await ends(0, 'push', '--live');
  rmSync(join(dir, 'heroes.collection.yml'));
  rmSync(join(dir, 'rules.yml'));
  write('towns.collection.yml', HEROES.replaceAll('heroes', 'towns'));
  expect(await ends(0, 'push', '--live')).toContain('2 definitions of live are not in this folder');
  expect(JSON.parse(await ends(0, 'diff', '--json')).changes).toMatchObject([
    { id: 'heroes', action: 'absent' },
    { kind: 'rate-limit-rules', action: 'absent' },
  ]);
  symlinkSync('.', join(dir, 'linked'));
  expect(await run(['push', '--prune'])).toMatchObject({ code: 1, stderr: expect.stringContaining('linked is a link to a folder') });
  expect(JSON.parse(await ends(0, 'diff', '--staged', '--json')).changes).toEqual([]);
  rmSync(join(dir, 'linked'));
  expect(await ends(0, 'push', '--prune')).toContain('- collection heroes');
  expect(JSON.parse(await ends(0, 'diff', '--staged', '--json')).changes).toMatchObject(
    expect.arrayContaining([expect.objectContaining({ id: 'heroes', action: 'delete' })]),
  );
  await ends(0, 'promote', '--yes');
  expect(await ends(0, 'diff', '--live')).toContain('No difference');
  await ends(0, 'rollback', '--yes');
  expect(await ends(0, 'diff', '--live', '--json')).toContain('absent');
});

test('a rollback undoes what was shown, or nothing: of a publish in between it is told', async () => {
  const { write, ends, run, env } = await manager('Rollback');
  for (const kind of ['number', 'string']) {
    write('heroes.collection.yml', HEROES.replace('number', kind));
    await ends(0, 'push', '--live');
  }
  const other = new Remote({
    dir: '',
    address: env.SAVEPOINT_URL,
    project: env.SAVEPOINT_PROJECT,
    secretKey: env.SAVEPOINT_SECRET_KEY,
    publicKey: null,
  });
  const { fetch } = globalThis;
  // Somebody publishes between the look and the rollback.
  const between = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...asked) => {
    const answer = await fetch(...asked);
    if (!String(asked[0]).endsWith('/rollback')) return answer;
    between.mockRestore();
    await other.sync({ collections: [{ id: 'towns', name: 'towns', schema: {} }] }, { target: 'live', strict: false });
    return answer;
  });
  expect(await run(['rollback', '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/collection towns[\s\S]*PUBLISH_CONFLICT/),
  });
  expect((await other.publishes()).publishes[0]).toMatchObject({ action: 'publish' });
  await ends(0, 'rollback', '--yes');
  expect(JSON.parse(await ends(0, 'rollback', '--yes', '--json'))).toMatchObject({
    rolledBack: true,
    changes: [{ id: 'heroes', action: 'change' }],
  });
});

test('push, promote and rollback print the revision under which `publishes` lists what they did, also where the first answer was lost', async () => {
  const { write, ends } = await manager('Revisions');
  const listed = async () => JSON.parse(await ends(0, 'publishes', '--json')).publishes;
  const printed = async (...words: readonly string[]) => JSON.parse(await ends(0, ...words, '--json')).revision;
  write('heroes.collection.yml', HEROES);
  write('look.endpoint.yml', LOOK);
  write('looks.test.yml', 'kind: test\nsourceVersion: 1\nid: looks\nendpoint: look\nexpect: { status: 200 }\n');
  const pushed = await printed('push');
  expect(await listed()).toMatchObject([{ changes: [{ kind: 'tests' }] }, { revision: pushed, target: 'next' }]);
  const promoted = await printed('promote', '--yes');
  expect(await listed()).toMatchObject([{ revision: promoted, action: 'promote' }, {}, {}]);
  write('heroes.collection.yml', `${HEROES}  lives: { type: number }\n`);
  const { fetch } = globalThis;
  const losing = vi.spyOn(globalThis, 'fetch').mockImplementation(async (...asked) => {
    const answer = await fetch(...asked);
    if (!String(asked[0]).includes('/sync?')) return answer;
    losing.mockRestore();
    throw new TypeError('fetch failed');
  });
  const again = await printed('push', '--live');
  expect(await listed()).toMatchObject([{ revision: again, action: 'publish', target: 'live' }, { revision: promoted }, {}, {}]);
  const rolledBack = await printed('rollback', '--to', String(promoted), '--yes');
  expect(await listed()).toMatchObject([{ revision: rolledBack, action: 'rollback', restored: promoted }, {}, {}, {}, {}]);
  write('looks.test.yml', 'kind: test\nsourceVersion: 1\nid: looks\nendpoint: look\nexpect: { status: 201 }\n');
  write('heroes.collection.yml', HEROES);
  expect(await ends(0, 'push')).toContain('there is nothing to promote');
});

test('a promotion and a rollback say before they ask that what was played on next ends with them', async () => {
  const { write, ends, run } = await manager('Staged play');
  write('heroes.collection.yml', HEROES);
  await ends(0, 'push', '--live');
  await ends(0, 'doc', 'set', 'heroes', '42', 'gold=1', '--create', '--target', 'next');
  expect((await run(['rollback', '--dry-run'])).stdout).toContain('Played on next: 1 document.');
  write('heroes.collection.yml', `${HEROES}  lives: { type: number }\n`);
  await ends(0, 'push');
  const told = 'Played on next: 1 document. Live takes nothing of it over, and next begins anew.';
  expect(await ends(0, 'promote', '--dry-run')).toContain(told);
  const promoted = await ends(0, 'promote', '--yes');
  expect(promoted).toContain(told);
  expect(promoted).toContain('The data of next have begun anew.');
  write('heroes.collection.yml', HEROES);
  await ends(0, 'push');
  expect(await ends(0, 'promote', '--yes')).not.toContain('Played on next');
});

test('a push says what is staged besides: where it was of tests alone, and where next holds all of it', async () => {
  const { write, ends } = await manager('Staged besides');
  write('look.endpoint.yml', LOOK);
  await ends(0, 'push');
  write('looks.test.yml', 'kind: test\nsourceVersion: 1\nid: looks\nendpoint: look\nexpect: { status: 200 }\n');
  const pushed = await ends(0, 'push');
  expect(pushed).not.toContain('nothing to promote');
  expect(pushed).toContain('1 change is staged: `savepoint promote` makes it live.');
  const again = await ends(0, 'push');
  expect(again).toContain('Nothing to push');
  expect(again).toContain('1 change is staged');
  expect(JSON.parse(await ends(0, 'push', '--json'))).toMatchObject({ published: false, staged: 1 });
});

test('publishes say who, what, why and for which ticket, as push, promote and rollback were told', async () => {
  const { write, ends } = await manager('Why');
  write('heroes.collection.yml', HEROES);
  await ends(0, 'push', '-m', 'Heroes have gold', '--ticket', 'T-75');
  await ends(0, 'promote', '--yes', '--message', 'First release', '--ticket', 'T-76');
  await ends(0, 'rollback', '--yes', '--ticket', 'T-77');
  const listed = await ends(0, 'publishes');
  for (const why of ['Heroes have gold · T-75', 'First release · T-76', 'T-77', 'Secret key']) expect(listed).toContain(why);
});

test('publishes say field by field what changed, and who, also where the key was revoked since', async () => {
  const { dir, write, ends, env } = await manager('Fields');
  const { SAVEPOINT_PROJECT: project } = env;
  const shop = (price: number) =>
    `items:\n  - {id: shop, type: table, name: Shop, columns: [{key: id, type: string}, {key: price, type: number}], rows: [{id: sword, price: ${price}}]}\n`;
  write('values.yml', shop(30));
  await ends(0, 'push', '--live');
  const { key, keyId } = JSON.parse(await printed(['key', 'create', project, '--label', 'Designer', '--json'], { env: database }));
  write('values.yml', shop(35));
  expect(await here(['push', '--dir', dir], { env: { ...env, SAVEPOINT_SECRET_KEY: key } })).toMatchObject({ code: 0 });
  await ends(0, 'promote', '--yes');
  expect(await ends(0, 'publishes')).toMatch(/game-values {2}Shop › sword › price {2}30 → 35[\s\S]*Designer/);
  await printed(['key', 'revoke', project, keyId], { env: database });
  const { publishes } = JSON.parse(await ends(0, 'publishes', '--json'));
  const change = { kind: 'game-values', action: 'change', fields: [{ label: 'Shop › sword › price', before: 30, after: 35 }] };
  expect(publishes).toMatchObject([
    { action: 'promote', changes: [change] },
    { target: 'next', actor: { label: 'Designer' }, changes: [change] },
    { target: 'live', changes: [{ action: 'add' }] },
  ]);
});

test('a rollback names the tests that came with what it took back and fail without it', async () => {
  const { write, ends, run } = await manager('Red tests');
  const testOf = (id: string, status: number) => `kind: test\nsourceVersion: 1\nid: ${id}\nendpoint: look\nexpect: { status: ${status} }\n`;
  write('look.endpoint.yml', LOOK);
  write('always-red.test.yml', testOf('always-red', 299));
  await ends(0, 'push', '--live');
  write('look.endpoint.yml', LOOK.replace('status: 200', 'status: 201'));
  write('looks.test.yml', testOf('looks', 201));
  await ends(0, 'push', '--live');
  const { stdout, stderr } = await run(['rollback', '--yes']);
  expect(stdout).toContain('Rolled back');
  expect(stderr).toContain('FAILED looks');
  expect(stderr).not.toContain('always-red');
  expect(stderr).toContain('tests are not rolled back');
  await ends(0, 'push', '--live', '--force');
  expect(JSON.parse(await ends(0, 'rollback', '--yes', '--json'))).toMatchObject({ rolledBack: true, failedTests: [{ id: 'looks' }] });
});

test('a conflict is found however much of what does not count was published after it', async () => {
  const one = await manager('Long history');
  one.write('heroes.collection.yml', HEROES);
  await one.ends(0, 'push');
  const { SAVEPOINT_URL: address, SAVEPOINT_PROJECT: project, SAVEPOINT_SECRET_KEY: secretKey } = one.env;
  const remote = new Remote({ dir: '', address, project, secretKey, publicKey: null });
  await remote.sync({ collections: [{ id: 'towns', name: 'towns', schema: {} }] }, { target: 'next', strict: false });
  await remote.publishes();
  await inDatabase(
    `INSERT INTO savepoint.publishes (project, revision, action, target, hash, generation, changes, actor, cause, at)
     SELECT $1, 1000000 + n, 'renew', 'next', '', n, '[]', '{}', 'data.renew', 0 FROM generate_series(1, 250) AS n`,
    [project],
  );
  one.write('heroes.collection.yml', `${HEROES}# changed\n`);
  expect(await one.ends(1, 'push')).toContain('collection towns');
});

test('init without a server leads to `savepoint dev`, with one to `savepoint login`', async () => {
  expect((await here(['init', newFolder()])).stdout).toMatch(/Next:\n {2}cd .*\n {2}savepoint dev /);
  expect((await here(['init', newFolder(), '--address', node.url])).stdout).toMatch(
    /write project into savepoint.json\n {2}savepoint login /,
  );
});

test('a diff shows fields with before and after, in colour only where that is wanted', async () => {
  const { write, ends, env, dir } = await manager('Diff');
  write('heroes.collection.yml', HEROES);
  await ends(0, 'push');
  write('heroes.collection.yml', HEROES.replace('number', 'string'));
  expect(await ends(0, 'diff')).toContain('~ collection heroes\n    schema › gold › type  "number" → "string"');
  expect(await ends(1, 'diff', '--exit-code')).not.toContain('\u001b[');
  const coloured = (more: Readonly<Record<string, string>>) => savepoint(['diff', '--dir', dir], { env: { ...env, ...more } });
  expect((await coloured({ FORCE_COLOR: '1' })).stdout).toContain('\u001b[');
  expect((await coloured({ NO_COLOR: '1' })).stdout).not.toContain('\u001b[');
});

test('a promotion is refused for failed tests and where nobody can be asked, and a wrong key, project or address says so', async () => {
  const { write, ends, run, env, dir } = await manager('Promote');
  write('heroes.collection.yml', HEROES);
  write(
    'buy.endpoint.yml',
    'kind: endpoint\nsourceVersion: 1\nid: buy\nsteps:\n  - { id: x, type: transform, value: 1 }\nresponse: { status: 200, body: { ok: true } }\n',
  );
  write('buy.test.yml', 'kind: test\nsourceVersion: 1\nid: buys\nendpoint: buy\nexpect: { status: 201 }\n');
  await ends(0, 'push');
  expect(await ends(1, 'promote', '--yes')).toContain('FAILED buys');
  expect(await ends(1, 'promote', '--dry-run')).toContain('0 of 1 passed');
  expect(await run(['promote', '--force'])).toMatchObject({ code: 1, stderr: expect.stringContaining('--yes') });
  await ends(0, 'promote', '--force', '--yes');
  const wrong = (more: object, words: readonly string[] = ['publishes']) => here([...words, '--dir', dir], { env: { ...env, ...more } });
  expect(await wrong({ SAVEPOINT_SECRET_KEY: 'no' })).toMatchObject({ code: 1, stderr: expect.stringContaining('UNAUTHORIZED') });
  expect(await wrong({ SAVEPOINT_URL: 'http://127.0.0.1:1' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot be reached'),
  });
  expect(await wrong({}, ['push', '--what'])).toMatchObject({ code: 2 });
});

test.each([
  ['game', 'price: 30', 'price: 25'],
  ['browser', 'tool: 25', 'tool: 30'],
])('a price of the template %s is changed, and its tests let it be promoted', async (template, before, after) => {
  const { dir, run, write, read, ends } = await manager(`Template ${template}`);
  expect(await run(['init', dir, '--template', template])).toMatchObject({ code: 0 });
  await ends(0, 'push', '--live');
  expect(read('values.yml')).toContain(before);
  write('values.yml', read('values.yml').replace(before, after));
  await ends(0, 'push');
  expect(await ends(0, 'promote', '--yes')).not.toContain('failed');
  expect(await ends(0, 'diff', '--live')).toContain('No difference');
});
