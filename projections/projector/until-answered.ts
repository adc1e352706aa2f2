/**
 * How to go on asking during an outage. `stopping` ends it, `pause` waits (and ends early when everything stops), `onTrouble` is told each
 * failure.
 */
interface Patience {
  readonly stopping: AbortSignal;
  readonly pause: () => Promise<unknown>;
  readonly onTrouble: (error: unknown) => void;
}

/** Asks the log or the database until it answers; `undefined` when everything stops before. */
export async function untilAnswered<T>(question: () => Promise<T>, { stopping, pause, onTrouble }: Patience): Promise<T | undefined> {
  while (!stopping.aborted) {
    try {
      return await question();
    } catch (error) {
      onTrouble(error);
      await pause();
    }
  }
  return undefined;
}
