import type * as contract from '../../contract/answers.ts';
import { APPROVING_KEYS, type Need, STAGED_READ, STAGING_KEYS } from '../../contract/credentials.ts';
import type { AccessContext } from '../../domain/access/context.ts';
import {
  approvalNow,
  askApproval,
  declineApproval,
  giveApproval,
  releasedBy,
  releaseNow,
  withdrawApproval,
} from '../../domain/definition/release/approval.ts';
import { decidePromote } from '../../domain/definition/release/promote.ts';
import { approvalIn, isOpen, NO_RELEASE } from '../../domain/definition/release/release.ts';
import { decideRollback } from '../../domain/definition/release/rollback.ts';
import type { Actor, DomainEvent } from '../../domain/events.ts';
import { isSameName } from '../../domain/people/people.ts';
import { keptWhy } from '../../domain/said.ts';
import type { AccessKey, ApprovalState, ReleaseAction, ReleaseState } from '../../domain/states.ts';
import { RELEASE } from '../../domain/subjects.ts';
import { accepted, notFound, type Refusal, refusal } from '../../kernel/errors.ts';
import { revisionCursor } from '../../kernel/page-cursor.ts';
import { accessAt, accessOf, actorOf, requireNeed } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, decided, execute, positioned, projectOf, stored } from '../context.ts';
import { idempotent, keyedBy } from '../idempotency.ts';
import type { Project } from '../project/project.ts';
import { wholeAnswer } from './answer-codec.ts';
import { approversIn } from './approvers.ts';
import { type Guard, onBase } from './base.ts';
import type { EarlierLiveSearches } from './earlier-live.ts';
import { newApprovalId } from './publish-whole.ts';
import { actorsOf, releaseAfter, shownActor, shownApproval } from './shown-release.ts';

/** What is said with it. */
interface Saying {
  readonly comment?: string | null | undefined;
  /** Of the support desk. */
  readonly ticket?: string | null | undefined;
}

interface Asking extends Saying {
  readonly action: ReleaseAction;
  /** Of a rollback; `null`: one back. */
  readonly to: number | null;
}

/** A second person before anything goes live. What is approved goes live by the routes that always did it. */
export interface Approvals {
  /** Throws 409: APPROVALS_OFF, NOTHING_TO_APPROVE, APPROVAL_PHASE; of a rollback as that does. */
  ask(caller: Caller, asking: Asking): Promise<ManageAnswer<contract.ApprovalShown>>;
  list(caller: Caller, page: { readonly limit: number; readonly before: string | null }): Promise<ManageAnswer<contract.Approvals>>;
  /** Throws 404, as the others below. */
  read(caller: Caller, approval: string): Promise<ManageAnswer<contract.ApprovalRead>>;
  /** Throws 403 for keys and for authors, and 409 APPROVAL_PHASE. */
  give(caller: Caller, approval: string, saying: Saying): Promise<ManageAnswer<contract.ApprovalShown>>;
  decline(caller: Caller, approval: string, saying: Saying): Promise<ManageAnswer<contract.ApprovalShown>>;
  comment(caller: Caller, approval: string, saying: Saying): Promise<ManageAnswer<contract.ApprovalShown>>;
  withdraw(caller: Caller, approval: string): Promise<ManageAnswer<contract.ApprovalShown>>;
}

const APPROVING = APPROVING_KEYS.needs;
const ASKING = STAGING_KEYS.needs;
const MAX_COMMENTS = 200;

export function createApprovals(context: AppContext, searches: EarlierLiveSearches): Approvals {
  return {
    ask: (caller, asking) => ask(context, searches, caller, asking),

    async list(caller, { limit, before }) {
      const { project, answered } = await reading(context, caller);
      const page = await context.views.approvals(project.id, {
        before: revisionCursor(before, 'before') ?? Number.MAX_SAFE_INTEGER,
        limit,
      });
      const { state } = await project.read(RELEASE);
      const open = Object.values((state ?? NO_RELEASE).approvals).filter(isOpen);
      const approvals = page.approvals.map(({ approval }) => approval);
      await context.people.know(actorsOf([...open, ...approvals]));
      const isApprover = await approversIn(context, project.id);
      const shown = (approval: ApprovalState) => shownApproval(context, project, approvalNow(approval, isApprover));
      const required = accessAt(project, caller, 'live').settings.approvals === 'required';
      return answered({ ok: true, required, open: open.map(shown), approvals: approvals.map(shown), before: page.next });
    },

    async read(caller, id) {
      const { project, answered } = await reading(context, caller);
      const found = await context.views.approval(project.id, id);
      if (found === null) throw noApproval(id);
      const comments = await context.views.approvalComments(project.id, id, MAX_COMMENTS);
      await context.people.know([...actorsOf([found.approval]), ...comments.map(({ actor }) => actor)]);
      const by = (actor: Actor) => shownActor(context, project, actor);
      return answered({
        ok: true,
        approval: shownApproval(context, project, approvalNow(found.approval, await approversIn(context, project.id))),
        comments: comments.map(({ actor, at, ticket, ...comment }) => ({
          ...comment,
          ...(ticket === null ? {} : { ticket }),
          by: by(actor),
          at: new Date(at).toISOString(),
        })),
      });
    },

    give: (caller, id, saying) =>
      change(context, caller, 'approval.give', APPROVING, id, (state) => [
        accepted(giveApproval(state, id, caller.key, (person) => isSelf(context.people, caller.key, person))),
        ...said(id, saying, 'approve'),
      ]),
    decline: (caller, id, saying) =>
      change(context, caller, 'approval.decline', APPROVING, id, (state) => [
        accepted(declineApproval(state, id, caller.key)),
        ...said(id, saying, 'decline'),
      ]),
    withdraw: (caller, id) =>
      change(context, caller, 'approval.withdraw', ASKING, id, (state) => [
        accepted(withdrawApproval(state, id)),
        ...said(id, { comment: caller.message, ticket: caller.ticket }, 'withdraw'),
      ]),
    comment: (caller, id, saying) => change(context, caller, 'approval.comment', ASKING, id, () => said(id, saying)),
  };
}

/** Whether an id is of this person, or of one of the same name who was removed: whoever is let in anew has another id. */
function isSelf({ nameOf }: AppContext['people'], { keyId, label }: AccessKey, person: string): boolean {
  if (person === keyId) return true;
  const name = nameOf(person);
  return name !== undefined && isSameName(name, label);
}

async function ask(
  context: AppContext,
  searches: EarlierLiveSearches,
  caller: Caller,
  { action, to, ...saying }: Asking,
): Promise<ManageAnswer<contract.ApprovalShown>> {
  const project = await projectOf(context, caller);
  await project.refresh();
  const access = accessAt(project, caller, 'live');
  requireNeed(access.key, ASKING);
  const releases = action === 'promote' ? promoted : await rolledBack(searches, project, access, to);
  const id = newApprovalId();
  return onBase(context, project, caller, (guard) =>
    changeIn(context, project, caller, 'approval.ask', ASKING, guard, id, (state, now) => {
      const asked = accepted(askApproval(state, now.settings, id, releasedBy(releases(now), now.state)));
      return [asked, ...said(id, saying, 'request')];
    }),
  );
}

type Releases = (access: AccessContext) => readonly DomainEvent[];

const promoted: Releases = ({ state }) => decidePromote(state, { dryRun: false }).events;

async function rolledBack(
  searches: EarlierLiveSearches,
  project: Project,
  { state: seen }: AccessContext,
  to: number | null,
): Promise<Releases> {
  const earlier = await searches.find(project, to);
  return ({ state }) => {
    // The search was made for another state of live.
    if (state.liveHash !== seen.liveHash || state.generation !== seen.generation) throw refusal('WRITE_CONFLICT');
    return accepted(decideRollback(state, earlier, { dryRun: false, to })).events;
  };
}

type Says = Extract<DomainEvent, { readonly type: 'approval.commented' }>['data']['with'];

function said(approval: string, { comment, ticket }: Saying, saidWith?: Says): readonly DomainEvent[] {
  if (comment == null && ticket == null) return [];
  const beside = { ...keptWhy({ ticket }), ...(saidWith === undefined ? {} : { with: saidWith }) };
  return [{ type: 'approval.commented', data: { approval, text: comment ?? '', ...beside } }];
}

/** The events of a change. Throws its refusal. */
type DecideApproval = (state: ReleaseState | null, access: AccessContext) => readonly DomainEvent[];

/** Changes an approval that there is. */
async function change(
  context: AppContext,
  caller: Caller,
  cause: string,
  need: Need,
  id: string,
  decide: DecideApproval,
): Promise<ManageAnswer<contract.ApprovalShown>> {
  const project = await projectOf(context, caller);
  requireNeed(accessAt(project, caller, 'live').key, need);
  return changeIn(context, project, caller, cause, need, (_, decideOn) => decideOn(), id, decide);
}

async function changeIn(
  context: AppContext,
  project: Project,
  caller: Caller,
  cause: string,
  need: Need,
  guard: Guard,
  id: string,
  decide: DecideApproval,
): Promise<ManageAnswer<contract.ApprovalShown>> {
  // One that another replaced is in the table alone; it can be talked about.
  const earlier = (await context.views.approval(project.id, id))?.approval;
  const actor = actorOf(caller);
  const known = [actor, ...actorsOf([...(earlier === undefined ? [] : [earlier]), ...openIn((await project.read(RELEASE)).state)])];
  await context.people.know(known);
  const isApprover = await approversIn(context, project.id);
  const outcome = await execute<contract.ApprovalShown>(project, caller, cause, (ctx, now) => {
    const access = accessOf(ctx, caller, 'live');
    requireNeed(access.key, need);
    const keyed = keyedBy(caller, 'live', context.limits.answers.managed);
    return idempotent({ ctx, now, keyed }, wholeAnswer<contract.ApprovalShown>(), () => {
      const state = ctx.read(RELEASE);
      const { events, answer } = guard(access.state, () => {
        const made = decide(releaseNow(state, isApprover), access);
        const approval = approvalIn(releaseAfter(state, made, { cause, actor, now }), id) ?? earlier;
        if (approval === undefined) throw noApproval(id);
        return { events: made, answer: { ok: true as const, approval: shownApproval(context, project, approval) } };
      });
      return decided(answer, events);
    });
  });
  return { ...stored(outcome), result: outcome.answer };
}

function openIn(state: ReleaseState | null): readonly ApprovalState[] {
  return Object.values((state ?? NO_RELEASE).approvals).filter((each) => each !== null);
}

/** A read: permission, and what its answer says of the revision that it shows. */
async function reading(context: AppContext, caller: Caller) {
  const project = await projectOf(context, caller);
  requireNeed(accessAt(project, caller, 'live').key, STAGED_READ.needs);
  const reached = await context.views.caughtUp(project.id, project.set.residentChangedAt(RELEASE), context.limits.viewWaitMs);
  const answered = <Body>(result: Body): ManageAnswer<Body> => ({ ...positioned(context, project, caller, reached), result });
  return { project, answered };
}

function noApproval(id: string): Refusal {
  return notFound(
    'approval',
    `There is no approval ${JSON.stringify(id.slice(0, 64))}; \`savepoint approve list\` shows those of this project`,
  );
}
