import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { Agent, type ClientRequest, get, request } from 'node:http';
import { createServer } from 'node:net';
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

  test('on a taken port, also that of the metrics, says so, ends with 1 and has made nothing', async () => {
    const other = newFolder();
    const holder = await holdPort();
    for (const [port, metricsPort] of [
      [holder.port, ''],
      [await freePort(), holder.port],
    ]) {
      const env = { ...(metricsPort === '' ? {} : { METRICS_PORT: String(metricsPort) }) };
      const ended = await savepoint(['start', '--port', String(port), '--data', other], { env });
      expect(ended.code).toBe(1);
      expect(ended.stderr).toMatch(new RegExp(`EADDRINUSE.*:${holder.port}.*choose another --port`, 's'));
      expect(ended.stdout).toBe('');
      expect(existsSync(other) ? readdirSync(other) : []).toEqual([]);
    }
    holder.release();
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

describe('wrong settings', () => {
  test('the message names every variable that is wrong, and no secret; exit code 1', async () => {
    const env = { PORT: 'eighty', LIMIT_DOCUMENT: 'much', DATABASE_URL: 'mysql://u:secret@h/d' };
    const ended = await savepoint(['start'], { env: { SAVEPOINT_DATA: newFolder(), ...env } });
    expect(ended.code).toBe(1);
    for (const name of Object.keys(env)) expect(ended.stderr).toContain(name);
    expect(ended.stderr).not.toContain('secret');
    expect(ended.stderr).not.toContain('    at ');
  });

  const HIDDEN = 'hidden-5f1c';
  test.each([
    { DATABASE_URL: `postgres://me:${HIDDEN}@127.0.0.1:1/x`, REDIS_URL: `redis://:${HIDDEN}@127.0.0.1:1` },
    {
      DATABASE_URL: `postgres://me:a#${HIDDEN}@127.0.0.1/x`,
      REDIS_URL: `redis://:a#${HIDDEN}@x`,
      EVENTSTORE_URL: `esdb://me:a#${HIDDEN}@x`,
    },
    { EVENTSTORE_URL: `esdb://me:${HIDDEN}@127.0.0.1:1?tls=false` },
    { EVENTSTORE_URL: `esdb://me:${HIDDEN}@127.0.0.1:1?tls=perhaps` },
    { EVENTSTORE_URL: `esdb://me:a@${HIDDEN}@127.0.0.1:1?tls=false` },
  ])('no failure to start shows a password: %j', async (addresses) => {
    const env = { ...addresses, LOG_LEVEL: 'trace', SAVEPOINT_DEBUG: '1', START_WAIT_MS: '0' };
    const { code, stdout, stderr } = await savepoint(['start', '--port', '0'], { env: { SAVEPOINT_DATA: newFolder(), ...env } });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).not.toContain(HIDDEN);
  });

  test('a database that does not answer: the message says so, exit code 1', async () => {
    const env = { DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none`, START_WAIT_MS: '600' };
    const ended = await savepoint(['start'], { env: { SAVEPOINT_DATA: newFolder(), ...env } });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain('ECONNREFUSED');
    expect(ended.stderr).toMatch(/Postgres postgres:.* does not answer yet; waiting for it, 0\.6 s at most/);
    expect(ended.stderr).toContain('DATABASE_URL');
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

async function holdPort(): Promise<{ readonly port: number; release(): void }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { port: address.port, release: () => server.close() };
}

const hasScript = existsSync('/usr/bin/script');
if (!hasScript) process.stderr.write('\n*** SKIPPED: the log on a terminal. There is no /usr/bin/script on this machine ***\n\n');

test.skipIf(!hasScript)('on a terminal the log is text, elsewhere JSON, and LOG_FORMAT says otherwise', async () => {
  // A start that warns and ends at once.
  const env = { NO_COLOR: '1', LOG_LEVLE: 'info', DATABASE_URL: 'postgres://127.0.0.1:1/none', START_WAIT_MS: '0' };
  const first = (output: string) => output.split('\n').find((line) => line.includes('LOG_LEVLE'));
  const TEXT = /^\d\d:\d\d:\d\d warn /;
  const onTerminal = async (more: Readonly<Record<string, string>> = {}) => {
    const command = `${process.execPath} ${programPath()} start --port 0`;
    const child = spawn('/usr/bin/script', ['-qec', command, '/dev/null'], {
      env: ownEnvironment({ ...env, ...more }),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    await once(child, 'close');
    return first(output);
  };
  const elsewhere = async (more: Readonly<Record<string, string>> = {}) =>
    first((await savepoint(['start', '--port', '0'], { env: { ...env, ...more } })).stderr);
  expect(await onTerminal()).toMatch(TEXT);
  expect(await onTerminal({ LOG_FORMAT: 'json' })).toMatch(/^\{"level":40/);
  expect(await elsewhere()).toMatch(/^\{"level":40/);
  expect(await elsewhere({ LOG_FORMAT: 'text' })).toMatch(TEXT);
});
