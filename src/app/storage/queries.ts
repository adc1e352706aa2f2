import { LRUCache } from 'lru-cache';
import type * as contract from '../../contract/answers.ts';
import { asTextOf } from '../../contract/values.ts';
import type { QueryModel } from '../../domain/definition/model.ts';
import { DOCUMENT_KEY } from '../../domain/document/key.ts';
import type { PublishTarget } from '../../domain/events.ts';
import { type BoardPlan, type QueryPlan, queryPlan } from '../../domain/query/plan.ts';
import { AUTHORITY, collectionSubject, DEFINITIONS, type SubjectKey } from '../../domain/subjects.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { CoalescedRuns } from '../../kernel/coalesced-runs.ts';
import { refusal } from '../../kernel/errors.ts';
import { SingleFlight } from '../../kernel/single-flight.ts';
import { type AccessContext, accessFrom, noSuch, requirePermission, requireRevision, type SharedAccess } from '../access.ts';
import type { ReadAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, positioned, projectOf, viewsReached } from '../context.ts';
import type { ViewTable } from '../ports/readers.ts';
import type { Project } from '../project/project.ts';
import { HotBoards } from './hot-boards.ts';
import { boardOf, tableAnswer, viewAnswer } from './query-boards.ts';
import type { PageRequest, RunInput, RunResult } from './query-runs.ts';
import { composedAnswer, type ScanResult, scan } from './query-scan.ts';

export interface Queries {
  /** `secret` is a second key sent beside a public one: `invalid` if it is not an enabled secret key. */
  run(
    caller: Caller,
    query: {
      readonly id: string;
      readonly target: PublishTarget;
      readonly fresh: boolean;
      readonly limit: string | null;
      readonly offset: string | null;
      /** Key of the row whose rank is asked for, and the number of rows around it in place of a page. For leaderboards only. */
      readonly player: string | null;
      readonly around: string | null;
      /** Aborts when nobody waits for the answer any more. Called only if there is something to stop. */
      left?(): AbortSignal;
    },
  ): Awaitable<ReadAnswer<contract.QueryResult>>;
}

/** Queries for several callers at once. */
export interface SharedQueries {
  /** The answer for all who may have it. */
  answer(project: Project, query: SharedQuery): Awaitable<QueryAnswer>;
}

/** What a query is run with, whoever may run it. */
export interface SharedQuery {
  readonly access: SharedAccess;
  readonly query: QueryModel;
  readonly plan: QueryPlan;
  readonly page: PageRequest;
}

/** `position` is exactly what it shows, unless `isMixed`. */
interface QueryAnswer extends ReadAnswer<contract.QueryResult> {
  readonly isMixed?: true | undefined;
}

/** How an answer is asked for. */
interface Asking {
  /** The watermark of who asks. */
  readonly position: number | null;
  readonly isFresh: boolean;
  left(): AbortSignal | null;
}

/**
 * Queries answer from the views, or from a board in memory. A result is kept and given again only while none of its sources has changed since it
 * was made: this node's head knows the revision of every collection's last change, so that costs one comparison. A result also expires, because
 * expressions may read the clock. Runs under way are shared, and one scan answers every page, player or rows around one. Where documents change
 * all the time, all who ask while a scan waits for its turn share that scan: it shows all changes from before it begins.
 */

interface Kept<T> {
  readonly what: T;
  /** Revision of the last change of any source when this was made. */
  readonly changedAt: number;
  /** Unix ms. */
  readonly madeAt: number;
}

interface Made<T> {
  readonly what: T;
  /** Whether the views showed all changes from before it was asked for. */
  readonly reached: boolean;
  /** Unix ms. */
  readonly madeAt: number;
}

type Run = Parameters<Queries['run']>[1];

/** One request while it is answered. */
interface Request extends RunInput {
  readonly page: PageRequest;
  /** Cache keys of a scan's result, and of the answer made from it. */
  readonly result: string;
  readonly name: string;
  readonly changedAt: number;
  /** A kept result is not enough. */
  readonly isFresh: boolean;
  /** Made only if there is something to stop: most requests are answered from memory. */
  left(): AbortSignal | null;
}

/** Bytes of kept answers, and of kept scans. */
const ANSWERS_BYTES = 16 * 1024 * 1024;
const SCANNED_BYTES = 32 * 1024 * 1024;

export function createQueries(context: AppContext): Queries & SharedQueries {
  const answers = new LRUCache<string, Kept<string>>({ maxSize: ANSWERS_BYTES, sizeCalculation: ({ what }) => what.length + 200 });
  const scanned = new LRUCache<string, Kept<ScanResult>>({ maxSize: SCANNED_BYTES, sizeCalculation: ({ what }) => what.run.bytes + 1_000 });
  const boardRuns = new SingleFlight<Made<RunResult>>();
  const scanRuns = new CoalescedRuns<Made<ScanResult>>();
  const hot = new HotBoards(context);

  /** Runs a query once the views show its sources as they are, or after a short wait. */
  const made = async <T>({ project, changedAt }: Request, table: ViewTable, work: () => Promise<T>, isNear = true): Promise<Made<T>> => {
    const reached = isNear && (await viewsReached(context, project, table, changedAt));
    const madeAt = context.scheduler.now();
    return { what: await work(), reached, madeAt };
  };

  const isGood = ({ changedAt, plan, isFresh }: Request, kept: Kept<unknown>) =>
    !isFresh && kept.changedAt === changedAt && isCurrent(kept, plan, context.scheduler.now());

  const ofBoard = async (request: Request, board: BoardPlan): Promise<Made<RunResult>> => {
    const { project, page, name, changedAt } = request;
    const view = await hot.view(request, board, page);
    if (view !== null) return { what: await viewAnswer(request, board, view), reached: true, madeAt: context.scheduler.now() };
    return boardRuns.run(`${name} ${changedAt}`, request.left(), (stop) =>
      made(request, 'leaderboards', () => tableAnswer(request, board, page, (work) => context.scans.run(project.id, stop, work))),
    );
  };

  /** Shows all changes up to now, so it also answers all who asked meanwhile. */
  const scannedNow = async (request: Request, isNear: boolean, ending: AbortSignal, begin: (changedAt: number) => void) => {
    const changedAt = lastChange(request.project, request.access, request.plan);
    begin(changedAt);
    return made({ ...request, changedAt }, 'documents', () => scan(request, ending), isNear);
  };

  const ofScan = async (request: Request): Promise<Made<RunResult> & { readonly isKept: boolean }> => {
    const { project, page, result, changedAt } = request;
    const left = request.left();
    const known = scanned.get(result);
    const kept = known !== undefined && isGood(request, known) ? { ...known, reached: true } : null;
    const { what, reached, madeAt } =
      kept ??
      (await scanRuns.run(result, changedAt, left, async (stop, begin) => {
        // A scan that waits has no turn yet, and takes none from others.
        const isNear = await viewsReached(context, project, 'documents', changedAt);
        return context.scans.run(project.id, stop, (ending) => scannedNow(request, isNear, ending, begin));
      }));
    if (kept === null && isLasting(request, { revision: what.revision, reached })) scanned.set(result, { what, changedAt, madeAt });
    const body = await composedAnswer(request, what, page, left);
    return { what: { body, revision: what.revision }, reached, madeAt, isKept: kept !== null };
  };

  const answerAnew = async (asking: Asking, request: Request): Promise<QueryAnswer> => {
    const { project, access, plan, name, changedAt } = request;
    const { head } = project.set;
    const board = boardOf(plan, access);
    const ran = board === null ? await ofScan(request) : { ...(await ofBoard(request, board)), isKept: false };
    const { what, reached, madeAt, isKept } = ran;
    const again = fromCache({ what: what.body, madeAt }, plan);
    if (isLasting(request, { revision: what.revision, reached })) answers.set(name, { what: again, changedAt, madeAt });
    const body = isKept ? again : what.body;
    const position = positionOf(request, what.revision, reached ? head : -1);
    // Of what has not changed since the first of two reads, both show the same.
    const isMixed = what.isMixed && lastChange(project, access, plan) > what.revision ? what.isMixed : undefined;
    return { ...answer(context, project, asking, { body, reached, position }), isMixed };
  };

  const answerOf = (project: Project, { access, query, plan, page }: SharedQuery, asking: Asking): Awaitable<QueryAnswer> => {
    const changedAt = lastChange(project, access, plan);
    const result = [project.id, access.space, access.definitions.hash, query.hash].join(' ');
    const name = [result, page.limit, page.offset, page.player, page.around].join(' ');
    const known = answers.get(name);
    const started = context.scheduler.monotonic();
    const request = { context, project, access, query, plan, started, page, result, name, changedAt, ...asking };
    if (known !== undefined && isGood(request, known)) {
      return answer(context, project, asking, { body: known.what, reached: true, position: project.set.head });
    }
    return answerAnew(asking, request);
  };

  return {
    run: (caller, run) =>
      andThen(projectOf(context, caller), (project) =>
        answerOf(project, runnable(project, caller, run), {
          position: caller.position,
          // A run for each request is expensive, so players share what is kept. It holds as long as its sources stay unchanged.
          isFresh: run.fresh && holdsSecret(caller),
          left: () => run.left?.() ?? null,
        }),
      ),

    answer: (project, query) => answerOf(project, query, { position: null, isFresh: false, left: () => null }),
  };
}

/** What the caller asks for, if it may. Throws the refusals of access, and 500 QUERY_FAILED for a definition that cannot be run. */
export function runnable(project: Project, caller: Caller, run: Run): SharedQuery {
  const access = accessFrom(project.authority, project.definitions, caller, run.target);
  const query = allowed(access, caller, run);
  requireRevision(caller, 'read');
  const plan = queryPlan(query);
  if (typeof plan === 'string') throw refusal('QUERY_FAILED', `Query ${query.id}: ${plan}`);
  return { access, query, plan, page: pageRequestOf(plan, run) };
}

/** Whether a result may be kept: it shows its sources as they still are, and nothing that this node has not read yet. */
function isLasting({ project, access, plan, changedAt }: Request, made: { readonly revision: number; readonly reached: boolean }): boolean {
  return made.reached && made.revision <= project.set.head && lastChange(project, access, plan) === changedAt;
}

/**
 * The revision that an answer reflects. `revision`: of the tables or board that it was read from. `head`: before it was read; up to there
 * nothing changed the sources after what the tables showed. If nothing has changed them since, the answer is of the head.
 */
function positionOf({ project, access, plan }: Request, revision: number, head: number): number {
  const unchanged = lastChange(project, access, plan) <= revision;
  return Math.max(revision, unchanged ? project.set.head : head, 0);
}

/** An unknown query is 404 before the secret key is checked. */
function allowed(at: AccessContext, caller: Caller, run: Run): QueryModel {
  if (caller.extraSecret === 'invalid') throw refusal('SECRET_KEY_INVALID');
  const query = at.definitions.query(run.id);
  if (!query) throw noSuch('query', run.id);
  const secret = caller.isSecret ? at.key : caller.extraSecret;
  if (query.requiresSecretKey && !secret) throw refusal('SECRET_KEY_REQUIRED');
  if (secret && (caller.isSecret || query.requiresSecretKey)) requirePermission(secret, 'queries', 'x');
  return query;
}

function holdsSecret({ isSecret, extraSecret }: Caller): boolean {
  return isSecret || (extraSecret !== null && extraSecret !== 'invalid');
}

const EMPTY_PAGE = { limit: 0, offset: 0, player: null, around: null };

/** What a caller asks of a leaderboard, within the definition's limit. */
function pageRequestOf(plan: QueryPlan, run: Run): PageRequest {
  if (plan.type !== 'leaderboard') return EMPTY_PAGE;
  if (run.player !== null && !DOCUMENT_KEY.test(run.player)) throw refusal('INVALID_PLATFORMID');
  if (run.around !== null && run.player === null) {
    throw refusal('INVALID_REQUEST', '`around` shows the rows around a player: name one in `platformId`');
  }
  const around = whole(run.around);
  // Answered from the first row, whoever goes on page by page would never end.
  for (const name of ['offset', 'around'] as const)
    if (run[name] !== null && whole(run[name]) === null) throw refusal('INVALID_REQUEST', `\`${name}\` must be a whole number from 0`);
  return {
    limit: Math.min(whole(run.limit) ?? plan.limit, plan.limit),
    offset: Math.min(whole(run.offset) ?? 0, plan.limit),
    player: run.player,
    around: around === null ? null : Math.min(around, Math.max(Math.floor((plan.limit - 1) / 2), 0)),
  };
}

function whole(text: string | null): number | null {
  return text !== null && /^\d+$/.test(text) ? Number(text) : null;
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
  // A publish can change what a query shows, and a setting whether defaults are filled in. A board just published is empty until the views show
  // it.
  let last = Math.max(set.residentChangedAt(DEFINITIONS), set.residentChangedAt(AUTHORITY));
  for (const source of sourcesOf(at, plan)) last = Math.max(last, set.collectionChangedAt(source));
  return last;
}

/**
 * Until when a result is given again, unix ms: for its `ttl`, at least 2 s. Presence comes from telemetry, which changes no source, so results
 * that show it are kept no longer than that.
 */
function expiry({ madeAt }: Pick<Kept<unknown>, 'madeAt'>, { ttl, withProfiles }: QueryPlan): number {
  return Math.min(madeAt + (withProfiles ? MIN_KEPT_MS : Math.max(ttl * 1000, MIN_KEPT_MS)), LAST_INSTANT);
}

/** Whether a kept result may still be given. One from the future was made before the clock was set back, and would be kept for that long. */
function isCurrent(kept: Kept<unknown>, plan: QueryPlan, now: number): boolean {
  return kept.madeAt <= now && now < expiry(kept, plan);
}

const MIN_KEPT_MS = 2_000;
/** The largest Unix ms that a date can hold. */
const LAST_INSTANT = 8.64e15;

/** The text of a result with three more members, as it is given again. */
function fromCache(kept: Pick<Kept<string>, 'what' | 'madeAt'>, plan: QueryPlan): string {
  const [cachedAt, expiresAt] = [kept.madeAt, expiry(kept, plan)].map((at) => new Date(at).toISOString());
  return `${kept.what.slice(0, -1)},"fromCache":true,"cachedAt":"${cachedAt}","expiresAt":"${expiresAt}"}`;
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
