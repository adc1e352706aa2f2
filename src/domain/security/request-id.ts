import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { DomainEvent, RequestIdentityType } from '../events.ts';
import type { UsedRequest } from '../states.ts';

/** Ids of sealed requests: `{unixSeconds}_{random}`. Each is valid once, for one identity and a short time. */

/** The identity and the id in a sealed request, after it was opened. */
export interface RequestIdentity {
  readonly type: RequestIdentityType;
  /** The id of the session or of the player. */
  readonly identity: string;
  /** The id as sent; blanks around it do not count. */
  readonly requestId: string;
}

const REQUEST_ID = /^([0-9]{9,11})_[A-Za-z0-9_-]{6,}$/;
/** Longest id. It is part of a subject and of a table's key; those of clients have about 60 characters. */
const MAX_LENGTH = 200;
/** The longest window that a project can set, seconds. An id is remembered this long, so a changed setting makes no used id valid again. */
const MAX_WINDOW = 600;

/** The id without blanks, or `null` if it is invalid. */
export function requestIdOf(sent: string): string | null {
  const id = sent.trim();
  return id.length <= MAX_LENGTH && REQUEST_ID.test(id) ? id : null;
}

/** Unix seconds at which an id says it was made. */
function issuedAt(requestId: string): number {
  return Number(REQUEST_ID.exec(requestId)?.[1]);
}

/** Unix ms after which an id is too old under every setting. */
export function forgottenAfter(requestId: string): number {
  return (issuedAt(requestId) + MAX_WINDOW + 1) * 1000;
}

export interface ConsumeRequest extends RequestIdentity {
  /** Project setting `encryptedRequestWindowSeconds`. It holds in both directions, so clocks may differ by that much. */
  readonly windowSeconds: number;
  /** Unix ms. */
  readonly now: number;
  /** The state of the id. */
  readonly used: UsedRequest | null;
}

/**
 * Marks an id as used. Refusals, in order: 400 `ENCRYPTED_REQUEST_INVALID_ID`, 400 `ENCRYPTED_REQUEST_STALE`, 409
 * `ENCRYPTED_REQUEST_REPLAY_DETECTED`.
 */
export function consumeRequest({ type, identity, requestId, windowSeconds, now, used }: ConsumeRequest): DomainEvent | Refusal {
  const id = requestIdOf(requestId);
  if (id === null) return refusal('ENCRYPTED_REQUEST_INVALID_ID');
  const issued = issuedAt(id);
  if (Math.abs(Math.floor(now / 1000) - issued) > windowSeconds) return refusal('ENCRYPTED_REQUEST_STALE');
  if (used !== null) return refusal('ENCRYPTED_REQUEST_REPLAY_DETECTED');
  return { type: 'request.consumed', data: { identityType: type, identity, requestId: id, until: forgottenAfter(id) } };
}
