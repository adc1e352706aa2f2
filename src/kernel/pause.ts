import { setTimeout as sleep } from 'node:timers/promises';

/** Waits so many ms; less if the signal aborts. `ref: false`: the wait does not keep the process alive. */
export async function pause(ms: number, signal?: AbortSignal, { ref = true }: { readonly ref?: boolean } = {}): Promise<void> {
  await sleep(ms, undefined, { signal, ref }).catch(() => undefined);
}
