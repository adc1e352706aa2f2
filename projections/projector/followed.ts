import type { Pool } from 'pg';
import { followWithTimeout } from '../../src/log/follow.ts';
import type { Log, RecordedEvent } from '../../src/log/port.ts';
import { PROJECT_PREFIX, projectOf } from '../../src/log/streams.ts';
import { QUERY_TIMEOUT } from '../query-timeout.ts';

/** Where following the whole log resumes after a restart. */

/** Everything up to this event was given to the workers, and every project in it has its checkpoints. */
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
 * The stored position, or `null` for the beginning of the log. It is `null` when none is stored, or when the event there is not the one
 * that was stored. In that case the log is another one, or an older state of it, and positions mean nothing.
 *
 * The event is looked up in its stream. Each engine has its own positions, and only an event's own position may be asked for, not one
 * before it: an EventStoreDB answers any other with an error for ever.
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

/** The projects with events after that position, up to the log's present end. Throws `LogUnavailable` when nothing is heard of the log. */
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
