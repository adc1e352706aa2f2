import { marksIn } from '../../domain/personal/fields.ts';
import { type Mark, MarkSearch } from '../../domain/personal/marks.ts';
import { DEFINITIONS } from '../../domain/subjects.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { withDeadline } from '../../kernel/scheduler.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';
import type { AppContext } from '../context.ts';
import { eventsBack } from '../past/subject-events.ts';
import type { Project } from '../project/project.ts';

/** What is known of the schemas of a project. */
interface Found {
  /** Revision up to which its publishes were looked through. */
  readonly upTo: number;
  readonly marks: readonly Mark[];
}

const NEVER = { until: Number.POSITIVE_INFINITY, late: () => refusal('PAST_TIMEOUT') };

/**
 * What the schemas of a project ever marked as personal: the log is looked through once, when the first person looks, and then publish by
 * publish. It goes on behind a request that has waited for long enough.
 */
export class EarlierMarks {
  readonly #context: AppContext;
  readonly #found = new WeakMap<Project, Found>();
  readonly #searches = new SingleFlight<readonly Mark[]>();

  constructor(context: AppContext) {
    this.#context = context;
  }

  /** Throws 503 BUSY where it takes longer than a request may. */
  async of(project: Project): Promise<readonly Mark[]> {
    const upTo = project.set.residentChangedAt(DEFINITIONS);
    const found = this.#found.get(project);
    if (found?.upTo === upTo) return found.marks;
    const { scheduler, limits } = this.#context;
    const search = this.#searches.run(`${project.id} ${upTo}`, null, () => this.#search(project, upTo, found));
    return withDeadline(scheduler, scheduler.monotonic() + limits.commandMs, search, busy);
  }

  /** As far as it is known, with what is marked now. */
  known(project: Project): readonly Mark[] {
    const found = this.#found.get(project);
    if (found === undefined) throw busy();
    if (found.upTo === project.set.residentChangedAt(DEFINITIONS)) return found.marks;
    return this.#keep(project, found.upTo, [...found.marks, ...marksIn(project.definitions)]);
  }

  async #search(project: Project, upTo: number, found: Found | undefined): Promise<readonly Mark[]> {
    try {
      return this.#keep(project, upTo, await this.#marksAbove(project, upTo, found));
    } catch (error) {
      // What was found before counts while the index of the log lags, with what is marked now.
      if (found === undefined || !(error instanceof Refusal) || error.code !== 'BEHIND') throw error;
      return this.known(project);
    }
  }

  async #marksAbove(project: Project, upTo: number, found: Found | undefined): Promise<readonly Mark[]> {
    const search = new MarkSearch();
    for await (const event of eventsBack(this.#context, project, DEFINITIONS, upTo, NEVER)) {
      if (event.revision <= (found?.upTo ?? -1)) break;
      search.take(event);
    }
    for (const hash of search.missing) {
      const text = project.definitions.sources.get(hash);
      if (text !== undefined) search.know(hash, text);
    }
    // A text that was stored long ago, and is gone again.
    if (search.missing.length > 0 && found !== undefined) return this.#marksAbove(project, upTo, undefined);
    return [...(found?.marks ?? []), ...search.marks];
  }

  #keep(project: Project, upTo: number, marks: readonly Mark[]): readonly Mark[] {
    const distinct = [...new Map(marks.map((mark) => [JSON.stringify([mark.collection, mark.path]), mark])).values()];
    const known = this.#found.get(project);
    // A search that began earlier and ended later knows less.
    if (known !== undefined && known.upTo > upTo) return known.marks;
    const before = known?.marks;
    // The same list, where nothing came to it: what is made of it is kept by it.
    const kept = before?.length === distinct.length ? before : distinct;
    this.#found.set(project, { upTo, marks: kept });
    return kept;
  }
}

function busy(): Error {
  return refusal('BUSY', 'What is personal in this project is looked up in its log; try again shortly');
}
