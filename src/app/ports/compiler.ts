/** Work on definitions that takes long, done outside of the turn that a node's requests share. */
export interface Compiler {
  /**
   * One task at a time, in the project's turn. Answers as `compile-tasks.ts` does. Throws 503 BUSY where too many tasks of the project
   * wait, 400 COMPILE_LIMIT for one that takes too long or too much memory, 500 COMPILER_FAILED where the compiler itself fails.
   */
  run(projectId: string, task: CompilerTask): Promise<string>;
}

/** Texts, as they cross to another thread. */
export interface CompilerTask {
  readonly kind: 'compile' | 'judge' | 'upgrade';
  /** What kind of definition it is. */
  readonly of: string;
  /** JSON of the item, the definition or the body. */
  readonly text: string;
  /** JSON of what a judgement is to know; `{}` for anything else. */
  readonly known: string;
}
