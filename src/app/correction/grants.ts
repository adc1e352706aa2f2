import { randomBytes } from 'node:crypto';
import type * as contract from '../../contract/answers.ts';
import { resumeGrant, stopGrant, undoGrant } from '../../domain/correction/grant.ts';
import type { Policy } from '../../domain/correction/three-way.ts';
import { readOperations } from '../../domain/document/decide.ts';
import type { DomainEvent, Operation } from '../../domain/events.ts';
import type { GrantState, Told } from '../../domain/states.ts';
import { grantSubject } from '../../domain/subjects.ts';
import { accepted, notFound, type Refusal, refusal } from '../../kernel/errors.ts';
import { inTurns } from '../../kernel/in-turns.ts';
import type { Json } from '../../kernel/json.ts';
import { revisionCursor } from '../../kernel/page-cursor.ts';
import { accessAt, accessOf, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, stored } from '../context.ts';
import { idempotent, keyedBy, replayed } from '../idempotency.ts';
import { wholeAnswer } from '../management/answer-codec.ts';
import type { Past } from '../past/past.ts';
import type { GrantCounts, GrantOutcome, GrantPlayerRow } from '../ports/grants.ts';
import type { Project } from '../project/project.ts';
import type { Queries } from '../storage/queries.ts';
import type { Why } from './answering.ts';
import { previewOfGrant, previewOfUndo } from './grant-preview.ts';
import { type Whom, whomToServe } from './grant-whom.ts';

interface Granting extends Why, Whom {
  readonly collection: string;
  readonly ops: Json;
  readonly dryRun: boolean;
}

interface UndoingGrant extends Why {
  readonly policy: Policy;
  readonly dryRun: boolean;
}

interface GrantPlayersPage {
  readonly is: GrantOutcome;
  readonly limit: number;
  readonly after: number | null;
}

/**
 * What support gives to many players, each once, with a secret key that has the scope `grant`. The use cases store what is to be done;
 * whoever drives grants does it (`drive-grant.ts`).
 */
export interface Grants {
  /**
   * Freezes the list of players and begins to give. Throws 400 for a list or operations that cannot be, 404 for a collection or query that
   * there is not, and 409 COLLECTION_TOO_LARGE.
   */
  begin(caller: Caller, request: Granting): Promise<ManageAnswer<contract.GrantBegun>>;
  list(caller: Caller, page: { readonly limit: number; readonly before: string | null }): Promise<ManageAnswer<contract.Grants>>;
  /** Throws 404, as the others below. */
  read(caller: Caller, grant: string): Promise<ManageAnswer<contract.GrantShown>>;
  players(caller: Caller, grant: string, page: GrantPlayersPage): Promise<ManageAnswer<contract.GrantPlayers>>;
  /** Throws 409 GRANT_PHASE where nothing is under way. */
  stop(caller: Caller, grant: string, why: Why): Promise<ManageAnswer<contract.GrantShown>>;
  /** Throws 409 GRANT_PHASE for one that was not stopped. */
  resume(caller: Caller, grant: string, why: Why): Promise<ManageAnswer<contract.GrantShown>>;
  /** Throws 409: NOTHING_TO_UNDO, ALREADY_UNDONE. */
  undo(caller: Caller, grant: string, request: UndoingGrant): Promise<ManageAnswer<contract.GrantUndone>>;
}

const SCOPE = ['grant'];
/** Players of one event of the list: with the longest keys it takes an eighth of an append. */
const CHUNK = 500;
const NOBODY: GrantCounts = { listed: 0, given: 0, refused: 0, taken: 0, kept: 0, short: [] };

export function createGrants(context: AppContext, past: Past, queries: Queries): Grants {
  return {
    begin: (caller, request) => begin(context, queries, caller, request),
    async list(caller, { limit, before }) {
      const at = revisionCursor(before, 'before') ?? Number.MAX_SAFE_INTEGER;
      const { project, answered } = await reading(context, caller);
      const rows = await context.views.grants(project.id, { before: at, limit: limit + 1 });
      const page = rows.slice(0, limit);
      const grants = await inTurns(page, async ({ grant, state }) =>
        shownGrant(grant, state, await context.views.grantCounts(project.id, grant)),
      );
      return answered({ ok: true, grants, before: rows.length > limit ? (page.at(-1)?.begun ?? null) : null });
    },
    async read(caller, grant) {
      const { project, answered } = await reading(context, caller);
      return answered({ ok: true, grant: await countedGrant(context, project, grant, await stateOf(project, grant)) });
    },
    async players(caller, grant, { is, limit, after }) {
      const { project, answered } = await reading(context, caller);
      await stateOf(project, grant);
      const rows = await context.views.grantPlayers(project.id, grant, { outcome: is, after: after ?? -1, limit: limit + 1 });
      const page = rows.slice(0, limit);
      return answered({ ok: true, players: page.map(shownPlayer), after: rows.length > limit ? (page.at(-1)?.place ?? null) : null });
    },
    stop: (caller, grant, why) => move(context, caller, 'grant.stop', grant, (state) => stopGrant(grant, state, toldBy(why))),
    resume: (caller, grant, why) => move(context, caller, 'grant.resume', grant, (state) => resumeGrant(grant, state, toldBy(why))),
    undo: (caller, grant, request) => undo(context, past, caller, grant, request),
  };
}

async function begin(context: AppContext, queries: Queries, caller: Caller, request: Granting): Promise<ManageAnswer<contract.GrantBegun>> {
  const project = await projectOf(context, caller);
  const access = accessAt(project, caller, 'live');
  requirePermissions(access.key, SCOPE, 'rw');
  const collection = access.definitions.collection(request.collection);
  if (collection === undefined) throw notFound('collection', `There is no collection ${request.collection}`);
  if (collection.type === 'global') throw refusal('INVALID_REQUEST', `${collection.id} is global: its documents belong to no player`);
  const told = toldBy(request);
  const what = { collection: collection.id, ops: operationsOf(request.ops, told.reason), ...told };
  const earlier = await beginningOf(context, project, caller, 'grant.look', () => null);
  if (earlier !== null) return earlier;
  const players = await whomToServe(context, queries, project, caller, collection.id, request);
  if (request.dryRun) {
    const preview = await previewOfGrant(context, project, what, players);
    return { ...positioned(context, project, caller), result: { ok: true, dryRun: true, players: players.length, grant: null, preview } };
  }
  const grant = randomBytes(8).toString('hex');
  const id = grantSubject(grant);
  const store = (event: DomainEvent) => storeAs(project, caller, grant, event);
  await store({ type: 'grant.begun', data: { grant, ...what, players: players.length } });
  for (let first = 0; first < players.length; first += CHUNK)
    await store({ type: 'grant.listed', data: { grant, first, players: players.slice(first, first + CHUNK) } });
  const { state } = await project.read(id);
  if (state === null) throw new Error(`the grant ${grant} is not there after it began`);
  const shown = shownGrant(grant, { ...state, phase: 'giving' }, { ...NOBODY, listed: players.length });
  const answer: contract.GrantBegun = { ok: true, players: players.length, grant: shown, preview: null };
  const begun = await beginningOf(context, project, caller, 'grant.begin', () => ({ answer, grant }));
  if (begun === null) throw new Error(`the grant ${grant} was not begun`);
  return begun;
}

/**
 * The commit that begins to give, with its answer under the request's Idempotency-Key: a request that is sent again finds it, and begins no
 * second grant. Without `made` it is only looked for.
 */
async function beginningOf(
  context: AppContext,
  project: Project,
  caller: Caller,
  cause: string,
  made: () => { readonly answer: contract.GrantBegun; readonly grant: string } | null,
): Promise<ManageAnswer<contract.GrantBegun> | null> {
  const { answers } = context.limits;
  const outcome = await execute<contract.GrantBegun | null>(project, caller, cause, (ctx, now) => {
    const { key, space } = accessOf(ctx, caller, 'live');
    requirePermissions(key, SCOPE, 'rw');
    const at = { ctx, now, keyed: keyedBy(caller, space, answers.managed) };
    const codec = wholeAnswer<contract.GrantBegun | null>();
    const begun = made();
    if (begun === null) return replayed(at, codec) ?? decided(null);
    return idempotent(at, codec, () => {
      ctx.read(grantSubject(begun.grant));
      return decided(begun.answer, [{ type: 'grant.moved', data: { grant: begun.grant, phase: 'giving' } }]);
    });
  });
  return outcome.answer === null ? null : { ...stored(outcome), result: outcome.answer };
}

/** Stores a part of a new grant, whose name is made of fresh random bits. */
async function storeAs(project: Project, caller: Caller, grant: string, event: DomainEvent): Promise<void> {
  await execute(project, caller, 'grant.list', (ctx) => {
    requirePermissions(accessOf(ctx, caller, 'live').key, SCOPE, 'rw');
    if (event.type === 'grant.begun') ctx.assumeAbsent(grantSubject(grant));
    return decided(null, [event]);
  });
}

/** The operations, as ledgers will tell them. Throws 400 INVALID_OPERATION. */
function operationsOf(sent: Json, reason: string): readonly Operation[] {
  const ops = accepted(readOperations(sent));
  const told = ops.findIndex((op) => op.source !== undefined || op.reason !== undefined);
  if (told >= 0)
    throw refusal(
      'INVALID_OPERATION',
      `ops[${told}]: a grant has one source, \`grant\`, and one reason: leave out source and reason of operations`,
    );
  return ops.map((op) => ({ ...op, source: 'grant', reason }));
}

function toldBy({ reason, ticket }: Why): Told {
  return ticket === undefined ? { reason } : { reason, ticket };
}

/** Moves a grant to another phase. */
async function move(
  context: AppContext,
  caller: Caller,
  cause: string,
  grant: string,
  decide: (state: GrantState) => Extract<DomainEvent, { readonly type: 'grant.moved' }> | Refusal,
): Promise<ManageAnswer<contract.GrantShown>> {
  const project = await projectOf(context, caller);
  requirePermissions(accessAt(project, caller, 'live').key, SCOPE, 'rw');
  const counts = await countsOf(context, project, grant);
  const { answers } = context.limits;
  const outcome = await execute<contract.GrantShown>(project, caller, cause, (ctx, now) => {
    const { key, space } = accessOf(ctx, caller, 'live');
    requirePermissions(key, SCOPE, 'rw');
    return idempotent({ ctx, now, keyed: keyedBy(caller, space, answers.managed) }, wholeAnswer<contract.GrantShown>(), () => {
      const state = ctx.read(grantSubject(grant));
      if (state === null) throw noGrant(grant);
      const moved = accepted(decide(state));
      return decided({ ok: true, grant: shownGrant(grant, { ...state, phase: moved.data.phase }, counts) }, [moved]);
    });
  });
  return { ...stored(outcome), result: outcome.answer };
}

async function undo(
  context: AppContext,
  past: Past,
  caller: Caller,
  grant: string,
  request: UndoingGrant,
): Promise<ManageAnswer<contract.GrantUndone>> {
  const { policy, dryRun } = request;
  const told = toldBy(request);
  if (!dryRun) {
    const moved = await move(context, caller, 'grant.undo', grant, (state) => undoGrant(grant, state, policy, told));
    return { ...moved, result: { ...moved.result, preview: null } };
  }
  const project = await projectOf(context, caller);
  requirePermissions(accessAt(project, caller, 'live').key, SCOPE, 'rw');
  await project.refresh();
  const state = await stateOf(project, grant);
  accepted(undoGrant(grant, state, policy, told));
  if (!(await context.views.caughtUp(project.id, project.set.head, context.limits.viewWaitMs))) throw refusal('BEHIND');
  await caller.stillMay?.();
  const preview = await previewOfUndo(context, past, project, grant, { ...told, policy });
  const shown = await countedGrant(context, project, grant, state);
  return { ...positioned(context, project, caller), result: { ok: true, dryRun: true, grant: shown, preview } };
}

/** A read: permission, and what its answer says of the revision that it shows. */
async function reading(context: AppContext, caller: Caller) {
  const project = await projectOf(context, caller);
  requirePermissions(accessAt(project, caller, 'live').key, SCOPE, 'r');
  // What drives a grant is another process for this one.
  await project.refresh();
  const reached = await context.views.caughtUp(project.id, project.set.head, context.limits.viewWaitMs);
  const answered = <Body>(result: Body): ManageAnswer<Body> => ({ ...positioned(context, project, caller, reached), result });
  return { project, answered };
}

async function stateOf(project: Project, grant: string): Promise<GrantState> {
  const { state } = await project.read(grantSubject(grant));
  if (state === null) throw noGrant(grant);
  return state;
}

function noGrant(grant: string): Refusal {
  return notFound('grant', `There is no grant ${grant}; \`savepoint grant list\` shows those of this project`);
}

async function countsOf({ views, limits }: AppContext, project: Project, grant: string): Promise<GrantCounts> {
  await views.caughtUp(project.id, project.set.head, limits.viewWaitMs);
  return views.grantCounts(project.id, grant);
}

async function countedGrant(context: AppContext, project: Project, grant: string, state: GrantState): Promise<contract.Grant> {
  return shownGrant(grant, state, await context.views.grantCounts(project.id, grant));
}

function shownGrant(id: string, state: GrantState, counts: GrantCounts): contract.Grant {
  const { collection, reason, ticket = null, phase, begunAt, players } = state;
  return { id, collection, reason, ticket, phase, begunAt: new Date(begunAt).toISOString(), players, ...counts };
}

function shownPlayer({ player, is, revision, given, told }: GrantPlayerRow): contract.GrantPlayer {
  const { code = null, why = null, shortfalls = [], left = [] } = told;
  return { player, is, revision, given, code, why, shortfalls, left };
}
