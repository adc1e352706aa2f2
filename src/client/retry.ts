import type { SavepointError } from './errors.ts';

/** Which failures are worth another try, and after which pause. A write that is sent again has its idempotency key, so it happens once. */

/** Codes that say something about this moment and nothing about the request. */
const PASSING: ReadonlySet<string> = new Set([
  // An answer that was cut off, or the page of a network in between.
  'INVALID_RESPONSE',
  ...['NETWORK_ERROR', 'TIMEOUT', 'RATE_LIMITED', 'BUSY', 'BEHIND', 'BUILDING'],
  ...['STORAGE_UNAVAILABLE', 'OUTCOME_UNKNOWN', 'WRITE_CONFLICT', 'REQUEST_TIMEOUT'],
]);
/** Statuses of answers without a code, as proxies and load balancers give them. */
const PASSING_STATUS: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/** A server that asks for more than this is not waited for: the error comes back with how long it asks for. */
export const LONGEST_WAIT_MS = 30_000;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
const LONGEST_TIMER_MS = 2_147_483_647;

/** Whether the same request may succeed in a moment. */
export function isPassing(error: SavepointError): boolean {
  const { code, status } = error;
  return PASSING.has(code) || isLoginAway(error) || (code === 'HTTP_ERROR' && PASSING_STATUS.has(status));
}

/** The player's token may be valid: the service that judges it could not be asked. */
export function isLoginAway({ code, details }: SavepointError): boolean {
  return code === 'PLATFORM_AUTH_FAILED' && details['authFailureKind'] === 'service_unavailable';
}

/** Whether the server says that it did nothing with the request. */
export function wasRefusedUnseen(error: SavepointError): boolean {
  const { code, retryAfterMs } = error;
  return code === 'RATE_LIMITED' || isLoginAway(error) || (retryAfterMs !== undefined && code !== 'OUTCOME_UNKNOWN');
}

/** Before attempt `attempt` (from 1), ms: doubling, with jitter so that a thousand clients do not come back at once; never less than asked for. */
export function pauseBefore(attempt: number, error: SavepointError, random: () => number): number {
  const most = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(attempt - 1, 16));
  const jittered = most / 2 + (random() * most) / 2;
  return error.retryAfterMs === undefined ? jittered : error.retryAfterMs + random() * FIRST_PAUSE_MS;
}

/** Resolves to `false` if the signal came first. */
export function pause(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (waited: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(waited);
    };
    const stop = () => end(false);
    // A timer that is set for longer ends at once.
    const timer = setTimeout(() => end(true), Math.min(ms, LONGEST_TIMER_MS));
    signal?.addEventListener('abort', stop);
  });
}
