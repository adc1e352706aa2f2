import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { Agent, type ClientRequest, get, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { demoCredentials, healthStatus, ownEnvironment, programPath } from '../../infra/harness/node.ts';
import { freePort } from '../../infra/harness/port.ts';
import { testDatabase } from '../support/postgres.ts';
import { publishGame } from './support/game.ts';
import { createClient } from './support/game-client.ts';
import {
  ALL_ROLES,
  eventually,
  isRunning,
  type Node,
  newFolder,
  postmasterOf,
  removeFolders,
  run,
  savepoint,
  startNode,
} from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const data = newFolder();
let node: Node;

beforeAll(async () => {
  node = await startNode(data, { env: ALL_ROLES });
  const studio = createClient(node.url, demoCredentials(data));
  await publishGame(studio);
  studio.close();
});

afterAll(async () => {
  await node?.stop();
  removeFolders();
});

describe('the first start', () => {
  test('is ready when /health answers 200, and one line says where it listens', async () => {
    expect(await healthStatus(node.url)).toBe(200);
    expect(node.stdout().trimEnd().split('\n').at(-1)).toBe(`savepoint is ready on ${node.url}`);
  });

  test('writes the keys of a demo project for its owner alone, prints them, and they work', async () => {
    const file = join(data, 'demo-project.json');
    const written: unknown = JSON.parse(readFileSync(file, 'utf8'));
    expect(Object.keys(Object(written))).toEqual(['projectId', 'publicKey', 'secretKey']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const { projectId, publicKey, secretKey } = demoCredentials(data);
    for (const shown of [projectId, publicKey, secretKey]) expect(node.stdout()).toContain(shown);
    const headers = { 'x-api-key': secretKey, 'x-public-key': publicKey };
    const answer = await fetch(`${node.url}/v3/manage/${projectId}/validate`, { headers });
    expect([answer.status, Object(await answer.json()).ok]).toEqual([200, true]);
  });

  test('a second node on the same folder is told who holds it, and ends with 1', async () => {
    const second = await savepoint(['start', '--port', String(await freePort()), '--data', data]);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`process ${node.pid}`);
    expect(second.stderr).toContain('DATABASE_URL');
    expect(await healthStatus(node.url)).toBe(200);
  });
});

describe('SIGTERM', () => {
  test('with kept-alive connections and a write in flight: it is answered and kept, exit code 0 in time, no Postgres left', async () => {
    const agent = new Agent({ keepAlive: true });
    await Promise.all(Array.from({ length: 5 }, () => answered(get(`${node.url}/health`, { agent }))));
    const write = beginWrite('in-flight');
    const answer = answered(write);
    const postmaster = postmasterOf(data);
    await once(write, 'continue');
    const stopping = node.stop();
    await sleep(300);
    write.end('1}');
    expect(await answer).toBe(200);
    const ended = await stopping;
    expect(ended).toMatchObject({ code: 0, signal: null });
    expect(ended.stdout.trimEnd().split('\n').at(-1)).toBe('savepoint has stopped');
    // The process that collects orphans may take a moment.
    await eventually('no Postgres is left', async () => !isRunning(postmaster));
    agent.destroy();
  });

  test('a request that never ends is cut in time, and the node stops with 0', async () => {
    node = await startNode(data, { env: { SHUTDOWN_TIMEOUT_MS: '3000' } });
    const write = beginWrite('never');
    const cut = answered(write).catch(() => 'cut');
    await once(write, 'continue');
    expect(await node.stop()).toMatchObject({ code: 0 });
    expect(await cut).toBe('cut');
  });
});

describe('a later start', () => {
  test('finds what was answered, makes no other demo project; --json prints one value', async () => {
    const before = readFileSync(join(data, 'demo-project.json'), 'utf8');
    node = await startNode(data, { args: ['--json'] });
    expect(JSON.parse(node.stdout())).toEqual({ url: node.url, demo: null });
    expect(readFileSync(join(data, 'demo-project.json'), 'utf8')).toBe(before);
    const game = createClient(node.url, demoCredentials(data));
    const written = await game.play('GET', game.storage('counters/in-flight'));
    const cut = await game.play('GET', game.storage('counters/never'));
    game.close();
    expect([written.text, cut.status]).toEqual(['{"n":1}', 404]);
    const listed = JSON.parse((await savepoint(['project', 'list', '--json', '--data', data])).stdout);
    expect(listed).toHaveLength(1);
  });

  test('--no-demo makes none at all', async () => {
    await node.stop();
    const other = newFolder();
    const bare = await startNode(other, { env: { DATABASE_URL: await testDatabase() }, args: ['--no-demo'] });
    expect(existsSync(join(other, 'demo-project.json'))).toBe(false);
    expect(bare.stdout()).toBe(`savepoint is ready on ${bare.url}\n`);
    expect((await bare.stop()).code).toBe(0);
  });

  test('on a fresh folder beside a log that holds projects says why there is no demo project', async () => {
    const env = { DATABASE_URL: await testDatabase() };
    const first = await startNode(newFolder(), { env });
    await first.stop();
    const second = await startNode(newFolder(), { env });
    expect(second.stdout()).toContain('No demo project was made: the log holds projects already');
    expect((await second.stop()).code).toBe(0);
  });

  test('after the first says where the keys of the demo project are', async () => {
    const next = await startNode(data);
    const file = join(data, 'demo-project.json');
    expect(next.stdout()).toBe(`The keys of the demo project are in ${file}\nsavepoint is ready on ${next.url}\n`);
    expect((await next.stop()).code).toBe(0);
  });

  test('SIGTERM while it still starts stops it with 0 and leaves no Postgres running', async () => {
    const starting = run(['start', '--port', String(await freePort()), '--data', data]);
    await eventually('its Postgres is there', async () => existsSync(join(data, 'postgres', 'postmaster.pid')));
    starting.child.kill('SIGTERM');
    expect(await starting.ended).toMatchObject({ code: 0, signal: null });
    expect((await savepoint(['db', 'url', '--json', '--data', data])).stdout).toContain('"running":false');
  });

  test('to the shell that npm puts between, which passes none on, stops it too', async () => {
    const script = `"${process.execPath}" "${programPath()}" start --port ${await freePort()} --data "${data}"; true`;
    const npm = spawn('sh', ['-c', script], { stdio: 'ignore', env: ownEnvironment({ npm_lifecycle_event: 'start' }) });
    await eventually('its Postgres is there', async () => existsSync(join(data, 'postgres', 'postmaster.pid')));
    npm.kill('SIGTERM');
    await eventually('its Postgres has gone', async () => !existsSync(join(data, 'postgres', 'postmaster.pid')));
  });
});

/** A write whose body has begun and not ended. The status `continue` shows that the node has it. */
function beginWrite(key: string): ClientRequest {
  const { projectId, publicKey } = demoCredentials(data);
  const headers = { 'x-public-key': publicKey, 'content-type': 'application/json', expect: '100-continue' };
  const write = request(`${node.url}/v3/storage/${projectId}/counters/${key}`, { method: 'POST', headers });
  write.write('{"n":');
  return write;
}

function answered(outgoing: ClientRequest): Promise<number> {
  return new Promise((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.on('response', (incoming) => {
      incoming.resume();
      incoming.on('end', () => resolve(incoming.statusCode ?? 0));
    });
  });
}
