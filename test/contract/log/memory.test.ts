import { createMemoryLog } from '../../../src/log/memory/log.ts';
import { logContract } from './contract.ts';
import { logProperties } from './properties.ts';

logContract('memory', async () => ({
  log: createMemoryLog({ maxAppendBytes: 100_000 }),
  traits: { densePositions: true, tooLargeBytes: 100_000 },
}));

logProperties('memory', async () => createMemoryLog(), { runs: 100 });
