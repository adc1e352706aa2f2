import type { CollectionModel } from '../../domain/definition/model.ts';
import { type Awaitable, andThen } from '../../kernel/awaitable.ts';
import { Refusal } from '../../kernel/errors.ts';
import { type AccessContext, accessFrom, accessOf } from '../access.ts';
import type { CollectionAddress } from '../answers.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, projectOf } from '../context.ts';
import type { DecisionContext } from '../project/decision-context.ts';
import type { Project } from '../project/project.ts';
import { provenOnce, requireProof } from '../security/players.ts';

/**
 * Access of direct calls to documents, records and save slots. It is checked once, before a body is read and outside the decision. The decision
 * checks again only if authority or definitions have changed since, so every commit rests on access that still held.
 */

/** What one kind of call demands of its caller. Both methods throw the refusal. */
export interface AdmissionRules<A extends CollectionAddress> {
  /** The collection, if callers of this kind may do this to it. */
  collection(access: AccessContext, caller: Caller, at: A): CollectionModel;
  /** Checks the player, who is proven where the project demands it. */
  requirePlayer(access: AccessContext, caller: Caller, collection: CollectionModel, at: A): void;
}

/** A call that is allowed, as far as is known before its decision. */
export interface Admitted<A extends CollectionAddress> {
  readonly rules: AdmissionRules<A>;
  readonly project: Project;
  /** Proven, where the project demands it. */
  readonly caller: Caller;
  readonly at: A;
  readonly access: AccessContext;
  readonly collection: CollectionModel;
}

/** Checks access as the decision will, and proves the player if that is needed and was not done yet. Throws the refusal. */
export function admit<A extends CollectionAddress>(
  context: AppContext,
  claimed: Caller,
  at: A,
  rules: AdmissionRules<A>,
): Awaitable<Admitted<A>> {
  return andThen(projectOf(context, claimed), (project) =>
    andThen(opened(project, claimed, at, rules), ({ access, collection }) =>
      andThen(provenOnce(context, project, claimed, access, collection, at.collection), (caller) => {
        rules.requirePlayer(access, caller, collection, at);
        return { rules, project, caller, at, access, collection };
      }),
    ),
  );
}

type Opened = Pick<Admitted<CollectionAddress>, 'access' | 'collection'>;

/** The collection, open to the caller. Another node may just have opened it, so the log is read once more before a refusal. */
function opened<A extends CollectionAddress>(project: Project, caller: Caller, at: A, rules: AdmissionRules<A>): Awaitable<Opened> {
  const open = (): Opened => {
    const access = accessFrom(project.authority, project.definitions, caller, at.target);
    return { access, collection: rules.collection(access, caller, at) };
  };
  try {
    return open();
  } catch (refused) {
    if (!(refused instanceof Refusal)) throw refused;
    return project.refresh().then(open);
  }
}

/** Inside the decision: checks again if authority or definitions have changed. Throws if the call is no longer allowed. */
export function recheckAdmission<A extends CollectionAddress>(
  ctx: DecisionContext,
  now: number,
  admitted: Admitted<A>,
): Pick<Admitted<A>, 'access' | 'collection'> {
  const { rules, caller, at } = admitted;
  const access = accessOf(ctx, caller, at.target, admitted.access);
  const isSame = access === admitted.access;
  const collection = isSame ? admitted.collection : rules.collection(access, caller, at);
  if (!isSame) rules.requirePlayer(access, caller, collection, at);
  requireProof(ctx, caller, now);
  return { access, collection };
}

/** Checks access, then reads the request, and stores it. A request that may not be stored is not read. */
export function admitAndStore<A extends CollectionAddress, Request, Answer>(
  context: AppContext,
  claimed: Caller,
  at: A,
  rules: AdmissionRules<A>,
  readRequest: () => Awaitable<Request>,
  store: (admitted: Admitted<A>, request: Request) => Promise<Answer>,
): Promise<Answer> {
  const admitted = admit(context, claimed, at, rules);
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
  const { caller, at, rules } = await admitted;
  return store(await admit(context, caller, at, rules), write);
}
