import { afterAll } from 'vitest';
import { createEventStoreLog } from '../../../src/log/eventstore/log.ts';
import { type StandIn, startStandIn } from '../../support/eventstore/server.ts';
import { logContract } from './contract.ts';
import { logProperties } from './properties.ts';

const standIns: StandIn[] = [];
afterAll(async () => {
  for (const standIn of standIns) await standIn.close();
});

async function standInUrl(): Promise<string> {
  const standIn = await startStandIn();
  standIns.push(standIn);
  return standIn.url;
}

// The stand-in shows that adapter and client keep the contract; `npm run test:eventstore` shows it with a real server.
logContract('eventstore, stand-in server', async () => {
  const url = await standInUrl();
  return {
    log: createEventStoreLog({ url }),
    traits: { densePositions: false, tooLargeBytes: 1024 * 1024, another: async () => createEventStoreLog({ url }) },
  };
});

logProperties('eventstore, stand-in server', async () => createEventStoreLog({ url: await standInUrl() }), { runs: 10 });
