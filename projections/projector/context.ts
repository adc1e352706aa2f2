import type { Pool } from 'pg';
import type { Checkpoint } from '../../src/app/ports/state-reader.ts';
import type { Bulkhead } from '../../src/kernel/bulkhead.ts';
import type { Neighbours } from '../../src/kernel/neighbours.ts';
import type { Log } from '../../src/log/port.ts';
import type { Tally } from './event-queue.ts';

/** What all workers of a projector share. */
export interface WorkerContext {
  readonly log: Log;
  readonly pool: Pool;
  readonly logger: ProjectorLogger;
  /** Limits the connections for batches, which the projects share. */
  readonly gate: Bulkhead;
  /** The same for background work. It has connections of its own, so that no batch waits for it. */
  readonly background: Bulkhead;
  /** Which projects are being written. */
  readonly neighbours: Neighbours;
  /** Counts the characters in the queues of all workers. */
  readonly tally: Tally;
  /** See `Batch.atOnce`. */
  readonly atOnce: number;
  readonly onProgress: (projectId: string, checkpoint: Checkpoint) => void;
  readonly counters: ProjectorCounters;
  /** Whether this projector is the one that writes the project; see `shard-assignment.ts`. */
  readonly owns: (projectId: string) => boolean;
}

/** A logger of pino fits. */
export interface ProjectorLogger {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Totals since the start, for metrics. */
export interface ProjectorCounters {
  events: number;
  batches: number;
  failures: number;
  /** Events that other programs wrote to streams of projects. */
  foreign: number;
}
