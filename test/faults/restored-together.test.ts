import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { checkWrites, noFindings } from './support/checks.ts';
import { openPlace, type Place } from './support/place.ts';
import { answer, type Copied, copiedDatabase, expectOnly, expectVerified, served, write } from './support/restore.ts';
import type { Write } from './support/writers.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/** Log and read models in one Postgres. Restored together they hold the same history; the log's tables alone do not. */

let database: Copied;
let place: Place;
let kept: readonly Write[];
let gone: readonly Write[];

beforeAll(async () => {
  database = await copiedDatabase();
  place = await openPlace({ env: { DATABASE_URL: database.url } });
});
afterAll(async () => {
  await place?.close();
  await database?.close();
});

test('restored as a whole: the game goes on from there, with nothing by half', async () => {
  kept = await write(place);
  await place.node.stop();
  const older = await database.take();
  await place.restart();
  gone = await write(place);
  await place.node.stop();
  await database.restore(older);
  await place.restart();
  await expectOnly('database with the log restored', place, kept, gone);
});

test('the tables of the log alone: refused until a rebuild', async () => {
  const client = new pg.Client(database.url);
  await client.connect();
  const { rows } = await client.query<{ position: string }>('SELECT position FROM savepoint.log_head');
  const position = rows[0]?.position;
  const later = await write(place);
  // Until the read models show it.
  await checkWrites(place.project, later, noFindings());
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
  await served(place);
  await expectOnly('log tables restored alone', place, kept, [...gone, ...later]);
  await expectVerified(place);
});
