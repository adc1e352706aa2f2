import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { BASES } from '../../src/contract/families.ts';
import { PLAYER } from '../../src/contract/parameters.ts';
import type { Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes/index.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { type Env, newApiKey, newProject, printed, SUPPORT_PERMISSIONS } from './support/command-line.ts';
import { type Client, createClient, ok, type Reply } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** The contract against the built program: its examples are sent, and a client that is generated from it plays a game. */

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const SECRET = 'a secret of the studio and its servers';

let node: Node;
let game: Client;
let env: Env;

const PRICE = {
  id: 'price',
  slug: 'price',
  method: 'GET',
  input: { type: 'object', properties: { item: { type: 'string' } } },
  steps: [],
  response: { status: 200, body: { ok: true, item: '{{input.item}}', price: 5 } },
};

const GIFT = {
  id: 'gift',
  slug: 'gift',
  console: { page: 'player', label: 'Give a gift' },
  steps: [],
  response: { body: { ok: true } },
};

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase(), VERIFIER: 'hmac', VERIFIER_SECRET: SECRET };
  node = await startNode(newFolder(), { env, args: ['--no-demo'] });
  const made = await newProject(env, 'Examples');
  const secretKey = await newApiKey(env, made.projectId, SUPPORT_PERMISSIONS);
  game = createClient(node.url, { ...made, secretKey });
});

afterAll(async () => {
  game.close();
  await node.stop();
  removeFolders();
});

/** A second person is asked and approves: approvals.test.ts sends these as people. */
const OF_PEOPLE = /^(?:ask|read|give|decline|comment|withdraw)Approval$/;
/** The example names a time that is over: schedule.test.ts sends these. */
const AT_A_TIME = /^(?:un)?schedulePromotion$/;
const shown = routes.filter(
  ({ id, hidden, example }) => hidden !== true && example !== undefined && !OF_PEOPLE.test(id) && !AT_A_TIME.test(id),
);
const routeCalled = (id: string) => {
  const found = shown.find((route) => route.id === id);
  if (found === undefined) throw new Error(`The contract has no route ${id}`);
  return found;
};

/** Sends the example of a route, with the secret key if the route takes one. `params`: what earlier examples have made. */
function send(route: Route, params: Readonly<Record<string, string>> = {}, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const { example = {}, method, family, path, keys } = route;
  const filled = (BASES[family] + path).replace(/:(\w+)/g, (_, name: string) => {
    const examples: unknown = SHOWN[name];
    return name === 'project' ? game.projectId : (params[name] ?? example.params?.[name] ?? String(examples));
  });
  const query = new URLSearchParams(example.query).toString();
  const target = query === '' ? filled : `${filled}?${query}`;
  const sent = { headers: { ...example.headers, ...headers }, ...(example.body === undefined ? {} : { body: example.body }) };
  return keys === null ? game.send(method, target, sent) : game.manage(method, target, sent);
}

/** A login of the studio's own, in the form that the verifier `hmac` takes. */
function playerToken(): string {
  const expires = Math.floor(Date.now() / 1000) + 600;
  return `${expires}.${createHmac('sha256', SECRET).update(`${PLAYER}:${expires}`).digest('hex')}`;
}

/** Values of path parameters for which the example has none, as in the description. */
const SHOWN: Readonly<Record<string, string>> = {
  collection: 'saves',
  key: PLAYER,
  player: PLAYER,
  slug: 'buy',
  query: 'richest',
  page: 'news',
  id: 'saves',
};

describe('the examples of the contract', () => {
  const made: Record<string, string> = {};

  beforeAll(async () => {
    const feed = { id: 'feed', name: 'feed', collectionType: 'global', accessMode: 'public', schema: {} };
    await ok(send(routeCalled('putCollections')));
    await ok(game.manage('PATCH', game.definitions('collections'), { body: feed }));
    const purses = { id: 'purses', name: 'purses', schema: { gold: { type: 'number', _ledger: true, _currency: 'gold' } } };
    await ok(game.manage('PATCH', game.definitions('collections'), { body: purses }));
    for (const id of ['putGameValues', 'putRateLimitRules', 'putEndpoints', 'postQueries', 'putTests']) await ok(send(routeCalled(id)));
    for (const body of [PRICE, GIFT]) await ok(game.manage('PATCH', game.definitions('endpoints'), { body }));
    await ok(game.manage('POST', game.storage(`saves/${PLAYER}`), { body: { name: 'Ada', gold: 10 } }));
    await ok(game.manage('POST', game.storage(`purses/${PLAYER}`), { body: { gold: 5 } }));
    made['written'] = String((await ok(send(routeCalled('writeDocument')))).headers['x-ns-position']);
    await ok(send(routeCalled('sendHeartbeat')));
    made['record'] = Object((await ok(send(routeCalled('createSaveRecord')))).body).recordId;
    const appended = await ok(send(routeCalled('appendRecord')));
    made['key'] = Object(appended.body).record._id;
    made['begun'] = String(appended.headers['x-ns-position']);
    const folder = newFolder();
    writeFileSync(join(folder, 'news.md'), '# News');
    await printed(['page', 'put', game.projectId, 'news', '--file', join(folder, 'news.md')], { env });
  });

  // Deletes come last, and so does what a project must allow first.
  const last = ({ method, family }: Route) => (family === 'sessions' ? 2 : method === 'DELETE' ? 1 : 0);
  const inOrder = shown.filter(({ noJson }) => noJson !== true).sort((a, b) => last(a) - last(b));

  test.each(inOrder.map((route): [string, Route] => [route.id, route]))('%s is answered as it says', async (id, route) => {
    const opens = id === 'createSession';
    if (opens) await ok(game.manage('PUT', game.definitions('settings'), { body: { enableAuthSessions: true } }));
    if (id === 'registerGuest') await ok(game.manage('PUT', game.definitions('settings'), { body: { guestSignIn: true } }));
    // The client compares status and body with the contract.
    const corrections: Readonly<Record<string, object>> = {
      undoCommit: { reason: 'twice', revision: Number(made['written']) },
      restorePlayer: { reason: 'a crash', to: Number(made['begun']) },
    };
    const sent = corrections[id];
    const params: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      readRecord: { key: made['key'] ?? '' },
      explain: { held: made['written'] ?? '' },
    };
    const { status, body, text } = await send(
      sent === undefined ? route : { ...route, example: { ...route.example, body: sent } },
      params[id] ?? { record: made['record'] ?? '', grant: made['grant'] ?? '' },
      opens ? { 'x-platform-token': playerToken() } : {},
    );
    expect([status, Object(body).ok ?? true], text).toEqual([route.example?.status ?? 200, true]);
    if (id === 'beginGrant') made['grant'] = Object(body).grant.id;
  });
});

test('a client that a tool makes of /openapi.json compiles, and plays a game', async () => {
  const folder = mkdtempSync(join(ROOT, 'node_modules', '.client-'));
  try {
    const sources = join(folder, 'src');
    mkdirSync(sources);
    writeFileSync(join(folder, 'openapi.json'), (await ok(game.send('GET', '/openapi.json'))).text);
    const bin = (name: string) => join(ROOT, 'node_modules', '.bin', name);
    await run(bin('oazapfts'), [join(folder, 'openapi.json'), join(sources, 'client.ts'), '--argumentStyle=object']);
    writeFileSync(join(sources, 'game.ts'), GAME);
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    const options = {
      target: 'ES2022',
      lib: ['ES2023', 'DOM'],
      module: 'NodeNext',
      strict: true,
      types: ['node'],
      rootDir: 'src',
      outDir: 'out',
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: { ...options, skipLibCheck: true }, include: ['src'] }));
    await run(bin('tsc'), ['-p', folder]).catch((error: { readonly stdout: string }) => {
      throw new Error(error.stdout);
    });
    const { stdout } = await run(process.execPath, [
      join(folder, 'out', 'game.js'),
      node.url,
      game.projectId,
      game.secretKey,
      game.publicKey,
    ]);
    expect(JSON.parse(stdout)).toEqual({ gold: 12, version: 2, best: ['76561198000000009', 12], refused: 'NOT_FOUND' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** What a studio would write with the generated client. */
const GAME = `import { defaults, putCollections, postQueries, readDocument, runQuery, writeDocument } from './client.js';

const [url, project, secret, key] = process.argv.slice(2) as [string, string, string, string];
const player = '76561198000000009';
defaults.baseUrl = url;

defaults.headers = { 'x-api-key': secret };
const pushed = await putCollections({
  project,
  body: [{ id: 'wallets', name: 'wallets', collectionType: 'per-platformid', accessMode: 'public', schema: { gold: { type: 'number' } } }],
});
if (pushed.status !== 200) throw new Error(pushed.data.message);
await postQueries({ project, body: [{ id: 'rich', type: 'leaderboard', sources: [{ collectionId: 'wallets' }], config: { field: 'gold' } }] });

defaults.headers = { 'x-public-key': key };
const at = { project, collection: 'wallets', key: player, xPlatformId: player };
await writeDocument({ ...at, body: { gold: 10 } });
const written = await writeDocument({ ...at, body: { ops: [{ op: 'inc', path: 'gold', value: 2 }] } });
if (written.status !== 200) throw new Error(written.data.message);
const version: number = written.data.version;

const read = await readDocument(at);
const { gold } = read.data as { gold: number };
let rows = await runQuery({ project, query: 'rich' });
while (rows.status === 503 || (rows.status === 200 && 'entries' in rows.data && rows.data.entries[0]?.value !== 12)) {
  rows = await runQuery({ project, query: 'rich' });
}
const best = rows.status === 200 && 'entries' in rows.data ? rows.data.entries.map(({ key, value }) => [key, value])[0] : null;

const missing = await readDocument({ ...at, collection: 'nothing' });
const refused = missing.status === 404 ? missing.data.error.code : null;
process.stdout.write(JSON.stringify({ gold, version, best, refused }));
`;
