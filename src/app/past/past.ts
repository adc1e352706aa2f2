import { EMPTY_DEFINITIONS } from '../../domain/definition/model/evolve.ts';
import { type DefinitionName, DefinitionSearch, type DefinitionStep, SourceSearch } from '../../domain/definition/release/steps.ts';
import { DocumentSearch, type DocumentStep, type PastChange, type PastDocument, stepsOf } from '../../domain/document/past.ts';
import type { LedgerEntry, ProjectEvent, PublishTarget, SaveRecord, Space } from '../../domain/events.ts';
import { evolveRecordList, isRecordListEvent } from '../../domain/record/evolve.ts';
import { RecordListSearch, type RecordListSteps } from '../../domain/record/past.ts';
import type { AuthorityState, DefinitionsState, RecordListState } from '../../domain/states.ts';
import {
  definitionSubject,
  documentChangedBy,
  documentSubject,
  PROMOTIONS,
  recordListSubject,
  type Subject,
  type SubjectKey,
  sourceSubject,
} from '../../domain/subjects.ts';
import { Bulkhead } from '../../kernel/bulkhead.ts';
import { accepted, refusal } from '../../kernel/errors.ts';
import type { AppContext } from '../context.ts';
import type { Project } from '../project/project.ts';
import { type Commit, commitAt, commitEnd, entriesOf, type Moment, revisionAt } from './commits.ts';
import { KeptFolds } from './kept-folds.ts';
import { type Deadline, eventsBack, newestFirst, unreadBack } from './subject-events.ts';

/**
 * The one way to what was: a subject folded as of a revision, from the log, with the rules that fold the present. A revision is the last
 * one of a commit ({@link Past.commitEnd}): nobody may see half of one. Every method throws 410 REDACTED where it needs an event whose data
 * were redacted, 503 BEHIND while the index of subjects lags, BUSY and PAST_TIMEOUT.
 */
export interface Past {
  /** A document as readers of the space saw it: in a `next` space, what it has not changed is live's. `null`: there was none yet. */
  documentAt(project: Project, at: PastAddress, revision: number): Promise<PastDocument | null>;
  /** When a document was changed last, seen as {@link documentAt} sees it. */
  lastChangeAt(project: Project, at: PastAddress, revision: number): Promise<LastChange | null>;
  /**
   * The last `limit` changes of a document, newest first, with what the ledger says of each. In a `next` space live's follow behind the
   * fork. `redacted`: a redaction ends the list there. `isCut`: they are fewer, and at least one, because their events are large.
   */
  documentSteps(project: Project, at: PastAddress, revision: number, limit: number): Promise<DocumentSteps>;
  /**
   * The last `count` changes of a document in its own space, newest first. Each is what the document was after it. Fewer: there were no
   * more.
   */
  documentChanges(project: Project, at: PastAddress, revision: number, count: number): Promise<readonly PastChange[]>;
  /** A player's save records as readers of the space saw them, oldest first. */
  recordsAt(project: Project, space: Space, collection: string, player: string, revision: number): Promise<readonly SaveRecord[]>;
  /** The last `limit` changes of a player's list of save records, newest first. In a `next` space live's follow behind the fork. */
  recordListSteps(project: Project, at: PastRecords, revision: number, limit: number): Promise<RecordListSteps>;
  definitionsAt(project: Project, revision: number): Promise<DefinitionsState>;
  /** The last `limit` changes of a definition in a target, newest first, with the hashes of its texts. */
  definitionSteps(
    project: Project,
    name: DefinitionName,
    target: PublishTarget,
    revision: number,
    limit: number,
  ): Promise<readonly DefinitionStep[]>;
  /**
   * The text of a definition that was stored by a revision. `likely`: of a publish that it was probably stored with; it is looked for there
   * first, which costs one read and no search.
   */
  definitionText(project: Project, hash: string, revision: number, likely: number): Promise<string>;
  /** Settings, keys and game package. `null`: there was no project yet. */
  authorityAt(project: Project, revision: number): Promise<AuthorityState | null>;
  /** The commit in which a revision lies; `null`: the log has no such revision. `known`: the lowest revision known to lie in it. */
  commitAt(project: Project, revision: number, known?: number): Promise<Commit | null>;
  /** The last event of that commit. */
  commitEnd(project: Project, revision: number): Promise<Moment | null>;
  /** The last revision that was stored at this time (unix ms) or before; −1: there was none yet. */
  revisionAt(project: Project, time: number): Promise<number>;
}

/** A change, and its entries of the ledger with their ids. */
export interface PostedStep extends DocumentStep {
  readonly entries: readonly (LedgerEntry & { readonly eventId: string })[];
}

interface Steps<Step> {
  readonly steps: readonly Step[];
  readonly redacted: number | null;
  readonly isCut?: boolean;
}

type DocumentSteps = Steps<PostedStep>;

/** The last change of a document. */
interface LastChange {
  readonly revision: number;
  /** Unix ms. */
  readonly at: number;
  readonly isDeleted: boolean;
}

interface PastAddress {
  readonly space: Space;
  /** Its id. */
  readonly collection: string;
  readonly key: string;
}

interface PastRecords {
  readonly space: Space;
  /** Its id. */
  readonly collection: string;
  readonly player: string;
}

type Context = Parameters<typeof eventsBack>[0] & { readonly limits: Pick<AppContext['limits'], 'commandMs'> };

/** Reads that run at a time over all projects, of which one may have half, and those of one project that may wait. */
const SLOTS = 8;
const MAX_WAITING = 64;
/** Events before a publish in which a text of it is looked for. A push of one definition stores its text right before it. */
const STORED_WITH = 4;

export function createPast(context: Context): Past {
  return new LogPast(context);
}

class LogPast implements Past {
  readonly #context: Context;
  readonly #reads: Bulkhead;
  readonly #folds: KeptFolds;

  constructor(context: Context) {
    this.#context = context;
    const timeout = { ms: context.limits.commandMs, scheduler: context.scheduler };
    this.#reads = new Bulkhead({ slots: SLOTS, queue: MAX_WAITING, timeout });
    this.#folds = new KeptFolds({
      context,
      reading: (project, read) => this.#reading(project, read),
      deadline: () => this.#deadline(),
    });
  }

  async documentAt(project: Project, { space, collection, key }: PastAddress, revision: number): Promise<PastDocument | null> {
    const [own] = await this.documentChanges(project, { space, collection, key }, revision, 1);
    if (own !== undefined) return own;
    return space === 'live' ? null : this.documentAt(project, { space: 'live', collection, key }, revision);
  }

  async documentSteps(project: Project, { space, collection, key }: PastAddress, revision: number, limit: number): Promise<DocumentSteps> {
    const own = await this.#stepsOf(project, documentSubject(space, collection, key), revision, limit);
    return beyondFork(own, space, revision, limit, (from, rest) =>
      this.documentSteps(project, { space: 'live', collection, key }, from, rest),
    );
  }

  #stepsOf(project: Project, subject: Subject<'document'>, revision: number, limit: number): Promise<DocumentSteps> {
    return this.#reading(project, async () => {
      const search = new DocumentSearch(subject, limit + 1);
      let isAll = true;
      for await (const event of unreadBack(this.#context, project, subject, revision, this.#deadline())) {
        isAll = !search.take(event.read(), event.size);
        if (!isAll) break;
      }
      const { events, redacted: hidden } = search.taken;
      const isCut = !isAll && hidden === null && events.length <= limit;
      const steps: PostedStep[] = [];
      for (const step of stepsOf(events, isCut ? events.length - 1 : limit, isAll))
        steps.push({ ...step, entries: await entriesOf(project, step.event) });
      // What lies beyond the page is no matter of this page.
      return { steps, redacted: steps.length < limit ? hidden : null, isCut };
    });
  }

  async lastChangeAt(project: Project, { space, collection, key }: PastAddress, revision: number): Promise<LastChange | null> {
    const own = await this.#lastOf(project, documentSubject(space, collection, key), revision);
    if (own !== null || space === 'live') return own;
    return this.lastChangeAt(project, { space: 'live', collection, key }, revision);
  }

  #lastOf(project: Project, subject: Subject<'document'>, revision: number): Promise<LastChange | null> {
    return this.#reading(project, async () => {
      for await (const event of this.#back(project, subject, revision)) {
        if (event.type === 'log.redacted') throw redacted(event.revision);
        if (documentChangedBy(event) !== subject) continue;
        return { revision: event.revision, at: event.metadata.recordedAt, isDeleted: event.type === 'document.deleted' };
      }
      return null;
    });
  }

  documentChanges(
    project: Project,
    { space, collection, key }: PastAddress,
    revision: number,
    count: number,
  ): Promise<readonly PastChange[]> {
    const subject = documentSubject(space, collection, key);
    return this.#reading(project, async () => {
      const search = new DocumentSearch(subject, count);
      for await (const event of this.#back(project, subject, revision)) if (search.take(event)) break;
      return accepted(search.result());
    });
  }

  async recordsAt(project: Project, space: Space, collection: string, player: string, revision: number): Promise<readonly SaveRecord[]> {
    const own = await this.#listAt(project, recordListSubject(space, collection, player), revision);
    if (own !== null) return own.records;
    return space === 'live' ? [] : this.recordsAt(project, 'live', collection, player, revision);
  }

  async recordListSteps(
    project: Project,
    { space, collection, player }: PastRecords,
    revision: number,
    limit: number,
  ): Promise<RecordListSteps> {
    const own = await this.#recordListSteps(project, recordListSubject(space, collection, player), revision, limit);
    return beyondFork(own, space, revision, limit, (from, rest) =>
      this.recordListSteps(project, { space: 'live', collection, player }, from, rest),
    );
  }

  #recordListSteps(project: Project, subject: Subject<'records'>, revision: number, limit: number): Promise<RecordListSteps> {
    return this.#reading(project, async () => {
      const search = new RecordListSearch(limit);
      for await (const event of this.#back(project, subject, revision)) {
        if (isRecordListEvent(event) && subject !== listOf(event)) continue;
        if (search.take(event)) break;
      }
      return search.result();
    });
  }

  definitionSteps(
    project: Project,
    name: DefinitionName,
    target: PublishTarget,
    revision: number,
    limit: number,
  ): Promise<readonly DefinitionStep[]> {
    const subject = definitionSubject(name.kind, name.id);
    return this.#reading(project, async () => {
      const subjects = target === 'live' ? [subject] : [subject, PROMOTIONS];
      const search = new DefinitionSearch(name, target, limit);
      for await (const event of newestFirst(subjects.map((each) => this.#back(project, each, revision)))) if (search.take(event)) break;
      return search.result();
    });
  }

  async definitionText(project: Project, hash: string, revision: number, likely: number): Promise<string> {
    const known = project.definitions.sources.get(hash);
    if (known !== undefined) return known;
    return this.#reading(project, async () => {
      const near = new SourceSearch(hash);
      const first = Math.max(0, likely - STORED_WITH);
      for (const event of await project.history(first, likely - first)) if (near.take(event)) return near.text;
      const search = new SourceSearch(hash);
      for await (const event of this.#back(project, sourceSubject(hash), revision)) if (search.take(event)) return search.text;
      throw new Error(`Corrupt log: a definition refers to the unknown source ${hash}`);
    });
  }

  async definitionsAt(project: Project, revision: number): Promise<DefinitionsState> {
    return (await this.#folds.at(project, 'definitions', revision)) ?? EMPTY_DEFINITIONS;
  }

  authorityAt(project: Project, revision: number): Promise<AuthorityState | null> {
    return this.#folds.at(project, 'authority', revision);
  }

  commitAt(project: Project, revision: number, known?: number): Promise<Commit | null> {
    return this.#reading(project, () => commitAt(project, revision, known));
  }

  commitEnd(project: Project, revision: number): Promise<Moment | null> {
    return this.#reading(project, () => commitEnd(project, revision));
  }

  revisionAt(project: Project, time: number): Promise<number> {
    return this.#reading(project, () => revisionAt(project, time, project.set.head));
  }

  /** A list has no whole event but its fork, so all of it is read: as many events as the player made and named slots. */
  #listAt(project: Project, subject: Subject<'records'>, revision: number): Promise<RecordListState | null> {
    return this.#reading(project, async () => {
      const events: ProjectEvent[] = [];
      for await (const event of this.#back(project, subject, revision)) {
        if (event.type === 'log.redacted') throw redacted(event.revision);
        if (!isRecordListEvent(event) || subject !== listOf(event)) continue;
        events.push(event);
        if (event.data.fork !== undefined) break;
      }
      let state: RecordListState | null = null;
      for (const event of events.toReversed())
        if (isRecordListEvent(event)) state = evolveRecordList(state, event, event.metadata.recordedAt);
      return state;
    });
  }

  #back(project: Project, subject: SubjectKey, revision: number): AsyncGenerator<ProjectEvent> {
    return eventsBack(this.#context, project, subject, revision, this.#deadline());
  }

  #deadline(): Deadline {
    const { scheduler, limits } = this.#context;
    return { until: scheduler.monotonic() + limits.commandMs, late: () => refusal('PAST_TIMEOUT') };
  }

  #reading<T>(project: Project, read: () => Promise<T>): Promise<T> {
    return this.#reads.run(project.id, read, { onReject: busy });
  }
}

function listOf({
  data: { space, collection, player },
}: Extract<ProjectEvent, { readonly type: `record.${'created' | 'renamed' | 'deleted'}` }>) {
  return recordListSubject(space, collection, player);
}

/** The changes of a space and, as far as these are fewer than `limit`, those of live behind the fork. */
async function beyondFork<Step extends { readonly event: { readonly revision: number } }>(
  own: Steps<Step>,
  space: Space,
  revision: number,
  limit: number,
  readLive: (revision: number, limit: number) => Promise<Steps<Step>>,
): Promise<Steps<Step>> {
  if (space === 'live' || own.redacted !== null || own.isCut || own.steps.length >= limit) return own;
  const from = Math.min(revision, (own.steps.at(-1)?.event.revision ?? revision + 1) - 1);
  const live = await readLive(from, limit - own.steps.length);
  return { ...live, steps: [...own.steps, ...live.steps] };
}

function redacted(revision: number): Error {
  return refusal('REDACTED', `The data at revision ${revision} were redacted, and what follows needs them`);
}

function busy(): Error {
  return refusal('BUSY', 'Too many reads of the past of this project wait for each other; try again shortly');
}
