import { type Holding, NOTHING, plus } from '../../domain/project/quotas.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { CountedPage, DocumentPlace } from '../ports/readers.ts';

/** Rows of one page: what stands between two pages waits for one at most. */
const PAGE = 500;
/** Between the end of one count and the next: at least this, ms, and so many times what the last one took. */
const LEAST_PAUSE_MS = 5_000;
const PAUSES = 4;
/** Additions this near to each other are kept as one. */
const REVISIONS_TOGETHER = 256;

interface Added {
  readonly from: number;
  revision: number;
  holding: Holding;
}

export interface HoldingCountOptions {
  readonly scheduler: Pick<Scheduler, 'monotonic' | 'sleep'>;
  readonly isClosed: () => boolean;
  readonly page: (after: DocumentPlace | null, rows: number) => Promise<CountedPage>;
}

/**
 * How many documents a project holds, and their bytes: counted in the tables now and then, while somebody writes, and what this node has
 * stored since. What other nodes store, and what is stored while a count is under way, is known with the next one. The tables are passed
 * over in small pages with pauses as long, so a count takes time and nobody's place.
 */
export class HoldingCount {
  readonly #options: HoldingCountOptions;
  #counted: Holding | null = null;
  /** In the order of their revisions, after what was counted. */
  #added: Added[] = [];
  #sum = NOTHING;
  #counting = false;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(options: HoldingCountOptions) {
    this.#options = options;
  }

  /** `null` until the first count is done. Begins another where the last is old. */
  held(): Holding | null {
    if (!this.#counting && this.#options.scheduler.monotonic() >= this.#nextAt) void this.#count();
    return this.#counted === null ? null : plus(this.#counted, this.#sum);
  }

  /** What a commit of this node has added, stored up to `revision`. */
  add(growth: Holding, revision: number): void {
    if (growth.documents === 0 && growth.bytes === 0) return;
    this.#sum = plus(this.#sum, growth);
    const last = this.#added.at(-1);
    if (last === undefined || revision - last.from >= REVISIONS_TOGETHER) {
      this.#added.push({ from: revision, revision, holding: growth });
      return;
    }
    last.revision = Math.max(last.revision, revision);
    last.holding = plus(last.holding, growth);
  }

  async #count(): Promise<void> {
    const { scheduler } = this.#options;
    this.#counting = true;
    const begun = scheduler.monotonic();
    try {
      await this.#pass();
    } catch {
      // The tables cannot be asked, or not in time: the last count and what was added still hold.
    } finally {
      this.#counting = false;
      this.#nextAt = scheduler.monotonic() + Math.max(LEAST_PAUSE_MS, PAUSES * (scheduler.monotonic() - begun));
    }
  }

  async #pass(): Promise<void> {
    const { scheduler, isClosed, page } = this.#options;
    let counted = NOTHING;
    let after: DocumentPlace | null = null;
    for (;;) {
      const asked = scheduler.monotonic();
      const found: CountedPage = await page(after, PAGE);
      counted = plus(counted, found);
      after = found.last;
      if (after === null) return this.#take(counted, found.revision);
      await scheduler.sleep(Math.max(1, scheduler.monotonic() - asked));
      if (isClosed()) return;
    }
  }

  /** `revision`: up to which the tables had it. */
  #take(counted: Holding, revision: number): void {
    this.#counted = counted;
    this.#added = this.#added.filter((added) => added.revision > revision);
    this.#sum = this.#added.reduce((sum, { holding }) => plus(sum, holding), NOTHING);
  }
}
