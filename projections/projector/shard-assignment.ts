import { createHash, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { QUERY_TIMEOUT } from '../query-timeout.ts';
import type { ProjectorLogger } from './context.ts';

/**
 * Divides the projects among several projectors. The hash of its id puts a project into a range, and each range belongs to one of the live
 * projectors. The division only serves speed: two projectors may disagree about it for a moment, or one may take over what another still
 * writes. The checkpoints then decide whose batch counts.
 */
export interface ShardAssignment {
  /** Whether this projector should write the project. */
  owns(projectId: string): boolean;
  /** Joins, then reports at intervals that it is alive. Rejects when the database cannot be written. */
  start(): Promise<void>;
  /** Leaves, so that the others need not wait until it counts as gone. */
  stop(): Promise<void>;
}

/** The assignment of a projector that runs alone, and of a command that projects without a node. */
export const ALL_PROJECTS: ShardAssignment = { owns: () => true, start: async () => undefined, stop: async () => undefined };

const RANGES = 256;
const BEAT_MS = 500;
/**
 * A projector counts as gone after this long. It spans several heartbeats, so that a busy machine is not taken for a dead one, and lies
 * well below the ten seconds within which another must have taken over.
 */
const SILENT_MS = 2_500;

/**
 * A projector whose last heartbeat lies in the future reported before the server's clock was set back. If it is alive, it reports again
 * within one interval.
 */
const BEAT = `
WITH gone AS (DELETE FROM savepoint.projectors WHERE seen_at < clock_timestamp() - interval '1 hour'),
  me AS (INSERT INTO savepoint.projectors (id, seen_at) VALUES ($1, clock_timestamp())
         ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at)
SELECT id FROM savepoint.projectors
WHERE seen_at > clock_timestamp() - $2 * interval '1 millisecond' AND seen_at < clock_timestamp() + $2 * interval '1 millisecond'`;

/** `onChange` is called when some projects have another owner. */
export function createShardAssignment(pool: Pool, logger: ProjectorLogger, onChange: () => void): ShardAssignment {
  const own: string = randomUUID();
  let owners: readonly string[] = ownersAmong([own]);
  let known = own;
  let timer: NodeJS.Timeout | undefined;
  let beating: Promise<void> = Promise.resolve();

  const beat = async () => {
    const { rows } = await pool.query<{ id: string }>({ name: 'beat', text: BEAT, values: [own, SILENT_MS], ...QUERY_TIMEOUT });
    const living = [...new Set([own, ...rows.map(({ id }) => id)])].sort();
    if (living.join() === known) return;
    known = living.join();
    owners = ownersAmong(living);
    const ranges = owners.filter((owner) => owner === own).length;
    logger.info({ projectors: living.length, share: ranges / RANGES }, 'the division of projects among the projectors has changed');
    onChange();
  };
  const again = () => {
    // If the database does not answer, the last division stays.
    beating = beat().catch((error: unknown) => logger.warn({ err: error }, 'this projector could not report to the others; trying again'));
    beating.then(() => {
      if (timer !== undefined) timer = setTimeout(again, BEAT_MS);
    });
  };

  return {
    owns: (projectId) => owners[rangeOf(projectId)] === own,
    async start() {
      await beat();
      timer = setTimeout(again, BEAT_MS);
    },
    async stop() {
      clearTimeout(timer);
      timer = undefined;
      await beating;
      await pool.query('DELETE FROM savepoint.projectors WHERE id = $1', [own]).catch(() => undefined);
    },
  };
}

/** Each range goes to the projector with the highest hash for it. So when a projector joins or leaves, only its own ranges move. */
export function ownersAmong(projectors: readonly string[]): readonly string[] {
  return Array.from({ length: RANGES }, (_, range) => {
    const weighed = projectors.map((id) => ({ id, weight: numberFrom(`${id}/${range}`) }));
    return weighed.reduce((best, one) => (one.weight > best.weight ? one : best)).id;
  });
}

/** The range into which a project falls by the hash of its id. */
export function rangeOf(projectId: string): number {
  return numberFrom(projectId) % RANGES;
}

function numberFrom(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}
