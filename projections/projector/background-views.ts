import type { Projection } from '../batch.ts';
import type { Catalog } from '../catalog.ts';
import { catalogOf } from '../catalog.ts';
import { type CheckpointSet, type ViewCheckpoint, viewsBehind } from '../checkpoint-set.ts';
import { CheckpointMoved } from '../checkpoints.ts';
import { countBuilding, fillPage, MAX_PAGE, MIN_PAGE } from '../fills.ts';
import { loadDefinitions } from '../models/definitions/projection.ts';
import { VIEWS } from '../registry.ts';
import type { ProjectionName, Transaction } from '../tables.ts';
import { transaction } from '../transaction.ts';
import type { WorkerContext } from './context.ts';
import { Sleeper } from './sleeper.ts';
import { type Contention, pauseAfter, takeTurn } from './turns.ts';
import { catchUpViews, groupsByRevision, isTransient, MAX_TIMEOUT_MS, noteFailure, PAGE } from './views.ts';

/** What the background work needs of the project's worker. */
export interface Host {
  readonly projectId: string;
  /** `null` while the worker is passive, or must read the checkpoints again. */
  checkpoints(): CheckpointSet | null;
  /** What the definitions ask of views at those checkpoints, if the worker has it in memory. */
  catalog(): Catalog | null;
  /** Whether the state tables have fallen behind. */
  isBehind(): boolean;
  /** Must be called when a view has moved to another checkpoint. */
  viewAdvanced(name: ProjectionName, checkpoint: ViewCheckpoint): void;
  /** Must be called when the checkpoints have changed elsewhere: a rebuild has switched, or another projector has written. */
  recheck(): void;
}

/** Time limit of a page at the first try. It doubles with each failure, because a large page may need longer. */
const TIMEOUT_MS = 6_000;
const FIRST_PAUSE_MS = 50;
/** The pause doubles with each failure, but only this often for failures that pass by themselves. */
const MAX_TRANSIENT_DOUBLINGS = 4;
const MAX_PAUSE_MS = 300_000;

/** Failures in a row: those of the view itself, and those with another cause since the last of them. */
interface Failures {
  readonly own: number;
  readonly transient: number;
  /** `performance.now()` of the first failure. */
  readonly since: number | null;
}

const NO_FAILURES: Failures = { own: 0, transient: 0, since: null };

function withFailure({ own, transient, since }: Failures, error: unknown): Failures {
  const now = performance.now();
  const passes = error instanceof CheckpointMoved || isTransient(error, now - (since ?? now));
  return { own: passes ? own : own + 1, transient: passes ? transient + 1 : 0, since: since ?? now };
}

/** The time for which a page of a fill should block the batches of the project's boards. The page's own wait for a batch does not count. */
const FILL_MS = 80;
/** Time limit of a page of a fill. It includes counting the documents, which takes long on a busy machine and blocks nobody. */
const FILL_TIMEOUT_MS = 60_000;
const FIRST_PAGE = 250;

/**
 * The work for one project that is done beside its worker, so that no batch waits for it. Views that are behind the state tables are caught
 * up page by page: views at the same revision together, and each by itself once that fails. Lists over many documents that a publish asked
 * for are filled. A failing view is tried again for ever, with growing pauses. After some tries it counts as paused, which only alerts
 * operators.
 */
export class BackgroundViews {
  readonly #host: Host;
  readonly #context: WorkerContext;
  readonly #catchUps = new Map<ProjectionName, { readonly sleeper: Sleeper; readonly done: Promise<void> }>();
  readonly #fillSleeper = new Sleeper();
  #filling: Promise<void> | null = null;
  /** Whether there may be a list to fill that the page in work has not seen. */
  #isFillDue = false;
  #closed = false;
  /** Boards and lists of the project that are not complete, as of the last page. */
  building = 0;

  constructor(host: Host, context: WorkerContext) {
    this.#host = host;
    this.#context = context;
  }

  /** Whether a view that is caught up without failures needs only one more page. */
  get isNear(): boolean {
    const checkpoints = this.#host.checkpoints();
    if (checkpoints === null) return false;
    const lag = (name: ProjectionName) => checkpoints.revision - (checkpoints.views.get(name)?.revision ?? -1);
    return [...this.#catchUps.keys()].some((name) => !this.#failing.has(name) && lag(name) > 0 && lag(name) <= PAGE);
  }

  readonly #failing = new Set<ProjectionName>();

  /** Starts the work that is due. `mayFill`: whether there may be a new list to fill. */
  wake(mayFill: boolean): void {
    if (mayFill) this.#isFillDue = true;
    const checkpoints = this.#host.checkpoints();
    if (checkpoints === null || this.#closed) return;
    const waiting = viewsBehind(checkpoints).filter(({ name }) => !this.#catchUps.has(name));
    for (const views of groupsByRevision(waiting, checkpoints)) this.#start(views);
    if (this.#isFillDue) {
      this.#filling ??= this.#fill().finally(() => {
        this.#filling = null;
        this.wake(false);
      });
    }
  }

  /** Ends the pauses now, because their cause may be gone. */
  retryNow(): void {
    for (const { sleeper } of this.#catchUps.values()) sleeper.wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.retryNow();
    this.#fillSleeper.wake();
    await Promise.all([...this.#catchUps.values()].map(({ done }) => done));
    await this.#filling;
  }

  #start(views: readonly Projection[]): void {
    const sleeper = new Sleeper();
    const done = this.#catchUp(views, sleeper).then((mustSplit) => {
      for (const { name } of views) {
        this.#catchUps.delete(name);
        this.#failing.delete(name);
      }
      if (this.#closed) return;
      if (mustSplit) for (const view of views) this.#start([view]);
      else this.wake(false);
    });
    for (const { name } of views) this.#catchUps.set(name, { sleeper, done });
  }

  /** Catches a group of views up. Returns whether each must be tried by itself, because one of them fails. */
  async #catchUp(views: readonly Projection[], sleeper: Sleeper): Promise<boolean> {
    let failures = NO_FAILURES;
    for (let hasMore = true; hasMore; ) {
      const timeoutMs = Math.min(TIMEOUT_MS * 2 ** (failures.transient + failures.own), MAX_TIMEOUT_MS);
      try {
        hasMore = await this.#context.background.run(this.#host.projectId, () => this.#catchUpOnce(views, timeoutMs));
        failures = NO_FAILURES;
        for (const { name } of views) this.#failing.delete(name);
      } catch (error) {
        const hasMoved = error instanceof CheckpointMoved;
        const [view, other] = views;
        if (other !== undefined && !hasMoved) {
          this.#reportGroup(views, error);
          return true;
        }
        for (const { name } of views) this.#failing.add(name);
        failures = withFailure(failures, error);
        const pauseMs = Math.min(
          FIRST_PAUSE_MS * 2 ** Math.max(failures.own - 1, Math.min(failures.transient - 1, MAX_TRANSIENT_DOUBLINGS)),
          MAX_PAUSE_MS,
        );
        if (hasMoved) this.#host.recheck();
        else if (view !== undefined) await this.#report(view, error, failures, pauseMs);
        if (!this.#closed) await sleeper.sleep(pauseMs);
      }
    }
    return false;
  }

  /** Catches a group of views up for one turn, or by one page if that takes longer. Returns whether more is left. */
  #catchUpOnce(views: readonly Projection[], timeoutMs: number): Promise<boolean> {
    const { log, pool, atOnce } = this.#context;
    const { projectId } = this.#host;
    const page = async () => {
      const checkpoints = this.#checkpointsIfBehind(views);
      if (checkpoints === null) return false;
      const catalog = () => this.#catalog(checkpoints);
      const revision = await catchUpViews(views, { log, pool, projectId, checkpoints, catalog, atOnce, timeoutMs });
      for (const { name } of views) this.#host.viewAdvanced(name, { revision, failures: 0, paused: false });
      if (views.some(({ derived }) => derived)) this.wake(true);
      return true;
    };
    return takeTurn(page, () => performance.now());
  }

  /** The checkpoints, if all of these views are behind and still at one revision. */
  #checkpointsIfBehind(views: readonly Projection[]): CheckpointSet | null {
    const checkpoints = this.#closed ? null : this.#host.checkpoints();
    if (checkpoints === null) return null;
    const behind = viewsBehind(checkpoints).filter((view) => views.includes(view));
    const [group] = groupsByRevision(behind, checkpoints);
    return group !== undefined && group.length === views.length ? checkpoints : null;
  }

  #reportGroup(views: readonly Projection[], error: unknown): void {
    const { logger, counters } = this.#context;
    counters.failures += 1;
    const fields = { project: this.#host.projectId, views: views.map(({ name }) => name), err: error };
    logger.warn(fields, 'views could not be caught up together; each is tried by itself');
  }

  async #report(view: Projection, error: unknown, { own, transient }: Failures, pauseMs: number): Promise<void> {
    const { pool, logger, counters } = this.#context;
    const { projectId } = this.#host;
    const checkpoints = this.#checkpointsIfBehind([view]);
    if (checkpoints === null) return;
    counters.failures += 1;
    const isOwn = own > 0 && transient === 0;
    const paused = isOwn && (await noteFailure(pool, projectId, view, checkpoints, error, Date.now()).catch(() => false));
    const fields = { project: projectId, view: view.name, err: error, againInMs: pauseMs };
    if (paused) logger.error(fields, 'a view is paused for this project; it resumes by itself once the cause is removed');
    else logger.warn(fields, 'a view could not be written and will be tried again');
    const checkpoint = checkpoints.views.get(view.name);
    if (checkpoint !== undefined)
      this.#host.viewAdvanced(view.name, { ...checkpoint, failures: checkpoint.failures + 1, paused: paused || checkpoint.paused });
  }

  get #competition(): Contention {
    return { isBehind: this.#host.isBehind(), isAlone: this.#context.neighbours.isAlone(this.#host.projectId) };
  }

  /** Fills lists page by page until none is left. */
  async #fill(): Promise<void> {
    let size = FIRST_PAGE;
    let failures = 0;
    for (;;) {
      const checkpoints = this.#closed ? null : this.#host.checkpoints();
      if (checkpoints === null) return;
      this.#isFillDue = false;
      try {
        const { building, isDone, heldMs } = await this.#context.background.run(this.#host.projectId, () =>
          this.#fillPage(checkpoints, size, Math.min(FILL_TIMEOUT_MS * 2 ** failures, MAX_TIMEOUT_MS)),
        );
        failures = 0;
        this.building = building;
        if (isDone && !this.#isFillDue) return;
        if (heldMs !== null) size = Math.max(MIN_PAGE, Math.min(MAX_PAGE, size * 2, Math.round((size * FILL_MS) / Math.max(heldMs, 1))));
        await this.#fillSleeper.sleep(pauseAfter(heldMs ?? 0, this.#competition));
      } catch (error) {
        failures += 1;
        this.#context.counters.failures += 1;
        this.#host.recheck();
        const fields = { project: this.#host.projectId, err: error };
        this.#context.logger.warn(fields, 'a list could not be filled further and will be tried again');
        if (!this.#closed) await this.#fillSleeper.sleep(Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS));
      }
    }
  }

  async #fillPage(
    checkpoints: CheckpointSet,
    size: number,
    timeoutMs: number,
  ): Promise<{ readonly building: number; readonly isDone: boolean; readonly heldMs: number | null }> {
    const catalog = await this.#catalog(checkpoints);
    const run = async (tx: Transaction) => {
      const state = await fillPage(tx, VIEWS, catalog, size);
      if (state === null) return { building: 0, isDone: true, heldAt: null };
      // Counts again only when the work continues with another board or list. The number is for operators, and pages are short.
      const building = state.of === this.#lastFilled ? this.building : await countBuilding(tx, VIEWS);
      this.#lastFilled = state.of;
      return { building, isDone: false, heldAt: state.heldAt };
    };
    const { heldAt, ...page } = await transaction(this.#context.pool, this.#host.projectId, checkpoints.versions, run, timeoutMs);
    if (page.isDone) this.#lastFilled = null;
    return { ...page, heldMs: heldAt === null ? null : performance.now() - heldAt };
  }

  #lastFilled: string | null = null;

  #loadedCatalog: { readonly checkpoints: CheckpointSet; readonly catalog: Catalog } | null = null;

  async #catalog(checkpoints: CheckpointSet): Promise<Catalog> {
    const known = this.#host.catalog();
    if (known !== null) return known;
    if (this.#loadedCatalog?.checkpoints.revision !== checkpoints.revision) {
      const { pool } = this.#context;
      const definitions = await transaction(pool, this.#host.projectId, checkpoints.versions, loadDefinitions, TIMEOUT_MS);
      this.#loadedCatalog = { checkpoints, catalog: catalogOf(definitions) };
    }
    return this.#loadedCatalog.catalog;
  }
}
