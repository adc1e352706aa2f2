import { Worker } from 'node:worker_threads';
import type { Compiler, CompilerTask } from '../app/ports/compiler.ts';
import { type Refusal, refusal } from '../kernel/errors.ts';
import type { Scheduler } from '../kernel/scheduler.ts';

/** A compiler in a thread of its own. It is started when it is first needed and ended after a while without work. */

export interface ThreadBounds {
  /** Longest time for one task, ms. */
  readonly taskMs: number;
  readonly memoryMb: number;
  /** Most waiting tasks of one project besides the running one. */
  readonly waiting: number;
  /** The thread ends after this time without a task, ms. */
  readonly idleMs: number;
}

export const THREAD_BOUNDS: ThreadBounds = { taskMs: 20_000, memoryMb: 512, waiting: 8, idleMs: 30_000 };

interface Waiting {
  readonly task: CompilerTask;
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

/** The thread's program; `null` if this runs from TypeScript, which a thread of Node 20 cannot read. Then there is no thread. */
export function workerFile(): URL | null {
  return import.meta.url.endsWith('.ts') ? null : new URL('./compile-worker.js', import.meta.url);
}

export class CompileThread implements Compiler {
  readonly #file: URL;
  readonly #scheduler: Pick<Scheduler, 'after'>;
  readonly #bounds: ThreadBounds;
  /** Waiting tasks by project, in the order of the projects' turns. */
  readonly #lines = new Map<string, Waiting[]>();
  #worker: Worker | null = null;
  #running: Waiting | null = null;
  #number = 0;
  #stopIdle: (() => void) | null = null;

  constructor(file: URL, scheduler: Pick<Scheduler, 'after'>, bounds: ThreadBounds = THREAD_BOUNDS) {
    this.#file = file;
    this.#scheduler = scheduler;
    this.#bounds = bounds;
  }

  run(projectId: string, task: CompilerTask): Promise<string> {
    const line = this.#lines.get(projectId) ?? [];
    if (line.length >= this.#bounds.waiting)
      return Promise.reject(refusal('BUSY', 'Too many definitions of this project wait to be compiled'));
    return new Promise((resolve, reject) => {
      line.push({ task, resolve, reject });
      this.#lines.set(projectId, line);
      this.#next();
    });
  }

  /** Refuses all waiting tasks, and ends the thread. */
  async close(): Promise<void> {
    for (const line of this.#lines.values()) for (const { reject } of line) reject(refusal('COMPILER_FAILED'));
    this.#lines.clear();
    await this.#end(refusal('COMPILER_FAILED'));
  }

  /** Starts the next task. Projects take turns. */
  #next(): void {
    if (this.#running !== null) return;
    const [first] = this.#lines;
    if (first === undefined) {
      if (this.#worker !== null) this.#stopIdle ??= this.#scheduler.after(this.#bounds.idleMs, () => void this.#end(null));
      return;
    }
    const [projectId, line] = first;
    const waiting = line.shift();
    this.#lines.delete(projectId);
    if (line.length > 0) this.#lines.set(projectId, line);
    if (waiting !== undefined) this.#start(waiting);
  }

  #start(waiting: Waiting): void {
    this.#stopIdle?.();
    this.#stopIdle = null;
    this.#running = waiting;
    this.#number += 1;
    const number = this.#number;
    const worker = this.#worker ?? this.#open();
    const over = this.#scheduler.after(this.#bounds.taskMs, () => {
      if (this.#number === number) void this.#end(refusal('COMPILE_LIMIT'), worker);
    });
    const settle = (): boolean => {
      over();
      if (this.#running !== waiting || this.#number !== number) return false;
      this.#running = null;
      return true;
    };
    worker.once('message', ({ answer }: { readonly answer: string }) => {
      if (!settle()) return;
      waiting.resolve(answer);
      this.#next();
    });
    worker.postMessage({ number, task: waiting.task });
  }

  #open(): Worker {
    const { memoryMb } = this.#bounds;
    const worker = new Worker(this.#file, { resourceLimits: { maxOldGenerationSizeMb: memoryMb }, execArgv: [] });
    this.#worker = worker;
    // An idle thread must not keep the process alive. The connection of a waiting caller does.
    worker.unref();
    worker.on('error', (error: Error & { readonly code?: string }) => {
      const tooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      void this.#end(tooMuch ? refusal('COMPILE_LIMIT') : refusal('COMPILER_FAILED'), worker);
    });
    worker.on('exit', () => void this.#end(refusal('COMPILER_FAILED'), worker));
    return worker;
  }

  /** Ends the thread and its task. The next task starts another thread. */
  async #end(why: Refusal | null, of = this.#worker): Promise<void> {
    if (of === null || of !== this.#worker) return;
    this.#worker = null;
    this.#stopIdle?.();
    this.#stopIdle = null;
    const running = this.#running;
    this.#running = null;
    if (running !== null) running.reject(why ?? refusal('COMPILER_FAILED'));
    of.removeAllListeners();
    // Errors that the thread throws while it ends are ignored.
    of.on('error', () => undefined);
    this.#next();
    await of.terminate();
  }
}
