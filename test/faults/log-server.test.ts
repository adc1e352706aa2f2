import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type AppendFate, type StandIn, startStandIn } from '../support/eventstore/server.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { endure } from './support/endure.ts';
import { openPlace, type Place } from './support/place.ts';
import type { Writing } from './support/writers.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/**
 * The log on a server of its own: a stand-in that speaks EventStoreDB's protocol. The read models are in Postgres, which works all the
 * time.
 */

let server: StandIn;
let place: Place;
beforeAll(async () => {
  server = await startStandIn();
  place = await openPlace({ env: { DATABASE_URL: await migratedDatabase(), EVENTSTORE_URL: server.url, COMMAND_TIMEOUT_MS: '1500' } });
});
afterAll(async () => {
  await place?.close();
  await server?.close();
});

const withServer = (name: string, inject: (writing: Writing) => Promise<void>) => endure({ name, project: place.project, inject });

async function planned(fate: AppendFate): Promise<void> {
  server.faults.appends = [fate, 'answered', fate];
  while (server.faults.appends.length > 0) await sleep(10);
}

test('frozen: it takes connections and says nothing', async () => {
  await withServer('log server, frozen 3 s', async () => {
    server.network.freeze();
    await sleep(3_000);
    server.network.restore();
  });
});

test.each(['cutBefore', 'cutAfter'] as const)('connections break: %s', async (fate) => {
  await withServer(`log server, ${fate === 'cutBefore' ? 'cut before stored' : 'cut after stored'}`, () => planned(fate));
});

test('it is killed and started again', async () => {
  await withServer('log server, killed', async () => {
    server.crash();
    await sleep(500);
    await server.start();
  });
});

test('the chain is whole after all of it, and every row is what the log says', async () => {
  expect(await place.verify()).toMatchObject({ code: 0 });
});
