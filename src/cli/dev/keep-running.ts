import { setTimeout as sleep } from 'node:timers/promises';
import { FolderProblem } from '../../folder/problem.ts';
import type { LocalNode } from './local-node.ts';

/** Starts the folder's own node again when it has ended: killed, out of memory, or of a fault of its own. */

const LOOK_MS = 500;
const FIRST_PAUSE_MS = 500;
/**
 * A node that ends this soon after a start, ms, has the same trouble as before: the pauses grow, and after {@link MOST_STARTS} starts it is
 * given up.
 */
const STEADY_MS = 60_000;
const MOST_STARTS = 5;

/** Is told what becomes of the node. */
export interface NodeListener {
  note(text: string): void;
  /** It answers again, after it had ended. */
  runsAgain(): void;
}

/** Keeps the node running until `signal` aborts. Throws {@link FolderProblem} when the node ends again and again. */
export async function keepRunning(node: LocalNode, listener: NodeListener, signal: AbortSignal): Promise<void> {
  let starts = 0;
  let startedAt = performance.now();
  while (!signal.aborted) {
    await pause(LOOK_MS, signal);
    if (signal.aborted || node.isAlive()) continue;
    if (performance.now() - startedAt > STEADY_MS) starts = 0;
    if (starts === MOST_STARTS)
      throw new FolderProblem(
        'NO_NODE',
        `The local node has ended ${starts + 1} times within a short time. Its log, .savepoint/node.log, says why.`,
      );
    const wait = FIRST_PAUSE_MS * 2 ** starts;
    starts += 1;
    listener.note(`the local node has ended; starting it again${wait < 1000 ? '' : ` in ${wait / 1000} s`} …`);
    await pause(wait, signal);
    if (signal.aborted) return;
    const isUp = await node.again(signal).then(
      () => true,
      (error: unknown) => {
        if (starts === MOST_STARTS) throw error;
        return false;
      },
    );
    startedAt = performance.now();
    if (isUp && !signal.aborted) listener.runsAgain();
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
