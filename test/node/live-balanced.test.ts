import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { balancerPart } from '../../infra/cluster/parts.ts';
import { findProgram } from '../../infra/cluster/process.ts';
import type { Running } from '../../infra/cluster/supervisor.ts';
import { PING_MS } from '../../src/http/event-streams.ts';
import { type LiveClient, listen } from '../support/live-stream.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { newProject } from './support/command-line.ts';
import { type Client, createClient, ok } from './support/game-client.ts';
import { eventually, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 180_000 });

/** Streams of a node with two serving processes, and of two nodes behind a real nginx with our settings. */

const missing = findProgram('nginx') === null;
if (missing) process.stderr.write('\n*** SKIPPED: streams behind nginx. There is no nginx on this machine ***\n\n');

let nodes: readonly Node[];
let direct: readonly Client[];
const clients: LiveClient[] = [];

beforeAll(async () => {
  const env = { DATABASE_URL: await migratedDatabase() };
  const several = [[], ['--workers', '2']];
  nodes = await Promise.all(several.map((more) => startNode(newFolder(), { env, args: ['--no-demo', ...more] })));
  const project = await newProject(env, 'Balanced');
  direct = nodes.map(({ url }) => createClient(url, project));
  const [game] = direct;
  const notes = { id: 'notes', name: 'notes', accessMode: 'public', schema: {} };
  if (game !== undefined) await ok(game.manage('PUT', game.definitions('collections'), { body: [notes] }));
});
afterAll(async () => {
  for (const client of clients) client.close();
  for (const client of direct ?? []) client.close();
  await Promise.all((nodes ?? []).map((node) => node.stop()));
  removeFolders();
});

const one = (index: number): Client => direct[index] as Client;
const TOPIC = 'documents/notes/1';

async function open(url: string, id: string | null = null): Promise<LiveClient> {
  const { projectId, publicKey } = one(0);
  const client = await listen(url, projectId, [TOPIC], { 'x-public-key': publicKey, ...(id === null ? {} : { 'last-event-id': id }) });
  clients.push(client);
  expect(client.status).toBe(200);
  return client;
}

const write = (n: number, at: Client) => ok(at.play('POST', at.storage('notes/1'), { body: { n } }));
const says = (n: number | null) => (came: { readonly data: { readonly value?: unknown } }) => (Object(came.data.value).n ?? null) === n;

test('streams at a node with several processes are sent what any of them, or another node, has written', async () => {
  await write(1, one(0));
  const streams = await Promise.all([open(one(1).url), open(one(1).url), open(one(0).url)]);
  await Promise.all(streams.map((stream) => stream.next(says(1))));
  await write(2, one(1));
  await Promise.all(streams.map((stream) => stream.next(says(2))));
  await write(3, one(0));
  await Promise.all(streams.map((stream) => stream.next(says(3))));
});

describe.skipIf(missing)('behind nginx', () => {
  let nginx: Running;
  let url: string;

  beforeAll(async () => {
    const parts = nodes.map((node, index) => {
      const start = () => Promise.reject(new Error('it runs already'));
      return { name: `api-${index + 1}`, does: '', address: '', url: node.url, start };
    });
    const balancer = await balancerPart(newFolder(), 0, parts);
    url = balancer.url;
    nginx = await balancer.start(new AbortController().signal);
  });
  afterAll(() => nginx?.stop());

  test('each event is passed on at once, while the answer goes on', async () => {
    const stream = await open(url);
    await stream.next(says(3));
    for (const n of [4, 5, 6]) {
      await write(n, one(n % 2));
      await stream.next(says(n));
    }
  });

  test('its node is killed, and the client comes back to another and has missed nothing', async () => {
    const { projectId } = one(0);
    const stream = await open(url);
    await stream.next(says(6));
    const id = stream.lastId();
    // The node that nginx sends this project to has the streams.
    const streams = async ({ url: at }: Node) =>
      Number(/^savepoint_live_streams(?:\{[^}]*\})? (\d+)$/m.exec(await (await fetch(`${at}/metrics`)).text())?.[1] ?? 0);
    const before = await Promise.all(nodes.map(streams));
    const more = await open(url);
    const held = await eventually('a node has it', async () => {
      const now = await Promise.all(nodes.map(streams));
      const at = now.findIndex((count, index) => count > (before[index] ?? 0));
      return at < 0 ? null : at;
    });
    await nodes[held]?.kill();
    await Promise.all([stream.ended, more.ended]);
    await write(7, one(1 - held));
    const back = await eventually('another node answers', async () => {
      const again = await listen(url, projectId, [TOPIC], { 'x-public-key': one(0).publicKey, 'last-event-id': id ?? '' });
      clients.push(again);
      return again.status === 200 ? again : null;
    });
    expect((await back.next(says(7))).data.value).toEqual({ n: 7 });
    expect(back.told).toHaveLength(1);
  });

  test('a silent stream says something before a balancer with our settings would cut it', () => {
    const settings = readFileSync('infra/cluster/nginx.conf', 'utf8');
    const [, patience] = /proxy_read_timeout (\d+)s;/.exec(settings) ?? [];
    expect(Number(patience) * 1_000).toBeGreaterThanOrEqual(2 * PING_MS);
  });
});
