import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settingsFor } from '../../../infra/cluster/nginx.ts';
import { balancerPart, type NodePart } from '../../../infra/cluster/parts.ts';
import { findProgram } from '../../../infra/cluster/process.ts';
import type { Running } from '../../../infra/cluster/supervisor.ts';
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
  expect(text).not.toMatch(/^ *proxy_next_upstream [^;]*non_idempotent/m);
  expect(text).toMatch(/access_log off;/);
  expect(text).toMatch(/error_log stderr crit;/);
});

test('a text without a place for the addresses is refused', () => {
  expect(() => settingsFor('http {\n}', { port: 1, nodes: [2], folder: '/x', asRoot: true })).toThrow(/nginx.conf has no/);
});

/** Stands for a node: takes a request and does with it what the test says. */
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
  /** A project whose requests go to the first of them. */
  let ofOne = '';

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

  const send = async (method: string, project: string, path = `/v3/storage/${project}/saves/1`) => {
    const answer = await fetch(`${balancer.url}${path}`, { method, ...(method === 'GET' ? {} : { body: '{}' }) });
    return { status: answer.status, text: await answer.text() };
  };
  const takenOf = (method: string) => peers.flatMap(({ taken }) => taken).filter((line) => line.startsWith(method)).length;

  test('goes to the next node where it only reads', async () => {
    habit = 'breaks off';
    expect((await send('GET', 'reads')).status).toBe(504);
    // Both break off, so both were asked.
    expect(takenOf('GET')).toBe(2);
  });

  const acting: readonly (readonly [string, string])[] = [
    ...['POST', 'PATCH', 'PUT', 'DELETE'].map((method) => [method, '/v3/storage/p/saves/1'] as const),
    ...['/v3/endpoints/p/buy?item=axe', '/v1/endpoints/p/buy', '/V3/ENDPOINTS/p/buy', '/v3/%65ndpoints/p/buy'].map(
      (path) => ['GET', path] as const,
    ),
    ['DELETE', '/v3/manage/p/endpoints/buy'],
    ['POST', '/v3/endpoints/p/buy'],
  ];

  test.each(acting)('after it was sent, %s %s is never sent again, and its outcome is called unknown', async (method, path) => {
    habit = 'breaks off';
    // A server that failed twice is left out for two seconds. Then another one is asked, or none.
    const before = await eventually('somebody took it', async () => {
      const taken = peers.flatMap((peer) => peer.taken).length;
      const reply = await send(method, 'sent', path);
      return peers.flatMap((peer) => peer.taken).length > taken ? { taken, reply } : null;
    });
    expect(peers.flatMap((peer) => peer.taken).length - before.taken).toBe(1);
    expect([before.reply.status, JSON.parse(before.reply.text).error.code]).toEqual([504, 'OUTCOME_UNKNOWN']);
  });

  test('goes to the next node, whatever it does, where it reached none', async () => {
    habit = 'answers';
    const [one, other] = peers;
    ofOne = await eventually('a project of one', async () => {
      const project = `project-${Math.random()}`;
      return (await send('GET', project)).text === 'one' ? project : null;
    });
    one?.server.close();
    one?.server.closeAllConnections();
    const projects = Array.from({ length: 12 }, (_, index) => `project-${index}`);
    // A server that failed twice is left out for two seconds, including the one that lives.
    await eventually('it is asked again', async () => (await send('GET', 'awake')).status === 200);
    for (const method of ['POST', 'DELETE', 'GET']) {
      for (const project of projects) {
        const path = method === 'GET' ? `/v3/endpoints/${project}/buy` : `/v3/storage/${project}/saves/1`;
        const taken = other?.taken.length ?? 0;
        expect([method, project, await send(method, project, path)]).toEqual([method, project, { status: 200, text: 'other' }]);
        expect(other?.taken.slice(taken)).toEqual([`${method} 127.0.0.1`]);
      }
    }
  });

  test('that reached none, and then one that breaks off, is not repeated either', async () => {
    habit = 'breaks off';
    const [, other] = peers;
    // A server that failed twice is left out for two seconds. Now both are in again, and the dead one is asked first.
    await sleep(2_200);
    const taken = other?.taken.length ?? 0;
    const { status, text } = await send('DELETE', ofOne);
    expect([status, JSON.parse(text).error.code]).toEqual([504, 'OUTCOME_UNKNOWN']);
    expect(other?.taken.slice(taken)).toEqual(['DELETE 127.0.0.1']);
  });

  test('is called not stored where no node could be reached', async () => {
    for (const { server } of peers) {
      server.close();
      server.closeAllConnections();
    }
    for (const [method, path] of acting) {
      const { status, text } = await send(method, 'gone', path);
      expect([method, path, status, JSON.parse(text).error.code]).toEqual([method, path, 503, 'STORAGE_UNAVAILABLE']);
    }
  });
});
