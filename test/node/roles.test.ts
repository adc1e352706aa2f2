import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Settings } from '../../infra/harness/node.ts';
import { healthStatus } from '../../infra/harness/node.ts';
import { freePort } from '../../infra/harness/port.ts';
import { testDatabase } from '../support/postgres.ts';
import { here, newProject, printed, verified } from './support/command-line.ts';
import { publishGame } from './support/game.ts';
import { type Client, createClient, ok, PLAYER } from './support/game-client.ts';
import { eventually, type Node, newFolder, removeFolders, startNode } from './support/program.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/**
 * Three nodes that serve and two that project (one does both), on one DATABASE_URL. Clients change the node after every request.
 * `TEST_EVENTSTORE_URL` names a server for the log, on which the test uses a project of its own beside what is there.
 */

/** It is not `EVENTSTORE_URL`: that may be a real installation's, and this runs in `npm test`. */
const ENGINE = process.env['TEST_EVENTSTORE_URL'];

let env: Settings & { readonly DATABASE_URL: string };
let serving: readonly Node[] = [];
let standby: Node;
let clients: readonly Client[] = [];
let hops = 0;

const startRole = (roles: string) => startNode(newFolder(), { env, args: ['--no-demo', '--roles', roles] });
const hop = (): Client => {
  const client = clients[hops++ % clients.length];
  if (!client) throw new Error('no clients');
  return client;
};

beforeAll(async () => {
  env = { DATABASE_URL: await testDatabase(), ...(ENGINE ? { EVENTSTORE_URL: ENGINE } : {}) };
  await printed(['migrate'], { env });
  serving = await Promise.all(['api', 'api', 'api,projector'].map(startRole));
  standby = await startRole('projector,worker');
  const project = await newProject(env, 'Hops');
  clients = serving.map(({ url }) => createClient(url, project));
  await publishGame(hop());
});

afterAll(async () => {
  for (const client of clients) client.close();
  await Promise.all([...serving, standby].map((node) => node?.stop()));
  removeFolders();
});

test('clients that hop after every request read what they wrote, with x-ns-position, documents and views', async () => {
  const player = async (id: string) => {
    for (let n = 1; n <= 12; n += 1) {
      const writer = hop();
      const { headers } = await ok(writer.play('POST', writer.storage(`players/${id}`), { body: { level: n, gold: n } }, id));
      const position = { 'x-ns-position': String(headers['x-ns-position']) };
      const document = hop();
      expect((await ok(document.play('GET', document.storage(`players/${id}`), { headers: position }, id))).body).toMatchObject({
        level: n,
      });
      const view = hop();
      const ledger = await ok(view.play('GET', view.storage(`players/${id}/ledger`), { headers: position, once: true }, id));
      // A view that does not show it yet must say so.
      if (ledger.headers['x-ns-stale'] !== 'true') expect(Object(ledger.body).entries.at(-1)).toMatchObject({ after: n });
      else stale += 1;
    }
  };
  let stale = 0;
  await Promise.all(Array.from({ length: 5 }, (_, n) => player(`7656119800000010${n}`)));
  process.stdout.write(`three nodes: ${stale} of 60 views were stale after 250 ms, and said so\n`);
});

test('counters are exact over the three', async () => {
  let written = 0;
  const inc = async () => {
    const client = hop();
    const ops = [{ op: 'inc', path: 'n', value: 1 }];
    for (;;) {
      const { status } = await client.play('POST', client.storage('counters/hops'), { body: { ops } });
      if (status === 200) break;
      if (status !== 409 && status !== 503) throw new Error(`came ${status}`);
    }
    written += 1;
  };
  const lane = async () => {
    for (let n = 0; n < 25; n += 1) await inc();
  };
  await Promise.all(Array.from({ length: 6 }, lane));
  const headers = { 'x-ns-position': '100000000' };
  for (const client of clients) {
    expect((await ok(client.play('GET', client.storage('counters/hops'), { headers }))).body).toMatchObject({ n: written });
  }
  expect(written).toBe(150);
});

test('a node without the role api serves /health and /metrics alone', async () => {
  const at = async (path: string) => (await fetch(standby.url + path)).status;
  expect([await at('/health'), await at('/metrics'), await at('/v3/server-info')]).toEqual([200, 200, 404]);
});

test('a node tells of what its roles do: the projector in front as well as the one with nothing else to do', async () => {
  const told = async (node: Node | undefined) => {
    const text = await (await fetch(`${node?.url}/metrics`)).text();
    return [/^savepoint_projector_events_total \d+$/m.test(text), /^savepoint_jobs\{.*\} \d+$/m.test(text)];
  };
  expect([await told(serving[0]), await told(serving[2])]).toEqual([
    [false, false],
    [true, false],
  ]);
  await eventually('jobs begin after the node serves', async () => String(await told(standby)) === 'true,true');
});

test('kill -9 of the projector: another has soon taken over and caught up', async () => {
  const [first, second, projecting] = clients;
  if (!first || !second || !projecting) throw new Error('three clients');
  const write = (n: number) => first.play('POST', first.storage(`players/${PLAYER}`), { body: { level: n, gold: n } });
  for (let n = 1; n <= 30; n += 1) await ok(write(n));
  const killed = performance.now();
  await serving[2]?.kill();
  clients = [first, second];
  projecting.close();
  let position = '';
  for (let n = 31; n <= 60; n += 1) position = String((await ok(write(n))).headers['x-ns-position']);
  await eventually('the other projector shows everything', async () => {
    const { headers, body } = await second.play('GET', second.storage(`players/${PLAYER}/ledger`), {
      headers: { 'x-ns-position': position },
    });
    return headers['x-ns-stale'] !== 'true' && Object(body).entries?.at(-1)?.after === 60;
  });
  const ms = performance.now() - killed;
  process.stdout.write(`three nodes: another projector had caught up ${Math.round(ms)} ms after kill -9\n`);
  // The promise is ten seconds; a busy machine gets more.
  expect(ms).toBeLessThan(40_000);
  await verified(env);
});

test.each([
  [['--roles', 'api'], {}, /projector.*DATABASE_URL/],
  [['--roles', 'projector', '--workers', '2'], {}, /WORKERS.*api/],
  [['--roles', 'cook'], {}, /ROLES.*api, projector, worker/],
  [['--workers', '0'], {}, /WORKERS/],
  [
    [],
    { EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false', START_WAIT_MS: '0' },
    /EVENTSTORE_URL.*does not answer[\s\S]*Unset EVENTSTORE_URL/,
  ],
])('what cannot work is refused with its cure: start %j %j', async (args, settings, says) => {
  const port = String(await freePort());
  const ended = await here(['start', '--port', port, '--data', newFolder(), ...args], { env: settings });
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(says)]);
  expect(await healthStatus(`http://127.0.0.1:${port}`)).toBe(0);
});
