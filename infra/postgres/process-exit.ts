import { constants } from 'node:os';

/**
 * What a command has started and must stop, however the command ends. A Postgres without a user would go on writing in a folder that looks
 * unused and may be copied.
 */
const stops = new Set<() => Promise<unknown>>();
const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
let ended: Promise<never> | null = null;

/** Calls `stop` when a signal or {@link endProcess} ends the process early. Returns a function that takes this back. */
export function stopBeforeEnd(stop: () => Promise<unknown>): () => void {
  if (stops.size === 0) for (const signal of INTERRUPTIONS) process.on(signal, interrupted);
  stops.add(stop);
  return () => {
    stops.delete(stop);
    if (stops.size === 0) for (const signal of INTERRUPTIONS) process.off(signal, interrupted);
  };
}

/** Ends the process in the middle of its work, with the given exit code or the one already set. Never resolves. */
export function endProcess(code?: number): Promise<never> {
  ended ??= Promise.allSettled([...stops].map((stop) => stop())).then(() => process.exit(code ?? process.exitCode));
  return ended;
}

/** Other listeners of the signal end the process themselves, and stop what they started. */
function interrupted(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) === 1) void endProcess(128 + constants.signals[signal]);
}
