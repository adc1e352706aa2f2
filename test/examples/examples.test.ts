import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownEnvironment } from '../../infra/harness/node.ts';
import { createClient, type Fetch } from '../../src/client/index.ts';
import { patient } from '../client/support.ts';
import { ROOT } from '../docs/support/pages.ts';
import { newProject } from '../node/support/command-line.ts';
import { type Node, newFolder, removeFolders, startNode, succeed } from '../node/support/program.ts';
import { testDatabase } from '../support/postgres.ts';

/** infra/examples: each is played on a real node, or its requests are. The page is played by test/package. */

const EXAMPLES = join(ROOT, 'infra/examples');

let node: Node;
let project: { readonly url: string; readonly projectId: string; readonly publicKey: string; readonly secretKey: string };
const read = (path: string) => readFileSync(join(EXAMPLES, path), 'utf8');

beforeAll(async () => {
  const env = { DATABASE_URL: await testDatabase() };
  node = await startNode(newFolder(), { env, args: ['--no-demo'] });
  project = { url: node.url, ...(await newProject(env, 'Gold Rush')) };
  const place = { SAVEPOINT_URL: project.url, SAVEPOINT_PROJECT: project.projectId, SAVEPOINT_SECRET_KEY: project.secretKey };
  await succeed(['push', '--live', '--dir', join(EXAMPLES, 'game')], { env: place });
});

afterAll(async () => {
  await node.stop();
  removeFolders();
});

function clientOf(player: string) {
  const { url, projectId, publicKey } = project;
  return createClient({ url, projectId, publicKey, player, fetch: patient });
}

test('game: its types are what its definitions say', () =>
  succeed(['types', '--check', '--dir', join(EXAMPLES, 'game'), '--out', join(EXAMPLES, 'game/game.types.ts')]));

test('server: each round is written, and the last one when it is told to stop', async () => {
  const { url, projectId, secretKey } = project;
  const settings = { SAVEPOINT_URL: url, SAVEPOINT_PROJECT: projectId, SAVEPOINT_SECRET_KEY: secretKey, PORT: '0', ROUND_MS: '60000' };
  const server = spawn(process.execPath, [join(EXAMPLES, 'server/server.js')], { env: ownEnvironment(settings) });
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
  for (let swing = 0; swing < 3; swing++) await fetch(`http://127.0.0.1:${port}/swing/${player}`, { method: 'POST' });
  const ended = new Promise((resolve) => server.once('close', resolve));
  server.kill('SIGTERM');
  expect(await ended).toBe(0);
  const { gold } = (await clientOf(player).documents('players').get()) ?? {};
  expect(gold).toBeGreaterThanOrEqual(3);
  expect(printed).toContain(`round 1: ${player} swung 3 times and has ${gold} gold`);
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

interface Answered {
  readonly error?: { readonly code: string };
  readonly message?: string;
  readonly entries?: readonly unknown[];
  readonly player?: unknown;
}

/** Of the client alone: seals, sessions and the place in the log that it has seen. */
const OWN_HEADERS = ['x-ns-security-mode', 'x-ns-security-config-version', 'x-ns-position'];

test.each(['godot/savepoint.gd', 'unity/SavepointClient.cs'])(
  '%s sends what the client library sends, and is answered the same',
  async (file) => {
    const { text, requests, headings } = tablesOf(file);
    expect(requests.map(({ name }) => name)).toEqual(['dig', 'upgrade', 'profile', 'richest']);
    const player = file.startsWith('godot') ? '76561198000000061' : '76561198000000062';
    const sent: { readonly url: string; readonly init: RequestInit }[] = [];
    const recorded: Fetch = (url, init) => {
      sent.push({ url, init });
      return patient(url, init);
    };
    const client = createClient({ ...project, secretKey: '', player, fetch: recorded });
    const plays: Readonly<Record<string, () => Promise<unknown>>> = {
      dig: () => client.call('dig', { name: 'Cy' }),
      upgrade: async () => (await client.tryCall('upgrade')).ok,
      profile: () => client.documents('players').get(),
      richest: () => client.leaderboard('richest', { limit: 10, own: true }),
    };
    const filled = (given: string) =>
      given.replaceAll('{project}', project.projectId).replaceAll('{player}', player).replaceAll('{key}', project.publicKey);
    for (const { name, method, path } of requests) {
      expect(text.match(new RegExp(`"${name}"`, 'g'))?.length, `${name} is used`).toBe(2);
      const value = await plays[name]?.();
      const own = sent.at(-1);
      expect([own?.init.method, own?.url]).toEqual([method, project.url + filled(path)]);
      const headers = Object.fromEntries(headings.map(([heading = '', content = '']) => [heading, filled(content)]));
      const { 'idempotency-key': ownKey, ...expected } = Object.fromEntries(
        [...new Headers(own?.init.headers)].filter(([heading]) => !OWN_HEADERS.includes(heading)),
      );
      expect(ownKey !== undefined).toBe(method === 'POST');
      expect(headers).toMatchObject(expected);
      const input: unknown = method === 'POST' ? JSON.parse(String(own?.init.body)).input : null;
      const key = method === 'POST' ? { 'idempotency-key': `${name}-${player}` } : {};
      const body = input === null ? {} : { body: JSON.stringify({ input }) };
      const answer = await patient(project.url + filled(path), { method, headers: { ...headers, ...key }, ...body });
      const answered: Answered = JSON.parse(await answer.text());
      if (name === 'upgrade') expect([answer.status, answered.error?.code, typeof answered.message]).toEqual([409, 'TOO_POOR', 'string']);
      else if (name === 'dig') expect(Object.keys(answered)).toEqual(Object.keys(Object(value)));
      else if (name === 'richest') expect([answered.entries, answered.player]).toEqual([Object(value).entries, Object(value).player]);
      else expect(answered).toEqual(value);
    }
  },
);
