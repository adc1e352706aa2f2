import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createHttp } from '../../infra/harness/http.ts';
import { type Credentials, expectOk, openProject } from '../../infra/harness/project.ts';
import { accountOf, noFindings } from '../faults/support/checks.ts';
import { publishDefinitions } from '../faults/support/definitions.ts';
import { startWriting } from '../faults/support/writers.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { newProject, verified } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { type Client, createClient, ok, PLAYER, refused } from './support/game-client.ts';
import { ALL_ROLES, eventually, isRunning, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** `--workers 2`: one port, two processes that serve, one log. */

let env: { readonly DATABASE_URL: string };
let node: Node;
let project: Credentials;
let client: Client;

beforeAll(async () => {
  env = { DATABASE_URL: await migratedDatabase() };
  node = await startNode(newFolder(), { env: { ...env, ...ALL_ROLES }, args: ['--workers', '2', '--no-demo'] });
  project = await newProject(env, 'Crew');
  client = createClient(node.url, project);
  await publishGame(client);
  const opened = openProject(node.url, project);
  await publishDefinitions(opened);
  opened.http.close();
});

afterAll(async () => {
  client?.close();
  if (node && isRunning(node.pid)) await node.stop();
  removeFolders();
});

/** The metrics are made at most once a second. Older ones would not include what was just done. */
const EXPOSED_MS = 1_000;

async function metric(name: string): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, EXPOSED_MS + 100));
  const { text } = await ok(client.send('GET', '/metrics'));
  return Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
}

const workersOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);

/**
 * Clients whose connections begin with a request without a project. Those go to the workers in turn, and later requests stay on the
 * connection.
 */
async function spread(count: number): Promise<readonly Client[]> {
  const clients = Array.from({ length: count }, () => createClient(node.url, project));
  for (const one of clients) await ok(one.send('GET', '/health'));
  return clients;
}

/** Sends these pieces on one connection, with a pause between, and returns all that comes until the server closes it. */
async function raw(pieces: readonly (string | Buffer)[]): Promise<string> {
  const { hostname, port } = new URL(node.url);
  const socket = connect(Number(port), hostname);
  const answer: Buffer[] = [];
  socket.on('data', (chunk) => answer.push(chunk));
  const ended = new Promise((resolve, reject) => socket.once('close', resolve).once('error', reject));
  for (const piece of pieces) {
    await new Promise((resolve) => socket.write(piece, resolve));
    if (pieces.length < 200) await sleep(1);
  }
  await ended;
  return Buffer.concat(answer).toString();
}

const head = (method: string, path: string, more: readonly string[] = []) =>
  [`${method} ${path} HTTP/1.1`, 'Host: x', `X-Public-Key: ${project.publicKey}`, ...more, '', ''].join('\r\n');

test('a connection is whole wherever its first bytes are cut, with several requests in one piece, and with a long body', async () => {
  const path = `/v3/values/${project.projectId}`;
  const last = head('GET', path, ['Connection: close']);
  for (let cut = 1; cut < last.length; cut += 9) expect(await raw([last.slice(0, cut), last.slice(cut)])).toMatch(/^HTTP\/1.1 200/);
  expect(await raw([...last])).toMatch(/^HTTP\/1.1 200/);
  const three = await raw([head('GET', path) + head('GET', '/health') + last]);
  expect(three.match(/HTTP\/1.1 200/g)).toHaveLength(3);

  const body = JSON.stringify({ name: 'x'.repeat(60_000) });
  const length = [
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'X-Platform-Id: 76561198000000044',
    'Connection: close',
  ];
  const write = head('POST', `/v3/storage/${project.projectId}/players/76561198000000044`, length) + body;
  for (const size of [write.length, 60_000, 4096, 300]) {
    const pieces = Array.from({ length: Math.ceil(write.length / size) }, (_, n) => write.slice(n * size, (n + 1) * size));
    for (let round = 0; round < 5; round += 1) expect(await raw(pieces)).toMatch(/^HTTP\/1.1 200/);
  }
  expect(await raw(['NONSENSE\r\n\r\n'])).toMatch(/^HTTP\/1.1 400/);
});

test('counters are exact over both workers, whoever writes', async () => {
  const clients = await spread(6);
  let written = 0;
  const inc = async (one: Client) => {
    const reply = await one.play('POST', one.storage(`counters/${PLAYER}`), { body: { ops: [{ op: 'inc', path: 'n', value: 1 }] } });
    if (reply.status === 200) written += 1;
    else expect(`${reply.status} ${reply.text}`).toMatch(/^(409 .*WRITE_CONFLICT|503)/);
  };
  // Goes on until both have conflicted: then each has written between the other's appends.
  for (let round = 0; round < 200 && (round < 30 || !((await metric('savepoint_append_conflicts_total')) > 0)); round += 1) {
    await Promise.all(clients.map(inc));
  }
  expect(await metric('savepoint_append_conflicts_total')).toBeGreaterThan(0);
  for (const one of clients) {
    const { body } = await ok(one.play('GET', one.storage(`counters/${PLAYER}`), { headers: { 'x-ns-position': '100000000' } }));
    expect(Object(body).n).toBe(written);
    one.close();
  }
});

test('what one worker wrote, a client of another reads at once with x-ns-position, in views too', async () => {
  const clients = await spread(2);
  for (let n = 1; n <= 10; n += 1) {
    const [writer, reader] = n % 2 === 0 ? clients : [...clients].reverse();
    if (!writer || !reader) throw new Error('two clients');
    const { headers } = await ok(writer.play('POST', writer.storage(`players/${PLAYER}`), { body: { level: n, gold: n } }));
    const position = { 'x-ns-position': String(headers['x-ns-position']) };
    const read = await ok(reader.play('GET', reader.storage(`players/${PLAYER}`), { headers: position }));
    expect(read.body).toMatchObject({ level: n });
    const ledger = await ok(reader.play('GET', reader.storage(`players/${PLAYER}/ledger`), { headers: position }));
    expect(Object(ledger.body).entries.at(-1)).toMatchObject({ after: n });
  }
  for (const one of clients) one.close();
});

test('/metrics adds the workers up', async () => {
  const before = await metric('savepoint_append_commits_sum');
  const clients = await spread(4);
  for (const one of clients) await ok(one.play('POST', one.storage('players/76561198000000055'), { body: { level: 1 } }));
  for (const one of clients) one.close();
  expect(await metric('savepoint_append_commits_sum')).toBe(before + 4);
  expect(await metric('savepoint_workers_ready')).toBe(2);
});

test('what the dashboard and the alert rules name is measured by a node with all roles', async () => {
  const fileOf = (name: string) => readFileSync(new URL(`../../infra/grafana/${name}`, import.meta.url), 'utf8');
  const rules = fileOf('alerts.yml').match(/(?<=expr: ).*/g) ?? [];
  const shown = new Set([fileOf('dashboard.json'), ...rules].join('\n').match(/(?:savepoint|process|nodejs)_\w+/g));
  expect(rules.length).toBeGreaterThan(8);
  await refused(client.play('POST', client.endpoint('nobody-has-this'), { body: {} }));
  await eventually('jobs begin after the node serves', async () => (await metric('savepoint_jobs')) >= 0);
  const read = async () => (await ok(client.send('GET', '/metrics'))).text;
  const missingIn = (text: string) => [...shown].filter((name) => !new RegExp(`^${name}(?:\\{| )`, 'm').test(text));
  // They are made anew once a second.
  await eventually('the refusal is counted', async () => missingIn(await read()).length === 0).catch(() => undefined);
  const text = await read();
  expect(missingIn(text)).toEqual([]);
  expect(shown.size).toBeGreaterThan(10);
  const shares = [...text.matchAll(/^savepoint_bulkhead_in_use\{resource="(\w+)"\} \d+$/gm)].map(([, of]) => of);
  expect(shares.sort()).toEqual(['loads', 'verifications', 'views', 'webhooks']);
});

test('kill -9 of a worker under load: the others go on, it is forked again, nothing is lost or doubled', async () => {
  // One connection each, which stays with its worker.
  const projects = Array.from({ length: 4 }, () => ({ ...project, url: node.url, http: createHttp(node.url, 1) }));
  for (const one of projects) await expectOk('/health', one.http.send('GET', '/health'));
  const [first] = projects;
  if (!first) throw new Error('four projects');
  const writers = projects.map((one, index) => startWriting(one, 1, { clients: 4, first: 4 * index }));
  await eventually('writes go through', async () => writers.every((writing) => writing.acknowledged() > 20));
  const before = workersOf(node.pid);
  expect(before).toHaveLength(2);
  process.kill(before[0] ?? 0, 'SIGKILL');
  await eventually('there are two again', async () => (await metric('savepoint_workers_ready').catch(() => 0)) === 2);
  const writes = (await Promise.all(writers.map((writing) => writing.stop()))).flat();
  const explained = /^(cut off|409 WRITE_CONFLICT|503 \w+ Retry-After)$/;
  expect(await accountOf(first, writes, explained)).toEqual({ ...noFindings(), unexplained: [] });
  expect(workersOf(node.pid)).toHaveLength(2);
  for (const one of projects) one.http.close();
});

test('SIGTERM drains all: a write in flight is answered, no process is left; verify agrees', async () => {
  const workers = workersOf(node.pid);
  const body = '{"level":12}';
  const more = [
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    'X-Platform-Id: 76561198000000066',
    'Expect: 100-continue',
  ];
  const write = head('POST', `/v3/storage/${project.projectId}/players/76561198000000066`, more);
  const { hostname, port } = new URL(node.url);
  const socket = connect(Number(port), hostname);
  const came = async () => String((await once(socket, 'data'))[0]);
  socket.write(write + body.slice(0, 5));
  expect(await came()).toMatch(/^HTTP\/1.1 100/);
  const answered = came();
  const stopping = node.stop();
  await sleep(200);
  socket.write(body.slice(5));
  expect(await answered).toMatch(/^HTTP\/1.1 200/);
  expect(await stopping).toMatchObject({ code: 0, signal: null });
  for (const worker of workers) await eventually('it is gone', async () => !isRunning(worker));
  await verified(env);
});
