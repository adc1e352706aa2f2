import type { Pool } from 'pg';
import { isForeign, isForeignFiller } from '../src/log/foreign.ts';
import type { RecordedEvent } from '../src/log/port.ts';
import { PROJECT_PREFIX } from '../src/log/streams.ts';
import { QUERY_TIMEOUT } from './query-timeout.ts';
import type { Transaction } from './tables.ts';

/**
 * Events that other programs wrote to streams of the product, as they were met: what an operator has to know, and no read model. A row is
 * written before a checkpoint passes its event, and again if that is met again.
 */

export const FOREIGN_EVENTS = `
CREATE TABLE savepoint.foreign_events (
  project text COLLATE "C" NOT NULL,
  revision bigint NOT NULL,
  type text NOT NULL,
  PRIMARY KEY (project, revision)
)`;

/** Earlier builds noted those of projects' own streams alone. One that still runs writes rows as before. */
export const FOREIGN_EVENTS_OF_STREAMS = `
ALTER TABLE savepoint.foreign_events ADD COLUMN prefix text COLLATE "C" NOT NULL DEFAULT '${PROJECT_PREFIX}',
  DROP CONSTRAINT foreign_events_pkey, ADD PRIMARY KEY (project, prefix, revision)`;

const NOTE = `INSERT INTO savepoint.foreign_events (project, prefix, revision, type)
SELECT $1, $2, revision, type FROM unnest($3::bigint[], $4::text[]) AS f (revision, type) ON CONFLICT DO NOTHING`;

interface Met {
  readonly revision: number;
  readonly type: string;
}

/** Postgres takes no U+0000, which another program may have written. */
function parametersOf(prefix: string, met: readonly Met[]): readonly unknown[] {
  return [prefix, met.map(({ revision }) => revision), met.map(({ type }) => type.replaceAll('\0', '\uFFFD'))];
}

/** Notes the foreign events among these of a project's stream, and returns them. */
export async function noteForeign(pool: Pool, projectId: string, events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
  const foreign = events.filter((event) => isForeign(event) && !isForeignFiller(event));
  if (foreign.length === 0) return foreign;
  await pool.query({ text: NOTE, values: [projectId, ...parametersOf(PROJECT_PREFIX, foreign)], ...QUERY_TIMEOUT });
  return foreign;
}

/** Notes foreign events of another stream of the transaction's project, by the prefix of its name. */
export async function noteForeignOf(tx: Transaction, prefix: string, met: readonly Met[]): Promise<void> {
  if (met.length > 0) await tx.run('foreign-note', NOTE, parametersOf(prefix, met));
}

const FORGET = 'DELETE FROM savepoint.foreign_events WHERE project = $1 AND prefix = $2 AND revision < $3';

/** Forgets those that a truncation removed from the log. */
export async function forgetForeign(pool: Pool, projectId: string, prefix: string, before: number): Promise<void> {
  await pool.query({ text: FORGET, values: [projectId, prefix, before], ...QUERY_TIMEOUT });
}

/** The foreign events of one stream that are known. */
interface ForeignEvents {
  readonly project: string;
  readonly stream: string;
  readonly events: number;
  readonly first: number;
  readonly type: string;
}

const READ = `SELECT project, prefix || project AS stream, count(*)::int AS events, min(revision)::float8 AS first,
  (array_agg(type ORDER BY revision))[1] AS type
FROM savepoint.foreign_events GROUP BY project, prefix ORDER BY project, prefix LIMIT 20`;

/** The foreign events that were met, of at most 20 streams. */
export async function readForeign(pool: Pool): Promise<readonly ForeignEvents[]> {
  const { rows } = await pool.query<ForeignEvents>({ text: READ, ...QUERY_TIMEOUT });
  return rows;
}
