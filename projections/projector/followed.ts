import type { Pool } from 'pg';
import { followWithTimeout } from '../../src/log/follow.ts';
import type { Log, RecordedEvent } from '../../src/log/port.ts';
import { PROJECT_PREFIX, projectOf } from '../../src/log/streams.ts';
import { QUERY_TIMEOUT } from '../query-timeout.ts';

/** The position at which following the whole log resumes after a restart. */

/** Stores that everything up to this event was passed to the workers. Every project in that range must have its checkpoints. */
export async function storeFollowed(pool: Pool, { position, id, stream, revision }: RecordedEvent): Promise<void> {
  await pool.query({
    text: `INSERT INTO savepoint.follow_positions (prefix, position, event_id, stream, revision) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT (prefix) DO UPDATE
     SET position = excluded.position, event_id = excluded.event_id, stream = excluded.stream, revision = excluded.revision`,
    values: [PROJECT_PREFIX, position.toString(), id, stream, revision],
    ...QUERY_TIMEOUT,
  });
}

interface Row {
  readonly position: string;
  readonly event_id: string;
  readonly stream: string | null;
  readonly revision: string | null;
}

/**
 * The stored position; `null` for the beginning of the log. It is `null` when none is stored, or when the log holds another event there:
 * then it is another log, or an older state of the same one, and the position means nothing.
 *
 * The event is looked up in its stream. Each engine has its own positions, and only the position of an event may be read from: an
 * EventStoreDB answers any other with an error for ever.
 */
export async function readFollowed(pool: Pool, log: Log): Promise<bigint | null> {
  const text = 'SELECT position, event_id, stream, revision FROM savepoint.follow_positions WHERE prefix = $1';
  const { rows } = await pool.query<Row>({ text, values: [PROJECT_PREFIX], ...QUERY_TIMEOUT });
  const [row] = rows;
  if (!row || row.stream === null || row.revision === null) return null;
  const [event] = await log.read(row.stream, { from: Number(row.revision), limit: 1, direction: 'forwards' });
  const isKnown = event?.id === row.event_id && event.position === BigInt(row.position);
  return isKnown ? event.position : null;
}

/** The projects with events after that position, up to the present end of the log. Throws `LogUnavailable` when the log does not answer. */
export async function projectsAfter(log: Log, after: bigint | null): Promise<ReadonlySet<string>> {
  const projects = new Set<string>();
  const { signal } = new AbortController();
  for await (const step of followWithTimeout(log, { prefix: PROJECT_PREFIX, after, signal })) {
    for (const { stream } of step.events) projects.add(projectOf(stream) ?? '');
    if (step.caughtUp) break;
  }
  projects.delete('');
  return projects;
}
