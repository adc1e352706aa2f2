import type { ProjectSettings } from '../../domain/project/settings.ts';
import { consumeRequest, type RequestIdentity, requestIdOf } from '../../domain/security/request-id.ts';
import { asUsedRequest, type UsedRequest } from '../../domain/states.ts';
import { requestSubject } from '../../domain/subjects.ts';
import { Refusal } from '../../kernel/errors.ts';
import type { Decision } from '../project/commit.ts';
import type { View } from '../project/view.ts';

/**
 * Using a request id up in the decision that it protects. The id and what the call writes are one commit, so that over any crash,
 * repetition or second node the call is done once or not at all, and costs one append.
 */

/** The answer of a decision that used an id up: a refusal of the call is stored with it, and thrown by {@link unwrapped}. */
export type Consumed<A> = { readonly answer: A } | { readonly refused: Refusal };

/**
 * Runs `decide` as the call of a sealed request. Throws 400 `ENCRYPTED_REQUEST_INVALID_ID`, 400 `ENCRYPTED_REQUEST_STALE` or 409
 * `ENCRYPTED_REQUEST_REPLAY_DETECTED` before it runs. The id is used up whatever the call comes to, also when that refuses or writes
 * nothing (security 7.5). `request.identity` holds no `/`.
 *
 *     const outcome = await execute(project, caller, 'endpoint.call', (view, now) =>
 *       consuming(view, now, groundsOf(view, caller, target).settings, request, () => run(view, now)));
 *     return unwrapped(outcome.answer);
 */
export function consuming<A>(
  view: View,
  now: number,
  settings: ProjectSettings,
  request: RequestIdentity,
  decide: () => Decision<A> | Refusal,
): Decision<Consumed<A>> {
  const { encryptedRequestWindowSeconds: windowSeconds } = settings;
  const consumed = consumeRequest({ ...request, windowSeconds, now, used: usedIn(view, request) });
  if (consumed instanceof Refusal) throw consumed;
  const decision = refusalAsValue(decide);
  if (decision instanceof Refusal) return { events: [consumed], answer: { refused: decision } };
  return { events: [consumed, ...decision.events], answer: { answer: decision.answer } };
}

/** The call's answer; throws what it refused with. */
export function unwrapped<A>(consumed: Consumed<A>): A {
  if ('refused' in consumed) throw consumed.refused;
  return consumed.answer;
}

function usedIn(view: View, { type, identity, requestId }: RequestIdentity): UsedRequest | null {
  const id = requestIdOf(requestId);
  return id === null ? null : asUsedRequest(view.read(requestSubject(type, identity, id)));
}

/** Thrown or returned is the same; anything else, such as what has to be loaded first, goes on its way. */
function refusalAsValue<A>(decide: () => Decision<A> | Refusal): Decision<A> | Refusal {
  try {
    return decide();
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}
