/**
 * How to go on asking during an outage. `stopping` ends it, `pause` waits (and ends early when everything stops), `onError` is told each
 * failure.
 */
interface RetryOptions {
  readonly stopping: AbortSignal;
  readonly pause: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

/** Asks the log or the database until it answers; `undefined` when everything stops before. */
export async function retry<T>(question: () => Promise<T>, { stopping, pause, onError }: RetryOptions): Promise<T | undefined> {
  while (!stopping.aborted) {
    try {
      return await question();
    } catch (error) {
      onError(error);
      await pause();
    }
  }
  return undefined;
}
