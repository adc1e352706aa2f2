import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProjector } from '../../projections/projector/projector.ts';
import type { Log } from '../../src/log/port.ts';
import { opened } from '../support/eventstore/opened.ts';
import { Feed, freshPool, memoryLogger, project, projecting, reached, rowsOf, written } from './support.ts';

/** Where the projector goes on after a restart, on an engine whose positions are not consecutive numbers. */

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
});
afterAll(() => pool.end());

/** The log, and the positions at which its followers began. */
function watched(log: Log): { readonly log: Log; readonly begun: (bigint | null)[] } {
  const begun: (bigint | null)[] = [];
  const follow: Log['follow'] = (options) => {
    begun.push(options.after);
    return log.follow(options);
  };
  return { log: { ...log, follow }, begun };
}

test('following resumes after the last stored event, and shows what came since', async () => {
  const { log } = await opened();
  const feed = new Feed(log, 'resumed');
  for (let n = 1; n <= 5; n++) await feed.commit(written('p', { n }, n));
  await project(pool, log, feed);
  const stopped = await log.end();
  const { log: again, begun } = watched(log);
  await projecting({ pool, log: again }, async (projector) => {
    await feed.commit(written('p', { n: 6 }, 6));
    await reached(projector, feed);
    expect(projector.counters.events).toBe(1);
  });
  expect(begun[0]).toBe(stopped);
});

test('another log is searched for projects from its first event, and followed from its end', async () => {
  const { log } = await opened();
  const feed = new Feed(log, 'elsewhere');
  await feed.commit(written('p', {}));
  const { log: other, begun } = watched(log);
  await projecting({ pool, log: other }, (projector) => reached(projector, feed));
  expect(begun).toEqual([null, await log.end()]);
});

test('what is written while a long log is still searched for projects is shown at once', async () => {
  const { log } = await opened();
  const [known, found] = [new Feed(log, 'known'), new Feed(log, 'found')];
  await known.commit(written('p', {}));
  await project(pool, log, known);
  await found.commit(written('p', {}));
  await pool.query('DELETE FROM savepoint.follow_positions');
  let search = (): void => undefined;
  const searching = new Promise<void>((resolve) => {
    search = resolve;
  });
  const long: Log = {
    ...log,
    async *follow(options) {
      if (options.after === null) await searching;
      yield* log.follow(options);
    },
  };
  await projecting({ pool, log: long }, async (projector) => {
    await reached(projector, known);
    await known.commit(written('p', {}, 2));
    await reached(projector, known);
    expect(projector.progress('found')).toBe(-1);
    search();
    await reached(projector, found);
  });
  expect(await rowsOf(pool, `SELECT stream FROM savepoint.follow_positions`)).toEqual([{ stream: 'project-known' }]);
});

test('a log that does not answer at the start is followed once it does, and the wait is logged', async () => {
  const { server, log } = await opened({ timeoutMs: 3000 });
  const feed = new Feed(log, 'late');
  await feed.commit(written('p', {}));
  await project(pool, log, feed);
  await feed.commit(written('p', {}, 2));
  server.faults.readsNotReady = true;
  const logger = memoryLogger();
  await projecting({ pool, log, logger }, async (projector) => {
    await expect.poll(() => logger.lines.some((line) => line.startsWith('the log cannot be followed'))).toBe(true);
    server.faults.readsNotReady = false;
    await reached(projector, feed);
  });
});

test('one project is caught up without following the log', async () => {
  const { log } = await opened();
  const [one, other] = [new Feed(log, 'brought'), new Feed(log, 'left')];
  for (const feed of [one, other]) await feed.commit(written('p', {}));
  const { log: again, begun } = watched(log);
  const projector = createProjector({ pool, log: again, logger: memoryLogger() });
  projector.bring(one.projectId, one.revision);
  await reached(projector, one);
  await projector.stop();
  expect(begun).toEqual([]);
  expect(await rowsOf(pool, `SELECT project FROM savepoint.documents WHERE project IN ('brought', 'left')`)).toEqual([
    { project: 'brought' },
  ]);
});
