import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type StandIn, startStandIn } from '../support/eventstore/server.ts';
import { type Network, startNetwork } from '../support/network.ts';
import { openPlace, type Place } from './support/place.ts';
import { answer, type Copied, copiedDatabase, expectOnly, expectVerified, served, write } from './support/restore.ts';
import type { Write } from './support/writers.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/**
 * The log on a server of its own, and the database with the read models: each is restored by itself. What was acknowledged after the
 * restored state of the log is lost by the operator's own doing; nothing else may be. The tests build on each other.
 */

let server: StandIn;
let network: Network;
let database: Copied;
let place: Place;
/** Copies made after the first writes, and the database after the second writes, which the restored log does not have. */
let older: { readonly database: string; readonly log: StandIn };
let otherHistory: string;
let kept: readonly Write[];
let gone: readonly Write[];

beforeAll(async () => {
  server = await startStandIn();
  network = await startNetwork(() => Number(/:(\d+)/.exec(server.url)?.[1]));
  database = await copiedDatabase();
  const env = { DATABASE_URL: database.url, EVENTSTORE_URL: `esdb://127.0.0.1:${network.port}?tls=false` };
  place = await openPlace({ env });
  kept = await write(place);
  await place.node.stop();
  older = { database: await database.take(), log: await copyOf(server) };
  await place.restart();
  gone = await write(place);
  await place.node.stop();
  otherHistory = await database.take();
});
afterAll(async () => {
  await place?.close();
  await database?.close();
  await network?.close();
  await server?.close();
});

/** A server with the same events, like a restored backup. */
async function copyOf(original: StandIn): Promise<StandIn> {
  const copy = await startStandIn();
  for (const event of await original.store.all()) {
    const result = await copy.store.append(event.stream, event.revision === 0 ? 'none' : event.revision - 1, [event]);
    if (!result.ok) throw new Error(`the copy is at ${result.actual}`);
  }
  return copy;
}

test('a log older than the database: refused loudly; a rebuild beside the running node heals', async () => {
  await server.close();
  server = older.log;
  await place.restart();
  expect(await answer(place)).toBe('503 HISTORY_MISMATCH');
  expect(place.node.stderr()).toMatch(/two histories.*savepoint rebuild/);
  const partly = await place.run('rebuild', 'ledger');
  expect([partly.code, partly.stderr]).toEqual([1, expect.stringMatching(/two histories.*rebuilt together.*Cure: savepoint rebuild\b/)]);
  expect(await place.run('rebuild')).toMatchObject({ code: 0 });
  await served(place);
  await expectOnly('log restored, older than the database', place, kept, gone);
  kept = [...kept, ...(await write(place))];
  await place.node.stop();
});

test('a database older than the log: what is missing is built by the node as it starts', async () => {
  await database.restore(older.database);
  await place.restart();
  await expectOnly('database restored, older than the log', place, kept, gone);
  kept = [...kept, ...(await write(place))];
  await place.node.stop();
});

test('no database any more: a rebuild without a node makes all of it', async () => {
  await database.restore(null);
  const { code, stdout } = await place.run('rebuild');
  expect([code, stdout]).toEqual([0, expect.stringMatching(/[1-9]\d* events of 1 project/)]);
  await expectVerified(place);
  await place.restart();
  await expectOnly('database lost', place, kept, gone);
  await place.node.stop();
});

test('a database of another history, whose revisions the log has otherwise: refused; a rebuild without a node heals', async () => {
  await database.restore(otherHistory);
  await place.restart();
  expect(await answer(place)).toBe('503 HISTORY_MISMATCH');
  await place.node.stop();
  expect(await place.run('rebuild')).toMatchObject({ code: 0 });
  await place.restart();
  await served(place);
  await expectOnly('database of another history', place, kept, gone);
  await expectVerified(place);
});
