import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Network, startNetwork } from '../support/network.ts';
import { testDatabase } from '../support/postgres.ts';
import { endure } from './support/endure.ts';
import { openPlace, type Place } from './support/place.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/** Connections to Postgres that die silently, as behind a firewall that forgot them. New ones work. */

let network: Network;
let place: Place;
beforeAll(async () => {
  const url = new URL(await testDatabase());
  const port = Number(url.port);
  network = await startNetwork(() => port);
  url.port = String(network.port);
  place = await openPlace({ env: { DATABASE_URL: url.href, COMMAND_TIMEOUT_MS: '1500' } });
});
afterAll(async () => {
  // Connections that are still silent would make the stop take as long as it may.
  network?.disconnect();
  await place?.close();
  await network?.close();
});

test('nothing waits for them for ever: writes, reads and read models go on over new ones', async () => {
  await endure({ name: 'log network, connections dead', project: place.project, inject: async () => network.strand() });
  expect(await place.verify()).toMatchObject({ code: 0 });
});
