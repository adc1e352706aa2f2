import type { Command } from 'commander';

/** The words that may follow each command, for completion by shells. */

export interface Word {
  readonly word: string;
  readonly description: string;
}

/** What may follow one command, or the program itself. */
export interface CommandCompletion {
  /** The words that lead to it, without the program's own name. */
  readonly path: readonly string[];
  readonly commands: readonly Word[];
  readonly options: readonly Word[];
  /** The values of the first argument: its choices, or the names of definitions in the folder. */
  readonly values: readonly string[];
  readonly names: Names | null;
}

/** Kinds of definitions whose names are completed, by the name of the argument that takes one. */
export type Names = 'endpoint' | 'collection' | 'test';
const NAMED: Readonly<Record<string, Names>> = { slug: 'endpoint', collection: 'collection' };

/** The command and all of its subcommands. A command comes before its subcommands. */
export function completionsOf(command: Command, path: readonly string[] = []): readonly CommandCompletion[] {
  const visible = command.createHelp().visibleCommands(command);
  const [argument] = command.registeredArguments;
  const own: CommandCompletion = {
    path,
    commands: visible.map((each) => ({ word: each.name(), description: lineOf(each.description()) })),
    options: command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long, description }) => (long ? [{ word: long, description: lineOf(description) }] : [])),
    values: argument?.argChoices ?? [],
    names: argument === undefined ? null : (NAMED[argument.name()] ?? null),
  };
  return [own, ...command.commands.flatMap((each) => completionsOf(each, [...path, each.name()]))];
}

/** The first line of a description: shells show one line. */
function lineOf(description: string): string {
  return description.split('\n')[0] ?? '';
}
