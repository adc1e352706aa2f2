import pg from 'pg';
import { expect, test } from 'vitest';
import { checkPlayers } from '../../src/compose/doctor/players.ts';
import { readConfig } from '../../src/config/config.ts';
import { migratedDatabase } from '../support/postgres.ts';

const DOCUMENTS = 20_000;

test('a look for projects with players does not go through the documents of a large one', async () => {
  const pool = new pg.Pool({ connectionString: await migratedDatabase(), max: 1 });
  try {
    for (const project of ['large', 'none'])
      await pool.query('INSERT INTO savepoint.projects VALUES ($1, $1, 1, false, $2, 1)', [project, {}]);
    await pool.query(
      `INSERT INTO savepoint.documents (project, space, collection, key, document, version, created_at, updated_at, created_revision, revision)
       SELECT 'large', 'live', 'many', n::text, '{}', 1, 1, 1, 1, 1 FROM generate_series(1, ${DOCUMENTS}) AS n`,
    );
    await pool.query('ANALYZE');
    await pool.query('BEGIN');
    const findings = await checkPlayers(readConfig({}), pool);
    expect(findings.find(({ what }) => what === 'staged access')?.found).toBe('players may use what is staged in large (large)');
    const { rows } = await pool.query(
      `SELECT seq_tup_read::int AS rows FROM pg_stat_xact_user_tables WHERE schemaname = 'savepoint' AND relname ~ '^documents_v'`,
    );
    expect(rows).toEqual([{ rows: 0 }]);
    await pool.query('ROLLBACK');
  } finally {
    await pool.end();
  }
});
