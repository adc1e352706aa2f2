import { LRUCache } from 'lru-cache';
import type * as contract from '../../contract/answers.ts';
import { asTextOf } from '../../contract/values.ts';
import { mayRunAnew } from '../../domain/access/calls.ts';
import type { SharedAccess } from '../../domain/access/context.ts';
import type { BoardPlan, QueryPlan } from '../../domain/query/plan.ts';
import { AUTHORITY, collectionSubject, DEFINITIONS, type SubjectKey } from '../../domain/subjects.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { CoalescedRuns } from '../../kernel/coalesced-runs.ts';
import { Refusal } from '../../kernel/errors.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';
import type { ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf, viewsReached } from '../context.ts';
import type { ViewTable } from '../ports/readers.ts';
import type { Project } from '../project/project.ts';
import { provenForTarget } from '../security/players.ts';
import { HotBoards } from './hot-boards.ts';
import { type CachedResult, fromCache, isCurrent } from './kept-results.ts';
import { boardOf, tableAnswer, viewAnswer } from './query-boards.ts';
import { type QueryCall, runnable, type SharedQuery } from './query-call.ts';
import type { PageRequest, RunInput, RunResult, Sheet } from './query-runs.ts';
import { composedAnswer, type ScanResult, scan } from './query-scan.ts';
import { cutPage, wholePage } from './query-sheets.ts';

export interface Queries {
  /** `secret` is a second key sent beside a public one: `invalid` if it is not an enabled secret key. */
  run(caller: Caller, query: QueryCall): Awaitable<ReadAnswer<contract.QueryResult>>;
}

/** Queries for several callers at once. */
export interface SharedQueries {
  /** The answer for all who may have it. */
  answer(project: Project, query: SharedQuery): Awaitable<QueryAnswer>;
}

/** `position` is exactly what it shows, unless `isMixed`. */
interface QueryAnswer extends ReadAnswer<contract.QueryResult> {
  readonly isMixed?: true | undefined;
  /** The same for two answers that differ only in when and how they were made. Left out: their texts have to be compared. */
  readonly comparable?: string;
}

/** What a caller asks of an answer. */
interface AnswerOptions {
  /** The caller's watermark. */
  readonly position: number | null;
  readonly isFresh: boolean;
  abortSignal(): AbortSignal | null;
}

interface QueryOutcome<T> {
  readonly value: T;
  /** Whether the views showed all changes from before it was asked for. */
  readonly reached: boolean;
  /** Unix ms. */
  readonly madeAt: number;
}

/** One request while it is answered. */
interface QueryRequest extends RunInput {
  readonly page: PageRequest;
  /** Cache keys of a scan's result, and of the answer made from it. */
  readonly result: string;
  readonly name: string;
  readonly changedAt: number;
  /** A kept result is not enough. */
  readonly isFresh: boolean;
  /** Made only if there is something to stop: most requests are answered from memory. */
  abortSignal(): AbortSignal | null;
}

/** Of an answer for everybody. */
const SHARED: AnswerOptions = { position: null, isFresh: false, abortSignal: () => null };

/** A sheet, and what a {@link QueryAnswer} says of it. */
interface MadeSheet {
  readonly sheet: Sheet;
  readonly reached: boolean;
  readonly position: number;
  readonly isMixed: true | undefined;
}

/** Bytes of cached answers, of cached sheets, and of cached scans. */
const ANSWERS_BYTES = 16 * 1024 * 1024;
const SHEETS_BYTES = 16 * 1024 * 1024;
const SHEET_ROW_BYTES = 120;
const SCANNED_BYTES = 32 * 1024 * 1024;

export function createQueries(context: AppContext): Queries & SharedQueries {
  return new QueryAnswers(context);
}

/**
 * Queries answer from the views, or from a board in memory. A result is kept and given again only while none of its sources has changed
 * since it was made: this node knows the revision of every collection's last change, so that costs one comparison. A result also expires,
 * because expressions may read the clock. Runs under way are shared, and one scan answers every page, player or rows around one. Where
 * documents change all the time, all who ask while a scan waits for its turn share that scan: it shows all changes from before it begins.
 */
class QueryAnswers implements Queries, SharedQueries {
  readonly #context: AppContext;
  readonly #boards: HotBoards;
  readonly #answers = new LRUCache<string, CachedResult<string>>({
    maxSize: ANSWERS_BYTES,
    sizeCalculation: ({ value }) => value.length + 200,
  });
  readonly #scanned = new LRUCache<string, CachedResult<ScanResult>>({
    maxSize: SCANNED_BYTES,
    sizeCalculation: ({ value }) => value.run.bytes + 1_000,
  });
  readonly #sheets = new LRUCache<string, CachedResult<MadeSheet>>({
    maxSize: SHEETS_BYTES,
    sizeCalculation: ({ value }) => value.sheet.texts.reduce((sum, text) => sum + text.length + SHEET_ROW_BYTES, 1_000),
  });
  readonly #sheetRuns = new CoalescedRuns<MadeSheet | null>();
  readonly #boardRuns = new SingleFlight<QueryOutcome<RunResult>>();
  readonly #scanRuns = new CoalescedRuns<QueryOutcome<ScanResult>>();

  constructor(context: AppContext) {
    this.#context = context;
    this.#boards = new HotBoards(context);
  }

  run(caller: Caller, call: QueryCall): Awaitable<ReadAnswer<contract.QueryResult>> {
    return andThen(projectOf(this.#context, caller), (project) =>
      andThen(provenForTarget(this.#context, project, caller, call.target), (proven) =>
        this.#answer(project, runnable(project, proven, call), {
          position: caller.position,
          // A run for each request is expensive, so players share what is kept. It holds as long as its sources stay unchanged.
          isFresh: call.fresh && mayRunAnew(caller),
          abortSignal: () => call.abortSignal?.() ?? null,
        }),
      ),
    );
  }

  async answer(project: Project, query: SharedQuery): Promise<QueryAnswer> {
    const cut = query.plan.type === 'leaderboard' ? await this.#cutAnswer(project, query) : null;
    return cut ?? this.#answer(project, query, SHARED);
  }

  /** A page that is cut from the board's sheet; `null`: the sheet does not show it, or is too large. */
  async #cutAnswer(project: Project, query: SharedQuery): Promise<QueryAnswer | null> {
    const request = this.#requestOf(project, { ...query, page: wholePage(query.plan) }, SHARED);
    const made = await this.#sheetOf(request);
    if (made === null) return null;
    const { sheet, reached, position, isMixed } = made;
    const { roundRobin } = this.#context;
    const turn = roundRobin.resume(project.id);
    if (turn !== null) await turn;
    const cut = roundRobin.count(project.id, () => cutPage(sheet, query.page));
    if (cut === null) return null;
    const { body, comparable } = cut;
    return { ...answer(this.#context, project, SHARED, { body, reached, position }), isMixed, comparable };
  }

  async #sheetOf(request: QueryRequest): Promise<MadeSheet | null> {
    const { result, changedAt } = request;
    const known = this.#sheets.get(result);
    if (known !== undefined && this.#isUsable(request, known)) return { ...known.value, position: request.project.set.head };
    return this.#sheetRuns.run(result, changedAt, null, async (_, begin) => {
      const latest = { ...request, changedAt: lastChange(request.project, request.access, request.plan) };
      begin(latest.changedAt);
      return this.#madeSheet(latest);
    });
  }

  async #madeSheet(request: QueryRequest): Promise<MadeSheet | null> {
    try {
      const { ran, position, isMixed } = await this.#ran(request);
      const { sheet, revision } = ran.value;
      if (sheet === undefined) return null;
      const made = { sheet, reached: ran.reached, position, isMixed };
      const { changedAt, result } = request;
      if (isLasting(request, { revision, reached: ran.reached })) this.#sheets.set(result, { value: made, changedAt, madeAt: ran.madeAt });
      return made;
    } catch (error) {
      if (error instanceof Refusal && error.code === 'RESULT_TOO_LARGE') return null;
      throw error;
    }
  }

  #requestOf(project: Project, { access, query, plan, page }: SharedQuery, options: AnswerOptions): QueryRequest {
    const context = this.#context;
    const changedAt = lastChange(project, access, plan);
    const result = [project.id, access.space, access.definitions.hash, query.hash].join(' ');
    const name = [result, page.limit, page.offset, page.player, page.around].join(' ');
    const started = context.scheduler.monotonic();
    return { context, project, access, query, plan, started, page, result, name, changedAt, ...options };
  }

  #answer(project: Project, query: SharedQuery, options: AnswerOptions): Awaitable<QueryAnswer> {
    const context = this.#context;
    const request = this.#requestOf(project, query, options);
    const known = this.#answers.get(request.name);
    if (known !== undefined && this.#isUsable(request, known)) {
      return answer(context, project, options, { body: known.value, reached: true, position: project.set.head });
    }
    return this.#computeAnswer(options, request);
  }

  async #computeAnswer(options: AnswerOptions, request: QueryRequest): Promise<QueryAnswer> {
    const { project, plan, name, changedAt } = request;
    const { ran, position, isMixed } = await this.#ran(request);
    const { value, reached, madeAt, isKept } = ran;
    const cachedText = fromCache({ value: value.body, madeAt }, plan);
    if (isLasting(request, { revision: value.revision, reached })) this.#answers.set(name, { value: cachedText, changedAt, madeAt });
    const body = isKept ? cachedText : value.body;
    return { ...answer(this.#context, project, options, { body, reached, position }), isMixed };
  }

  async #ran(request: QueryRequest) {
    const { project, access, plan } = request;
    const { head } = project.set;
    const board = boardOf(plan, access);
    const ran = board === null ? await this.#ofScan(request) : { ...(await this.#ofBoard(request, board)), isKept: false };
    const { value, reached } = ran;
    const position = positionOf(request, value.revision, reached ? head : -1);
    // If nothing has changed since the first of two reads, both show the same.
    const isMixed = value.isMixed && lastChange(project, access, plan) > value.revision ? value.isMixed : undefined;
    return { ran, position, isMixed };
  }

  async #ofBoard(request: QueryRequest, board: BoardPlan): Promise<QueryOutcome<RunResult>> {
    const { scheduler, scans } = this.#context;
    const { project, page, name, changedAt } = request;
    const view = await this.#boards.view(request, board, page);
    if (view !== null) return { value: await viewAnswer(request, board, view), reached: true, madeAt: scheduler.now() };
    return this.#boardRuns.run(`${name} ${changedAt}`, request.abortSignal(), (stop) =>
      this.#made(request, 'leaderboards', () => tableAnswer(request, board, page, (work) => scans.run(project.id, stop, work))),
    );
  }

  async #ofScan(request: QueryRequest): Promise<QueryOutcome<RunResult> & { readonly isKept: boolean }> {
    const { project, page, result, changedAt } = request;
    const signal = request.abortSignal();
    const known = this.#scanned.get(result);
    const kept = known !== undefined && this.#isUsable(request, known) ? { ...known, reached: true } : null;
    const { value, reached, madeAt } =
      kept ??
      (await this.#scanRuns.run(result, changedAt, signal, async (stop, begin) => {
        // A scan that waits has no turn yet, and takes none from others.
        const isNear = await viewsReached(this.#context, project, 'documents', changedAt);
        return this.#context.scans.run(project.id, stop, (ending) => this.#scannedNow(request, isNear, ending, begin));
      }));
    if (kept === null && isLasting(request, { revision: value.revision, reached })) this.#scanned.set(result, { value, changedAt, madeAt });
    const composed = await composedAnswer(request, value, page, signal);
    return { value: { ...composed, revision: value.revision }, reached, madeAt, isKept: kept !== null };
  }

  /** Shows all changes up to now, so it also answers all who asked meanwhile. */
  #scannedNow(
    request: QueryRequest,
    isNear: boolean,
    ending: AbortSignal,
    begin: (changedAt: number) => void,
  ): Promise<QueryOutcome<ScanResult>> {
    const changedAt = lastChange(request.project, request.access, request.plan);
    begin(changedAt);
    return this.#made({ ...request, changedAt }, 'documents', () => scan(request, ending), isNear);
  }

  /** Runs a query once the views show its sources as they are, or after a short wait. */
  async #made<T extends { readonly revision: number }>(
    { project, changedAt }: QueryRequest,
    table: ViewTable,
    work: () => Promise<T>,
    isNear = true,
  ): Promise<QueryOutcome<T>> {
    const isReached = isNear && (await viewsReached(this.#context, project, table, changedAt));
    const madeAt = this.#context.scheduler.now();
    const value = await work();
    // The views may have caught up while it ran.
    return { value, reached: isReached || value.revision >= changedAt, madeAt };
  }

  #isUsable({ changedAt, plan, isFresh }: QueryRequest, kept: CachedResult<unknown>): boolean {
    return !isFresh && kept.changedAt === changedAt && isCurrent(kept, plan, this.#context.scheduler.now());
  }
}

/** Whether a result may be kept: its sources have not changed since, and it shows nothing that this node has not read yet. */
function isLasting(
  { project, access, plan, changedAt }: QueryRequest,
  made: { readonly revision: number; readonly reached: boolean },
): boolean {
  return made.reached && made.revision <= project.set.head && lastChange(project, access, plan) === changedAt;
}

/**
 * The revision that an answer reflects. `revision`: of the tables or board that it was read from. `head`: this node's head before the read,
 * if the tables showed all changes of the sources up to there; else −1. If nothing has changed the sources since, the answer is of the
 * head.
 */
function positionOf({ project, access, plan }: QueryRequest, revision: number, head: number): number {
  const unchanged = lastChange(project, access, plan) <= revision;
  return Math.max(revision, unchanged ? project.set.head : head, 0);
}

/** The collections that a query reads. A `next` query shows live rows where next has none, so it changes with either space. */
export function sourcesOf(at: SharedAccess, plan: QueryPlan): readonly SubjectKey[] {
  const subjects: SubjectKey[] = [];
  for (const { collectionId } of [...plan.sources, ...plan.joins]) {
    const collection = at.definitions.collection(collectionId)?.id ?? collectionId;
    subjects.push(collectionSubject('live', collection));
    if (at.space !== 'live') subjects.push(collectionSubject(at.space, collection));
  }
  return subjects;
}

/** The last change of any source. */
function lastChange(project: Project, at: SharedAccess, plan: QueryPlan): number {
  const { set } = project;
  // A publish can change what a query shows, and a setting whether defaults are filled in.
  let last = Math.max(set.residentChangedAt(DEFINITIONS), set.residentChangedAt(AUTHORITY));
  for (const source of sourcesOf(at, plan)) last = Math.max(last, set.collectionChangedAt(source));
  return last;
}

function answer(
  context: AppContext,
  project: Project,
  caller: Pick<Caller, 'position'>,
  { body, reached, position }: { readonly body: string; readonly reached: boolean; readonly position: number },
): ReadAnswer<contract.QueryResult> {
  const { stale } = positioned(context, project, caller, reached);
  return { position, stale, result: asTextOf<contract.QueryResult>(body) };
}
