import { constants } from 'node:os';

/**
 * What a command has started, and must not leave behind however it ends: a Postgres without anybody goes on writing in a folder that
 * looks at rest, and may be copied.
 */
const stops = new Set<() => Promise<unknown>>();
const INTERRUPTIONS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
let ended: Promise<never> | null = null;

/** Has `stop` called when an interruption, or {@link endProcess}, ends the process early. Gives what takes it back. */
export function stopBeforeEnd(stop: () => Promise<unknown>): () => void {
  if (stops.size === 0) for (const signal of INTERRUPTIONS) process.on(signal, interrupted);
  stops.add(stop);
  return () => {
    stops.delete(stop);
    if (stops.size === 0) for (const signal of INTERRUPTIONS) process.off(signal, interrupted);
  };
}

/** Ends the process in the middle of its work, with the code that it has so far or another. Never resolves. */
export function endProcess(code?: number): Promise<never> {
  ended ??= Promise.allSettled([...stops].map((stop) => stop())).then(() => process.exit(code ?? process.exitCode));
  return ended;
}

/** Who else listens for the signal ends in its own time, and stops what it started. */
function interrupted(signal: NodeJS.Signals): void {
  if (process.listenerCount(signal) === 1) void endProcess(128 + constants.signals[signal]);
}
