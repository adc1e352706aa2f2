import type { Space } from '../../domain/events.ts';
import type { StateOf, SubjectKind } from '../../domain/states.ts';
import type { Subject } from '../../domain/subjects.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { type Scheduler, withDeadline } from '../../kernel/scheduler.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';
import type { DocumentKeys, StateReader } from '../ports/state-reader.ts';
import { noAnswer } from './no-answer.ts';
import type { Version } from './version.ts';
import type { WorkingSet } from './working-set.ts';
import type { WriterLimits } from './writer.ts';

export interface RowLoaderOptions {
  readonly projectId: string;
  readonly reader: StateReader;
  readonly set: WorkingSet;
  readonly scheduler: Scheduler;
  readonly limits: Pick<WriterLimits, 'deadlineMs' | 'windowBytes'>;
  /** Waits until the head has reached `revision`. Throws 503 after `until`. */
  reach(revision: number, until: number): Promise<void>;
  /** Why the project no longer runs; `null`: it does. */
  stopped(): Refusal | null;
  stop(reason: Refusal): void;
}

const MAX_ATTEMPTS = 5;
/** Number of subjects whose states are loaded at once when the window fills, and the shortest time between two such loads, ms. */
const HEAVIEST_PER_LOAD = 100;
const HEAVIEST_EVERY_MS = 100;

/**
 * Loads rows of the state tables into the working set of a project.
 *
 * A loaded row is the state at the head, once later events are folded in, unless it is too old or too new:
 * - Too old: its checkpoint lies below the horizon that held when the load began. Changes in between may be forgotten here, so it is
 *   loaded again. If every try finds it there, the read models went backwards, and the project is opened anew.
 * - Too new: its checkpoint lies above the head. The load waits until the tail has come that far.
 */
export class RowLoader {
  readonly #options: RowLoaderOptions;
  readonly #loading = new Map<Subject, Promise<void>>();
  readonly #keyReads = new SingleFlight<DocumentKeys>();
  readonly #keyReadBulkhead = new Bulkhead({ slots: 1, perKey: 1 });
  /** When the heaviest subjects may be loaded next. Infinite while a load of them is under way. */
  #loadHeaviestFrom = Number.NEGATIVE_INFINITY;

  constructor(options: RowLoaderOptions) {
    this.#options = options;
  }

  /** The durable state of a subject that is not in memory. */
  async read<K extends SubjectKind>(subject: Subject<K>): Promise<Version<StateOf[K]>> {
    const { set, scheduler, stopped } = this.#options;
    // The subject is kept until it is handed out: the cache may be too small for all subjects being read, or even for this one.
    set.pin([subject]);
    try {
      await withDeadline(scheduler, this.#deadline(), this.load([subject]), noAnswer);
      const loaded = set.durable(subject);
      if (loaded) return loaded;
    } finally {
      set.unpin([subject]);
    }
    throw stopped() ?? refusal('STORAGE_UNAVAILABLE');
  }

  /**
   * Keys from the tables. Documents that changed after the horizon are known here and may be missing in the answer. If the tables are ahead
   * of this node, it waits as in a load: a document that they no longer have may exist at this head. One collection of a project is read at
   * a time, once for all who ask meanwhile; a caller for whom the answer is too old sees that by its revision and asks again.
   */
  async documentKeys(space: Space, collection: string, most: number): Promise<DocumentKeys> {
    const { projectId, reader, set, scheduler, reach } = this.#options;
    const until = this.#deadline();
    const reading = this.#keyReads.run(`${space}/${collection}/${most}`, null, () =>
      this.#keyReadBulkhead.run(collection, () => reader.documentKeys(projectId, space, collection, most)),
    );
    const keys = await withDeadline(scheduler, until, reading, noAnswer);
    if (keys.revision > set.head) await reach(keys.revision, until);
    return keys;
  }

  /** Loads subjects into the working set. Concurrent loads of one subject share the work. */
  async load(subjects: readonly Subject[]): Promise<void> {
    const { set } = this.#options;
    set.reads.misses += subjects.length;
    // Each subject once: a second row would arrive after the first had used up the events on top of it.
    const mine = [...new Set(subjects)].filter((subject) => !set.durable(subject) && !this.#loading.has(subject));
    const others = subjects.map((subject) => this.#loading.get(subject)).filter((promise) => promise !== undefined);
    if (mine.length > 0) {
      const loading = this.#loadNow(mine).finally(() => {
        for (const subject of mine) this.#loading.delete(subject);
      });
      for (const subject of mine) this.#loading.set(subject, loading);
      others.push(loading);
    }
    await Promise.all(others);
  }

  async #loadNow(subjects: readonly Subject[]): Promise<void> {
    const { set } = this.#options;
    const floor = set.horizon;
    set.pin(subjects);
    try {
      await this.#loadFrom(subjects, floor);
    } finally {
      set.unpin(subjects);
    }
  }

  async #loadFrom(subjects: readonly Subject[], floor: number): Promise<void> {
    const { projectId, reader, set, scheduler, reach, stopped, stop } = this.#options;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const { revision, states } = await reader.load(projectId, subjects);
      if (revision > set.head) await reach(revision, this.#deadline());
      const reason = stopped();
      if (reason) throw reason;
      if (revision < floor) {
        await scheduler.sleep(5);
        continue;
      }
      for (const [index, subject] of subjects.entries()) set.admit(subject, states[index] ?? null, revision, floor);
      return;
    }
    const reason = refusal('STORAGE_UNAVAILABLE', 'The read models of this project went backwards; it is being opened again');
    stop(reason);
    throw reason;
  }

  /** The state tables are known to be written up to `revision`. */
  projected(revision: number): void {
    const { set } = this.#options;
    set.moveHorizon(Math.min(revision, set.head));
  }

  /**
   * Used while the project is being opened. It waits for tables that are far behind, such as restored ones, so that their missing events do
   * not fill the memory. It allows twice the window, so a node that stopped with a full window can open the project again. It never waits
   * past `until`, because requests are waiting.
   */
  async makeRoom(until: number): Promise<void> {
    const { set, limits, scheduler } = this.#options;
    for (let more = true; more && set.windowBytes > limits.windowBytes; ) more = await this.#loadHeaviest();
    while (set.windowBytes > 2 * limits.windowBytes) {
      if (scheduler.monotonic() > until) throw refusal('BEHIND');
      await scheduler.sleep(HEAVIEST_EVERY_MS);
      await this.#loadHeaviest();
    }
  }

  /** Where the window is half full, the heaviest subjects are loaded beside whatever runs. */
  loadHeaviestSoon(): void {
    const { set, limits, scheduler } = this.#options;
    if (set.windowBytes <= limits.windowBytes / 2 || scheduler.monotonic() < this.#loadHeaviestFrom) return;
    this.#loadHeaviestFrom = Number.POSITIVE_INFINITY;
    const done = () => {
      this.#loadHeaviestFrom = scheduler.monotonic() + HEAVIEST_EVERY_MS;
    };
    // The tables cannot be reached. The next step of the tail tries again.
    this.#loadHeaviest().then(done, done);
  }

  /**
   * Replaces the kept events of a subject by its state, for subjects with several events, if the state takes less room. Without it, a hot
   * document that is not in memory would fill the window while the state tables stand still. Answers whether states were loaded. If no
   * subject qualifies, it moves the horizon to the tables' checkpoint instead.
   */
  async #loadHeaviest(): Promise<boolean> {
    const { projectId, reader, set, stopped } = this.#options;
    const floor = set.horizon;
    const subjects = set.heaviestSubjects(HEAVIEST_PER_LOAD);
    if (subjects.length === 0) {
      const checkpoint = await reader.checkpoint(projectId);
      if (checkpoint) this.projected(checkpoint.revision);
      return false;
    }
    set.pin(subjects);
    try {
      const { revision, states } = await reader.load(projectId, subjects);
      this.projected(revision);
      if (stopped() || revision < floor || revision > set.head) return false;
      for (const [index, subject] of subjects.entries()) set.admitIfSmaller(subject, states[index] ?? null, revision, floor);
      return true;
    } finally {
      set.unpin(subjects);
    }
  }

  /** When a request that begins now must be answered. */
  #deadline(): number {
    const { scheduler, limits } = this.#options;
    return scheduler.monotonic() + limits.deadlineMs;
  }
}
