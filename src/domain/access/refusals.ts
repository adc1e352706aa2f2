import type { Level } from '../../contract/credentials.ts';
import { notFound, Refusal, refusal } from '../../kernel/errors.ts';
import { jsonEquals } from '../../kernel/json-equality.ts';
import { truncateText } from '../document/truncate-text.ts';
import type { Permissions, PublishTarget } from '../events.ts';
import { allows } from '../project/permissions.ts';
import { isBlocked, revisionMessage } from '../revision/status.ts';
import type { AccessKey } from '../states.ts';
import type { Credential } from './credential.ts';

/** Refusals of several rules of access. */

/** Refuses a secret key that lacks one of the permissions. Public keys have no permissions and pass. */
export function missingPermission(key: AccessKey, scopes: readonly string[], level: Level): Refusal | null {
  const scope = scopes.find((one) => !allows(key, one, level));
  if (scope === undefined) return null;
  const lacking = `not have ${level} access to ${scope}`;
  if (key.kind === 'person') return refusal('FORBIDDEN', `Your role in this project does ${lacking}`);
  // No permission of a key makes it a person.
  if (scope === 'approve') return refusal('APPROVER_IS_KEY');
  return refusal(
    'FORBIDDEN',
    `This key does ${lacking}; \`savepoint key permissions PROJECT KEY --add '{"${scope}":"${level}"}'\` gives it`,
  );
}

/** Refuses a person who asks for personal values, and whose role does not show them to anybody. */
export function missingReveal(permissions: Permissions | undefined): Refusal | null {
  if (permissions === undefined) return noRole();
  if (permissions?.['reveal']?.includes('r')) return null;
  return refusal('FORBIDDEN', 'Your role in this project does not have r access to reveal; without x-ns-reveal personal values are masked');
}

/** Refusal of a person in a project: one answer for one that is not there and for one without a role. */
export function noRole(): Refusal {
  return refusal('FORBIDDEN', 'There is no such project, or you have no role in it');
}

/**
 * Refusal of a person whose role is another than the one that a request began with; `null`: it is the same. A body that comes slowly, or a
 * long look at what is stored, must not outlast a role.
 */
export function anotherRole(before: Permissions, now: Permissions | undefined): Refusal | null {
  if (now === undefined) return noRole();
  if (jsonEquals(before, now)) return null;
  return refusal('FORBIDDEN', 'Your role in this project changed meanwhile, and nothing was done: send it again');
}

/** Refusal of what somebody asked for in advance who has no rights here any more. */
export function noLonger(who: 'key' | 'person'): Refusal {
  return refusal(
    'FORBIDDEN',
    who === 'key' ? 'The key that scheduled this was revoked' : 'Who scheduled this has no role in the project any more',
  );
}

/** Refuses a game that is too old for this. On these routes a game sees that by the HTTP status. */
export function outdated({ revision }: Credential, what: 'read' | 'write'): Refusal | null {
  if (revision === null || !isBlocked(revision, what)) return null;
  return new Refusal(409, 'REVISION_OUTDATED', revisionMessage(revision));
}

/** Refuses a player who is not proven. */
export function notProven(): Refusal {
  return refusal('PLATFORM_AUTH_FAILED', 'This project requires verified players', { error: { authFailureKind: 'token_rejected' } });
}

const IN_LIVE = 'until it is promoted, what was pushed to next shows only to requests for next (x-ns-publish-target: next)';
const ENDPOINT_IN_LIVE = 'Until it is promoted, what was pushed to next answers only to calls for next (x-ns-publish-target: next)';
const IN_NEXT = 'in next, which shows live with what is staged: it is in neither, or its removal is staged';

/** Refusal of a collection or query that a call names and that does not exist. */
export function noSuch(kind: 'collection' | 'query', id: string, target: PublishTarget): Refusal {
  const name = JSON.stringify(truncateText(id, 64));
  const where = target === 'next' ? ` ${IN_NEXT}` : `; ${IN_LIVE}`;
  return notFound(kind, `There is no ${kind} ${name}${where}`);
}

/** Refusal of an endpoint that a call names and that does not exist. */
export function noSuchEndpoint(slug: string, target: PublishTarget): Refusal {
  const where = target === 'next' ? ` ${IN_NEXT}` : `. ${ENDPOINT_IN_LIVE}`;
  return refusal('ENDPOINT_NOT_FOUND', `No endpoint has the slug ${JSON.stringify(truncateText(slug, 64))}${where}`);
}
