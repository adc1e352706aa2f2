import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findProgram } from '../../../infra/cluster/process.ts';
import { healthStatus } from '../../../infra/harness/node.ts';
import { openProject, parseCredentials } from '../../../infra/harness/project.ts';
import { accountOf, noFindings } from '../../faults/support/checks.ts';
import { publishDefinitions } from '../../faults/support/definitions.ts';
import { startWriting } from '../../faults/support/writers.ts';
import { publishGame } from '../../node/support/game.ts';
import { type Client, createClient, ok, refused } from '../../node/support/game-client.ts';
import { eventually, isRunning, newFolder, type Running, removeFolders, run } from '../../node/support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/** `npm run cluster` as a user runs it: nginx with our settings, three API nodes behind it, and the servers they need. */

const PROGRAM = join(import.meta.dirname, '../../../dist/infra/cluster/main.js');
const missing = ['nginx', 'redis-server'].filter((name) => findProgram(name) === null);
if (missing.length > 0) process.stderr.write(`\n*** SKIPPED: the cluster. There is no ${missing.join(', no ')} on this machine ***\n\n`);

interface Part {
  readonly name: string;
  readonly url: string;
  readonly pid: number;
}

let program: Running;
let parts: readonly Part[];
let client: Client;

describe.skipIf(missing.length > 0)('a cluster on one machine', () => {
  beforeAll(async () => {
    program = run(['--port', '0', '--data', newFolder(), '--json'], { program: PROGRAM });
    const line = await eventually('it serves', async () => {
      if (program.child.exitCode !== null) throw new Error(program.stderr());
      return /^\{.*\}$/m.exec(program.stdout())?.[0];
    });
    const said = JSON.parse(line);
    parts = said.parts.map(({ name, address, pid }: { name: string; address: string; pid: number }) => ({
      name,
      url: `http://${address}`,
      pid,
    }));
    client = createClient(said.url, parseCredentials(JSON.parse(readFileSync(said.credentialsFile, 'utf8'))));
    await publishGame(client);
  });

  afterAll(async () => {
    client?.close();
    program?.child.kill('SIGTERM');
    await program?.ended;
    removeFolders();
  });

  const apiNodes = () => parts.filter(({ name }) => name.startsWith('api-'));

  /** How many requests each API node has served, without those of probes. */
  async function served(): Promise<readonly number[]> {
    // Metrics are made at most once a second. Older ones would not include what was just served.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const texts = await Promise.all(apiNodes().map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
    const count = /^savepoint_http_request_seconds_count\{route="([^"]*)"[^}]*\} (\d+)$/gm;
    const watching = ['GET /health', 'GET /metrics'];
    return texts.map((text) =>
      [...text.matchAll(count)].reduce((sum, [, route = '', number]) => (watching.includes(route) ? sum : sum + Number(number)), 0),
    );
  }

  async function servedBy(before: readonly number[], requests: () => Promise<unknown>): Promise<readonly number[]> {
    await requests();
    const after = await served();
    return after.map((count, index) => count - (before[index] ?? 0));
  }

  test('one project meets in one node under every prefix, in any case; projects are spread over all nodes', async () => {
    const paths = (id: string) => [
      ...['v3/storage', 'v1/storage', 'api/storage', 'V3/Storage', '%76%33/storage'].map((prefix) => `/${prefix}/${id}/players/7`),
      ...['v3/endpoints', 'v1/endpoints'].map((prefix) => `/${prefix}/${id}/buy?apiKey=x`),
      ...['v3/queries', 'v1/queries'].map((prefix) => `/${prefix}/${id}/top`),
      ...['v3/values', 'v1/values'].map((prefix) => `/${prefix}/${id}?apiKey=x`),
      ...['v3/manage', 'v3/auth-sessions', 'v3/sessions', 'v1/auth-sessions', 'v1/sessions'].map((prefix) => `/${prefix}/${id}/x`),
      ...['v3/security-config', 'api/network-storage', 'api/pages'].map((prefix) => `/${prefix}/${id}/x`),
      ...['pages', 'PAGES'].map((prefix) => `/${prefix}/${id}/x`),
    ];
    const busy = new Set<number>();
    // The node of a project depends on the ports, which differ in each run. Sometimes it takes many projects to find one for the third
    // node.
    let before = await served();
    for (let index = 0; index < 100 && (index < 4 || busy.size < 3); index += 1) {
      const id = `project-${index}`;
      const all = paths(id);
      const counts = await servedBy(before, () => Promise.all(all.map((path) => client.send('GET', path))));
      expect(
        counts.filter((count) => count > 0),
        id,
      ).toEqual([all.length]);
      before = before.map((count, node) => count + (counts[node] ?? 0));
      busy.add(counts.findIndex((count) => count > 0));
    }
    expect(busy.size).toBe(3);
  });

  test('/metrics is refused however it is spelled, and refused as JSON', async () => {
    for (const path of ['/metrics', '/METRICS', '/%6detrics', '//metrics', '/metrics?x=1', '/metrics/']) {
      expect([path, await refused(client.send('GET', path))]).toEqual([path, '404 NOT_FOUND']);
    }
    expect((await fetch(`${apiNodes()[0]?.url}/metrics`)).status).toBe(200);
  });

  test('bodies arrive whole, chunked or with a length; what is too large is refused as JSON by node and balancer alike', async () => {
    const name = 'é'.repeat(20_000);
    const path = client.storage('players/76561198000000001');
    await ok(client.play('POST', path, { body: { name } }));
    expect((await ok(client.play('GET', path))).body).toMatchObject({ name });
    const text = JSON.stringify({ name: 'x'.repeat(60_000) });
    const headers = { 'x-public-key': client.publicKey, 'x-platform-id': '76561198000000001', 'content-type': 'application/json' };
    const answer = await fetch(`${client.url}${path}?apiKey=${client.publicKey}`, { method: 'POST', headers, body: text });
    expect(answer.status).toBe(200);
    const sized = (bytes: number) => ({ body: { name: 'x'.repeat(bytes) } });
    expect(await refused(client.play('POST', path, sized(300_000)))).toBe('413 PAYLOAD_TOO_LARGE');
    expect(await refused(client.manage('PUT', client.definitions('collections'), sized(10_000_000)))).toBe('413 PAYLOAD_TOO_LARGE');
  });

  test.skipIf(process.platform !== 'linux')('connections to the nodes are kept', async () => {
    const ports = new Set(apiNodes().map(({ url }) => Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0')));
    const lines = () => readFileSync('/proc/net/tcp', 'utf8').trim().split('\n').slice(1);
    const to = () => lines().filter((line) => ports.has(line.trim().split(/\s+/)[2]?.split(':')[1] ?? '')).length;
    const before = to();
    for (let n = 0; n < 300; n += 1) await ok(client.send('GET', `/v3/values/${client.projectId}?apiKey=${client.publicKey}`));
    // Otherwise each request would leave a connection in TIME_WAIT.
    expect(to() - before).toBeLessThan(60);
  });

  test('players behind the balancer are counted by their own address, not by what they write', async () => {
    const headers = { 'x-forwarded-for': '9.9.9.9' };
    const burst = Array.from({ length: 900 }, () => client.send('GET', `/v3/values/${client.projectId}`, { headers }));
    expect(new Set((await Promise.all(burst)).map(({ status }) => status))).toEqual(new Set([401]));
  });

  test('kill -9 of the node that has the project: another takes over, nothing acknowledged is lost, the node comes back', async () => {
    const counts = await servedBy(await served(), () => ok(client.play('GET', client.storage('players/76561198000000001'))));
    const victim = apiNodes()[counts.findIndex((count) => count > 0)];
    if (victim === undefined) throw new Error(`nobody served it: ${counts}`);
    const project = openProject(client.url, client);
    await publishDefinitions(project);
    const writing = startWriting(project, 1, { clients: 8 });
    await eventually('writes are under way', async () => writing.acknowledged() > 50);
    process.kill(victim.pid, 'SIGKILL');
    const then = writing.acknowledged();
    await eventually('another node takes writes', async () => writing.acknowledged() > then + 100);
    await eventually('it is told and started again', async () => program.stderr().includes(`${victim.name} serves again`));
    expect(await healthStatus(victim.url)).toBe(200);
    const writes = await writing.stop();
    // A request that was sent and cut off has an unknown outcome. One that was never sent went to the next node.
    const explained = /^(cut off|504 OUTCOME_UNKNOWN|409 WRITE_CONFLICT|503 \w+ Retry-After)$/;
    expect(await accountOf(project, writes, explained)).toEqual({ ...noFindings(), unexplained: [] });
    project.http.close();
  });

  test('kill -9 of balancer, queue and projector: each comes back at its address', async () => {
    for (const name of ['balancer', 'redis', 'projector']) {
      const part = parts.find((one) => one.name === name);
      process.kill(part?.pid ?? 0, 'SIGKILL');
      await eventually(`${name} is started again`, async () => program.stderr().includes(`${name} serves again`));
    }
    await ok(client.send('GET', '/health'));
    await ok(client.play('POST', client.storage('players/76561198000000001'), { body: { name: 'again' } }));
  });

  test('SIGTERM stops all of them, and nothing is left running', async () => {
    program.child.kill('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 0, signal: null });
    for (const { name, pid } of parts) await eventually(`${name} is gone`, async () => !isRunning(pid));
    for (const { name, url } of apiNodes()) expect([name, await healthStatus(url)]).toEqual([name, 0]);
  });
});
