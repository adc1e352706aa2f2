import { FolderProblem } from '../../folder/problem.ts';
import { pause } from '../../kernel/pause.ts';
import type { LocalNode } from './local-node.ts';

/** Restarts the folder's own node when it has ended: killed, out of memory, or crashed. */

const CHECK_MS = 500;
const BASE_DELAY_MS = 500;
/**
 * A node that ends sooner than this after a start, ms, probably has the same problem as before: the delay doubles, and after
 * {@link MAX_STARTS} starts the command fails.
 */
const STABLE_MS = 60_000;
const MAX_STARTS = 5;

/** Observes restarts of the node. */
export interface NodeListener {
  note(text: string): void;
  /** Called when a restarted node answers. */
  restarted(): void;
}

/** Keeps the node running until `signal` aborts. Throws {@link FolderProblem} when the node ends again and again. */
export async function keepRunning(node: LocalNode, listener: NodeListener, signal: AbortSignal): Promise<void> {
  let starts = 0;
  let startedAt = performance.now();
  while (!signal.aborted) {
    await pause(CHECK_MS, signal);
    if (signal.aborted || node.isAlive()) continue;
    if (performance.now() - startedAt > STABLE_MS) starts = 0;
    if (starts === MAX_STARTS)
      throw new FolderProblem(
        'NO_NODE',
        `The local node has ended ${starts + 1} times within a short time. Its log, .savepoint/node.log, says why.`,
      );
    const delayMs = BASE_DELAY_MS * 2 ** starts;
    starts += 1;
    listener.note(`the local node has ended; starting it again${delayMs < 1000 ? '' : ` in ${delayMs / 1000} s`} …`);
    await pause(delayMs, signal);
    if (signal.aborted) return;
    const isUp = await node.restart(signal).then(
      () => true,
      (error: unknown) => {
        if (starts === MAX_STARTS) throw error;
        return false;
      },
    );
    startedAt = performance.now();
    if (isUp && !signal.aborted) listener.restarted();
  }
}
