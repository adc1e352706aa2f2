import { expect, test } from 'vitest';
import { logSource, logTarget } from '../../../src/log/copy/log-ends.ts';
import { createEventStoreLog } from '../../../src/log/eventstore/log.ts';
import type { Log } from '../../../src/log/port.ts';
import { startStandIn } from '../../support/eventstore/server.ts';
import { postgresLog, postgresLogDatabase } from '../../support/postgres-log.ts';
import { copy, everything, fill } from './support.ts';

const SPARSE = { hasDensePositions: false };
const DENSE = { hasDensePositions: true, maxConcurrentAppends: 64 };

const withoutPositions = async (log: Log) => (await everything(logSource(log, SPARSE))).map(({ position: _, ...event }) => event);

test('Postgres → EventStoreDB → Postgres gives the same events in the same order, and later runs only new ones', async () => {
  const standIn = await startStandIn();
  const eventStore = createEventStoreLog({ url: standIn.url });
  const [first, last] = [postgresLog(await postgresLogDatabase()), postgresLog(await postgresLogDatabase())];
  const there = () => copy({ source: logSource(first, DENSE), target: logTarget(eventStore, SPARSE) });
  const back = () => copy({ source: logSource(eventStore, SPARSE), target: logTarget(last, DENSE) });
  try {
    const writer = await fill(first, 5);
    expect(await there()).toMatchObject({ copied: 40, complete: true });
    expect(await back()).toMatchObject({ copied: 40, complete: true });
    await writer.write('project-b', '{"new":76561198000000001}');
    await writer.write('project-new', '{"new":1.10}');
    expect(await there()).toMatchObject({ copied: 2, skipped: 40, complete: true });
    expect(await back()).toMatchObject({ copied: 2, skipped: 40, complete: true });
    expect(await withoutPositions(eventStore)).toEqual(await withoutPositions(first));
    expect(await withoutPositions(last)).toEqual(await withoutPositions(first));
  } finally {
    for (const log of [first, last, eventStore]) await log.close();
    await standIn.close();
  }
});
