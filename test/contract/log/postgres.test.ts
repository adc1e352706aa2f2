import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { postgresLog, postgresLogDatabase } from '../../support/postgres-log.ts';
import { anEvent, logContract } from './contract.ts';
import { logProperties } from './properties.ts';

logContract('postgres', async () => {
  const url = await postgresLogDatabase();
  return {
    log: postgresLog(url, { maxAppendBytes: 100_000 }),
    traits: { densePositions: true, tooLargeBytes: 100_000, another: async () => postgresLog(url) },
  };
});

logProperties('postgres', async () => postgresLog(await postgresLogDatabase()), { runs: 25 });

// Little memory for recent events, so that followers change between it and the database.
logProperties('postgres, short of memory', async () => postgresLog(await postgresLogDatabase(), { recentBytes: 3000 }), { runs: 10 });

test('a long text that the reader has is not sent by Postgres', async () => {
  const log = postgresLog(await postgresLogDatabase());
  const long = anEvent(JSON.stringify({ n: Array.from({ length: 2_000 }, () => randomUUID()) }));
  await log.append('test-long', 'none', [long, anEvent()]);
  const read = await log.read('test-long', { from: 0, limit: 10, direction: 'forwards', known: [long.id] });
  expect(read.map(({ data }) => data)).toEqual(['', '{"n":1}']);
  await log.close();
});
