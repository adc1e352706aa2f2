import { namedPlayer } from '../domain/access/credential.ts';
import type { Space } from '../domain/events.ts';
import {
  type Claim,
  isKept,
  keptRefusal,
  type RetentionRules,
  readKey,
  recall,
  rememberAnswer,
  repeatedRefusal,
  requestHash,
} from '../domain/idempotency/answers.ts';
import { idempotencySubject } from '../domain/subjects.ts';
import { accepted, Refusal, refusal } from '../kernel/errors.ts';
import type { Json } from '../kernel/json.ts';
import type { Caller } from './caller.ts';
import { type Decided, decidedBy } from './project/commit.ts';
import type { DecisionContext } from './project/decision-context.ts';

/**
 * A request with an `Idempotency-Key` happens once. The decision that it protects reads the key, and its commit writes the key together
 * with the answer. So over any crash, repetition or second node the request is done once or not at all, with one append. A request without
 * a key skips all this.
 *
 * return idempotent({ ctx, now, keyed }, NO_ANSWER, () => decided(null, events));
 */

/** What is kept of an answer, and how the answer is made from it again. */
export interface AnswerCodec<A> {
  encode(answer: A): Json;
  decode(kept: Json): A;
}

export const NO_ANSWER: AnswerCodec<null> = { encode: () => null, decode: () => null };

/** One decision of a request. */
export interface KeyedDecision {
  readonly ctx: DecisionContext;
  readonly now: number;
  /** The key, with its scope: caller, player and space, or for an append its collection and writer. `null`: the request has none. */
  readonly keyed: KeyedRequest | null;
}

/** A request with an idempotency key. */
export interface KeyedRequest {
  readonly claim: Claim;
  readonly requestId: string;
  readonly keepsRefusals: boolean;
  readonly rules: RetentionRules;
}

/**
 * The idempotency key in the scope of the caller's key and player. `body`: what is asked for, where the request's body holds more than
 * that, such as proof.
 */
export function keyedBy(caller: Caller, space: Space, rules: RetentionRules, body?: Json): KeyedRequest | null {
  const { keyed } = caller;
  if (!keyed) return null;
  const player = namedPlayer(caller) ?? '';
  const claim = { space, scope: `@${caller.key.keyId}`, caller: player, key: accepted(readKey(keyed.key)), request: keyed.request(body) };
  return { claim, requestId: keyed.requestId, keepsRefusals: true, rules };
}

/**
 * The idempotency key of an append. Its scope is the collection and the writer, whatever key they use, and a refused append may be sent
 * again.
 */
export function keyedAppend(
  { keyed }: Caller,
  at: { readonly space: Space; readonly collection: string; readonly writerId: string },
  rules: RetentionRules,
  body: Json,
): KeyedRequest | null {
  if (!keyed) return null;
  const { space, collection: scope, writerId: caller } = at;
  const claim = { space, scope, caller, key: accepted(readKey(keyed.key)), request: requestHash(body) };
  return { claim, requestId: keyed.requestId, keepsRefusals: false, rules };
}

/** Decides, unless the request was decided before. */
export function idempotent<A>(at: KeyedDecision, codec: AnswerCodec<A>, decide: () => Decided<A>): Decided<A> {
  return at.keyed === null ? decide() : (replayed(at, codec) ?? remembering(at, codec, decidedBy(decide)));
}

/** The earlier outcome of the request; `null` if it is new. Throws 409 `IDEMPOTENCY_KEY_REUSED`. */
export function replayed<A>({ ctx, now, keyed }: KeyedDecision, codec: AnswerCodec<A>): Decided<A> | null {
  if (keyed === null) return null;
  const outcome = accepted(recall(keyed.claim, ctx.read(idempotencySubject(keyed.claim)), now));
  if (outcome === null) return null;
  if ('refused' in outcome) return { events: [], refused: repeatedRefusal(outcome.refused), replayed: true };
  return { events: [], answer: codec.decode(outcome.answer), replayed: true };
}

/**
 * Adds the outcome to the events of the decision. If an answer is too large to be kept and the decision changes something, the request is
 * refused and nothing changes. If it changes nothing, it is answered and may be decided again.
 */
export function remembering<A>({ now, keyed }: KeyedDecision, codec: AnswerCodec<A>, decision: Decided<A>): Decided<A> {
  if (keyed === null) return decision;
  const { claim, rules } = keyed;
  if (decision instanceof Refusal || 'refused' in decision) return rememberingRefusal(keyed, now, decision);
  const kept = rememberAnswer(claim, { answer: codec.encode(decision.answer) }, now, rules);
  if (kept !== null) return { ...decision, events: [...decision.events, kept] };
  if (decision.events.length === 0) return decision;
  throw refusal(
    'ANSWER_TOO_LARGE',
    `This answer is larger than the ${rules.bytes} bytes that are kept for an Idempotency-Key; nothing was written`,
  );
}

function rememberingRefusal(
  { claim, requestId, keepsRefusals, rules }: KeyedRequest,
  now: number,
  decision: Exclude<Decided<never>, { answer: never }>,
): Decided<never> {
  const refused = decision instanceof Refusal ? decision : decision.refused;
  const events = decision instanceof Refusal ? [] : decision.events;
  const kept = keepsRefusals && isKept(refused) ? rememberAnswer(claim, { refused: keptRefusal(refused, requestId) }, now, rules) : null;
  return kept === null ? decision : { events: [...events, kept], refused };
}
