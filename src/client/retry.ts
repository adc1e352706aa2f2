import type { SavepointError } from './errors.ts';

/** Decides which failures are retried, and after which delay. A repeated write has the same idempotency key, so it happens once. */

/** Codes of transient failures: they depend on the moment, not on the request. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set([
  // An answer that was cut off, or the page of a captive portal.
  'INVALID_RESPONSE',
  ...['NETWORK_ERROR', 'TIMEOUT', 'RATE_LIMITED', 'BUSY', 'BEHIND', 'BUILDING'],
  ...['STORAGE_UNAVAILABLE', 'OUTCOME_UNKNOWN', 'WRITE_CONFLICT', 'REQUEST_TIMEOUT'],
]);
/** Statuses of answers without a code, as proxies and load balancers give them. */
const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);

/** If the server asks for a longer wait than this, the error is returned instead, with the time that it asks for, ms. */
export const MAX_RETRY_AFTER_MS = 30_000;
const BASE_DELAY_MS = 200;
const MAX_DELAY_MS = 5_000;
const MAX_TIMER_MS = 2_147_483_647;

/** Whether the same request may succeed in a moment. */
export function isTransient(error: SavepointError): boolean {
  const { code, status } = error;
  return TRANSIENT_CODES.has(code) || isVerifierUnavailable(error) || (code === 'HTTP_ERROR' && TRANSIENT_STATUSES.has(status));
}

/** Whether the verifier was unavailable: the player's token may be valid. */
export function isVerifierUnavailable({ code, details }: SavepointError): boolean {
  return code === 'PLATFORM_AUTH_FAILED' && details['authFailureKind'] === 'service_unavailable';
}

/** Whether the answer says that the server did not process the request. */
export function wasNotProcessed(error: SavepointError): boolean {
  const { code, retryAfterMs } = error;
  return code === 'RATE_LIMITED' || isVerifierUnavailable(error) || (retryAfterMs !== undefined && code !== 'OUTCOME_UNKNOWN');
}

/**
 * The delay after attempt `attempt` (from 1), ms. It doubles each time, has jitter so that clients do not return all at once, and is never
 * shorter than the server asks.
 */
export function retryDelayMs(attempt: number, error: SavepointError, random: () => number): number {
  const maxMs = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** Math.min(attempt - 1, 16));
  const jitteredMs = maxMs / 2 + (random() * maxMs) / 2;
  return error.retryAfterMs === undefined ? jitteredMs : error.retryAfterMs + random() * BASE_DELAY_MS;
}

/** Waits. Resolves to `false` if the signal aborted the wait. */
export function pause(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted === true) return Promise.resolve(false);
  return new Promise((resolve) => {
    const end = (waited: boolean) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      resolve(waited);
    };
    const stop = () => end(false);
    // A timer with a longer delay would fire at once.
    const timer = setTimeout(() => end(true), Math.min(ms, MAX_TIMER_MS));
    signal?.addEventListener('abort', stop);
  });
}
