import { LRUCache } from 'lru-cache';
import type { AuthorityState, DefinitionsState } from '../../domain/states.ts';
import { AUTHORITY, DEFINITIONS, type Subject } from '../../domain/subjects.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';
import { evolve } from '../project/evolve.ts';
import type { Project } from '../project/project.ts';
import { type Deadline, eventsOf, revisionsBack } from './subject-events.ts';

/** Characters of definitions that are kept folded, over all projects, and after how many events a long fold is kept on its way. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;
const KEPT_EVERY = 256;

/** The resident subjects: their past is folded from the first event on. */
type Folded = { readonly authority: AuthorityState | null; readonly definitions: DefinitionsState };

interface Kept {
  readonly projectId: string;
  readonly subject: Subject;
  readonly revision: number;
  readonly state: AuthorityState | DefinitionsState;
}

interface KeptFoldsOptions {
  readonly context: Parameters<typeof eventsOf>[0] & Parameters<typeof revisionsBack>[0];
  /** Runs a read of a project in its turn. */
  reading<T>(project: Project, read: () => Promise<T>): Promise<T>;
  /** Of a read that begins now. */
  deadline(): Deadline;
}

/** Definitions, and settings with keys, as of a revision. No event carries them whole, so folded states are kept: a fold begins at one. */
export class KeptFolds {
  readonly #options: KeptFoldsOptions;
  /** States by project, subject and the revision that made them: a fold begins at the nearest one before. */
  readonly #kept = new LRUCache<string, Kept>({ maxSize: KEPT_CHARACTERS, sizeCalculation: ({ state }) => charactersOf(state) });
  readonly #folding = new SingleFlight<Kept['state'] | null>();

  constructor(options: KeptFoldsOptions) {
    this.#options = options;
  }

  /** `null`: there was none yet. */
  async at<K extends keyof Folded>(project: Project, kind: K, revision: number): Promise<Folded[K] | null> {
    const subject = SUBJECT_OF[kind];
    if (project.set.residentChangedAt(subject) <= revision) return project[kind];
    const { context, reading } = this.#options;
    const changed = await reading(
      project,
      async () => (await context.views.revisions(project.id, subject, { before: revision + 1, limit: 1 }))[0],
    );
    if (changed === undefined) return null;
    const state = await this.#folding.run(`${project.id} ${subject} ${changed}`, null, () =>
      reading(project, () => this.#fold(project, subject, changed)),
    );
    // A subject has one kind of state, which the compiler cannot relate to it here.
    return state as Folded[K] | null;
  }

  /** Folds a resident subject from the nearest state that is kept. Only revisions are held: its events may be many megabytes. */
  async #fold(project: Project, subject: typeof AUTHORITY | typeof DEFINITIONS, revision: number): Promise<Kept['state'] | null> {
    const { context, deadline } = this.#options;
    const until = deadline();
    const begun = this.#nearest(project.id, subject, revision);
    const after = begun?.revision ?? -1;
    const revisions: number[] = [];
    for await (const page of revisionsBack(context, project, subject, revision)) {
      revisions.push(...page.filter((each) => each > after));
      if ((page.at(-1) ?? -1) <= after) break;
    }
    let state = begun?.state ?? null;
    let folded = 0;
    for await (const event of eventsOf(context, project, revisions.toReversed(), until)) {
      state = evolve(subject, state, event) as Kept['state'] | null;
      folded += 1;
      if (folded % KEPT_EVERY === 0) this.#keep(project.id, subject, event.revision, state);
    }
    this.#keep(project.id, subject, revision, state);
    return state;
  }

  #nearest(projectId: string, subject: Subject, revision: number): Kept | undefined {
    let nearest: Kept | undefined;
    for (const kept of this.#kept.values()) {
      if (kept.projectId !== projectId || kept.subject !== subject || kept.revision > revision) continue;
      if (nearest === undefined || kept.revision > nearest.revision) nearest = kept;
    }
    return nearest;
  }

  #keep(projectId: string, subject: Subject, revision: number, state: Kept['state'] | null): void {
    if (state !== null) this.#kept.set(`${projectId} ${subject} ${revision}`, { projectId, subject, revision, state });
  }
}

const SUBJECT_OF = { authority: AUTHORITY, definitions: DEFINITIONS } as const;

function charactersOf(state: Kept['state']): number {
  if (!('sources' in state)) return 4_096;
  let characters = 4_096;
  for (const text of state.sources.values()) characters += text.length;
  return characters;
}
