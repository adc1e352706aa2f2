import { parentPort } from 'node:worker_threads';
import { perform } from '../app/management/compile-tasks.ts';
import type { CompilerTask } from '../app/ports/compiler.ts';

/** The thread in which definitions are compiled: one task at a time, each answered with its number. */
parentPort?.on('message', ({ number, task }: { readonly number: number; readonly task: CompilerTask }) => {
  parentPort?.postMessage({ number, answer: perform(task) });
});
