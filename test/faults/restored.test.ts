import pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { errorCode, playerHeaders, storagePath } from '../../infra/harness/project.ts';
import { eventually } from '../node/support/program.ts';
import { type StandIn, startStandIn } from '../support/eventstore/server.ts';
import { type Network, startNetwork } from '../support/network.ts';
import { testDatabase } from '../support/postgres.ts';
import { checkWrites, noFindings } from './support/checks.ts';
import { note } from './support/endure.ts';
import { openPlace, type Place } from './support/place.ts';
import { startWriting, type Write } from './support/writers.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/**
 * The log, or the database with the read models, restored to an older state. What was acknowledged after that state is gone by the
 * operator's own hand; nothing else may be. Two histories are refused until `savepoint rebuild`.
 */

/** Copies of a database beside it. Nobody may be connected while one is made. */
interface Copies {
  take(): Promise<string>;
  /** Puts a copy in the place of the database, or an empty one; connections to it are broken. */
  restore(copy: string | null): Promise<void>;
}

function copiesOf(url: string, admin: pg.Client): Copies {
  const name = new URL(url).pathname.slice(1);
  let taken = 0;
  return {
    async take() {
      const copy = `${name}_copy${++taken}`;
      // The server's side of a connection lives on for a moment after its client has gone.
      const IN_USE = '55006';
      await eventually('nobody is connected', () =>
        admin.query(`CREATE DATABASE ${copy} TEMPLATE ${name}`).catch((error: pg.DatabaseError) => {
          if (error.code !== IN_USE) throw error;
          return null;
        }),
      );
      return copy;
    },
    async restore(copy) {
      await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${copy ?? 'template0'}`);
    },
  };
}

async function administrator(url: string): Promise<pg.Client> {
  const server = new URL(url);
  server.pathname = '/postgres';
  const client = new pg.Client(server.href);
  await client.connect();
  return client;
}

let rounds = 0;

/** Some writes from several clients, all done when it returns. */
async function write(place: Place): Promise<readonly Write[]> {
  const writing = startWriting(place.project, ++rounds, { clients: 8 });
  await eventually('writes go through', async () => writing.acknowledged() >= 60);
  return writing.stop();
}

/** What a restore has taken away: it must not be there, not even in part. */
const undone = (writes: readonly Write[]): readonly Write[] =>
  writes.map((one) => ({ ...one, outcome: 'refused', answer: 'undone by the restore' }));

/** Every write of `kept` once, and none of `gone`. */
async function expectOnly(fault: string, place: Place, kept: readonly Write[], gone: readonly Write[] = []): Promise<void> {
  const found = noFindings();
  await checkWrites(place.project, [...kept, ...undone(gone)], found);
  const [lost, doubled, torn] = [found.lost.length, found.doubled.length, found.torn.length];
  note({ fault, rounds: 1, acknowledged: kept.length, refused: 0, open: 0, lost, doubled, torn, recoveryMs: 0 });
  expect(found).toEqual(noFindings());
}

async function expectVerified(place: Place): Promise<void> {
  const { code, stdout } = await place.verify();
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^Verified(?!.*behind)/s)]);
}

async function answer(place: Place): Promise<string> {
  const { project } = place;
  const body = { ops: [{ op: 'inc', path: 'n', value: 1 }] };
  const path = storagePath(project, 'crash_counters/probe');
  const came = await project.http.send('POST', path, { headers: playerHeaders(project, '76561198000000001'), body });
  return `${came.status} ${errorCode(came)}`;
}

let admin: pg.Client;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  admin = await administrator(await testDatabase());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});
afterAll(() => admin?.end());

test('a log on a server of its own and a database: each restored by itself, in every way', async () => {
  let server: StandIn = await startStandIn();
  closing.push(() => server.close());
  const network: Network = await startNetwork(() => Number(/:(\d+)/.exec(server.url)?.[1]));
  closing.push(() => network.close());
  const DATABASE_URL = await testDatabase();
  const database = copiesOf(DATABASE_URL, admin);
  const place = await openPlace({ env: { DATABASE_URL, EVENTSTORE_URL: `esdb://127.0.0.1:${network.port}?tls=false` } });
  closing.push(place.close);

  const first = await write(place);
  await place.node.stop();
  const [olderDatabase, olderLog] = [await database.take(), await copyOf(server)];
  await place.restart();
  const second = await write(place);
  await place.node.stop();
  const otherHistory = await database.take();

  // The log is older than the database. The cure is applied beside the running node.
  await server.close();
  server = olderLog;
  await place.restart();
  expect(await answer(place)).toBe('503 HISTORY_MISMATCH');
  expect(place.node.stderr()).toMatch(/two histories.*savepoint rebuild/);
  const partly = await place.run('rebuild', 'ledger');
  expect([partly.code, partly.stderr]).toEqual([1, expect.stringMatching(/two histories.*rebuilt together.*Cure: savepoint rebuild\b/)]);
  expect(await place.run('rebuild')).toMatchObject({ code: 0 });
  await eventually('the project is served again', async () => (await answer(place)) === '200 null');
  await expectOnly('log restored, older than the database', place, first, second);
  const third = await write(place);
  await place.node.stop();

  // The database is older than the log: what is missing is built as the node runs.
  await database.restore(olderDatabase);
  await place.restart();
  await expectOnly('database restored, older than the log', place, [...first, ...third], second);
  const fourth = await write(place);
  await place.node.stop();

  // The database is gone. The cure is applied without a node.
  await database.restore(null);
  const rebuilt = await place.run('rebuild');
  expect([rebuilt.code, rebuilt.stdout]).toEqual([0, expect.stringMatching(/[1-9]\d* events of 1 projects/)]);
  await expectVerified(place);
  await place.restart();
  await expectOnly('database lost', place, [...first, ...third, ...fourth], second);
  await place.node.stop();

  // The database knows events that the log has otherwise, at the same revisions.
  await database.restore(otherHistory);
  await place.restart();
  expect(await answer(place)).toBe('503 HISTORY_MISMATCH');
  await place.node.stop();
  expect(await place.run('rebuild')).toMatchObject({ code: 0 });
  await place.restart();
  expect(await answer(place)).toBe('200 null');
  await expectOnly('database of another history', place, [...first, ...third, ...fourth], second);
  await expectVerified(place);
});

test('everything in one Postgres: restored as a whole it tells one history; the log alone does not', async () => {
  const DATABASE_URL = await testDatabase();
  const database = copiesOf(DATABASE_URL, admin);
  const place = await openPlace({ env: { DATABASE_URL } });
  closing.push(place.close);
  const first = await write(place);
  await place.node.stop();
  const older = await database.take();
  await place.restart();
  const second = await write(place);
  await place.node.stop();

  await database.restore(older);
  await place.restart();
  await expectOnly('database with the log restored', place, first, second);

  const client = new pg.Client(DATABASE_URL);
  await client.connect();
  const position = Number((await client.query('SELECT position FROM savepoint.log_head')).rows[0]?.position);
  const third = await write(place);
  // Until the read models show it.
  await checkWrites(place.project, third, noFindings());
  await place.node.stop();
  await client.query('DELETE FROM savepoint.log_events WHERE position > $1', [position]);
  await client.query(
    `UPDATE savepoint.log_streams s SET (revision, position) =
       (SELECT max(e.revision), max(e.position) FROM savepoint.log_events e WHERE e.stream = s.stream)`,
  );
  await client.query('UPDATE savepoint.log_head SET position = $1', [position]);
  await client.end();
  await place.restart();
  expect(await answer(place)).toBe('503 HISTORY_MISMATCH');
  expect(await place.run('rebuild')).toMatchObject({ code: 0 });
  await eventually('the project is served again', async () => (await answer(place)) === '200 null');
  await expectOnly('log tables restored alone', place, first, [...second, ...third]);
  await expectVerified(place);
});

/** A server with the same events, as a backup that is restored. */
async function copyOf(server: StandIn): Promise<StandIn> {
  const copy = await startStandIn();
  for (const event of await server.store.all()) {
    const result = await copy.store.append(event.stream, event.revision === 0 ? 'none' : event.revision - 1, [event]);
    if (!result.ok) throw new Error(`the copy is at ${result.actual}`);
  }
  return copy;
}
