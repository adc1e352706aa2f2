import { CommanderError } from 'commander';
import { print, tell } from './context.ts';
import { codeOf, explain } from './explain.ts';
import { createProgram } from './program.ts';

/**
 * Runs the words of a command line, with the process's exit code: 0 done, 1 refused or failed (and `verify` found something), 2 wrong
 * usage. With `--json` a failure is a JSON value on standard output, too: a program must not have to read what is meant for people.
 */
export async function run(words: readonly string[]): Promise<void> {
  try {
    await createProgram().parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const isUsage = error instanceof CommanderError;
    const message = isUsage ? error.message : explain(error);
    // The library has told of wrong usage itself.
    if (!isUsage) tell(`savepoint: ${message}`);
    if (words.includes('--json')) print(JSON.stringify({ ok: false, error: { code: isUsage ? 'USAGE' : codeOf(error), message } }));
    process.exitCode = isUsage ? 2 : 1;
  }
}
