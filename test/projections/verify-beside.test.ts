import type pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compareTable } from '../../projections/maintenance/compare.ts';
import { rebuild } from '../../projections/maintenance/rebuild.ts';
import { verify } from '../../projections/maintenance/verify.ts';
import { SCRATCH_VERSION, schemaOf, TABLES } from '../../projections/tables.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import type { Log } from '../../src/log/port.ts';
import { Feed, fillAll, freshPool, project, projecting, reached, rowsOf, written } from './support.ts';

/** A verification beside a running installation: nobody waits for it, and nothing that happens meanwhile is taken for a fault. */

let pool: pg.Pool;
let log: Log;
beforeEach(async () => {
  pool = await freshPool(8);
  log = createMemoryLog();
});
afterEach(() => pool.end());

/** The pool, but the first comparison of `table` waits for `meanwhile` after its transaction has begun. */
function comparingSlowly(table: string, meanwhile: () => Promise<void>): pg.Pool {
  let isDone = false;
  const slowly = (client: pg.PoolClient) =>
    new Proxy(client, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'query' || typeof value !== 'function') return typeof value === 'function' ? value.bind(target) : value;
        return async (query: unknown, ...more: readonly unknown[]) => {
          const isComparison = typeof query === 'string' && query.includes('row_to_json') && query.includes(`savepoint.${table}_v`);
          if (isComparison && !isDone) {
            isDone = true;
            await meanwhile();
          }
          return value.call(target, query, ...more);
        };
      },
    });
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return async () => slowly(await target.connect());
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

test('a comparison blocks no writes of its project, however long it takes', async () => {
  const feed = new Feed(log, 'busy');
  await fillAll(feed);
  await projecting({ pool, log }, async (projector) => {
    await reached(projector, feed);
    let moved = false;
    const meanwhile = async () => {
      await feed.commit(written('p1', { stats: { xp: 77 } }, 4), written('new', { stats: { xp: 3 } }));
      moved = await projector.waitFor('busy', feed.revision, 5_000);
    };
    const found = await verify({ pool: comparingSlowly('documents', meanwhile), log });
    expect(moved).toBe(true);
    expect(found).toMatchObject({ ok: true, problems: [], behind: 0 });
  });
  expect(await verify({ pool, log })).toMatchObject({ ok: true, events: feed.revision + 1 });
});

test('a rebuild beside a verification disturbs neither, and a project created meanwhile is no foreign row', async () => {
  const feed = new Feed(log, 'first');
  const later = new Feed(log, 'later');
  await fillAll(feed);
  await projecting({ pool, log }, async (projector) => {
    await reached(projector, feed);
    let rebuilding: Promise<unknown> = Promise.resolve();
    const meanwhile = async () => {
      await fillAll(later);
      await reached(projector, later);
      // Its last step, dropping the old tables, waits until the comparison is over.
      let switched = false;
      rebuilding = rebuild(['ledger'], { pool, log, onProgress: ({ phase }) => (switched ||= phase === 'switching') });
      await expect.poll(() => switched).toBe(true);
    };
    const found = await verify({ pool: comparingSlowly('documents', meanwhile), log });
    await rebuilding;
    expect(found).toMatchObject({ ok: true, problems: [] });
  });
  const [row] = await rowsOf(pool, `SELECT active FROM savepoint.projection_versions WHERE name = 'ledger'`);
  expect(row).toEqual({ active: 2 });
});

test('altered rows are found anywhere in a table of many pages', async () => {
  const feed = new Feed(log, 'large');
  const count = 11_000;
  for (let n = 0; n < count; n += 500) {
    await feed.commit(...Array.from({ length: 500 }, (_, i) => written(`p${String(n + i).padStart(6, '0')}`, { n: n + i })));
  }
  await rebuild('all', { pool, log });
  await pool.query(`DELETE FROM savepoint.documents_v2 WHERE key = 'p000000';
    UPDATE savepoint.documents_v2 SET version = 9 WHERE key = 'p004999' OR key = 'p005000';
    INSERT INTO savepoint.documents_v2 SELECT project, space, collection, 'z', document, version, created_at, updated_at, created_revision, revision
      FROM savepoint.documents_v2 WHERE key = 'p000007'`);
  const { problems } = await verify({ pool, log });
  const found = problems.map(({ kind, row }) => [row.split('key=')[1], kind]).sort();
  expect(found).toEqual([
    ['p000000', 'missing'],
    ['p004999', 'altered'],
    ['p005000', 'altered'],
    ['z', 'added'],
  ]);
});

test('read models that lag are no proof: verify says how far each project lags', async () => {
  const feed = new Feed(log, 'lagging');
  const unseen = new Feed(log, 'unseen');
  await fillAll(feed);
  await project(pool, log, feed);
  const shown = feed.revision;
  await feed.commit(written('p8', {}), written('p9', {}));
  await unseen.commit(written('p1', {}));
  const { ok, behind, problems } = await verify({ pool, log });
  expect([ok, behind]).toEqual([false, 3]);
  expect(problems).toEqual([
    {
      kind: 'behind',
      project: 'lagging',
      table: 'checkpoints',
      row: `revision ${shown}`,
      detail: `2 events behind the log, which goes on to revision ${feed.revision}; nothing is proved of them`,
    },
    {
      kind: 'behind',
      project: 'unseen',
      table: 'checkpoints',
      row: 'revision -1',
      detail: '1 event behind the log, which goes on to revision 0; nothing is proved of it',
    },
  ]);
});

test('a comparison passes over each table once, however its rows lie', async () => {
  await pool.query(schemaOf('documents', SCRATCH_VERSION));
  for (const version of [1, SCRATCH_VERSION]) {
    await pool.query(`INSERT INTO savepoint.documents_v${version}
      SELECT 'large', 'live', 'saves', 'k' || (i * 7919) % 30000, '{}', 1, 0, 0, 0, 0 FROM generate_series(1, 30000) i`);
    await pool.query(`ANALYZE savepoint.documents_v${version}`);
  }
  const client = await pool.connect();
  let blocks = 0;
  const watched = new Proxy(client, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name, target);
      return async (query: string | { readonly text: string; readonly values: readonly unknown[] }, values: readonly unknown[] = []) => {
        const [text, given] = typeof query === 'string' ? [query, values] : [query.text, query.values];
        if (text.includes('documents_v1 ')) {
          const { rows } = await target.query(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, [...given]);
          const [{ Plan: plan }] = rows[0]['QUERY PLAN'];
          blocks += plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
        }
        return Reflect.apply(target.query, target, [query, values]);
      };
    },
  });
  try {
    await client.query('BEGIN; SET LOCAL enable_seqscan = off');
    for (const table of TABLES.filter(({ name }) => name === 'documents')) {
      expect(await compareTable(watched, table, 1, 'large')).toEqual([]);
    }
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  const [sizes] = await rowsOf(pool, `SELECT (pg_relation_size('savepoint.documents_v1') / 8192)::int AS pages`);
  expect(blocks).toBeGreaterThan(0);
  expect(blocks).toBeLessThan(2.5 * Number(sizes?.['pages']));
});
