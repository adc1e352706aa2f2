import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownEnvironment } from '../../infra/harness/node.ts';
import { createClient, type Fetch, memoryStorage, set, signInGuest } from '../../src/client/index.ts';
import { patient } from '../client/support.ts';
import { ROOT } from '../docs/support/pages.ts';
import { newProject } from '../node/support/command-line.ts';
import { type Node, newFolder, removeFolders, startNode, succeed } from '../node/support/program.ts';
import { migratedDatabase } from '../support/postgres.ts';

/** infra/examples: each is played on a real node, or its requests are. The page is played by test/package. */

const EXAMPLES = join(ROOT, 'infra/examples');

let node: Node;
let project: { readonly url: string; readonly projectId: string; readonly publicKey: string; readonly secretKey: string };
const read = (path: string) => readFileSync(join(EXAMPLES, path), 'utf8');

beforeAll(async () => {
  const env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env, args: ['--no-demo'] });
  project = { url: node.url, ...(await newProject(env, 'Gold Rush')) };
  const place = { SAVEPOINT_URL: project.url, SAVEPOINT_PROJECT: project.projectId, SAVEPOINT_SECRET_KEY: project.secretKey };
  await succeed(['push', '--live', '--dir', join(EXAMPLES, 'game')], { env: place });
  // As on the node of `savepoint dev`.
  const headers = { 'x-api-key': project.secretKey, 'content-type': 'application/json' };
  const settings = { method: 'PUT', headers, body: '{"guestSignIn":true,"requirePlayerAuth":true}' };
  expect((await fetch(`${project.url}/v3/manage/${project.projectId}/settings`, settings)).status).toBe(200);
});

afterAll(async () => {
  await node.stop();
  removeFolders();
});

test('game: its types are what its definitions say', () =>
  succeed(['types', '--check', '--dir', join(EXAMPLES, 'game'), '--out', join(EXAMPLES, 'game/game.types.ts')]));

test('server: each round is written, and the last one when it is told to stop', async () => {
  const { url, projectId, secretKey } = project;
  const settings = { SAVEPOINT_URL: url, SAVEPOINT_PROJECT: projectId, SAVEPOINT_SECRET_KEY: secretKey, PORT: '0', ROUND_MS: '60000' };
  const server = spawn(process.execPath, [join(EXAMPLES, 'server/server.mjs')], { env: ownEnvironment(settings) });
  let printed = '';
  server.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  const port = await new Promise<string>((resolve) =>
    server.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
      const [, found] = /listening on (\d+)/.exec(printed) ?? [];
      if (found !== undefined) resolve(found);
    }),
  );
  const player = '76561198000000088';
  const guest = `guest-${'0a'.repeat(16)}`;
  const swing = async (by: string) => (await fetch(`http://127.0.0.1:${port}/swing/${by}`, { method: 'POST' })).status;
  // The first is refused by the node, and hinders nobody.
  expect(await swing('__proto__')).toBe(202);
  expect(await swing(guest)).toBe(202);
  for (let count = 0; count < 3; count++) await swing(player);
  const ended = new Promise((resolve) => server.once('close', resolve));
  server.kill('SIGTERM');
  expect(await ended).toBe(0);
  const { gold } =
    (await createClient({ ...project, clientType: 'dedicated', player, fetch: patient })
      .documents('players')
      .get()) ?? {};
  expect(gold).toBeGreaterThanOrEqual(3);
  expect(printed).toMatch(/round 1: __proto__: /);
  expect(printed).toContain(`round 1: ${guest} swung 1 times`);
  expect(printed).toContain(`round 1: ${player} swung 3 times and has ${gold} gold`);
});

test('server: without address and key it says which variables and which file it looked for', async () => {
  const server = spawn(process.execPath, [join(EXAMPLES, 'server/server.mjs')], { env: ownEnvironment({}), cwd: newFolder() });
  let printed = '';
  server.stderr.on('data', (chunk: Buffer) => {
    printed += chunk.toString();
  });
  expect(await new Promise((resolve) => server.once('close', resolve))).toBe(1);
  expect(printed).toMatch(/SAVEPOINT_URL.*SAVEPOINT_SECRET_KEY.*savepoint\.credentials\.json/);
});

/** The rows of a table of requests, and of headers, as either language writes them. */
const ROW = /\["?(\w+)"?\] = new\[\] \{ "(\w+)", "([^"]+)" \}|^\t"(\w+)": \["(\w+)", "([^"]+)"\]/gm;
const HEADING = /\["([\w-]+)"\] = "([^"]+)"|^\t"([\w-]+)": "([^"]+)"/gm;

function tablesOf(file: string) {
  const text = read(file);
  const rows = [...text.matchAll(ROW)].map((found) => found.slice(1).filter((part) => part !== undefined));
  const headings = [...text.matchAll(HEADING)].map((found) => found.slice(1).filter((part) => part !== undefined));
  return { text, requests: rows.map(([name = '', method = '', path = '']) => ({ name, method, path })), headings };
}

/** What a program reads of the answers to a request: member → its type in C#, or `null`. */
function membersOf(text: string, name: string): Readonly<Record<string, string | null>> {
  // Godot: `## …: {found, gold}` above the function that sends it.
  const told = new RegExp(`^## .*\\{([\\w, ]+)\\}.*\\n(?:##.*\\n)*func [^#]*?_send\\("${name}"`, 'm').exec(text)?.[1];
  if (told !== undefined) return Object.fromEntries(told.split(', ').map((member) => [member, null]));
  const answer = new RegExp(`Send<(\\w+)>\\("${name}"`).exec(text)?.[1];
  const body = new RegExp(`class ${answer} \\{(.*)\\}`).exec(text)?.[1] ?? '';
  return Object.fromEntries([...body.matchAll(/public ([\w[\]]+) (\w+);/g)].map(([, type = '', member = '']) => [member, type]));
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  int: Number.isInteger,
  string: (value) => typeof value === 'string',
  'Row[]': Array.isArray,
  Row: (value) => Object(value) === value,
};

interface Answered {
  readonly error?: { readonly code: string };
  readonly message?: string;
  readonly entries?: readonly unknown[];
  readonly player?: unknown;
}

/** Of the client alone: seals, sessions, its version, and the place in the log that it has seen. */
const OWN_HEADERS = ['x-ns-security-mode', 'x-ns-security-config-version', 'x-ns-library-version', 'x-ns-position'];

test.each(['godot/savepoint.gd', 'unity/SavepointClient.cs'])(
  '%s sends what the client library sends, and is answered the same',
  async (file) => {
    const { text, requests, headings } = tablesOf(file);
    expect(requests.map(({ name }) => name)).toEqual(['register', 'dig', 'upgrade', 'profile', 'richest']);
    const sent: { readonly url: string; readonly init: RequestInit }[] = [];
    const recorded: Fetch = (url, init) => {
      sent.push({ url, init });
      return patient(url, init);
    };
    const client = createClient({ ...project, secretKey: '', fetch: recorded });
    const plays: Readonly<Record<string, () => Promise<unknown>>> = {
      register: () => signInGuest(client, { storage: memoryStorage() }),
      dig: () => client.call('dig', { name: 'Cy' }),
      upgrade: async () => (await client.tryCall('upgrade')).ok,
      profile: () => client.documents('players').get(),
      richest: () => client.leaderboard('richest', { limit: 10, own: true }),
    };
    /** What `name` stands for. A device that registers has a secret, and no player yet. */
    const standsFor = (name: string): string => {
      if (name === 'project') return project.projectId;
      if (name === 'key') return project.publicKey;
      const { id = '', token = '' } = client.player ?? {};
      return name === 'player' ? id : String(token);
    };
    const filled = (given: string) => given.replace(/\{(\w+)\}/g, (_, name: string) => standsFor(name));
    for (const { name, method, path } of requests) {
      expect(text.match(new RegExp(`"${name}"`, 'g'))?.length, `${name} is used`).toBe(2);
      const value = await plays[name]?.();
      const own = sent.at(-1);
      expect([own?.init.method, own?.url]).toEqual([method, project.url + filled(path)]);
      const headers = Object.fromEntries(headings.map(([heading = '', content = '']) => [heading, filled(content)]));
      const { 'idempotency-key': ownKey, ...expected } = Object.fromEntries(
        [...new Headers(own?.init.headers)].filter(([heading]) => !OWN_HEADERS.includes(heading)),
      );
      // Registering twice is registering once.
      expect(ownKey !== undefined).toBe(method === 'POST' && name !== 'register');
      expect(headers).toMatchObject(expected);
      const { security: _, _endpointSlug: __, ...input } = method === 'POST' ? JSON.parse(String(own?.init.body ?? '{}')) : {};
      const body = method === 'POST' ? { body: JSON.stringify({ input }) } : {};
      const ask = async (again: string) => {
        const keyed = method === 'POST' ? { 'idempotency-key': `${name} of ${file} ${again}` } : {};
        const answer = await patient(project.url + filled(path), { method, headers: { ...headers, ...keyed }, ...body });
        const answered: Answered = JSON.parse(await answer.text());
        return { answer, answered };
      };
      const { answer, answered } = await ask('first');
      if (name === 'upgrade')
        await createClient({ ...project, clientType: 'dedicated', fetch: patient })
          .documents('players')
          .update(set('gold', 30), { key: standsFor('player') });
      const done = name === 'upgrade' ? (await ask('rich')).answered : answered;
      const members = Object.entries(membersOf(text, name));
      expect(members.length, `${name} says what it answers`).toBeGreaterThan(0);
      expect(members.filter(([member, type]) => !(TYPES[type ?? '']?.(Object(done)[member]) ?? member in done))).toEqual([]);
      if (name === 'register') expect([answer.status, Object(answered).player]).toEqual([200, client.player?.id]);
      else if (name === 'upgrade')
        expect([answer.status, answered.error?.code, typeof answered.message]).toEqual([409, 'TOO_POOR', 'string']);
      else if (name === 'dig') expect(Object.keys(answered)).toEqual(Object.keys(Object(value)));
      else if (name === 'richest') expect([answered.entries, answered.player]).toEqual([Object(value).entries, Object(value).player]);
      else expect(answered).toEqual(value);
    }
  },
);
