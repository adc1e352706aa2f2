import { CommanderError } from 'commander';
import { tell } from './context.ts';
import { explain } from './explain.ts';
import { createProgram } from './program.ts';

/** Runs the words of a command line, with the process's exit code: 0 done, 1 refused or failed (and `verify` found something), 2 wrong usage. */
export async function run(words: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : 2;
    } else {
      tell(`savepoint: ${explain(error)}`);
      process.exitCode = 1;
    }
  }
}
