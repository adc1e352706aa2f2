import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { createProjector, type Projector } from '../../projections/projector/projector.ts';
import type { StateReader, ViewReader } from '../app/ports/readers.ts';
import type { Log } from '../log/port.ts';

export interface CatchUpOptions {
  readonly log: Log;
  readonly pool: Pool;
  readonly logger: Logger;
  readonly states: Pick<StateReader, 'checkpoint'>;
  readonly views: Pick<ViewReader, 'caughtUp'>;
}

/** How long a running node is given to show what was written, before this process projects it, too. */
const NODE_GRACE_MS = 500;
/** How long the read models may not move before waiting ends. */
const STALL_MS = 30_000;
/** How many projects are brought up at the same time. The projector does not write more at once, either. */
const CONCURRENCY = 2;

/** Brings read models up to revisions for a command, by a projector that lives as long as that takes. */
export class CatchUp {
  readonly #options: CatchUpOptions;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  /** See `Installation.waitUntilProjected`. */
  async waitFor(projectId: string, revision: number, onWait?: (at: number) => void): Promise<boolean> {
    const { views } = this.#options;
    if ((await views.caughtUp(projectId, revision, NODE_GRACE_MS)) && (await this.#stateAt(projectId)) >= revision) return true;
    return this.#withProjector((projector) => this.#bring(projector, projectId, revision, onWait));
  }

  /** See `Installation.catchUp`. */
  all(heads: ReadonlyMap<string, number>, onDone: (projects: number) => void = () => undefined): Promise<readonly string[]> {
    return this.#withProjector(async (projector) => {
      const rest = [...heads];
      const behind: string[] = [];
      const bringSome = async () => {
        for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
          if (!(await this.#bring(projector, ...next))) behind.push(next[0]);
          onDone(heads.size - rest.length);
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, bringSome));
      return behind;
    });
  }

  async #withProjector<T>(work: (projector: Projector) => Promise<T>): Promise<T> {
    const { log, pool, logger } = this.#options;
    const projector = createProjector({ log, pool, logger });
    try {
      return await work(projector);
    } finally {
      await projector.stop();
    }
  }

  #bring(projector: Projector, projectId: string, revision: number, onWait?: (at: number) => void): Promise<boolean> {
    projector.bring(projectId, revision);
    const reached = () => projector.waitFor(projectId, revision, 1000);
    return movesTo(revision, () => this.#stateAt(projectId), reached, onWait);
  }

  /** Revision of the project's state tables. */
  async #stateAt(projectId: string): Promise<number> {
    return (await this.#options.states.checkpoint(projectId))?.revision ?? -1;
  }
}

/** Whether `revision` is reached before `at` has stood still for too long. */
async function movesTo(
  revision: number,
  at: () => Promise<number>,
  reached: () => Promise<boolean>,
  onWait: (at: number) => void = () => undefined,
): Promise<boolean> {
  let seen = Number.NEGATIVE_INFINITY;
  let movedAt = performance.now();
  while (performance.now() - movedAt < STALL_MS) {
    if ((await reached()) && (await at()) >= revision) return true;
    const now = await at();
    if (now > seen) movedAt = performance.now();
    seen = now;
    onWait(now);
  }
  return false;
}
