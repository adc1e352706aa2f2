import { test } from 'vitest';
import { createEventStoreLog } from '../../../src/log/eventstore/log.ts';
import { logContract } from './contract.ts';
import { logProperties } from './properties.ts';

/** No part of `npm test`: it needs a server, and leaves streams of random names on it. */
const url = process.env['EVENTSTORE_URL'];

if (url === undefined || url === '') {
  console.warn(`
  !! SKIPPED: the log contract was NOT run against a real EventStoreDB.
  !! Name a server to run it, for example: EVENTSTORE_URL='esdb://127.0.0.1:2113?tls=false' npm run test:eventstore
`);
  test.skip('the log contract: a real EventStoreDB (EVENTSTORE_URL is not set)', () => undefined);
} else {
  logContract('a real EventStoreDB', async () => ({
    log: createEventStoreLog({ url }),
    traits: { densePositions: false, tooLargeBytes: 1024 * 1024, another: async () => createEventStoreLog({ url }) },
  }));
  logProperties('a real EventStoreDB', async () => createEventStoreLog({ url }), { runs: 25 });
}
