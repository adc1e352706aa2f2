/** How to repeat a question during an outage. `stopping` ends it, `pause` waits (and ends early at a stop), `onError` gets each failure. */
interface RetryOptions {
  readonly stopping: AbortSignal;
  readonly pause: () => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

/** Repeats a question to the log or the database until it succeeds; `undefined` after a stop. */
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
