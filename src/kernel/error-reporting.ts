import { maskSecrets } from './secrets.ts';

/**
 * The message of an error, without secrets. The error object itself is never logged: a refused Redis command contains its arguments, such
 * as the password, and a Postgres error contains its client.
 */
export function errorMessage(error: unknown): string {
  if (!(error instanceof Error)) return typeof error === 'string' ? error : 'unknown error';
  // Node reports the refusals of several addresses with an empty message.
  if (error.message === '' && 'code' in error) return String(error.code);
  // `fetch` quotes addresses with their passwords.
  return maskSecrets(error.message) || error.name;
}

/** Reports a failure that repeats: at once, then every `everyMs` while it goes on. */
export function throttled<T>(report: (what: T) => void, everyMs = 10_000): (what: T) => void {
  let reportedAt = Number.NEGATIVE_INFINITY;
  return (what) => {
    const now = performance.now();
    if (now - reportedAt < everyMs) return;
    reportedAt = now;
    report(what);
  };
}
