import { test } from 'vitest';
import { createEventStoreLog } from '../../../src/log/eventstore/log.ts';
import { type Log, OutcomeUnknown } from '../../../src/log/port.ts';
import { logContract } from './contract.ts';
import { logProperties } from './properties.ts';

/** Not part of `npm test`: it needs a server, and leaves streams with random names on it. */
const url = process.env['EVENTSTORE_URL'];

if (url === undefined || url === '') {
  console.warn(`
  !! SKIPPED: the log contract was NOT run against a real EventStoreDB.
  !! Name a server to run it, for example: EVENTSTORE_URL='esdb://127.0.0.1:2113?tls=false' npm run test:eventstore
`);
  test.skip('the log contract: a real EventStoreDB (EVENTSTORE_URL is not set)', () => undefined);
} else {
  /**
   * An unknown outcome is sent again, as the port demands of callers. A server gives up an append after its own setting `WriteTimeoutMs` (2
   * s), whatever time the client allows: on a busy machine, or while the same append is still being stored.
   */
  const opened = (): Log => {
    const log = createEventStoreLog({ url });
    const append: Log['append'] = (stream, expected, events) =>
      log.append(stream, expected, events).catch((error: unknown) => {
        if (!(error instanceof OutcomeUnknown) || expected === 'any') throw error;
        return append(stream, expected, events);
      });
    return { ...log, append };
  };
  logContract('a real EventStoreDB', async () => ({
    log: opened(),
    traits: { densePositions: false, tooLargeBytes: 1024 * 1024, another: async () => opened() },
  }));
  logProperties('a real EventStoreDB', async () => opened(), { runs: 25 });
}
