import { availableParallelism } from 'node:os';
import type { ViewReader } from '../app/ports/readers.ts';
import { Bulkhead } from '../kernel/bulkhead.ts';
import { refusal } from '../kernel/errors.ts';
import type { Scheduler } from '../kernel/scheduler.ts';

/** Connections of the pool that are always left for projectors and probes. */
const SPARED = 2;
/** How many reads of one project may wait for a connection, and for how long. */
const MOST_WAITING = 500;
const PATIENCE_MS = 2_000;

/** Runs a project's reads within its share of the connections. Rejects with 503 BUSY when none is free in time. */
export interface SharedReads {
  readonly taken: number;
  readonly refused: number;
  run<T>(projectId: string, read: () => Promise<T>): Promise<T>;
}

/**
 * Reads that one project may run at a time when Postgres runs on the CPUs of this process. More reads would take these CPUs from the
 * process, and so from all projects.
 */
export const READS_OF_ONE_MACHINE = Math.max(2, availableParallelism());

/** `connections`: the size of the pool. `each`: connections of one project at most; by default up to half of the free ones. */
export function shareReads(connections: number, scheduler: Pick<Scheduler, 'after'>, each?: number): SharedReads {
  const places = new Bulkhead({
    places: Math.max(2, connections - SPARED),
    ...(each === undefined ? {} : { each }),
    queue: MOST_WAITING,
    patience: { ms: PATIENCE_MS, scheduler },
  });
  return {
    get taken() {
      return places.taken;
    },
    get refused() {
      return places.refused;
    },
    run: (projectId, read) => places.run(projectId, read, { full: busy }),
  };
}

function busy(): Error {
  return refusal('BUSY', 'This project has as many reads under way as it may have; try again shortly');
}

/** The same views, each read within its project's share. Waiting for a view to catch up takes no connection for long. */
export function sharedViews(views: ViewReader, reads: SharedReads): ViewReader {
  return {
    caughtUp: views.caughtUp,
    hasShown: views.hasShown,
    ledger: (projectId, ...asked) => reads.run(projectId, () => views.ledger(projectId, ...asked)),
    publishes: (projectId, ...asked) => reads.run(projectId, () => views.publishes(projectId, ...asked)),
    flags: (projectId, ...asked) => reads.run(projectId, () => views.flags(projectId, ...asked)),
    revisions: (projectId, ...asked) => reads.run(projectId, () => views.revisions(projectId, ...asked)),
    records: (projectId, ...asked) => reads.run(projectId, () => views.records(projectId, ...asked)),
    scan: (projectId, ...asked) => reads.run(projectId, () => views.scan(projectId, ...asked)),
    documentsAfter: (projectId, ...asked) => reads.run(projectId, () => views.documentsAfter(projectId, ...asked)),
    documentCount: (projectId, ...asked) => reads.run(projectId, () => views.documentCount(projectId, ...asked)),
    ledgerFields: (projectId, ...asked) => reads.run(projectId, () => views.ledgerFields(projectId, ...asked)),
    building: (projectId) => reads.run(projectId, () => views.building(projectId)),
    leaderboard: (projectId, ...asked) => reads.run(projectId, () => views.leaderboard(projectId, ...asked)),
    standing: (projectId, ...asked) => reads.run(projectId, () => views.standing(projectId, ...asked)),
    board: (projectId, ...asked) => reads.run(projectId, () => views.board(projectId, ...asked)),
  };
}
