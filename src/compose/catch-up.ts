import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { createProjector, type Projector } from '../../projections/projector/projector.ts';
import type { ViewReader } from '../app/ports/readers.ts';
import type { StateReader } from '../app/ports/state-reader.ts';
import type { Log } from '../log/port.ts';
import type { OutageLogger } from './outages.ts';

export interface CatchUpOptions {
  readonly log: Log;
  readonly pool: Pool;
  readonly logger: OutageLogger;
  readonly states: Pick<StateReader, 'checkpoint'>;
  readonly views: Pick<ViewReader, 'caughtUp'>;
  /** The wait ends if the read models make no progress for this long, ms. */
  readonly stallMs?: number;
}

/** How long a running node gets to project what was written, before this process projects it, ms. */
const NODE_GRACE_MS = 500;
const STALL_MS = 30_000;
/** Interval at which a paused view is checked again, ms: its answer comes at once. */
const RECHECK_MS = 100;
/** How many projects catch up at the same time. The projector writes no more at once. */
const CONCURRENCY = 2;

/** Lets read models catch up to revisions for a command, by a projector that runs only meanwhile. */
export class CatchUp {
  readonly #options: CatchUpOptions;

  constructor(options: CatchUpOptions) {
    this.#options = options;
  }

  /** See `Installation.waitUntilProjected`. */
  async waitFor(projectId: string, revision: number, onWait?: (at: number) => void): Promise<boolean> {
    const { views } = this.#options;
    if ((await views.caughtUp(projectId, revision, NODE_GRACE_MS)) && (await this.#stateAt(projectId)) >= revision) return true;
    return this.#withProjector((projector) => this.#advance(projector, projectId, revision, onWait));
  }

  /** See `Installation.catchUp`. */
  all(heads: ReadonlyMap<string, number>, onDone: (projects: number) => void = () => undefined): Promise<readonly string[]> {
    return this.#withProjector(async (projector) => {
      const rest = [...heads];
      const behind: string[] = [];
      const bringSome = async () => {
        for (let next = rest.shift(); next !== undefined; next = rest.shift()) {
          if (!(await this.#advance(projector, ...next))) behind.push(next[0]);
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

  /**
   * Whether the read models reach `revision` before they stall. Only progress towards `revision` counts: while a project is played the
   * other views progress for ever, even if a paused view never shows it.
   */
  async #advance(
    projector: Projector,
    projectId: string,
    revision: number,
    onWait: (at: number) => void = () => undefined,
  ): Promise<boolean> {
    const { stallMs = STALL_MS } = this.#options;
    let nearest = Number.NEGATIVE_INFINITY;
    let movedAt = performance.now();
    projector.bring(projectId, revision);
    while (performance.now() - movedAt < stallMs) {
      const isReached = await projector.waitFor(projectId, revision, 1000);
      const at = await this.#stateAt(projectId);
      if (isReached && at >= revision) return true;
      const near = Math.min(at, revision) + Math.min(projector.shown(projectId), revision);
      if (near > nearest) movedAt = performance.now();
      nearest = near;
      onWait(at);
      await sleep(RECHECK_MS);
    }
    return false;
  }

  /** The revision of the project's state tables. */
  async #stateAt(projectId: string): Promise<number> {
    return (await this.#options.states.checkpoint(projectId))?.revision ?? -1;
  }
}
