import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';

/** The commands that do something, each with the words that lead to it. */
function doing(command: Command, path: readonly string[] = []): readonly (readonly [string, Command])[] {
  return command.commands.flatMap((each) => {
    const words = [...path, each.name()];
    const isGroup = each.commands.length > 0 && each.options.length === 0;
    const own = isGroup ? [] : [[words.join(' '), each] as const];
    return [...own, ...doing(each, words)];
  });
}

const program = await createProgram();

test.each(doing(program))('the help of `%s` has an example that its parser accepts', (path, command) => {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const [, ...examples] = help.split(/^Examples?\b.*:$/m);
  expect(examples.join('')).toContain(`savepoint ${path}`);
});

test('help says where --json prints a line for each event', () => {
  const jsonOf = (path: string) =>
    doing(program)
      .find(([words]) => words === path)?.[1]
      .options.find(({ long }) => long === '--json')?.description;
  for (const path of ['dev', 'logs', 'log tail', 'types']) expect(jsonOf(path), path).toContain('NDJSON');
  expect(jsonOf('push')).not.toContain('NDJSON');
});

test('the help shows every command under a heading', () => {
  let help = '';
  program.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  expect(program.commands.filter((command) => command.helpGroup() === '')).toEqual([]);
  for (const heading of new Set(program.commands.map((command) => command.helpGroup()))) expect(help).toContain(`\n${heading}\n`);
});
