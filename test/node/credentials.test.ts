import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CREDENTIALS, type Credential, credentialMatrix, roleMatrix } from '../../infra/docs/contract.ts';
import { ROLES } from '../../src/contract/events/people.ts';
import { type SignedBrowser, signInByLink } from '../support/console.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { newApiKey, newProject, printed, SUPPORT_PERMISSIONS } from './support/command-line.ts';
import { type Client, createClient, ok, PLAYER } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/**
 * Every route of the contract with every kind of credential, against the running program. Exactly those are let in whom the contract lets
 * in. A route that lets in somebody else changes `docs/credentials.md`, and a reviewer sees that.
 */

const ID = '00000000-0000-4000-8000-000000000000';

let node: Node;
let game: Client;
let keys: ReadonlyMap<Credential, string | null>;
let people: ReadonlyMap<string, SignedBrowser>;

beforeAll(async () => {
  const env = { DATABASE_URL: await migratedDatabase(), PAGES_PUBLIC: '1', CONSOLE_LISTEN: '127.0.0.1:0' };
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
    ['a secret key', await newApiKey(env, project.projectId, SUPPORT_PERMISSIONS)],
  ]);
  const browsers = new Map<string, SignedBrowser>();
  for (const role of ROLES) {
    const line = ['user', 'add', role, '--role', role, '--project', project.projectId, '--json'];
    browsers.set(role, await signInByLink(JSON.parse(await printed(line, { env })).url));
  }
  people = browsers;
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
  // A roll back that names nothing takes back the newest publish.
  await ok(game.manage('PUT', game.definitions('game-values'), { body: { items: [{ id: 'shop', type: 'group', entries: { axe: 7 } }] } }));
});

afterAll(async () => {
  game.close();
  await node.stop();
  removeFolders();
});

function requestOf(route: string, collection: string): readonly [method: string, path: string] {
  const [method = '', pattern = ''] = route.split(' ');
  const path = pattern
    .replace(':project', game.projectId)
    .replace(':collection', collection)
    .replace(/:(?:key|player)\b/, PLAYER)
    .replace(/:\w+/g, ID);
  return [method, path];
}

/** `in`: the credentials were let through, whatever came afterwards. Otherwise the status of the refusal. */
async function outcome(route: string, key: string | null, collection: string): Promise<string> {
  const [method, path] = requestOf(route, collection);
  const headers = { 'x-platform-id': PLAYER, ...(key === null ? {} : { 'x-api-key': key }) };
  const { status, body } = await game.send(method, path, { headers, ...(method === 'GET' ? {} : { body: {} }) });
  return outcomeOf(status, body);
}

function outcomeOf(status: number, body: unknown): string {
  if (status === 401 || status === 403) return String(status);
  const told = Object(body);
  return told.ok === false && (told.status === 401 || told.status === 403) ? String(told.status) : 'in';
}

test('the running program lets in whom the contract lets in', async () => {
  const said: string[] = [];
  const came: string[] = [];
  for (const { route, collection, outcomes } of credentialMatrix()) {
    const cells: string[] = [];
    for (const credential of CREDENTIALS) cells.push(await outcome(route, keys.get(credential) ?? null, collection ?? ''));
    came.push([route, collection, ...cells].join(' | '));
    said.push([route, collection, ...CREDENTIALS.map((credential) => outcomes[credential])].join(' | '));
  }
  expect(came).toEqual(said);
});

test('the console lets people in as their roles say, and the page of the contract says the same', async () => {
  const said: string[] = [];
  const came: string[] = [];
  for (const { route, outcomes } of roleMatrix()) {
    const [method, path] = requestOf(route, 'closed');
    const cells: string[] = [];
    for (const role of ROLES) {
      const browser = people.get(role);
      const reply = await browser?.change(method, path, method === 'GET' ? undefined : {});
      cells.push(outcomeOf(reply?.status ?? 0, JSON.parse(reply?.text || 'null')));
    }
    came.push([route, ...cells].join(' | '));
    said.push([route, ...ROLES.map((role) => outcomes[role])].join(' | '));
  }
  expect(came).toEqual(said);
});

test('no route under /v3/manage lets anybody in without a secret key of the project, but a game that asks for its revision', () => {
  const managed = credentialMatrix().filter(({ route }) => route.includes('/v3/manage') && !route.includes('revision-init'));
  expect(managed.length).toBeGreaterThan(50);
  for (const { route, outcomes } of managed) {
    for (const name of ['no key', 'an unknown key', 'the secret key of another project', 'the public key'] as const) {
      expect(outcomes[name], `${route} with ${name}`).toMatch(/^40[13]$/);
    }
  }
});
