/** What keeps asking while somebody is down: `stopping` ends it, `pause` waits (cut short when all this stops), `onTrouble` tells. */
interface Patience {
  readonly stopping: AbortSignal;
  readonly pause: () => Promise<unknown>;
  readonly onTrouble: (error: unknown) => void;
}

/** Asks log or database until they answer; `undefined` when all this stops before. */
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
