import type { Level, Need } from '../contract/credentials.ts';
import { type AccessContext, accessContext, operatorContext } from '../domain/access/context.ts';
import { closedNext } from '../domain/access/next.ts';
import { missingPermission } from '../domain/access/refusals.ts';
import { EMPTY_DEFINITIONS } from '../domain/definition/model/evolve.ts';
import type { Actor, PublishTarget } from '../domain/events.ts';
import type { AccessKey, AuthorityState, DefinitionsState } from '../domain/states.ts';
import { AUTHORITY, DEFINITIONS } from '../domain/subjects.ts';
import { accepted, refusal } from '../kernel/errors.ts';
import type { Caller } from './caller.ts';
import type { DecisionContext } from './project/decision-context.ts';
import type { Project } from './project/project.ts';

/**
 * The access context of a request, which the rules of `domain/access` are asked with. It is read inside the decision where there is one, so
 * every commit rests on an authority that still held.
 */

/**
 * Reads project, key and definitions through the decision context. Throws 401 or 403 if the caller's authority no longer holds, or the
 * target is closed to it. `before`: an earlier result for the same caller and target; it is returned again if nothing has changed.
 */
export function accessOf(ctx: DecisionContext, caller: Caller, target: PublishTarget, before?: AccessContext): AccessContext {
  const authority = ctx.read(AUTHORITY);
  const state = ctx.read(DEFINITIONS) ?? EMPTY_DEFINITIONS;
  if (before !== undefined && before.authority === authority && before.state === state) return before;
  return contextFor(authority, state, caller, target);
}

function contextFor(authority: AuthorityState | null, state: DefinitionsState, caller: Caller, target: PublishTarget): AccessContext {
  const access = accepted(accessContext(authority, state, caller.key, target));
  const closed = closedNext(access.settings, access.key, caller, target);
  if (closed !== null) throw closed;
  return access;
}

/** As {@link accessOf}, at this node's head, for plain reads and for what is asked before a decision. */
export function accessAt(
  { authority, definitions }: Pick<Project, 'authority' | 'definitions'>,
  caller: Caller,
  target: PublishTarget,
): AccessContext {
  return contextFor(authority, definitions, caller, target);
}

/** The operator's authority, which also holds for a disabled project. Throws 404 for a deleted one. */
export function operatorAccess(target: PublishTarget): (ctx: DecisionContext) => AccessContext {
  return (ctx) => accepted(operatorContext(ctx.read(AUTHORITY), ctx.read(DEFINITIONS) ?? EMPTY_DEFINITIONS, target));
}

/** Throws 403 unless a secret key has all of these permissions. */
export function requirePermissions(key: AccessKey, scopes: readonly string[], level: Level): void {
  accepted(missingPermission(key, scopes, level));
}

/** Throws 403 unless a secret key, or a person, has what is needed, or what does as well. */
export function requireNeed(key: AccessKey, need: Need): void {
  if (!(need.or && hasNeed(key, need.or))) requirePermissions(key, need.scopes, need.level);
}

/** Whether a secret key, or a person, has what is needed, or what does as well. */
export function hasNeed(key: AccessKey, { scopes, level, or }: Need): boolean {
  return missingPermission(key, scopes, level) === null || (or !== undefined && hasNeed(key, or));
}

/** Who a command acts for, and through which endpoint. Throws 400 INVALID_PLATFORMID for an id that no table could store. */
export function actorOf(caller: Caller, endpoint?: string): Actor {
  requireStorable(caller.platformId);
  requireStorable(caller.onBehalfOf);
  const actor: { -readonly [Name in keyof Actor]: Actor[Name] } = actorOfKey(caller.key);
  const player = caller.verified ?? caller.platformId;
  if (player !== null) actor.player = player;
  if (endpoint !== undefined) actor.endpoint = endpoint;
  return actor;
}

/** The key or the person that an actor is. */
export function actorOfKey({ kind, keyId }: AccessKey): Actor {
  return kind === 'person' ? { kind, person: keyId } : { kind, keyId };
}

/**
 * A claimed id becomes part of subjects, whose parts are separated by `/`, and of table keys: an index entry holds at most 2.7 KB, and no
 * text holds U+0000.
 */
const STORABLE_CLAIM = /^[^/\0]{0,256}$/;

/** Throws 400 INVALID_PLATFORMID for a claimed id that no table could store. */
export function requireStorable(claim: string | null): void {
  if (claim !== null && !STORABLE_CLAIM.test(claim)) throw refusal('INVALID_PLATFORMID');
}
