import { addUsage, NO_USAGE, type Usage } from '../../domain/project/quotas.ts';
import type { Scheduler } from '../../kernel/scheduler.ts';
import type { CountedPage, DocumentRowKey } from '../ports/state-reader.ts';

/** Rows of one page. Other work waits for one page at most. */
const PAGE = 500;
/** Shortest pause between two counts, ms, and the pause as a multiple of the last count's duration. */
const MIN_PAUSE_MS = 5_000;
const PAUSE_FACTOR = 4;
/**
 * Most additions that are kept one by one, so that a count may end between any two of them; beyond it the older half become one. The tables
 * are seldom so far behind that a count ends within that one.
 */
const MOST_ADDITIONS = 8_192;

interface Addition {
  readonly revision: number;
  readonly usage: Usage;
}

export interface UsageCounterOptions {
  readonly scheduler: Pick<Scheduler, 'monotonic' | 'sleep'>;
  readonly isClosed: () => boolean;
  readonly page: (after: DocumentRowKey | null, rows: number) => Promise<CountedPage>;
}

/**
 * Number of a project's documents and their bytes. The tables are counted now and then while the project is written, and what this node has
 * stored since is added. What other nodes store, and what is stored during a count, shows in the next count. A count reads small pages with
 * pauses as long as the reads, so it takes time but blocks nobody.
 */
export class UsageCounter {
  readonly #options: UsageCounterOptions;
  #counted: Usage | null = null;
  /** Additions after the counted revision, nearly in order of revision. */
  #additions: Addition[] = [];
  #sum = NO_USAGE;
  #counting = false;
  #nextAt = Number.NEGATIVE_INFINITY;

  constructor(options: UsageCounterOptions) {
    this.#options = options;
  }

  /** `null` until the first count is done. Starts another count if the last one is old. */
  current(): Usage | null {
    if (!this.#counting && this.#options.scheduler.monotonic() >= this.#nextAt) void this.#count();
    return this.#counted === null ? null : addUsage(this.#counted, this.#sum);
  }

  /** Adds what a commit of this node stored, up to `revision`. */
  add(growth: Usage, revision: number): void {
    if (growth.documents === 0 && growth.bytes === 0) return;
    this.#sum = addUsage(this.#sum, growth);
    this.#additions.push({ revision, usage: growth });
    if (this.#additions.length <= MOST_ADDITIONS) return;
    const older = this.#additions.splice(0, MOST_ADDITIONS / 2);
    this.#additions.unshift({ revision: Math.max(...older.map((added) => added.revision)), usage: sumOf(older) });
  }

  async #count(): Promise<void> {
    const { scheduler } = this.#options;
    this.#counting = true;
    const begun = scheduler.monotonic();
    try {
      await this.#countRows();
    } catch {
      // The tables cannot be read, or not in time. The last count and the additions still hold.
    } finally {
      this.#counting = false;
      this.#nextAt = scheduler.monotonic() + Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (scheduler.monotonic() - begun));
    }
  }

  async #countRows(): Promise<void> {
    const { scheduler, isClosed, page } = this.#options;
    let counted = NO_USAGE;
    let after: DocumentRowKey | null = null;
    for (;;) {
      const startedAt = scheduler.monotonic();
      const found: CountedPage = await page(after, PAGE);
      counted = addUsage(counted, found);
      after = found.last;
      if (after === null) return this.#setCount(counted, found.revision);
      await scheduler.sleep(Math.max(1, scheduler.monotonic() - startedAt));
      if (isClosed()) return;
    }
  }

  /** `revision`: what the tables had reached. */
  #setCount(counted: Usage, revision: number): void {
    this.#counted = counted;
    this.#additions = this.#additions.filter((added) => added.revision > revision);
    this.#sum = sumOf(this.#additions);
  }
}

function sumOf(additions: readonly Addition[]): Usage {
  return additions.reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE);
}
