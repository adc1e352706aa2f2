import type { Pool } from 'pg';
import type { Log } from '../src/log/port.ts';
import { PROJECT_PREFIX, projectOf } from '../src/log/streams.ts';

/** Every project with an event up to here has its checkpoints, as long as the log holds this very event there. */
export interface FollowedTo {
  readonly position: bigint;
  readonly eventId: string;
}

/** How far projectors have followed the whole log; `null` when none has, or in a database that was made anew. */
export async function followedTo(pool: Pool): Promise<FollowedTo | null> {
  const { rows } = await pool.query<{ position: string; event_id: string }>(
    'SELECT position, event_id FROM savepoint.follow_positions WHERE prefix = $1',
    [PROJECT_PREFIX],
  );
  const [row] = rows;
  return row ? { position: BigInt(row.position), eventId: row.event_id } : null;
}

/** Whether the log goes that far: nobody could follow an older state of it from there. */
export async function reaches(log: Log, { position }: FollowedTo): Promise<boolean> {
  const end = await log.end();
  return end !== null && end >= position;
}

/** The projects with events after that place; all of them when the log is another one, or an older state of it. */
export async function projectsAfter(log: Log, place: FollowedTo | null): Promise<ReadonlySet<string>> {
  if (place !== null && !(await reaches(log, place))) return projectsAfter(log, null);
  const projects = new Set<string>();
  const stop = new AbortController();
  // That event once more: when it is not the one we know, positions say nothing.
  let check = place;
  for await (const step of log.follow({ prefix: PROJECT_PREFIX, after: place && place.position - 1n, signal: stop.signal })) {
    if (check && (step.events.length > 0 || step.caughtUp) && step.events[0]?.id !== check.eventId) return projectsAfter(log, null);
    if (step.events.length > 0 || step.caughtUp) check = null;
    for (const { stream } of step.events) projects.add(projectOf(stream) ?? '');
    if (step.caughtUp) break;
  }
  stop.abort();
  projects.delete('');
  return projects;
}
