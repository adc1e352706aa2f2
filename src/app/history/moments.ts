import type { AsOf } from '../../contract/answers.ts';
import { type AccessContext, spaceOf } from '../../domain/access/context.ts';
import type { Operation } from '../../domain/access/data.ts';
import { collectionIn } from '../../domain/access/next.ts';
import { closedPast, closedPastOfDefinitions, ownPast } from '../../domain/access/past.ts';
import { effectiveDefinitions } from '../../domain/definition/model/effective.ts';
import type { DefinitionKind, PublishTarget } from '../../domain/events.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { scopesOf } from '../../domain/project/permissions.ts';
import { projectSettings } from '../../domain/project/settings.ts';
import { accepted, notFound } from '../../kernel/errors.ts';
import { accessAt, requirePermissions } from '../access.ts';
import type { Address, Positioned } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, projectOf } from '../context.ts';
import type { Moment } from '../past/commits.ts';
import { momentOf } from '../past/moment.ts';
import type { Past } from '../past/past.ts';
import type { Project } from '../project/project.ts';
import { provenFor } from '../security/players.ts';
import { requireAllowed } from '../storage/admission.ts';

/** A moment that a caller may read: the rules of now say whether, the definitions and settings of then say what. */

/** What reads of the past begin with. */
export interface HistoryContext extends AppContext {
  readonly past: Past;
}

/** A project at a moment. `access`: key and target of the caller, with the definitions, settings and space of then. */
export interface PastProject {
  readonly project: Project;
  readonly caller: Caller;
  readonly moment: Moment;
  readonly access: AccessContext;
}

/** The data of a collection at a moment. */
export interface PastData extends PastProject {
  /** As it was then. */
  readonly collection: CollectionModel;
}

/** What a past answer says of itself. */
export interface AnswerOfPast extends Positioned {
  readonly at: AsOf;
}

/** The whole project at a moment, for a secret key that may read what was. `at` `null`: now. `name`: of the parameter. */
export async function pastProject(
  context: HistoryContext,
  caller: Caller,
  target: PublishTarget,
  at: string | null,
  name?: string,
): Promise<PastProject> {
  const project = await projectOf(context, caller);
  const access = accessAt(project, caller, target);
  accepted(closedPast(access, caller));
  return atMoment(context, project, caller, access, at, name);
}

/**
 * The project at a moment for what reads definitions of these kinds: for a secret key that may read what was, or a person, who may read
 * what is of them.
 */
export async function pastDefinitions(
  context: HistoryContext,
  caller: Caller,
  kinds: readonly DefinitionKind[],
  target: PublishTarget,
  at: string | null,
  name?: string,
): Promise<PastProject> {
  const project = await projectOf(context, caller);
  const access = accessAt(project, caller, target);
  accepted(closedPastOfDefinitions(access, caller));
  for (const kind of kinds) requirePermissions(access.key, scopesOf(kind), 'r');
  return atMoment(context, project, caller, access, at, name);
}

/**
 * Data of a collection at a moment, for a secret key that may read what was, or the player whose they are. The player is proven where the
 * project demands it. A collection that was removed since is found by what it was then.
 */
export async function pastData(
  context: HistoryContext,
  claimed: Caller,
  operation: Extract<Operation, `${string}.read`>,
  address: Address,
  at: string | null,
): Promise<PastData> {
  const { collection, named, ...then } = await pastDataIfAny(context, claimed, operation, address, at);
  if (collection === undefined)
    throw notFound('collection', `There was no collection ${JSON.stringify(named)} at revision ${then.moment.revision}`);
  return { ...then, collection };
}

/** As {@link pastData}, also of a moment at which there was no such collection. `named`: how it was looked for. */
export async function pastDataIfAny(
  context: HistoryContext,
  claimed: Caller,
  operation: Extract<Operation, `${string}.read`>,
  address: Address,
  at: string | null,
  name?: string,
): Promise<PastProject & { readonly collection: CollectionModel | undefined; readonly named: string }> {
  const project = await projectOf(context, claimed);
  const access = accessAt(project, claimed, address.target);
  const { caller, named } = claimed.isSecret
    ? { caller: claimed, named: address.collection }
    : await ownerOf(context, project, claimed, access, operation, address);
  if (caller.isSecret) accepted(closedPast(access, caller));
  const then = await atMoment(context, project, caller, access, at, name);
  return { ...then, collection: collectionIn(then.access, named), named };
}

/** The proven owner, and the id of the collection, whose name may have been another then. */
async function ownerOf(
  context: HistoryContext,
  project: Project,
  claimed: Caller,
  access: AccessContext,
  operation: Extract<Operation, `${string}.read`>,
  address: Address,
): Promise<{ readonly caller: Caller; readonly named: string }> {
  const asked = accepted(ownPast(access, claimed, operation, address));
  if (!asked.isUnproven) return { caller: claimed, named: asked.collection.id };
  const caller = await provenFor(context, project, claimed, access, asked.collection, address.collection);
  return { caller, named: requireAllowed(ownPast(access, caller, operation, address)).id };
}

async function atMoment(
  context: HistoryContext,
  project: Project,
  caller: Caller,
  access: AccessContext,
  at: string | null,
  name?: string,
): Promise<PastProject> {
  const { past, scheduler } = context;
  const moment = await momentOf(past, project, scheduler, at, name);
  return { project, caller, moment, access: await accessThen(past, project, access, moment.revision) };
}

/** The access context with what was in force at a revision. */
async function accessThen(past: Past, project: Project, access: AccessContext, revision: number): Promise<AccessContext> {
  const [state, authority] = await Promise.all([past.definitionsAt(project, revision), past.authorityAt(project, revision)]);
  const settings = projectSettings(authority?.settings ?? {});
  const { target } = access;
  return {
    ...access,
    authority: authority ?? access.authority,
    settings,
    state,
    definitions: effectiveDefinitions(state, target),
    space: spaceOf(settings, state, target),
  };
}

/** How an answer names its moment. */
export function ofMoment({ revision, at }: Moment): AnswerOfPast {
  return { position: revision, stale: false, at: { revision, time: new Date(at).toISOString() } };
}
