import { allCommands, createProgram } from '../../../src/cli/program.ts';

/** Runs the words in this process: what commander or the command threw, and what help and wrong usage printed. */
export async function tried(words: readonly string[]): Promise<{ readonly thrown: unknown; readonly printed: string }> {
  const printed: string[] = [];
  const program = createProgram();
  for (const each of allCommands(program)) {
    each.configureOutput({ writeOut: (text) => printed.push(text), writeErr: (text) => printed.push(text) });
  }
  const thrown = await program.parseAsync([...words], { from: 'user' }).then(
    () => null,
    (error: unknown) => error,
  );
  return { thrown, printed: printed.join('') };
}
