import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ConsoleAt, codeOf, type SignedBrowser, signInTo } from '../support/console.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { newProject, printed } from './support/command-line.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { type Node, newFolder, removeFolders, startNode } from './support/program.ts';

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

async function newBrowser(): Promise<SignedBrowser> {
  const { url } = JSON.parse(await printed(['console', 'link', '--json'], { env }));
  const { origin, port, hash } = new URL(url);
  at = { origin, port: Number(port) };
  return signInTo(at, hash.slice(1));
}

const SHOP = {
  id: 'shop',
  name: 'shop',
  collectionType: 'per-platformid',
  schema: { type: 'object', properties: { gold: { type: 'number', _ledger: true } } },
};

test('a link of the command line signs in, and the projects are there with the role', async () => {
  const { person, projects, version } = JSON.parse((await browser.get('/api/session')).text);
  expect(person).toMatchObject({ name: 'Owner' });
  expect(version).toMatch(/^\d/);
  expect(projects).toContainEqual({
    id: projectId,
    title: 'Market',
    role: 'owner',
    permissions: expect.objectContaining({ history: 'rwx' }),
  });
  expect(node.stdout() + node.stderr()).not.toContain('sign-in#');
});

test('a person publishes, writes and reads what was, and the log says who', async () => {
  expect((await browser.change('PUT', `/v3/manage/${projectId}/collections`, [SHOP])).status).toBe(200);
  expect((await browser.change('POST', `/v3/storage/${projectId}/shop/p1`, { gold: 7 })).status).toBe(200);
  expect(JSON.parse((await browser.get(`/v3/storage/${projectId}/shop/p1`)).text)).toMatchObject({ gold: 7 });
  const { publishes } = JSON.parse((await browser.get(`/v3/manage/${projectId}/publishes`)).text);
  expect(publishes[0].actor).toMatchObject({ kind: 'person', person: 'owner' });
  const { changes } = JSON.parse((await browser.get(`/v3/storage/${projectId}/shop/p1/history`)).text);
  expect(changes[0].actor).toMatchObject({ kind: 'person', person: 'owner' });
  const { commits } = JSON.parse((await browser.get(`/v3/manage/${projectId}/commits?key=owner`)).text);
  expect(commits.map(({ actor }: { readonly actor: unknown }) => actor)).toEqual(
    Array(2).fill(expect.objectContaining({ kind: 'person', person: 'owner' })),
  );
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

test('a settled session ends at once where it is revoked', async () => {
  const lost = await newBrowser();
  const { sessions } = JSON.parse((await lost.get('/api/sessions')).text);
  const { id } = sessions.find(({ current }: { readonly current: boolean }) => current);
  expect((await browser.change('DELETE', `/api/sessions/${id}`)).status).toBe(200);
  expect(codeOf(await lost.get(`/v3/manage/${projectId}/publishes`))).toEqual([401, 'SIGNED_OUT']);
  await ok(client.manage('GET', `/v3/manage/${projectId}/publishes`));
});
