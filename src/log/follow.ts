import { setTimeout as sleep } from 'node:timers/promises';
import { type FollowOptions, type FollowStep, type Log, LogUnavailable } from './port.ts';

/** A follower gets a step from its log every 500 ms. After this long without a step the log counts as gone. */
const SILENCE_MS = 30_000;

/**
 * Follows the log for work that somebody waits for. A node would try for ever; this throws `LogUnavailable`, with the last failure, when
 * no step came for `silenceMs`.
 */
export async function* followWithTimeout(log: Log, options: FollowOptions, silenceMs = SILENCE_MS): AsyncGenerator<FollowStep> {
  const leaving = new AbortController();
  let lastError: unknown;
  const onError = (error: unknown) => {
    lastError = error;
    options.onError?.(error);
  };
  const signal = AbortSignal.any([options.signal, leaving.signal]);
  const steps = log.follow({ ...options, signal, onError })[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value: step, done } = await stepWithin(silenceMs, steps.next(), () => lastError);
      if (done) return;
      lastError = undefined;
      yield step;
    }
  } finally {
    leaving.abort();
    // Not awaited: it would only settle after a step that never comes.
    steps.return?.().catch(() => undefined);
  }
}

/** The log from its first event to its present end. */
export async function* followToEnd(log: Log, prefix: string, silenceMs?: number): AsyncGenerator<FollowStep> {
  const { signal } = new AbortController();
  for await (const step of followWithTimeout(log, { prefix, after: null, signal }, silenceMs)) {
    yield step;
    if (step.caughtUp) return;
  }
}

async function stepWithin(
  ms: number,
  next: Promise<IteratorResult<FollowStep>>,
  lastError: () => unknown,
): Promise<IteratorResult<FollowStep>> {
  const timeout = new AbortController();
  const silence = sleep(ms, undefined, { signal: timeout.signal }).then(
    () => Promise.reject(silenceError(ms, lastError())),
    () => new Promise<never>(() => undefined),
  );
  try {
    return await Promise.race([next, silence]);
  } finally {
    timeout.abort();
  }
}

function silenceError(ms: number, cause: unknown): LogUnavailable {
  const why = cause instanceof Error ? `: ${cause.message}` : '';
  return new LogUnavailable(`the log has not answered for ${ms / 1000} s${why}`, { cause });
}
