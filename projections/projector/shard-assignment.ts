import { createHash, randomUUID } from 'node:crypto';
import type { Pool } from 'pg';
import { QUERY_TIMEOUT } from '../query-timeout.ts';
import type { ProjectorLogger } from './context.ts';

/**
 * Several projectors divide the projects among them. By the hash of its id each project falls into a range, and each range belongs to one
 * of the projectors that were heard of lately. The division only serves speed. Two projectors may disagree about it for a moment, or one
 * may take over what another still writes: then the checkpoints decide whose batch counts.
 */
export interface ShardAssignment {
  /** Whether this projector is to write the project. */
  owns(projectId: string): boolean;
  /** Joins, and reports at intervals from then on that it is alive. Rejects when the database cannot be written. */
  start(): Promise<void>;
  /** Leaves, so that the others need not wait until it counts as silent. */
  stop(): Promise<void>;
}

/** The shard of a projector that is the only one, and of a command that projects where no node does. */
export const ALL_PROJECTS: ShardAssignment = { owns: () => true, start: async () => undefined, stop: async () => undefined };

const RANGES = 256;
const BEAT_MS = 500;
/**
 * After this long a projector counts as silent. It is several beats, so that a busy machine is not taken for a dead one, and well below the
 * ten seconds in which another must have taken over.
 */
const SILENT_MS = 2_500;

/**
 * A projector that seems to have been seen in the future was last seen before the server's clock was set back. One that is alive is seen
 * again within a beat.
 */
const BEAT = `
WITH gone AS (DELETE FROM savepoint.projectors WHERE seen_at < clock_timestamp() - interval '1 hour'),
  me AS (INSERT INTO savepoint.projectors (id, seen_at) VALUES ($1, clock_timestamp())
         ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at)
SELECT id FROM savepoint.projectors
WHERE seen_at > clock_timestamp() - $2 * interval '1 millisecond' AND seen_at < clock_timestamp() + $2 * interval '1 millisecond'`;

/** `onChange` is called when some projects have got another owner. */
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
    logger.info({ projectors: living.length, share: ranges / RANGES }, 'the projects are divided anew among the projectors');
    onChange();
  };
  const again = () => {
    // If the database does not answer, nobody gets a new shard, and the last division stays.
    beating = beat().catch((error: unknown) => logger.warn({ err: error }, 'the other projectors were not heard'));
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

/** Each range goes to the projector with the highest hash for it. So when a projector comes or goes, only its own ranges move. */
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
