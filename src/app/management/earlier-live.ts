import { type EarlierLive, RollbackSearch } from '../../domain/definition/release/rollback.ts';
import { DEFINITIONS } from '../../domain/subjects.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import { refusal } from '../../kernel/errors.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';
import type { AppContext } from '../context.ts';
import { eventsBack } from '../past/subject-events.ts';
import type { Project } from '../project/project.ts';

/** Searches that run at a time, over all projects, and those of one project that may wait behind its own. */
const SLOTS = 4;
const MAX_WAITING = 8;

/**
 * Searches for what live was, in the log. A search reads every event of the definitions back to what it looks for, so one of a project runs
 * at a time, and requests for the same share it.
 */
export class EarlierLiveSearches {
  readonly #context: AppContext;
  readonly #shared = new SingleFlight<EarlierLive | null>();
  readonly #bulkhead: Bulkhead;

  constructor(context: AppContext) {
    this.#context = context;
    const { limits, scheduler } = context;
    this.#bulkhead = new Bulkhead({ slots: SLOTS, perKey: 1, queue: MAX_WAITING, timeout: { ms: limits.commandMs, scheduler } });
  }

  /**
   * Live right after the publish at `to`, or before the last publish that changed it (`null`). Throws 503: BEHIND while the index lags,
   * BUSY if the search did not begin, ROLLBACK_TIMEOUT if it took too long.
   */
  find(project: Project, to: number | null): Promise<EarlierLive | null> {
    const changedAt = project.set.residentChangedAt(DEFINITIONS);
    const { limits, scheduler } = this.#context;
    const until = scheduler.monotonic() + limits.commandMs;
    return this.#shared.run(`${project.id} ${changedAt} ${to}`, null, () =>
      this.#bulkhead.run(project.id, () => this.#search(project, changedAt, to, until), { onReject: busy }),
    );
  }

  /** Takes the events of the definitions, newest first, until the search has what it needs. */
  async #search(project: Project, changedAt: number, to: number | null, until: number): Promise<EarlierLive | null> {
    const search = new RollbackSearch(project.definitions, to === null ? undefined : { revision: to });
    const deadline = { until, late: () => refusal('ROLLBACK_TIMEOUT') };
    for await (const event of eventsBack(this.#context, project, DEFINITIONS, changedAt, deadline)) if (search.take(event)) break;
    return search.result();
  }
}

function busy(): Error {
  return refusal('BUSY', 'Other rollbacks of this project look for what live was; try again shortly');
}
