import type { AccessContext } from '../../domain/access/context.ts';
import { type Allowed, dataAccess, type Operation } from '../../domain/access/data.ts';
import { notProven } from '../../domain/access/refusals.ts';
import type { CollectionModel } from '../../domain/model.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { accepted, Refusal } from '../../kernel/errors.ts';
import { accessAt, accessOf } from '../access.ts';
import type { CollectionAddress } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, projectOf } from '../context.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { provenFor, requireProof } from '../security/players.ts';

/**
 * Access of direct calls to documents, records, save slots and ledgers. It is asked once, before a body is read and outside the decision.
 * The decision asks the same question again only if authority or definitions have changed since, so every commit rests on access that still
 * held.
 */

/** A call that is allowed, as far as is known before its decision. */
export interface Admitted<A extends CollectionAddress> {
  readonly operation: Operation;
  readonly project: Project;
  /** Proven, where the project demands it. */
  readonly caller: Caller;
  readonly at: A;
  readonly access: AccessContext;
  readonly collection: CollectionModel;
}

/** Allowed, if a player is proven where that is missing. */
type Granted<A extends CollectionAddress> = Admitted<A> & Allowed;

/**
 * Asks for access as the decision will, and proves the player if that is needed and was not done yet. Throws the refusal. Another node may
 * just have opened the collection, so the log is read once more before a refusal.
 */
export function admit<A extends CollectionAddress>(
  context: AppContext,
  caller: Caller,
  operation: Operation,
  at: A,
): Awaitable<Admitted<A>> {
  return andThen(projectOf(context, caller), (project) =>
    andThen(accessWithRefresh(project, caller, operation, at), (granted) => proven(context, granted)),
  );
}

/** As {@link admit}, of a plain read, which is refused by what this node knows. */
export function admitRead<A extends CollectionAddress>(
  context: AppContext,
  caller: Caller,
  operation: Operation,
  at: A,
): Awaitable<Admitted<A>> {
  return andThen(projectOf(context, caller), (project) => proven(context, accessFor(project, caller, operation, at)));
}

function accessWithRefresh<A extends CollectionAddress>(
  project: Project,
  caller: Caller,
  operation: Operation,
  at: A,
): Awaitable<Granted<A>> {
  try {
    return accessFor(project, caller, operation, at);
  } catch (refused) {
    if (!(refused instanceof Refusal)) throw refused;
    return project.refresh().then(() => accessFor(project, caller, operation, at));
  }
}

function accessFor<A extends CollectionAddress>(project: Project, caller: Caller, operation: Operation, at: A): Granted<A> {
  const access = accessAt(project, caller, at.target);
  const { collection, isUnproven } = accepted(dataAccess(access, caller, operation, at));
  return { operation, project, caller, at, access, collection, isUnproven };
}

function proven<A extends CollectionAddress>(context: AppContext, granted: Granted<A>): Awaitable<Admitted<A>> {
  if (!granted.isUnproven) return granted;
  const { project, access, collection, operation, at } = granted;
  return andThen(provenFor(context, project, granted.caller, access, collection, at.collection), (caller) => {
    requireAllowed(dataAccess(access, caller, operation, at));
    return { ...granted, caller };
  });
}

/** The collection of a call that is allowed without a further proof. Throws the refusal. */
export function requireAllowed(answer: Allowed | Refusal): CollectionModel {
  const { collection, isUnproven } = accepted(answer);
  if (isUnproven) throw notProven();
  return collection;
}

/** Inside the decision: asks again if authority or definitions have changed. Throws if the call is no longer allowed. */
export function recheckAdmission<A extends CollectionAddress>(
  ctx: DecisionContext,
  now: number,
  admitted: Admitted<A>,
): Pick<Admitted<A>, 'access' | 'collection'> {
  const { operation, caller, at } = admitted;
  const access = accessOf(ctx, caller, at.target, admitted.access);
  const collection = access === admitted.access ? admitted.collection : requireAllowed(dataAccess(access, caller, operation, at));
  requireProof(ctx, caller, now);
  return { access, collection };
}

/** Asks for access, then reads the request, and stores it. A request that may not be stored is not read. */
export function admitAndStore<A extends CollectionAddress, Request, Answer>(
  context: AppContext,
  caller: Caller,
  operation: Operation,
  at: A,
  readRequest: () => Awaitable<Request>,
  store: (admitted: Admitted<A>, request: Request) => Promise<Answer>,
): Promise<Answer> {
  const admitted = admit(context, caller, operation, at);
  const reading = andThen(admitted, () => readRequest());
  if (admitted instanceof Promise || reading instanceof Promise) return storeLater(context, admitted, reading, store);
  return store(admitted, reading);
}

/** Stores after a wait for a verifier or a body: project, definitions and the need for proof may have changed. */
async function storeLater<A extends CollectionAddress, Request, Answer>(
  context: AppContext,
  admitted: Awaitable<Admitted<A>>,
  reading: Awaitable<Request>,
  store: (admitted: Admitted<A>, request: Request) => Promise<Answer>,
): Promise<Answer> {
  const write = await reading;
  const { caller, operation, at } = await admitted;
  return store(await admit(context, caller, operation, at), write);
}
