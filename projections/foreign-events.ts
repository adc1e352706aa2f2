import type { Pool } from 'pg';
import { isForeign, isForeignFiller } from '../src/log/foreign.ts';
import type { RecordedEvent } from '../src/log/port.ts';
import { QUERY_TIMEOUT } from './query-timeout.ts';

/**
 * Events that other programs wrote to the streams of projects, as they were met: what an operator has to know, and no read model. A row is
 * written before a checkpoint passes its event, and again if that is met again.
 */

export const FOREIGN_EVENTS = `
CREATE TABLE savepoint.foreign_events (
  project text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  type text NOT NULL,
  PRIMARY KEY (project, revision)
)`;

const NOTE = `INSERT INTO savepoint.foreign_events (project, revision, type)
SELECT $1, revision, type FROM unnest($2::bigint[], $3::text[]) AS f (revision, type) ON CONFLICT DO NOTHING`;

/** Notes the foreign events among these of a project's stream, and returns them. */
export async function noteForeign(pool: Pool, projectId: string, events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
  const foreign = events.filter((event) => isForeign(event) && !isForeignFiller(event));
  if (foreign.length === 0) return foreign;
  // Postgres takes no U+0000, which another program may have written.
  const types = foreign.map(({ type }) => type.replaceAll('\0', '�'));
  await pool.query({ text: NOTE, values: [projectId, foreign.map(({ revision }) => revision), types], ...QUERY_TIMEOUT });
  return foreign;
}

/** The foreign events of one project that are known. */
interface ForeignEvents {
  readonly project: string;
  readonly events: number;
  readonly first: number;
  readonly type: string;
}

const READ = `SELECT project, count(*)::int AS events, min(revision)::float8 AS first, (array_agg(type ORDER BY revision))[1] AS type
FROM savepoint.foreign_events GROUP BY project ORDER BY project LIMIT 20`;

/** The foreign events that were met, of at most 20 projects. */
export async function readForeign(pool: Pool): Promise<readonly ForeignEvents[]> {
  const { rows } = await pool.query<ForeignEvents>({ text: READ, ...QUERY_TIMEOUT });
  return rows;
}
