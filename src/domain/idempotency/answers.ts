import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Refusal, refusal } from '../../kernel/errors.ts';
import { canonicalJson, encodeEvent, isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import type { AnswerKept, DomainEvent, KeptRefusal, RecordAppended } from '../events.ts';
import type { KeptAnswer, KeptOutcome } from '../states.ts';

/**
 * An intent happens once (decision 35). A caller names it by an `Idempotency-Key`; what came of it is kept under that key, in the commit
 * of what it did, and whoever sends the request again is answered with it.
 *
 *     unknown ──► kept (answer, or a refusal that was decided) ──► unknown again, `until`
 */

const KEY = /^[\x20-\x7e]{1,128}$/;

/** A key as it was sent, or 400 INVALID_REQUEST for one that is none. */
export function readKey(sent: string): string | Refusal {
  if (KEY.test(sent)) return sent;
  return refusal('INVALID_REQUEST', 'An Idempotency-Key has 1 to 128 printable characters (ASCII); a UUID is a good one');
}

/** SHA-256 (hex) of what was asked for: one text for one value, in whatever order its members were sent. */
export function requestHash(asked: Json): string {
  return createHash('sha256').update(canonicalJson(asked)).digest('hex');
}

/** One key of one caller, and what is asked for under it. */
export type Claim = Pick<AnswerKept, 'space' | 'scope' | 'caller' | 'key' | 'request'>;

/** What is answered again; `null` where the key is new, or what it stood for is forgotten. 409 `IDEMPOTENCY_KEY_REUSED`. `now` in unix ms. */
export function recall({ request }: Pick<Claim, 'request'>, known: KeptAnswer | null, now: number): KeptOutcome | Refusal | null {
  if (known === null || now >= known.until) return null;
  return known.request === request ? known.outcome : refusal('IDEMPOTENCY_KEY_REUSED');
}

export interface KeepingRules {
  /** How long an answer is kept, ms. */
  readonly forMs: number;
  /** Most bytes of it. */
  readonly bytes: number;
}

/** The event that keeps what came of a request; `null` for an outcome that is larger than what is kept. `now` in unix ms. */
export function keep(
  { space, scope, caller, key, request }: Claim,
  outcome: KeptOutcome,
  now: number,
  rules: KeepingRules,
): DomainEvent | null {
  if (Buffer.byteLength(encodeEvent(outcome)) > rules.bytes) return null;
  return { type: 'answer.kept', data: { space, scope, caller, key, request, until: now + rules.forMs, ...outcome } };
}

/** Refusals that tell of others' writes or of this machine's load: the same request may fare better in a moment, and they would be its answer for a day. */
const PASSING: ReadonlySet<string> = new Set(['WRITE_CONFLICT', 'LIMIT_EXCEEDED', 'SCAN_TOO_LARGE']);

/** A refusal that was decided is kept; a failure of ours is not, and may be sent again. */
export function isKept({ status, code }: Refusal): boolean {
  return status >= 400 && status < 500 && !PASSING.has(code);
}

export function keptRefusal({ status, code, message, extra }: Refusal, requestId: string): KeptRefusal {
  const { error, body, retryAfter, forGame } = extra;
  const members: JsonObject = {
    ...(error === undefined ? {} : { error }),
    ...(body === undefined ? {} : { body }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...(forGame === undefined ? {} : { forGame }),
  };
  return { status, code, message, requestId, ...(Object.keys(members).length === 0 ? {} : { extra: members }) };
}

/** The first refusal again, with the request that it was of. */
export function refusalAgain({ status, code, message, requestId, extra = {} }: KeptRefusal): Refusal {
  const { error, body } = extra;
  const retryAfter = secondsIn(extra);
  return new Refusal(status, code, message, {
    ...(isObject(error) ? { error } : {}),
    ...(isObject(body) ? { body } : {}),
    ...(retryAfter === null ? {} : { retryAfter }),
    ...(extra['forGame'] === true || extra['httpStatus'] === 200 ? { forGame: true } : {}),
    requestId,
  });
}

/** Older builds kept a header, and `httpStatus` for what a game has to learn. */
function secondsIn({ retryAfter, headers }: JsonObject): number | null {
  const seconds = Number(retryAfter ?? (isObject(headers) ? headers['Retry-After'] : undefined));
  return Number.isFinite(seconds) ? seconds : null;
}

/** What an answer that was kept is known as. */
export function evolveKept({ request, until, answer, refused }: AnswerKept): KeptAnswer {
  return { request, until, outcome: refused === undefined ? { answer: answer ?? null } : { refused } };
}

/** What {@link encodeEvent} made a text of. */
export function keptOutcome(stored: Json): KeptOutcome {
  const refused = isObject(stored) ? stored['refused'] : undefined;
  if (isObject(refused)) return { refused: refusedIn(refused) };
  return { answer: (isObject(stored) ? stored['answer'] : null) ?? null };
}

function refusedIn({ status, code, message, requestId, extra }: JsonObject): KeptRefusal {
  const known = { status: Number(status), code: String(code), message: String(message), requestId: String(requestId) };
  return isObject(extra) ? { ...known, extra } : known;
}

/** How long builds that kept the answers of appends alone kept them, ms. */
const APPENDS_KEPT_MS = 24 * 60 * 60 * 1000;

/** The same of an append that those stored; `null` where it had no key. `recordedAt` in unix ms. */
export function evolveAppended({ idempotency, recordId, timestamp }: RecordAppended, recordedAt: number): KeptAnswer | null {
  if (idempotency === undefined) return null;
  return { request: idempotency.bodyHash, until: recordedAt + APPENDS_KEPT_MS, outcome: { answer: { recordId, timestamp } } };
}
