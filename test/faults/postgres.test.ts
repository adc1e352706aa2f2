import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { healthStatus } from '../../infra/harness/node.ts';
import { errorCode } from '../../infra/harness/project.ts';
import { eventually } from '../node/support/program.ts';
import { type EmbeddedPostgres, startPostgres } from '../support/embedded.ts';
import { endure } from './support/endure.ts';
import { openPlace, type Place } from './support/place.ts';
import { sendAgain, startWriting } from './support/writers.ts';

vi.setConfig({ testTimeout: 600_000, hookTimeout: 180_000 });

/** A Postgres of DATABASE_URL, which the node does not run itself: it can only wait for it. */

let server: EmbeddedPostgres;
let place: Place;
beforeAll(async () => {
  server = await startPostgres();
  place = await openPlace({ env: { DATABASE_URL: server.url, SHUTDOWN_TIMEOUT_MS: '4000' } });
});
afterAll(async () => {
  await place?.close();
  await server?.stop();
});

test('it goes away and comes back: 503 or 504 meanwhile, and recovery by itself', async () => {
  await endure({
    name: 'Postgres, away and back',
    project: place.project,
    async inject() {
      await server.crash();
      await eventually('the outage is seen', async () => (await healthStatus(place.node.url)) === 503);
      expect((await fetch(`${place.node.url}/alive`)).status).toBe(200);
      await server.start();
    },
  });
  const said = place.node.stderr().split('\n');
  expect(said.filter((line) => line.includes('the database does not answer'))).toEqual([
    expect.stringContaining('"database":"Postgres postgres://'),
  ]);
  expect(said.filter((line) => line.includes('"stack"'))).toEqual([]);
});

test('it ends all connections, as a restart or a failover does', async () => {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await endure({
    name: 'Postgres, connections ended',
    project: place.project,
    async inject() {
      for (let times = 0; times < 3; times++) {
        await client.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    },
  });
  await client.end();
  expect(await place.verify()).toMatchObject({ code: 0 });
});

test('SIGTERM ends the node in time even while it is away', async () => {
  const writing = startWriting(place.project, 1000, { clients: 2, untilGone: true });
  await eventually('writes go through', async () => writing.acknowledged() > 5);
  await server.crash();
  const [write] = [{ round: 1000, kind: 'append', mark: 'late', seq: 1, key: 'late' } as const];
  const answer = await sendAgain(place.project, { ...write, outcome: 'unknown', answer: '', recordId: null });
  expect(`${answer.status} ${errorCode(answer)}`).toMatch(/^50[34] /);
  expect(await place.node.stop()).toMatchObject({ code: 0, signal: null });
  await writing.ended;
});
