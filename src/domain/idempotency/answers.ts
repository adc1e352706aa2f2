import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { refusedOutcome } from '../../contract/events/access.ts';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { canonicalJson, encodeEvent, type Json } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import type { AnswerKept, DomainEvent, KeptRefusal } from '../events.ts';
import type { KeptAnswer, KeptOutcome } from '../states.ts';

/**
 * A request with an idempotency key happens once. Its outcome is kept under the key, in the commit of what it did. The same request sent
 * again gets that outcome.
 *
 * unknown ──► kept (answer, or a refusal that was decided) ──► unknown again, `until`
 */

const KEY = /^[\x20-\x7e]{1,128}$/;

/** Reads a key as sent. 400 INVALID_REQUEST for an invalid one. */
export function readKey(sent: string): string | Refusal {
  if (KEY.test(sent)) return sent;
  return refusal('INVALID_REQUEST', 'An Idempotency-Key has 1 to 128 printable characters (ASCII); a UUID is a good one');
}

/** SHA-256 (hex) of a request. Equal requests have the same hash, in whatever order their members were sent. */
export function requestHash(request: Json): string {
  return createHash('sha256').update(canonicalJson(request)).digest('hex');
}

/** One key of one caller, and the hash of the request that it is used for. */
export type Claim = Pick<AnswerKept, 'space' | 'scope' | 'caller' | 'key' | 'request'>;

/** The kept outcome; `null` if the key is new, or its outcome has expired. 409 `IDEMPOTENCY_KEY_REUSED`. `now` in unix ms. */
export function recall({ request }: Pick<Claim, 'request'>, known: KeptAnswer | null, now: number): KeptOutcome | Refusal | null {
  if (known === null || now >= known.until) return null;
  return known.request === request ? known.outcome : refusal('IDEMPOTENCY_KEY_REUSED');
}

export interface RetentionRules {
  /** How long an answer is kept, ms. */
  readonly forMs: number;
  /** Most bytes of a kept answer. */
  readonly bytes: number;
}

/** The event that keeps a request's outcome; `null` if the outcome is too large. `now` in unix ms. */
export function rememberAnswer(
  { space, scope, caller, key, request }: Claim,
  outcome: KeptOutcome,
  now: number,
  rules: RetentionRules,
): DomainEvent | null {
  if (Buffer.byteLength(encodeEvent(outcome)) > rules.bytes) return null;
  return { type: 'answer.kept', data: { space, scope, caller, key, request, until: now + rules.forMs, ...outcome } };
}

/**
 * Refusals caused by other writes, by this machine's load or by what the project holds now. They are not kept: the same request may succeed
 * a moment later, and a kept refusal would be repeated for a day.
 */
const PASSING: ReadonlySet<string> = new Set([
  ...['WRITE_CONFLICT', 'LIMIT_EXCEEDED', 'SCAN_TOO_LARGE'],
  // Of the transport, and of the operator: no rule of the game decided them.
  ...['RATE_LIMITED', 'QUOTA_EXCEEDED'],
  // Of a person who gave no reason, and may give one.
  'REVEAL_NEEDED',
]);

/** Whether a refusal is kept. One that was decided is kept. A failure of the server is not, so the request may be sent again. */
export function isKept({ status, code }: Refusal): boolean {
  return status >= 400 && status < 500 && !PASSING.has(code);
}

export function keptRefusal({ status, code, message, extra }: Refusal, requestId: string): KeptRefusal {
  const { error, body, retryAfter, forGame } = extra;
  const members = {
    ...(error === undefined ? {} : { error }),
    ...(body === undefined ? {} : { body }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(forGame === undefined ? {} : { forGame }),
  };
  return { status, code, message, requestId, ...(Object.keys(members).length === 0 ? {} : { extra: members }) };
}

/**
 * The first refusal again, with the id of its request. It no longer says when to try again: under this key the answer stays what it is, and
 * the seconds were counted from the first one.
 */
export function repeatedRefusal({ status, code, message, requestId, extra = {} }: KeptRefusal): Refusal {
  const { retryAfter: _, ...said } = extra;
  return new Refusal(status, code, message, { ...said, requestId });
}

/** The state of a kept answer. */
export function evolveKept({ request, until, answer, refused }: AnswerKept): KeptAnswer {
  return { request, until, outcome: refused === undefined ? { answer: answer ?? null } : { refused } };
}

/** The outcome from its stored form. */
export function keptOutcome(stored: Json): KeptOutcome {
  const { data } = refusedOutcome.safeParse(stored);
  return data ?? { answer: objectOf(stored)['answer'] ?? null };
}
