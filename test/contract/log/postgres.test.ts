import { postgresLog, postgresLogDatabase } from '../../support/postgres-log.ts';
import { logContract } from './contract.ts';
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
