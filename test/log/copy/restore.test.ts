import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rebuild } from '../../../projections/maintenance/rebuild.ts';
import { verify } from '../../../projections/maintenance/verify.ts';
import { logSource, logTarget } from '../../../src/log/copy/log-ends.ts';
import { openFileSource } from '../../../src/log/file/source.ts';
import { openFileTarget } from '../../../src/log/file/target.ts';
import { createMemoryLog } from '../../../src/log/memory/log.ts';
import { createPostgresLog, LOG_MIGRATIONS } from '../../../src/log/postgres/log.ts';
import { Feed, fillAll, freshPool, project, rowsOf } from '../../projections/support.ts';
import { allOf, copy, DENSE } from './support.ts';

test('read models built, rebuilt and verified on a restored database are those of the first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'savepoint-restore-'));
  const pool = await freshPool();
  for (const { sql } of LOG_MIGRATIONS) await pool.query(sql);
  const { rows } = await pool.query<{ name: string }>('SELECT current_database() AS name');
  const first = createMemoryLog();
  const restored = createPostgresLog({ connection: { ...pool.options, max: undefined, database: rows[0]?.name } });
  try {
    const feeds = [new Feed(first, 'one'), new Feed(first, 'two')];
    for (const feed of feeds) await fillAll(feed);
    const target = await openFileTarget(join(folder, 'log.ndjson.gz'));
    await copy({ source: logSource(first, DENSE), target });
    await target.close();
    const source = await openFileSource(join(folder, 'log.ndjson.gz'));
    await copy({ source, target: logTarget(restored, DENSE) });
    await source.close();
    expect(await allOf(restored)).toEqual(await allOf(first));

    await project(pool, restored, ...feeds);
    const documents = () => rowsOf(pool, 'SELECT * FROM savepoint.documents ORDER BY project, space, collection, key');
    const built = await documents();
    expect(built.length).toBeGreaterThan(2);
    const { events } = await rebuild('all', { log: restored, pool });
    expect(events).toBe((await allOf(first)).length);
    expect(await documents()).toEqual(built);
    expect(await verify({ log: restored, pool })).toMatchObject({ ok: true, problems: [], projects: 2 });
  } finally {
    await restored.close();
    await pool.end();
    await rm(folder, { recursive: true });
  }
});
