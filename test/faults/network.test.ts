import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { healthStatus } from '../../infra/harness/node.ts';
import { eventually } from '../node/support/program.ts';
import { type Network, startNetwork } from '../support/network.ts';
import { testDatabase } from '../support/postgres.ts';
import { endure } from './support/endure.ts';
import { openPlace, type Place } from './support/place.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/** The network between a node and its Postgres, which holds the log: cut before a request arrives, cut before its answer does, silent. */

let direct: pg.Client;
let network: Network;
let place: Place;
beforeAll(async () => {
  const database = await testDatabase();
  const url = new URL(database);
  const port = Number(url.port);
  network = await startNetwork(() => port);
  url.port = String(network.port);
  // A short deadline and a short wait for answers, so that a silence of seconds is a long one.
  place = await openPlace({ env: { DATABASE_URL: url.href, COMMAND_TIMEOUT_MS: '1000' } });
  direct = new pg.Client({ connectionString: database });
  await direct.connect();
});
afterAll(async () => {
  await place?.close();
  await direct?.end();
  await network?.close();
});

const end = async () => Number((await direct.query('SELECT position FROM savepoint.log_head')).rows[0]?.position);

/** Waits until nothing more is being stored: what got through has been done. */
async function still(): Promise<number> {
  for (let last = await end(); ; ) {
    await sleep(100);
    const now = await end();
    if (now === last) return now;
    last = now;
  }
}

const withNetwork = (name: string, inject: () => Promise<void>) => endure({ name, project: place.project, inject });

test('cut before requests reach the server: nothing of them is stored, and they are sent again', async () => {
  await withNetwork('log network, cut before stored', async () => {
    network.freeze();
    await sleep(100);
    network.disconnect();
    network.restore();
  });
});

test('cut after the server has stored and before it has answered: the same append again is the same append', async () => {
  await withNetwork('log network, cut after stored', async () => {
    const before = await end();
    network.dropAnswers();
    await eventually('the server stores what it was sent', async () => (await end()) > before);
    await still();
    network.disconnect();
    network.restore();
  });
});

test('silent for longer than requests wait: 504 for what was sent, 503 for the rest, and it goes on where it was', async () => {
  await withNetwork('log network, silent 2.5 s', async () => {
    network.freeze();
    await sleep(2_500);
    network.restore();
  });
});

test('answers alone are lost for a while', async () => {
  await withNetwork('log network, answers lost 1.2 s', async () => {
    network.dropAnswers();
    await sleep(1_200);
    network.restore();
  });
});

test('nobody there for a while: the node says that it is unwell', async () => {
  await withNetwork('log network, flapping', async () => {
    for (let times = 0; times < 8; times++) {
      network.disconnect();
      await sleep(60);
    }
    await eventually('the node is well', async () => (await healthStatus(place.node.url)) === 200);
  });
});

test('the chain is whole after all of it, and every row is what the log says', async () => {
  expect(await place.verify()).toMatchObject({ code: 0 });
});
