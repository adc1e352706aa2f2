import { readFileSync, writeFileSync } from 'node:fs';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { Arriving } from '../../src/http/arriving.ts';
import { CallNotes } from '../../src/http/call-notes.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { buildRouters } from '../../src/http/routes/families.ts';
import { HTTP_DEFAULTS } from '../../src/http/settings.ts';
import { fakeApp } from '../http/fake-app.ts';
import { testDatabase } from '../support/postgres.ts';
import { newApiKey, newProject } from './support/command-line.ts';
import { type Client, createClient, ok, PLAYER } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/**
 * Every route of the route table with every kind of credential, against the running program: `docs/credentials.md` is what came of it.
 * A route that is new, or that lets somebody else in, fails here until the page is made anew (`WRITE_DOCS=1`), which a reviewer sees.
 */

const PAGE = new URL('../../docs/credentials.md', import.meta.url);
const HEAD = readFileSync(PAGE, 'utf8').split('| Route |')[0] ?? '';
const ID = '00000000-0000-4000-8000-000000000000';

/** The route table. What stands behind the routes is never asked. */
function routes(): readonly string[] {
  const bounds = { bytes: 1, depth: 1, timeoutMs: 1, arriving: new Arriving(1, 1) };
  const services = {
    app: fakeApp(),
    settings: HTTP_DEFAULTS,
    calls: new CallNotes(createMetrics().calls, pino({ level: 'silent' }), 'silent'),
    gameBody: bounds,
    managementBody: bounds,
    badKeys: null,
  };
  const nobody = () => Promise.reject(new Error('nobody asks'));
  const probes = { health: nobody, ready: nobody };
  const listed = Object.values(buildRouters(services, { settings: HTTP_DEFAULTS, exposition: async () => '', probes })).flatMap((router) =>
    router.stack.flatMap(({ path, methods }) => methods.filter((method) => method !== 'HEAD').map((method) => `${method} ${String(path)}`)),
  );
  return [...new Set(listed)].sort((a, b) => pathOf(a).localeCompare(pathOf(b), 'en') || a.localeCompare(b, 'en'));
}

const pathOf = (route: string) => route.slice(route.indexOf(' ') + 1);

let node: Node;
let game: Client;
let keys: ReadonlyMap<string, string | null>;

beforeAll(async () => {
  const env = { DATABASE_URL: await testDatabase(), PAGES_PUBLIC: '1' };
  node = await startNode(newFolder(), { env, args: ['--no-demo'] });
  const project = await newProject(env, 'Matrix');
  const elsewhere = await newProject(env, 'Elsewhere');
  game = createClient(node.url, project);
  keys = new Map([
    ['no key', null],
    ['an unknown key', 'sp_sk_0000000000000000000000000000000000000000'],
    ['the secret key of another project', elsewhere.secretKey],
    ['the public key', project.publicKey],
    ['a secret key without rights', await newApiKey(env, project.projectId, {})],
    ['a secret key', project.secretKey],
  ]);
  await ok(
    game.manage('PUT', game.definitions('collections'), {
      body: [
        {
          id: 'open',
          name: 'open',
          collectionType: 'per-platformid',
          accessMode: 'public',
          maxRecords: 5,
          allowRecordDelete: true,
          schema: {},
        },
        { id: 'closed', name: 'closed', collectionType: 'per-platformid', maxRecords: 5, allowRecordDelete: true, schema: {} },
      ],
    }),
  );
});

afterAll(async () => {
  game.close();
  await node.stop();
  removeFolders();
});

/** `in`: the credentials were let through, whatever came after. Otherwise the status that they were refused with. */
async function outcome(route: string, key: string | null, collection: string): Promise<string> {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern
    .replace(':project', game.projectId)
    .replace(':collection', collection)
    .replace(/:(?:key|player)\b/, PLAYER)
    .replace(/:\w+/g, ID);
  const headers = { 'x-platform-id': PLAYER, ...(key === null ? {} : { 'x-api-key': key }) };
  const { status, body } = await game.send(method, path, { headers, ...(method === 'GET' ? {} : { body: {} }) });
  if (status === 401 || status === 403) return String(status);
  const told = Object(body);
  return told.ok === false && (told.status === 401 || told.status === 403) ? String(told.status) : 'in';
}

test('the page of credentials is what the running program does', async () => {
  const rows: string[] = [];
  for (const route of routes()) {
    // What is stored is guarded by its collection as well.
    const collections = route.includes(':collection') ? ['open', 'closed'] : [''];
    for (const collection of collections) {
      const cells: string[] = [];
      for (const key of keys.values()) cells.push(await outcome(route, key, collection));
      rows.push(`| \`${route}\`${collection === '' ? '' : `, ${collection}`} | ${cells.join(' | ')} |`);
    }
  }
  const page = `${HEAD}| Route | ${[...keys.keys()].join(' | ')} |\n|${'---|'.repeat(keys.size + 1)}\n${rows.join('\n')}\n`;
  if (process.env['WRITE_DOCS'] !== undefined) writeFileSync(PAGE, page);
  expect(readFileSync(PAGE, 'utf8')).toBe(page);
});

test('no route under /v3/manage lets anybody in without a secret key of the project, but a game that asks for its revision', async () => {
  for (const route of routes().filter((one) => one.includes('/v3/manage') && !one.includes('revision-init'))) {
    for (const name of ['no key', 'an unknown key', 'the secret key of another project', 'the public key']) {
      expect(await outcome(route, keys.get(name) ?? null, 'open'), `${route} with ${name}`).toMatch(/^40[13]$/);
    }
  }
});
