import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { DefinitionKind } from '../events.ts';
import { allows, STAGED_SCOPES, scopesOf } from '../project/permissions.ts';
import type { AccessKey } from '../states.ts';
import type { AccessContext } from './context.ts';
import type { Credential } from './credential.ts';
import { type Allowed, type DataAddress, dataAccess, type Operation, otherOwner } from './data.ts';
import { missingPermission } from './refusals.ts';

/** Who may read what was. The rules of now decide, whatever they were then. */

/** The permission of secret keys for it. */
const SCOPE = 'history';
const FOR_KEYS = 'What was is read with a secret key that has the permission `history`';

/** Refuses what was of the whole project, such as its definitions. Public keys read no such thing. */
export function closedPast({ key }: Pick<AccessContext, 'key'>, { isSecret }: Pick<Credential, 'isSecret'>): Refusal | null {
  return isSecret ? missingPermission(key, [SCOPE], 'r') : refusal('FORBIDDEN', FOR_KEYS);
}

/** The same of definitions. A person who may read what they are may read what they were: no data of players are in them. */
export function closedPastOfDefinitions(access: Pick<AccessContext, 'key'>, who: Pick<Credential, 'isSecret'>): Refusal | null {
  return access.key.kind === 'person' ? null : closedPast(access, who);
}

/**
 * Whether somebody who reads what was may know by whom and why definitions of these kinds were published: from the history of one of them,
 * or of all publishes.
 */
export function mayReadPublish(key: AccessKey, kinds: readonly DefinitionKind[]): boolean {
  const mayRead = (scopes: readonly string[]) => scopes.every((scope) => allows(key, scope, 'r'));
  return mayRead(STAGED_SCOPES) || kinds.some((kind) => mayRead(scopesOf(kind)));
}

/** Whether a player may read what its own data were: where the collection says so, and it may read what they are. */
export function ownPast(
  access: AccessContext,
  who: Credential,
  operation: Extract<Operation, `${string}.read`>,
  at: DataAddress,
): Allowed | Refusal {
  const allowed = dataAccess(access, who, operation, at);
  if (!('collection' in allowed)) return allowed;
  if (!allowed.collection.ownHistory)
    return refusal('FORBIDDEN', `${FOR_KEYS}, or by the player whose it is where the collection has \`history: owner\``);
  return allowed.isUnproven ? allowed : (otherOwner(who, at.key ?? '') ?? allowed);
}
