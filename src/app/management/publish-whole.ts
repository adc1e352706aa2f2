import { randomBytes } from 'node:crypto';
import type { AccessContext } from '../../domain/access/context.ts';
import type { Decision as Publish } from '../../domain/definition/push/publish-events.ts';
import { strictly } from '../../domain/definition/push/strict.ts';
import { releaseNow, throughGate } from '../../domain/definition/release/approval.ts';
import type { DomainEvent, PublishTarget } from '../../domain/events.ts';
import { withWhy } from '../../domain/said.ts';
import type { ReleaseState } from '../../domain/states.ts';
import { RELEASE } from '../../domain/subjects.ts';
import { accepted, Refusal, refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { accessOf, actorOf, requirePermissions } from '../access.ts';
import type { ManageAnswer } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { decided, type PublishContext, projectOf, settingsOf, stored } from '../context.ts';
import { keyedBy, remembering, replayed } from '../idempotency.ts';
import { type Decided, decidedBy, Overtaken } from '../project/commit.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { commitIds } from '../request-ids.ts';
import { wholeAnswer } from './answer-codec.ts';
import { approversIn } from './approvers.ts';
import { onBase } from './base.ts';
import { UniqueSurvey } from './unique-survey.ts';

/** One publish: the decision on a push, and the commits that store it. */

/** A decision on a push. Throws its refusal. `release`: who staged what, and what was approved. */
export type Decide<Answer> = (access: AccessContext, now: number, release: ReleaseState | null) => Publish<Answer>;

/** In strict mode, findings refuse a push. */
export function withStrictMode<Answer extends JsonObject>(strict: boolean, decide: Decide<Answer>): Decide<Answer> {
  return strict ? (...at) => accepted(strictly(decide(...at))) : decide;
}

/** Bytes of texts in one commit: an append holds 1 MiB on every engine, and JSON escapes can double a text. */
const TEXTS_PER_COMMIT = 256 * 1024;
/** Approximate bytes that an event needs besides its text, and that one change of a publish needs. */
const EVENT_BYTES = 1024;
const CHANGE_BYTES = 384;
/** Commits of one publish. The largest possible body needs about half of them. */
const MAX_COMMITS = 1000;
/** How often other nodes may change what a publish read. After that, the publish asks them to wait. */
const ATTEMPTS = 2;
/** How often a publish asks other nodes to wait. */
const MAX_FENCES = 5;

/** Makes one publish, if nobody has published since the base that the caller names: else throws 409 PUBLISH_CONFLICT. */
export async function publishWhole<Answer extends JsonObject>(
  context: PublishContext,
  caller: Caller,
  cause: string,
  target: PublishTarget,
  scopes: readonly string[],
  decide: Decide<Answer>,
): Promise<ManageAnswer<Answer>> {
  const project = await projectOf(context, caller);
  return onBase(context, project, caller, (guard) => {
    const decideGuarded: Decide<Answer> = (access, ...at) => guard(access.state, () => decide(access, ...at));
    return publishOnce(context, project, { caller, cause, target, scopes, decide: decideGuarded });
  });
}

interface PublishCommand<Answer> {
  readonly caller: Caller;
  readonly cause: string;
  readonly target: PublishTarget;
  readonly scopes: readonly string[];
  readonly decide: Decide<Answer>;
}

/**
 * Makes one publish. Texts that do not fit into its commit are stored by earlier commits: they are addressed by their content, and change
 * nothing until the publish refers to them.
 */
async function publishOnce<Answer extends JsonObject>(
  context: PublishContext,
  project: Project,
  { caller, cause, target, scopes, decide }: PublishCommand<Answer>,
): Promise<ManageAnswer<Answer>> {
  const survey = new UniqueSurvey(project);
  const approval = newApprovalId();
  const isApprover = settingsOf(project).approvals === 'off' ? () => false : await approversIn(context, project.id);
  let fences = 0;
  let surveys = 0;
  for (let commits = 0; commits < MAX_COMMITS; commits += 1) {
    const decidePublish = (ctx: DecisionContext, now: number): Decided<PublishedAnswer<Answer> | 'stored'> => {
      const access = accessOf(ctx, caller, target);
      requirePermissions(access.key, scopes, 'rw');
      const at = { ctx, now, keyed: keyedBy(caller, 'live', context.limits.answers.managed) };
      const before = replayed(at, wholeAnswer<Answer>());
      if (before !== null) return withPublishIndex(before);
      // Every publish changes it, in whichever project.
      const release = releaseNow(ctx.read(RELEASE), isApprover);
      const gate = (publish: Publish<Answer>) => gated(caller, access, release, approval, publish);
      const publish = decidedBy<Answer>(() => told(caller, withClaims(survey, ctx, access, gate(decide(access, now, release)))));
      const first = publish instanceof Refusal ? null : firstTexts(publish.events);
      return first
        ? decided<PublishedAnswer<Answer> | 'stored'>('stored', first)
        : withPublishIndex(remembering(at, wholeAnswer<Answer>(), publish));
    };
    const command = { ...commitIds(caller), cause, actor: actorOf(caller), attempts: ATTEMPTS, decide: decidePublish };
    await caller.stillMay?.();
    const outcome = await project.execute(command).catch(async (error: unknown) => {
      const isOvertaken = error instanceof Overtaken;
      if (isOvertaken ? fences >= MAX_FENCES : !(await survey.loadRequested(error))) throw error;
      surveys += 1;
      if (fences < MAX_FENCES && (isOvertaken || surveys % (ATTEMPTS + 1) === 0)) {
        fences += 1;
        await requestTurn(project, caller);
      }
      return null;
    });
    if (outcome === null) continue;
    if (outcome.answer === 'stored') continue;
    const { result, eventsAfter } = outcome.answer;
    return { ...stored(outcome), result, ...(eventsAfter === null ? {} : { published: outcome.revision - eventsAfter }) };
  }
  throw refusal('WRITE_CONFLICT');
}

/** Has the other nodes hold back their writes for a moment. */
async function requestTurn(project: Project, caller: Caller): Promise<void> {
  const events: readonly DomainEvent[] = [{ type: 'publish.awaited', data: { by: project.writer.fence.id } }];
  await project.execute({ ...commitIds(caller), cause: 'publish.await', actor: actorOf(caller), decide: () => decided(null, events) });
}

interface PublishedAnswer<Answer> {
  readonly result: Answer;
  /** Events of the commit behind its publish; `null`: it publishes nothing. */
  readonly eventsAfter: number | null;
}

/** Adds where in its commit the publish stands. A push of staged definitions and tests makes two publishes: then the first one counts. */
function withPublishIndex<Answer>(whole: Decided<Answer>): Decided<PublishedAnswer<Answer>> {
  if (whole instanceof Refusal || 'refused' in whole) return whole;
  const at = whole.events.findIndex(isPublish);
  return { ...whole, answer: { result: whole.answer, eventsAfter: at < 0 ? null : whole.events.length - 1 - at } };
}

function isPublish({ type }: DomainEvent): boolean {
  return type === 'definitions.published' || type === 'definitions.promoted' || type === 'definitions.rolledBack';
}

function withClaims<Answer>(survey: UniqueSurvey, ctx: DecisionContext, access: AccessContext, publish: Publish<Answer>): Publish<Answer> {
  const claims = survey.claims(ctx, access, publish.events);
  return claims.length === 0 ? publish : { ...publish, events: [...publish.events, ...claims] };
}

/** An id of an approval, of fresh random bits. */
export function newApprovalId(): string {
  return randomBytes(8).toString('hex');
}

/** The publish, if the project asks for no second person, or one has agreed. Throws 409 APPROVAL_NEEDED. */
function gated<Answer>(
  { key, message = null, breakGlass = false }: Caller,
  { settings, state }: AccessContext,
  release: ReleaseState | null,
  id: string,
  publish: Publish<Answer>,
): Publish<Answer> {
  if (settings.approvals === 'off') return publish;
  const events = accepted(throughGate(publish.events, state, release, { key, breakGlass, reason: message, id }));
  return events === publish.events ? publish : { ...publish, events };
}

/** The publish with what the caller says of it. */
function told<Answer>({ message, ticket }: Caller, publish: Publish<Answer>): Publish<Answer> {
  return message == null && ticket == null ? publish : { ...publish, events: withWhy(publish.events, { message, ticket }) };
}

/** The first texts of a publish that is too large for one commit; `null` if it is not. */
export function firstTexts(events: readonly DomainEvent[]): readonly DomainEvent[] | null {
  const texts = events.filter((event) => event.type === 'source.stored');
  let bytes = 0;
  for (const [index, { data }] of texts.entries()) {
    bytes += Buffer.byteLength(data.text) + EVENT_BYTES;
    if (bytes > TEXTS_PER_COMMIT) return texts.slice(0, Math.max(index, 1));
  }
  const changes = events.reduce((sum, event) => sum + changesIn(event), 0);
  return texts.length > 0 && bytes + changes * CHANGE_BYTES > TEXTS_PER_COMMIT ? texts : null;
}

function changesIn(event: DomainEvent): number {
  switch (event.type) {
    case 'definitions.published':
    case 'definitions.promoted':
    case 'definitions.rolledBack':
      return event.data.changes.length;
    default:
      return 0;
  }
}
