/** Expensive work on definitions, done outside the event loop's turns for requests. */
export interface Compiler {
  /**
   * Runs one task at a time, in the project's turn. Answers as `compile-tasks.ts` does. Throws 503 BUSY if too many tasks of the project
   * wait, 400 COMPILE_LIMIT for a task that takes too long or too much memory, 500 COMPILER_FAILED if the compiler itself fails.
   */
  run(projectId: string, task: CompilerTask): Promise<string>;
}

/** Texts, because they cross to another thread. */
export interface CompilerTask {
  readonly kind: 'compile' | 'validate' | 'upgrade';
  /** The kind of definition. */
  readonly of: string;
  /** JSON of the item, the definition or the body. */
  readonly text: string;
  /** JSON of what a validation has to know; `{}` for other tasks. */
  readonly known: string;
}
