import { CommanderError } from 'commander';
import { print, printNote } from './context.ts';
import { createProgram } from './program.ts';
import { WrongUsage } from './wrong-usage.ts';

/**
 * Runs a command line and sets the process's exit code: 0 done, 1 refused or failed (or `verify` found something), 2 wrong usage. With
 * `--json` a failure is also a JSON value on standard output, so that a program need not read texts for people.
 */
export async function run(words: readonly string[]): Promise<void> {
  try {
    const program = await createProgram(words);
    await program.parseAsync([...words], { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return;
    const isUsage = error instanceof CommanderError || error instanceof WrongUsage;
    // The explanations of failures need all parts of the server, which a command that succeeds need not load.
    const { codeOf, explain } = await import('./explain.ts');
    const message = isUsage ? error.message : explain(error);
    if (error instanceof WrongUsage) printNote(`error: ${message}`);
    // Commander has already printed wrong usage.
    else if (!isUsage) printNote(`savepoint: ${message}`);
    if (words.includes('--json')) print(JSON.stringify({ ok: false, error: { code: isUsage ? 'USAGE' : codeOf(error), message } }));
    process.exitCode = isUsage ? 2 : 1;
  }
}
