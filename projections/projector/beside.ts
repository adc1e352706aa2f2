import type { Projection } from '../batch.ts';
import type { Catalog } from '../catalog.ts';
import { catalogOf } from '../catalog.ts';
import { CheckpointMoved } from '../checkpoints.ts';
import { countBuilding, fillPage, LARGEST_PAGE, LEAST_PAGE } from '../fills.ts';
import { loadDefinitions } from '../models/definitions/project.ts';
import { VIEWS } from '../registry.ts';
import { type Standing, type ViewPlace, viewsBehind } from '../standing.ts';
import type { ProjectionName, Session } from '../tables.ts';
import { transaction } from '../transaction.ts';
import type { LaneContext } from './context.ts';
import { Sleeper } from './sleeper.ts';
import { catchUpView, LONGEST_PATIENCE_MS, noteFailure, passes } from './views.ts';

/** The lane of the project, as this sees it. */
export interface Host {
  readonly projectId: string;
  /** `null` while the lane is passive, or must read the standing again. */
  standing(): Standing | null;
  /** What the definitions ask of views at that standing, if the lane has it in memory. */
  catalog(): Catalog | null;
  /** Whether more than a few events wait to be written into the state tables. */
  isPressed(): boolean;
  /** To be called when a view is somewhere else now. */
  moved(name: ProjectionName, place: ViewPlace): void;
  /** To be called when the standing has changed: a rebuild has switched, or another projector has written. */
  lookAgain(): void;
}

/** Time limit of a page at its first try. It doubles with each failure, because a large page may really need longer. */
const PATIENCE_MS = 6_000;
const FIRST_PAUSE_MS = 50;
/** Pauses double with each failure. After failures that pass by themselves they double only this often. */
const LONG_PASSING = 4;
const LONGEST_PAUSE_MS = 300_000;

/** Failures in a row: those of the view itself, and since the last of those, the ones with another cause. */
interface Trouble {
  readonly own: number;
  readonly passing: number;
  /** `performance.now()` of the first failure. */
  readonly since: number | null;
}

const NO_TROUBLE: Trouble = { own: 0, passing: 0, since: null };

function grown({ own, passing, since }: Trouble, error: unknown): Trouble {
  const now = performance.now();
  const isPassing = error instanceof CheckpointMoved || passes(error, now - (since ?? now));
  return { own: isPassing ? own : own + 1, passing: isPassing ? passing + 1 : 0, since: since ?? now };
}

/**
 * How long a page of a fill should block the batches of the project's boards. How long the page waited for a batch does not count. A
 * pause follows it, because the machine has others to serve.
 */
const FILL_MS = 80;
/** Time limit of a page of a fill. Counting the documents comes first, which takes long on a busy machine and blocks nobody. */
const FILL_PATIENCE_MS = 60_000;
const FIRST_FILL = 250;
const REST = 1;
const PRESSED_REST = 4;
/** The longest pause. Where the whole machine is slow, a longer one would only delay the end. */
const LONGEST_REST_MS = 100;

/**
 * The work for one project that is done beside its lane, so that no batch waits for it. Views that are behind the state tables are caught
 * up, each by itself and page by page. Lists over many documents that a publish asked for are filled. A view that fails is tried again for
 * ever, with growing pauses. After some tries it counts as paused, which only tells operators to look.
 */
export class Beside {
  readonly #host: Host;
  readonly #context: LaneContext;
  readonly #chases = new Map<ProjectionName, { readonly sleeper: Sleeper; readonly done: Promise<void> }>();
  readonly #fillSleeper = new Sleeper();
  #filling: Promise<void> | null = null;
  #closed = false;
  /** Boards and lists of the project that are not complete, as of the last page. */
  building = 0;

  constructor(host: Host, context: LaneContext) {
    this.#host = host;
    this.#context = context;
  }

  /** Whether a view is being caught up without failing. */
  get isNear(): boolean {
    return this.#chases.size > this.#failing.size;
  }
  readonly #failing = new Set<ProjectionName>();

  /** Starts the work that there is to do. `mayFill`: there may be a list to fill. */
  wake(mayFill: boolean): void {
    const standing = this.#host.standing();
    if (standing === null || this.#closed) return;
    for (const view of viewsBehind(standing)) {
      if (this.#chases.has(view.name)) continue;
      const sleeper = new Sleeper();
      const done = this.#chase(view, sleeper).finally(() => {
        this.#chases.delete(view.name);
        this.#failing.delete(view.name);
      });
      this.#chases.set(view.name, { sleeper, done });
    }
    if (mayFill) {
      this.#filling ??= this.#fill().finally(() => {
        this.#filling = null;
      });
    }
  }

  /** Ends the pauses at once, because their cause may be gone. */
  hurry(): void {
    for (const { sleeper } of this.#chases.values()) sleeper.wake();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.hurry();
    this.#fillSleeper.wake();
    await Promise.all([...this.#chases.values()].map(({ done }) => done));
    await this.#filling;
  }

  async #chase(view: Projection, sleeper: Sleeper): Promise<void> {
    let trouble = NO_TROUBLE;
    for (let goesOn = true; goesOn; ) {
      const patienceMs = Math.min(PATIENCE_MS * 2 ** (trouble.passing + trouble.own), LONGEST_PATIENCE_MS);
      try {
        goesOn = await this.#context.beside.run(this.#host.projectId, () => this.#bring(view, patienceMs));
        trouble = NO_TROUBLE;
        this.#failing.delete(view.name);
      } catch (error) {
        this.#failing.add(view.name);
        trouble = grown(trouble, error);
        const pauseMs = Math.min(
          FIRST_PAUSE_MS * 2 ** Math.max(trouble.own - 1, Math.min(trouble.passing - 1, LONG_PASSING)),
          LONGEST_PAUSE_MS,
        );
        if (error instanceof CheckpointMoved) this.#host.lookAgain();
        else await this.#tell(view, error, trouble, pauseMs);
        if (!this.#closed) await sleeper.sleep(pauseMs);
      }
    }
  }

  /** Catches a view up by one page. Returns whether there is more to do. */
  async #bring(view: Projection, patienceMs: number): Promise<boolean> {
    const standing = this.#behind(view);
    if (standing === null) return false;
    const { log, pool, atOnce } = this.#context;
    const { projectId } = this.#host;
    const catalog = () => this.#catalog(standing);
    const revision = await catchUpView(view, { log, pool, projectId, standing, catalog, atOnce, patienceMs });
    this.#host.moved(view.name, { revision, failures: 0, paused: false });
    if (view.derived) this.wake(true);
    return this.#behind(view) !== null;
  }

  #behind(view: Projection): Standing | null {
    const standing = this.#closed ? null : this.#host.standing();
    return standing !== null && viewsBehind(standing).includes(view) ? standing : null;
  }

  async #tell(view: Projection, error: unknown, { own, passing }: Trouble, pauseMs: number): Promise<void> {
    const { pool, logger, counters } = this.#context;
    const { projectId } = this.#host;
    const standing = this.#behind(view);
    if (standing === null) return;
    counters.failures += 1;
    const isOwn = own > 0 && passing === 0;
    const paused = isOwn && (await noteFailure(pool, projectId, view, standing, error, Date.now()).catch(() => false));
    const fields = { project: projectId, view: view.name, err: error, againInMs: pauseMs };
    if (paused) logger.error(fields, 'a view is paused for this project; it goes on by itself when the cause is cured');
    else logger.warn(fields, 'a view could not be written and will be tried again');
    const place = standing.views.get(view.name);
    if (place !== undefined) this.#host.moved(view.name, { ...place, failures: place.failures + 1, paused: paused || place.paused });
  }

  /** Page by page until nothing is left to be filled. */
  async #fill(): Promise<void> {
    let size = FIRST_FILL;
    let failures = 0;
    for (;;) {
      const standing = this.#closed ? null : this.#host.standing();
      if (standing === null) return;
      try {
        const { building, isDone, heldMs } = await this.#context.beside.run(this.#host.projectId, () =>
          this.#fillPage(standing, size, Math.min(FILL_PATIENCE_MS * 2 ** failures, LONGEST_PATIENCE_MS)),
        );
        failures = 0;
        this.building = building;
        if (isDone) return;
        if (heldMs !== null)
          size = Math.max(LEAST_PAGE, Math.min(LARGEST_PAGE, size * 2, Math.round((size * FILL_MS) / Math.max(heldMs, 1))));
        await this.#fillSleeper.sleep(Math.min(heldMs ?? 0, LONGEST_REST_MS) * (this.#host.isPressed() ? PRESSED_REST : REST));
      } catch (error) {
        failures += 1;
        this.#context.counters.failures += 1;
        this.#host.lookAgain();
        const fields = { project: this.#host.projectId, err: error };
        this.#context.logger.warn(fields, 'a list could not be filled further and will be tried again');
        if (!this.#closed) await this.#fillSleeper.sleep(Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS));
      }
    }
  }

  async #fillPage(
    standing: Standing,
    size: number,
    patienceMs: number,
  ): Promise<{ readonly building: number; readonly isDone: boolean; readonly heldMs: number | null }> {
    const catalog = await this.#catalog(standing);
    const run = async (session: Session) => {
      const state = await fillPage(session, VIEWS, catalog, size);
      if (state === null) return { building: 0, isDone: true, heldAt: null };
      // Counted again only when the work goes on to another board or list: the number is for operators, and pages are short.
      const building = state.of === this.#filled ? this.building : await countBuilding(session, VIEWS);
      this.#filled = state.of;
      return { building, isDone: false, heldAt: state.heldAt };
    };
    const { heldAt, ...page } = await transaction(this.#context.pool, this.#host.projectId, standing.versions, run, patienceMs);
    if (page.isDone) this.#filled = null;
    return { ...page, heldMs: heldAt === null ? null : performance.now() - heldAt };
  }

  #filled: string | null = null;

  #loaded: { readonly standing: Standing; readonly catalog: Catalog } | null = null;

  async #catalog(standing: Standing): Promise<Catalog> {
    const known = this.#host.catalog();
    if (known !== null) return known;
    if (this.#loaded?.standing.revision !== standing.revision) {
      const { pool } = this.#context;
      const definitions = await transaction(pool, this.#host.projectId, standing.versions, loadDefinitions, PATIENCE_MS);
      this.#loaded = { standing, catalog: catalogOf(definitions) };
    }
    return this.#loaded.catalog;
  }
}
