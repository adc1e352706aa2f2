import type { ProjectSettings } from '../../domain/project/settings.ts';
import { consumeRequest, type RequestIdentity, requestIdOf } from '../../domain/security/request-id.ts';
import type { UsedRequest } from '../../domain/states.ts';
import { requestSubject } from '../../domain/subjects.ts';
import { accepted } from '../../kernel/errors.ts';
import { type Decided, type Decision, decidedBy, type Refused, withEvents } from '../project/commit.ts';
import type { DecisionContext } from '../project/decision-context.ts';

/**
 * Uses up a request id in the decision that it protects. The id and the call's writes are one commit. So over any crash, repetition or
 * second node the call is done once or not at all, with one append.
 */

/**
 * Runs `decide` as the call of a sealed request. Before that it throws 400 `ENCRYPTED_REQUEST_INVALID_ID`, 400 `ENCRYPTED_REQUEST_STALE` or
 * 409 `ENCRYPTED_REQUEST_REPLAY_DETECTED`. The id is used up whatever the outcome, also if the call is refused or writes nothing.
 * `request.identity` holds no `/`.
 */
export function consuming<A>(
  ctx: DecisionContext,
  now: number,
  settings: ProjectSettings,
  request: RequestIdentity,
  decide: () => Decided<A>,
): Decision<A> | Refused {
  const { encryptedRequestWindowSeconds: windowSeconds } = settings;
  const consumed = accepted(consumeRequest({ ...request, windowSeconds, now, used: usedIn(ctx, request) }));
  return withEvents([consumed], decidedBy(decide));
}

function usedIn(ctx: DecisionContext, { type, identity, requestId }: RequestIdentity): UsedRequest | null {
  const id = requestIdOf(requestId);
  return id === null ? null : ctx.read(requestSubject(type, identity, id));
}
