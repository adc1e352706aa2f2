import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readForeign } from '../../projections/foreign-events.ts';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { createStateReader } from '../../projections/readers/state-reader.ts';
import { documentSubject } from '../../src/domain/subjects.ts';
import { copyLog } from '../../src/log/copy/copy.ts';
import { logSource, logTarget } from '../../src/log/copy/log-ends.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import type { Log } from '../../src/log/port.ts';
import { Feed, freshPool, memoryLogger, project, projecting, reached, written } from './support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool(12);
});
afterAll(() => pool.end());

/** What another program appends: no JSON of ours, no seal. */
const theirs = (type = 'OrderPlaced') => ({ id: randomUUID(), type, data: '\u0000 no JSON', metadata: 'null' });

async function withTheirs(log: Log, projectId: string): Promise<Feed> {
  const feed = new Feed(log, projectId);
  await feed.append([theirs()]);
  await feed.commit({ type: 'project.created', data: { projectId, name: projectId } }, written('p1', { gold: 5 }));
  await feed.append([theirs('Order\u0000Placed'), theirs()]);
  await feed.commit(written('p1', { gold: 6 }, 2));
  await feed.append([theirs()]);
  return feed;
}

test('what another program wrote to a stream is passed over by projector and rebuild, and told by log, counter, verify and the table for doctor', async () => {
  const log = createMemoryLog();
  const feed = await withTheirs(log, 'shared');
  const logger = memoryLogger();
  await projecting({ pool, log, logger }, async (projector) => {
    await reached(projector, feed);
    expect(projector.counters.foreign).toBe(4);
    // It resumes behind one of theirs.
    await feed.commit(written('p1', { gold: 7 }, 3));
    await reached(projector, feed);
  });
  expect(logger.lines).toContain('another program wrote to the stream of this project; what it wrote is passed over');
  expect(await readForeign(pool)).toEqual([{ project: 'shared', stream: 'project-shared', events: 4, first: 0, type: 'OrderPlaced' }]);
  const state = async () => (await createStateReader(pool).load('shared', [documentSubject('live', 'saves', 'p1')])).states;
  expect(await state()).toMatchObject([{ version: 3 }]);
  const found = await verify({ log, pool });
  expect(found.problems.map(({ kind, row }) => `${kind} ${row}`)).toEqual([0, 3, 4, 6].map((revision) => `foreign revision ${revision}`));
  expect(found.problems[0]?.detail).toMatch(/another program wrote a OrderPlaced/);
  await pool.query('TRUNCATE savepoint.foreign_events');
  await rebuild('all', { log, pool });
  expect(await state()).toMatchObject([{ version: 3 }]);
  expect(await readForeign(pool)).toMatchObject([{ events: 4 }]);
  expect((await verify({ log, pool })).problems).toHaveLength(4);
});

test('a copy without them is a log with nothing to tell, and the read models of the first fit it', async () => {
  const [log, copied] = [createMemoryLog(), createMemoryLog()];
  const fresh = await freshPool(4);
  try {
    const feed = await withTheirs(log, 'copied');
    await project(fresh, log, feed);
    const ends = { source: logSource(log, { hasDensePositions: true }), target: logTarget(copied, { hasDensePositions: true }) };
    expect(await copyLog({ ...ends, signal: new AbortController().signal })).toMatchObject({ foreign: 4, broken: [] });
    await project(fresh, copied, feed);
    expect(await verify({ log: copied, pool: fresh })).toMatchObject({ ok: true, problems: [] });
  } finally {
    await fresh.end();
  }
});

test('a sealed event that does not link stops the projection before it', async () => {
  const log = createMemoryLog();
  const [feed, other] = [new Feed(log, 'broken'), new Feed(createMemoryLog(), 'broken', 'other')];
  await feed.commit({ type: 'project.created', data: { projectId: 'broken', name: 'B' } });
  await other.commit(written('p1', { gold: 1_000_000 }));
  await feed.append([other.seal('document.written', JSON.stringify(written('p1', { gold: 1e6 }).data), 1)]);
  await projecting({ pool, log }, async (projector) => {
    expect(await projector.waitFor('broken', 1, 5_000)).toBe(false);
    expect([...projector.stopped().values()].join()).toContain('project-broken@1 does not match its hash');
  });
  expect((await createStateReader(pool).load('broken', [documentSubject('live', 'saves', 'p1')])).states).toEqual([null]);
});

test('nor does one pass that comes first behind a foreign event, after a restart', async () => {
  const log = createMemoryLog();
  const [feed, other] = [new Feed(log, 'behind'), new Feed(createMemoryLog(), 'behind', 'other')];
  await feed.commit({ type: 'project.created', data: { projectId: 'behind', name: 'B' } });
  await feed.append([theirs()]);
  await project(pool, log, feed);
  await other.commit(written('p1', { gold: 1_000_000 }));
  await feed.append([other.seal('document.written', JSON.stringify(written('p1', { gold: 1e6 }).data), 1)]);
  await projecting({ pool, log }, async (projector) => {
    expect(await projector.waitFor('behind', 2, 5_000)).toBe(false);
    expect([...projector.stopped().values()].join()).toContain('project-behind@2 does not match its hash');
  });
});
