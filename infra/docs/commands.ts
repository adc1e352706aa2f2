import type { Argument, Command, Option } from 'commander';
import { JSON_HELP } from '../../src/cli/context.ts';
import { createProgram } from '../../src/cli/program.ts';
import type { GeneratedFile } from './file.ts';

/** Makes docs/commands.md: every command of the program, from its own help. */

const INTRODUCTION = `# Commands

<!-- Generated from src/cli by \`npm run docs\`. -->

\`npm run build\` makes the program. In the checkout it is \`npx savepoint\`; [install.md](install.md) puts \`savepoint\` on the path.

- Commands with \`--address\` ask a server, and need its address and a key alone: [command-line.md](command-line.md).
- Every other command works beside a running node and without one. It uses the same [settings](settings.md) as a node: \`DATABASE_URL\`, \`EVENTSTORE_URL\`,
  \`SAVEPOINT_DATA\`. Where there is no installation they say so and make nothing; \`start\`, \`migrate\`, \`project create\` and \`project import --as-new\` make one.
- Every command has \`--help\`, \`--data DIR\` (the data folder, refused beside \`DATABASE_URL\`; not those that ask a server) and \`--json\` (one JSON value on
  standard output, of failures too; \`dev\`, \`logs\`, \`log tail\` and \`types --watch\` print one on a line for each event). \`completion\` prints a script and has neither.
- Exit codes: 0 done, 1 refused or failed, 2 wrong usage; others stand with their command.
- A \`PROJECT\` is named by its id; \`savepoint project list\` shows them.`;

const program = await createProgram();

export const COMMANDS_PAGE: GeneratedFile = {
  file: 'docs/commands.md',
  render: () => [INTRODUCTION, ...program.commands.map(section)].join('\n\n').concat('\n'),
};

function section(command: Command): string {
  const title = `## ${command.name()}\n\n${sentence(command.description())}`;
  // A command that only groups others has no options.
  const isGroup = command.commands.length > 0 && command.options.length === 0;
  const own = isGroup ? [] : [`\`\`\`text\nsavepoint ${usage(command)}\n\`\`\``, ...details(command)];
  const each = command.commands.map((sub) =>
    [
      `### ${command.name()} ${sub.name()}`,
      sentence(sub.description()),
      `\`\`\`text\nsavepoint ${usage(sub, command)}\n\`\`\``,
      ...details(sub),
    ].join('\n\n'),
  );
  return [title, ...own, ...each].join('\n\n');
}

function usage(command: Command, parent?: Command): string {
  const words = command.registeredArguments.map(word);
  return [parent?.name(), command.name(), '[options]', ...words].filter((part) => part !== undefined).join(' ');
}

function word(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function details(command: Command): readonly string[] {
  const taken = command.registeredArguments.filter(({ description }) => description !== '');
  const rows = [
    ...taken.map((argument) => row(argument.name(), argument.description)),
    ...command.options.filter(isOwn).map((option) => row(option.flags, meaning(option))),
  ];
  return [...(rows.length === 0 ? [] : [['| Option | |', '|---|---|', ...rows].join('\n')]), ...afterwards(command)];
}

/** The end of a command's help: its examples as a block, then its notes. */
function afterwards(command: Command): readonly string[] {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => written.push(text) }).outputHelp();
  const lines = written.slice(1).join('').split('\n');
  const isExample = (line: string) => line.startsWith('  ');
  const heads = /^Examples?\b.*:$/;
  const from = lines.findIndex((line) => heads.test(line));
  const length = lines.slice(from + 1).findIndex((line) => !isExample(line));
  const examples = from < 0 ? [] : lines.slice(from + 1, length < 0 ? undefined : from + 1 + length).map((line) => line.slice(2));
  const rest = lines
    .filter((_, at) => from < 0 || at < from || at > from + examples.length)
    .join('\n')
    .trim();
  return [
    ...(examples.length === 0 ? [] : [`\`\`\`sh\n${examples.join('\n')}\n\`\`\``]),
    ...(rest === '' ? [] : [`\`\`\`text\n${rest}\n\`\`\``]),
  ];
}

/** Whether the option is told here: hidden ones are not, nor those that {@link INTRODUCTION} describes already. */
function isOwn({ long, description, hidden }: Option): boolean {
  if (hidden) return false;
  return long === '--json' ? description !== JSON_HELP : long !== '--data';
}

function meaning({ description, defaultValue, argChoices }: Option): string {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  const fallback = typeof defaultValue === 'string' ? ` (default: ${defaultValue})` : '';
  return `${description}${choices}${fallback}`;
}

function row(name: string, text: string): string {
  return `| \`${name}\` | ${text.replaceAll('|', '\\|').replaceAll('<', '\\<')} |`;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}
