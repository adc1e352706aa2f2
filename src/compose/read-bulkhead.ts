import { availableParallelism } from 'node:os';
import { noAnswer } from '../app/project/no-answer.ts';
import { Bulkhead } from '../kernel/bulkhead.ts';
import { refusal } from '../kernel/errors.ts';
import { type Scheduler, withDeadline } from '../kernel/scheduler.ts';

/** Connections of the pool that are reserved for projectors and probes. */
const RESERVED = 2;
/** How many reads of one project may wait for a connection, and for how long. */
const MAX_WAITING = 500;
const TIMEOUT_MS = 2_000;

/** Runs a project's reads within its share of the connections. Rejects with 503 BUSY if none is free in time. */
export interface ReadBulkhead {
  readonly inUse: number;
  readonly rejected: number;
  run<T>(projectId: string, read: () => Promise<T>): Promise<T>;
}

/**
 * Concurrent reads of one project if Postgres runs on this machine. More would take its CPUs away from this process, and so from all
 * projects.
 */
export const READS_OF_ONE_MACHINE = Math.max(2, availableParallelism());

/** `connections`: the size of the pool. `each`: connections of one project at most; by default up to half of the free ones. */
export function createReadBulkhead(connections: number, scheduler: Pick<Scheduler, 'after'>, perKey?: number): ReadBulkhead {
  const bulkhead = new Bulkhead({
    slots: Math.max(2, connections - RESERVED),
    ...(perKey === undefined ? {} : { perKey }),
    queue: MAX_WAITING,
    timeout: { ms: TIMEOUT_MS, scheduler },
  });
  return {
    get inUse() {
      return bulkhead.inUse;
    },
    get rejected() {
      return bulkhead.rejected;
    },
    run: (projectId, read) => bulkhead.run(projectId, read, { onReject: busy }),
  };
}

function busy(): Error {
  return refusal('BUSY', 'This project has as many reads under way as it may have; try again shortly');
}

/** Runs reads as the bulkhead does, each waited for `timeoutMs` at most, whatever it waits for: its turn, a connection, the answer. */
export function withinTimeout({ run }: ReadBulkhead, scheduler: Scheduler, timeoutMs: number): ReadBulkhead['run'] {
  return (projectId, read) => withDeadline(scheduler, scheduler.monotonic() + timeoutMs, run(projectId, read), noAnswer);
}
