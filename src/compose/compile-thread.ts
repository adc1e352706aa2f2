import { Worker } from 'node:worker_threads';
import type { Compiler, CompilerTask } from '../app/ports/compiler.ts';
import { type Refusal, refusal } from '../kernel/errors.ts';
import type { Scheduler } from '../kernel/scheduler.ts';

/** A compiler in a thread of its own, started when it is first needed and ended when it has had nothing to do for a while. */

export interface ThreadBounds {
  /** Longest time for one task, ms. */
  readonly taskMs: number;
  readonly memoryMb: number;
  /** Tasks of one project that may wait beside the one that runs. */
  readonly waiting: number;
  /** Without a task for so long, the thread ends, ms. */
  readonly idleMs: number;
}

export const THREAD_BOUNDS: ThreadBounds = { taskMs: 20_000, memoryMb: 512, waiting: 8, idleMs: 30_000 };

interface Waiting {
  readonly task: CompilerTask;
  readonly resolve: (answer: string) => void;
  readonly reject: (error: Error) => void;
}

/** Where the thread's program is; `null` where it runs from TypeScript, which no thread of Node 20 reads: then there is no thread. */
export function workerFile(): URL | null {
  return import.meta.url.endsWith('.ts') ? null : new URL('./compile-worker.js', import.meta.url);
}

export class CompileThread implements Compiler {
  readonly #file: URL;
  readonly #scheduler: Pick<Scheduler, 'after'>;
  readonly #bounds: ThreadBounds;
  /** By project, in the order in which their turns come. */
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

  /** Whoever still waits is refused. */
  async close(): Promise<void> {
    for (const line of this.#lines.values()) for (const { reject } of line) reject(refusal('COMPILER_FAILED'));
    this.#lines.clear();
    await this.#end(refusal('COMPILER_FAILED'));
  }

  /** One task of each project in turn. */
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
    // Nobody stays for a thread that waits; who waits for its answer holds a connection.
    worker.unref();
    worker.on('error', (error: Error & { readonly code?: string }) => {
      const tooMuch = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      void this.#end(tooMuch ? refusal('COMPILE_LIMIT') : refusal('COMPILER_FAILED'), worker);
    });
    worker.on('exit', () => void this.#end(refusal('COMPILER_FAILED'), worker));
    return worker;
  }

  /** Ends the thread and what it was at; the next task opens another. */
  async #end(why: Refusal | null, of = this.#worker): Promise<void> {
    if (of === null || of !== this.#worker) return;
    this.#worker = null;
    this.#stopIdle?.();
    this.#stopIdle = null;
    const running = this.#running;
    this.#running = null;
    if (running !== null) running.reject(why ?? refusal('COMPILER_FAILED'));
    of.removeAllListeners();
    // What it may still throw while it ends is nobody's any more.
    of.on('error', () => undefined);
    this.#next();
    await of.terminate();
  }
}
