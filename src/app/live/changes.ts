import type { ProjectEvent } from '../../domain/events.ts';
import type { SubjectKey } from '../../domain/subjects.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';
import { touchedSubjects } from './touched.ts';

/** A client that comes back gets what it missed, up to this many events. One that is further behind reads everything anew. */
const MAX_BEHIND = 4_000;
const PAGE = 1_000;

interface Change {
  readonly revision: number;
  readonly subjects: readonly SubjectKey[];
}

/** The last changes of a project. With them a client that comes back is sent only what has changed since. */
export class Changes {
  readonly #last = new Map<SubjectKey, number>();
  /** In order; what lies before `#start` is forgotten. */
  #changes: Change[] = [];
  #start = 0;
  /** All changes after this revision are known. */
  #from: number;
  readonly #history: (from: number, limit: number) => Promise<readonly ProjectEvent[]>;
  readonly #reading = new SingleFlight<void>();

  constructor(head: number, history: (from: number, limit: number) => Promise<readonly ProjectEvent[]>) {
    this.#from = head;
    this.#history = history;
  }

  note(revision: number, subjects: readonly SubjectKey[]): void {
    for (const subject of subjects) this.#last.set(subject, revision);
    this.#changes.push({ revision, subjects });
    while (this.#changes.length - this.#start > MAX_BEHIND) this.#forgetFirst();
  }

  /** The last known change of any of these; -1: none. */
  lastOf(subjects: readonly SubjectKey[]): number {
    return subjects.reduce((last, subject) => Math.max(last, this.#last.get(subject) ?? -1), -1);
  }

  /** Whether one of these has changed after this revision, or may have: not all later changes are known any more. */
  hasChanged(subjects: ReadonlySet<SubjectKey>, since: number): boolean {
    return subjects.size > 0 && (since < this.#from || this.lastOf([...subjects]) > since);
  }

  /** Reads the changes after `revision` that are not known, up to the bound. Answers whether all are known. Callers share a read. */
  async reach(revision: number, head: number): Promise<boolean> {
    if (head - revision > MAX_BEHIND) return false;
    while (revision < this.#from) {
      const from = this.#from;
      await this.#reading.run('earlier', null, () => this.#readEarlier(Math.min(revision, from - PAGE)));
      if (this.#from === from) return false;
    }
    return true;
  }

  async #readEarlier(after: number): Promise<void> {
    const first = Math.max(after + 1, 0);
    const known = this.#from;
    const events: ProjectEvent[] = [];
    while (events.length < known - first + 1) {
      const page = await this.#history(first + events.length, Math.min(PAGE, known - first + 1 - events.length));
      if (page.length === 0) return;
      events.push(...page);
    }
    // Changes that came meanwhile have pushed out the oldest ones. The caller asks again, and reads up to the oldest that is known now.
    if (this.#from !== known) return;
    const earlier = events.map((event) => ({ revision: event.revision, subjects: touchedSubjects(event) }));
    for (const { revision, subjects } of earlier) {
      for (const subject of subjects) this.#last.set(subject, Math.max(revision, this.#last.get(subject) ?? -1));
    }
    this.#changes = [...earlier, ...this.#changes.slice(this.#start)];
    this.#start = 0;
    this.#from = first - 1;
  }

  #forgetFirst(): void {
    const first = this.#changes[this.#start];
    if (first === undefined) return;
    this.#start += 1;
    this.#from = first.revision;
    for (const subject of first.subjects) if (this.#last.get(subject) === first.revision) this.#last.delete(subject);
    if (this.#start < MAX_BEHIND) return;
    this.#changes = this.#changes.slice(this.#start);
    this.#start = 0;
  }
}
