import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Running } from '../../../infra/cluster/keep.ts';
import { settingsFor } from '../../../infra/cluster/nginx.ts';
import { balancerPart, type NodePart } from '../../../infra/cluster/parts.ts';
import { findProgram } from '../../../infra/cluster/process.ts';
import { eventually, newFolder, removeFolders } from '../../node/support/program.ts';

const text = readFileSync(join(import.meta.dirname, '../../../infra/cluster/nginx.conf'), 'utf8');
const made = settingsFor(text, { port: 9000, nodes: [9001, 9002], folder: '/tmp/x y', asRoot: false });

test('a cluster runs the settings that the containers run, at its own addresses', () => {
  expect(made).toContain('listen 127.0.0.1:9000;');
  expect(made.match(/^ *server 127\.0\.0\.1:\d+ .*$/gm)).toEqual(
    [9001, 9002].map((port) => `    server 127.0.0.1:${port} max_fails=2 fail_timeout=2s;`),
  );
  expect(made).not.toContain('api-1');
  const rest = (settings: string) => settings.split('\n').filter((line) => !/(_temp_path|listen|server (api|127)|^daemon|^pid)/.test(line));
  expect(rest(made)).toEqual(rest(text));
});

test('a request that may be stored is never repeated, keys are written into no log', () => {
  expect(text).not.toMatch(/proxy_next_upstream [^;]*non_idempotent/);
  expect(text).toMatch(/access_log off;/);
  expect(text).toMatch(/error_log stderr crit;/);
});

test('a text without a place for the addresses is refused', () => {
  expect(() => settingsFor('http {\n}', { port: 1, nodes: [2], folder: '/x', asRoot: true })).toThrow(/nginx.conf has no/);
});

/** Something in a node's place that takes a request and does with it as it is told. */
interface Peer {
  readonly server: Server;
  readonly part: NodePart;
  readonly taken: string[];
}

type Habit = 'answers' | 'breaks off';

async function startPeer(name: string, habit: () => Habit): Promise<Peer> {
  const taken: string[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      taken.push(`${request.method} ${request.headers['x-forwarded-for']}`);
      if (habit() === 'breaks off') return request.socket.destroy();
      response.end(name);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  return { server, part: { name, does: '', address: '', url, start: () => Promise.reject(new Error('it runs already')) }, taken };
}

describe.skipIf(findProgram('nginx') === null)('a request whose node fails', () => {
  let habit: Habit = 'answers';
  let peers: readonly Peer[] = [];
  let balancer: NodePart;
  let nginx: Running;

  beforeAll(async () => {
    peers = [await startPeer('one', () => habit), await startPeer('other', () => habit)];
    balancer = await balancerPart(
      newFolder(),
      0,
      peers.map(({ part }) => part),
    );
    nginx = await balancer.start(new AbortController().signal);
  });
  afterAll(async () => {
    await nginx?.stop();
    for (const { server } of peers) server.close();
    removeFolders();
  });

  const send = async (method: string, project: string) => {
    const answer = await fetch(`${balancer.url}/v3/storage/${project}/saves/1`, { method, ...(method === 'GET' ? {} : { body: '{}' }) });
    return { status: answer.status, text: await answer.text() };
  };
  const takenOf = (method: string) => peers.flatMap(({ taken }) => taken).filter((line) => line.startsWith(method)).length;

  test('goes to the next node where it only reads', async () => {
    habit = 'breaks off';
    expect((await send('GET', 'reads')).status).toBe(504);
    // Both break off, so both were asked.
    expect(takenOf('GET')).toBe(2);
  });

  test.each(['POST', 'PATCH'])('after a %s was sent is never sent again, and its outcome is called unknown', async (method) => {
    habit = 'breaks off';
    const { status, text } = await send(method, `sent-${method}`);
    expect([status, JSON.parse(text).error.code, takenOf(method)]).toEqual([504, 'OUTCOME_UNKNOWN', 1]);
  });

  test('goes to the next node, a POST too, where it reached none', async () => {
    habit = 'answers';
    const [one, other] = peers;
    one?.server.close();
    one?.server.closeAllConnections();
    const projects = Array.from({ length: 12 }, (_, index) => `project-${index}`);
    // Who failed twice is left out for two seconds, the one that lives, too.
    await eventually('it is asked again', async () => (await send('GET', 'awake')).status === 200);
    for (const project of projects) expect([project, await send('POST', project)]).toEqual([project, { status: 200, text: 'other' }]);
    expect(other?.taken.at(-1)).toBe('POST 127.0.0.1');
  });
});
