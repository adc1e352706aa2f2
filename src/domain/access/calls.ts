import { notFound, Refusal, refusal } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { EndpointModel, QueryModel } from '../model.ts';
import { allows, STAGED_SCOPES } from '../project/permissions.ts';
import type { AccessContext } from './context.ts';
import { type Credential, isUnproven, namedPlayer, playerOf } from './credential.ts';
import { closedButtonInNext, closedEndpointInNext, closedQueryInNext, valuesOfPlayers } from './next.ts';
import { missingPermission, noSuch, noSuchEndpoint, notProven, outdated } from './refusals.ts';

/** Who may call endpoints and run queries, and who sees what of definitions. */

/** The player that an endpoint call is for, if the caller may call endpoints at all. `pattern`: the form of a player id. */
export function callingPlayer(access: AccessContext, who: Credential, pattern: RegExp): string | Refusal {
  const lacking = missingPermission(access.key, ['endpoints'], 'x');
  if (lacking !== null) return lacking;
  const player = playerOf(who, pattern);
  if (player instanceof Refusal) return player;
  return isUnproven(access, who) ? notProven() : player;
}

/** The endpoint, if it exists, is enabled, is neither deprecated nor internal, and is open to the caller's key; in this order. */
export function endpointAccess(access: AccessContext, who: Credential, slug: string): EndpointModel | Refusal {
  const { definitions, target } = access;
  const endpoint = definitions.endpoint(slug);
  if (!endpoint) return noSuchEndpoint(slug, target);
  if (!endpoint.enabled) return refusal('ENDPOINT_DISABLED');
  if (endpoint.deprecated) return refusal('ENDPOINT_DEPRECATED');
  if (endpoint.internal) return noSuchEndpoint(slug, target);
  if (who.isSecret) return endpoint;
  return endpoint.requiresSecretKey ? refusal('SECRET_KEY_REQUIRED') : (closedEndpointInNext(access, slug, endpoint) ?? endpoint);
}

/** What a button is pressed with: for which player, and the text that was agreed to. */
interface Pressing {
  readonly player: string | null;
  readonly confirm?: string | undefined;
  /** A look asks nothing. */
  readonly isLook: boolean;
}

/**
 * The endpoint of a button, if it has one and runs. An internal endpoint may have one, too: then nobody else may run it. Whether the caller
 * presses buttons at all is checked before.
 */
export function buttonAccess(access: AccessContext, slug: string, pressing: Pressing): EndpointModel | Refusal {
  const { definitions, target } = access;
  const endpoint = definitions.endpoint(slug);
  if (!endpoint) return noSuchEndpoint(slug, target);
  const { button, enabled, deprecated } = endpoint;
  if (button === null)
    return notFound('button', `The endpoint ${JSON.stringify(slug)} has no button: \`console\` in its definition gives it one`);
  if (!enabled) return refusal('ENDPOINT_DISABLED');
  if (deprecated) return refusal('ENDPOINT_DEPRECATED');
  if (button.page === 'player' && pressing.player === null)
    return refusal('VALIDATION_FAILED', 'This button is of the page of a player: `player` says for whom it is pressed');
  if (button.page === 'home' && pressing.player !== null)
    return refusal(
      'VALIDATION_FAILED',
      'This button is of the first page of the project, and is pressed for no player: leave `player` out',
    );
  if (pressing.isLook) return endpoint;
  const closed = closedButtonInNext(access, slug, endpoint);
  if (closed !== null) return closed;
  if (button.confirm === null || pressing.confirm?.trim() === button.confirm) return endpoint;
  return refusal('CONFIRM_NEEDED', `This button asks first: ${button.confirm}`, { error: { confirm: button.confirm } });
}

/** The query, if the caller may run it. An unknown query is 404 before the secret key is checked. */
export function queryAccess(access: AccessContext, who: Credential, id: string): QueryModel | Refusal {
  const { key, definitions, target } = access;
  if (who.extraSecret === 'invalid') return refusal('SECRET_KEY_INVALID');
  const query = definitions.query(id);
  if (!query) return noSuch('query', id, target);
  const secret = who.isSecret ? key : who.extraSecret;
  if (query.requiresSecretKey && !secret) return refusal('SECRET_KEY_REQUIRED');
  const closed = closedQueryInNext(access, id, query);
  if (closed !== null && !secret) return closed;
  const isSecretNeeded = who.isSecret || query.requiresSecretKey || closed !== null;
  const lacking = secret && isSecretNeeded ? missingPermission(secret, ['queries'], 'x') : null;
  return lacking ?? outdated(who, 'read') ?? query;
}

/** Whether the caller may have a query run again that has a kept result. */
export function mayRunAnew({ isSecret, extraSecret }: Credential): boolean {
  return isSecret || (extraSecret !== null && extraSecret !== 'invalid');
}

/** The game values that the caller sees. `isWhole`: all of them, and not only those that players see. */
export function visibleValues(access: AccessContext, { isSecret }: Credential): { readonly isWhole: boolean; readonly values: JsonObject } {
  if (isSecret && allows(access.key, 'collections', 'r')) return { isWhole: true, values: access.definitions.values.full };
  return { isWhole: false, values: valuesOfPlayers(access) };
}

/** Refuses to show what a player has used of the rate limits to anybody but that player and secret keys. */
export function closedUsage(access: Pick<AccessContext, 'settings'>, who: Credential, player: string): Refusal | null {
  if (who.isSecret) return null;
  if (namedPlayer(who) !== player) return refusal('FORBIDDEN', 'What another player has used takes a secret key; players read their own');
  return isUnproven(access, who) ? notProven() : null;
}

/** Refuses to show what was published. */
export function closedPublishes({ key }: AccessContext, { isSecret }: Credential): Refusal | null {
  if (!isSecret) return refusal('SECRET_KEY_REQUIRED', 'What was published is shown to a secret key, in the header x-secret-key');
  return missingPermission(key, STAGED_SCOPES, 'r');
}
