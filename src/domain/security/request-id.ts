import { type Refusal, refusal } from '../../kernel/errors.ts';
import type { DomainEvent, RequestIdentityType } from '../events.ts';
import type { UsedRequest } from '../states.ts';

/** Ids of sealed requests: `{unixSeconds}_{random}`, each good once for one identity and for a short time (security 7.5). */

/** What a sealed request says of itself, once it has been opened. */
export interface RequestIdentity {
  readonly type: RequestIdentityType;
  /** The session's id, or the player's. */
  readonly identity: string;
  /** As it was sent; blanks around it do not count. */
  readonly requestId: string;
}

const REQUEST_ID = /^([0-9]{9,11})_[A-Za-z0-9_-]{6,}$/;
/** A subject and a key of a table; the client's own have about 60 characters. */
const LONGEST = 200;
/** The longest window that a project can set, seconds: an id is remembered for it, so that a setting changed meanwhile revives none. */
const LONGEST_WINDOW = 600;

/** The id as it counts, or `null` for what is none. */
export function requestIdOf(sent: string): string | null {
  const id = sent.trim();
  return id.length <= LONGEST && REQUEST_ID.test(id) ? id : null;
}

/** Unix seconds at which an id says it was made. */
function issuedAt(requestId: string): number {
  return Number(REQUEST_ID.exec(requestId)?.[1]);
}

/** Unix ms after which an id is too old under every setting. */
export function forgottenAfter(requestId: string): number {
  return (issuedAt(requestId) + LONGEST_WINDOW + 1) * 1000;
}

export interface ConsumeRequest extends RequestIdentity {
  /** Project setting `encryptedRequestWindowSeconds`; both directions, so clocks may be that much apart. */
  readonly windowSeconds: number;
  /** Unix ms. */
  readonly now: number;
  /** What is known of the id. */
  readonly used: UsedRequest | null;
}

/**
 * Marks an id as used. In order: 400 `ENCRYPTED_REQUEST_INVALID_ID`, 400 `ENCRYPTED_REQUEST_STALE`, 409
 * `ENCRYPTED_REQUEST_REPLAY_DETECTED` (security 7.4, rows 15 to 17).
 */
export function consumeRequest({ type, identity, requestId, windowSeconds, now, used }: ConsumeRequest): DomainEvent | Refusal {
  const id = requestIdOf(requestId);
  if (id === null) return refusal('ENCRYPTED_REQUEST_INVALID_ID');
  const issued = issuedAt(id);
  if (Math.abs(Math.floor(now / 1000) - issued) > windowSeconds) return refusal('ENCRYPTED_REQUEST_STALE');
  if (used !== null) return refusal('ENCRYPTED_REQUEST_REPLAY_DETECTED');
  return { type: 'request.consumed', data: { identityType: type, identity, requestId: id, until: forgottenAfter(id) } };
}
