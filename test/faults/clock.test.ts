import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { at, numberAt, textAt } from '../../infra/harness/json.ts';
import { expectOk, managePath, playerHeaders, secretHeaders, storagePath } from '../../infra/harness/project.ts';
import { eventually, newFolder } from '../node/support/program.ts';
import { migratedDatabase } from '../support/postgres.ts';
import { endure } from './support/endure.ts';
import { openPlace, type Place } from './support/place.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/** The machine's clock is set forwards and back while a node runs. */

const HOUR_MS = 3_600_000;
const PLAYER = '76561198000000009';
const clock = join(newFolder(), 'clock');
const preload = pathToFileURL(join(import.meta.dirname, 'support/clock.mjs')).href;

let database: string;
let place: Place;
let client: pg.Client;

function set(aheadMs: number): void {
  writeFileSync(`${clock}.draft`, String(aheadMs));
  renameSync(`${clock}.draft`, clock);
}

beforeAll(async () => {
  set(0);
  database = await migratedDatabase();
  const env = { DATABASE_URL: database, SAVEPOINT_TEST_CLOCK: clock };
  place = await openPlace({ env: { ...env, NODE_OPTIONS: `--import ${preload}` } });
  client = new pg.Client({ connectionString: database });
  await client.connect();
});
afterAll(async () => {
  await client?.end();
  await place?.close();
});

/** When the events of the project were recorded, in the order of the log. */
async function times(): Promise<readonly number[]> {
  const { rows } = await client.query<{ at: string }>(`SELECT metadata->>'recordedAt' AS at FROM savepoint.log_events ORDER BY position`);
  return rows.map((row) => Number(row.at));
}

let aheadMs = 0;
/** Writes while the clock is moved by `byMs`, in each round. */
const withClock = (name: string, byMs: number) =>
  endure({
    name,
    project: place.project,
    refusals: false,
    async inject(writing) {
      aheadMs += byMs;
      set(aheadMs);
      const before = writing.acknowledged();
      await eventually('writes go on', async () => writing.acknowledged() > before + 50);
    },
  });

test('an hour forwards: nothing stops, and the log says what the clock says', async () => {
  const before = (await times()).at(-1) ?? 0;
  await withClock('clock, 1 h forwards', HOUR_MS);
  expect((await times()).at(-1)).toBeGreaterThan(before + HOUR_MS / 2);
});

test('two hours back: nothing stops, and no event is older than the one before', async () => {
  await withClock('clock, 2 h back', -2 * HOUR_MS);
  const all = await times();
  expect(all.filter((time, index) => time < (all[index - 1] ?? 0))).toEqual([]);
});

test('after it: new keys are known at once, reads are current, a limit lets exactly so many through', async () => {
  const { project } = place;
  const made = await place.run('key', 'create', project.projectId, '--json');
  const headers = { 'x-api-key': textAt(JSON.parse(made.stdout), 'key') ?? '' };
  const read = () => project.http.send('GET', storagePath(project, 'crash_saves/nobody'), { headers });
  // An unknown key gets 401; this document does not exist.
  await eventually('the key is known', async () => (await read()).status === 404);

  const ten = { name: 'Ten', collection: 'crash_saves', field: 'seq', scope: 'per_player', window: 'perYear', limit: 10, action: 'reject' };
  const rules = { headers: secretHeaders(project), body: { rules: [ten] } };
  await expectOk('the rule', project.http.send('PUT', managePath(project, 'rate-limit-rules'), rules));
  const body = { ops: [{ op: 'inc', path: 'seq', value: 1 }] };
  const call = { headers: playerHeaders(project, PLAYER), body };
  const increments = Array.from({ length: 20 }, async (_, n) => {
    if (n === 7) set(HOUR_MS);
    if (n === 14) set(-2 * HOUR_MS);
    return project.http.send('POST', storagePath(project, `crash_saves/${PLAYER}`), call);
  });
  const statuses = (await Promise.all(increments)).map(({ status }) => status);
  expect([statuses.filter((status) => status === 200).length, statuses.filter((status) => status === 429).length]).toEqual([10, 10]);
  const { body: document } = await project.http.send('GET', storagePath(project, `crash_saves/${PLAYER}`), { headers });
  expect([numberAt(document, 'seq'), at(document, 'error')]).toEqual([10, undefined]);

  const count = { id: 'count', name: 'Count', type: 'count', sources: [{ collectionId: 'crash_saves' }], cache: { ttlSeconds: 3600 } };
  await expectOk(
    'the query',
    project.http.send('POST', managePath(project, 'queries'), { headers: secretHeaders(project), body: [count] }),
  );
  const ask = async () =>
    (
      await expectOk(
        'a count',
        project.http.send('GET', `/v3/queries/${project.projectId}/count`, { headers: playerHeaders(project, PLAYER) }),
      )
    ).body;
  const cached = async () => at(await ask(), 'fromCache') === true;
  await eventually('the result is kept', cached);
  set(-4 * HOUR_MS);
  await eventually('the clock is set', async () => !(await cached()));
  await eventually('the result is kept again', cached);
  expect(await place.verify()).toMatchObject({ code: 0 });
});
