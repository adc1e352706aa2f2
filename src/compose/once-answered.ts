import type { Logger } from 'pino';
import { errorMessage } from '../kernel/error-reporting.ts';
import { pause } from '../kernel/pause.ts';

export interface WaitOptions {
  /** What is waited for, as messages name it. */
  readonly name: string;
  /** How long this failure is waited for, since the first attempt; 0: not at all. */
  readonly waitMs: (error: unknown) => number;
  readonly logger: Pick<Logger, 'warn'>;
  /** Ends the wait: the last failure is thrown. */
  readonly signal?: AbortSignal;
  readonly pauseMs?: number;
}

const PAUSE_MS = 500;

/**
 * Asks until there is an answer. At the start of a machine or a cluster, database and log may come up after the node. Throws the failure
 * that is not waited for, or no longer.
 */
export async function onceAnswered<T>(ask: () => Promise<T>, options: WaitOptions): Promise<T> {
  const { name, waitMs, logger, signal, pauseMs = PAUSE_MS } = options;
  const started = performance.now();
  for (let tries = 0; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      const forMs = waitMs(error);
      if (performance.now() - started >= forMs || signal?.aborted) throw error;
      if (tries === 0)
        logger.warn({ reason: errorMessage(error) }, `${name} does not answer yet; waiting for it, ${forMs / 1000} s at most`);
      await pause(pauseMs, signal);
    }
  }
}
