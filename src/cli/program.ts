import { Command } from 'commander';
import { VERSION } from '../version.ts';

/**
 * Every command, in the order and under the headings of the help. Each is loaded when it is used, because loading takes most of a short
 * command's time.
 */
const GROUPS: ReadonlyMap<string, ReadonlyMap<string, () => Promise<Command>>> = new Map([
  [
    'A game in a folder:',
    new Map([
      ['init', async () => (await import('./init.ts')).initCommand()],
      ['login', async () => (await import('./login.ts')).loginCommand()],
      ['logout', async () => (await import('./logout.ts')).logoutCommand()],
      ['whoami', async () => (await import('./whoami.ts')).whoamiCommand()],
      ['dev', async () => (await import('./dev.ts')).devCommand()],
      ['check', async () => (await import('./check.ts')).checkCommand()],
      ['push', async () => (await import('./push.ts')).pushCommand()],
      ['pull', async () => (await import('./pull.ts')).pullCommand()],
      ['diff', async () => (await import('./diff.ts')).diffCommand()],
      ['test', async () => (await import('./test.ts')).testCommand()],
      ['promote', async () => (await import('./promote.ts')).promoteCommand()],
      ['approve', async () => (await import('./approve.ts')).approveCommand()],
      ['discard', async () => (await import('./discard.ts')).discardCommand()],
      ['rollback', async () => (await import('./rollback.ts')).rollbackCommand()],
      ['publishes', async () => (await import('./publishes.ts')).publishesCommand()],
      ['definition', async () => (await import('./definition.ts')).definitionCommand()],
      ['value', async () => (await import('./value.ts')).valueCommand()],
      ['types', async () => (await import('./types.ts')).typesCommand()],
    ]),
  ],
  [
    'What players have and do, on a server:',
    new Map([
      ['call', async () => (await import('./call.ts')).callCommand()],
      ['press', async () => (await import('./press.ts')).pressCommand()],
      ['doc', async () => (await import('./doc.ts')).docCommand()],
      ['save-records', async () => (await import('./save-records.ts')).saveRecordsCommand()],
      ['economy', async () => (await import('./economy.ts')).economyCommand()],
      ['board', async () => (await import('./board.ts')).boardCommand()],
      ['ledger', async () => (await import('./ledger.ts')).ledgerCommand()],
      ['player', async () => (await import('./player.ts')).playerCommand()],
      ['grant', async () => (await import('./grant.ts')).grantCommand()],
      ['explain', async () => (await import('./explain-id.ts')).explainCommand()],
      ['activity', async () => (await import('./activity.ts')).activityCommand()],
      ['access', async () => (await import('./access.ts')).accessCommand()],
      ['undo', async () => (await import('./undo.ts')).undoCommand()],
      ['logs', async () => (await import('./logs.ts')).logsCommand()],
    ]),
  ],
  [
    'Projects of this installation:',
    new Map([
      ['project', async () => (await import('./project.ts')).projectCommand()],
      ['key', async () => (await import('./key.ts')).keyCommand()],
      ['page', async () => (await import('./page.ts')).pageCommand()],
      ['analytics', async () => (await import('./analytics.ts')).analyticsCommand()],
      ['flags', async () => (await import('./flags.ts')).flagsCommand()],
    ]),
  ],
  [
    'This installation:',
    new Map([
      ['start', async () => (await import('./start.ts')).startCommand()],
      ['console', async () => (await import('./console.ts')).consoleCommand()],
      ['user', async () => (await import('./user.ts')).userCommand()],
      ['nodes', async () => (await import('./nodes.ts')).nodesCommand()],
      ['doctor', async () => (await import('./doctor.ts')).doctorCommand()],
      ['verify', async () => (await import('./verify.ts')).verifyCommand()],
      ['rebuild', async () => (await import('./rebuild.ts')).rebuildCommand()],
      ['migrate', async () => (await import('./migrate.ts')).migrateCommand()],
      ['log', async () => (await import('./log.ts')).logCommand()],
      ['db', async () => (await import('./db.ts')).dbCommand()],
      ['jobs', async () => (await import('./jobs.ts')).jobsCommand()],
    ]),
  ],
  ['Besides:', new Map([['completion', async () => (await import('./completion.ts')).completionCommand()]])],
]);

/**
 * The command line for these words: only the command that they name, none to print the version, or the whole program. Help and wrong
 * usage are thrown as `CommanderError`, so that the caller decides how the process ends.
 */
export async function createProgram([word]: readonly string[] = []): Promise<Command> {
  const program = new Command('savepoint')
    .description('An event-sourced, self-hostable game backend.')
    .version(VERSION)
    // An option after a subcommand belongs to it, even if its parent has an option of the same name.
    .enablePositionalOptions()
    .addHelpText(
      'after',
      '\nDATABASE_URL makes every command use that Postgres instead of the embedded one in the data folder; with it, --data is refused.',
    );
  // `completion` prints all commands.
  const commands = [...GROUPS].flatMap(([heading, group]) => [...group].map(([name, load]) => ({ heading, name, load })));
  const named = commands.filter(({ name }) => name === word && name !== 'completion');
  const needed = named.length > 0 ? named : word === '--version' || word === '-V' ? [] : commands;
  const loads = needed.map(async ({ heading, load }) => (await load()).helpGroup(heading));
  for (const command of await Promise.all(loads)) program.addCommand(command.summary(firstClause(command.description())));
  for (const each of allCommands(program)) each.exitOverride().showHelpAfterError('(add --help for the options)');
  return program;
}

/** The beginning of a description, which the overview shows: the help of the command itself prints all of it. */
function firstClause(description: string): string {
  return description.split(/[;:.](?: |$)| \(/)[0] ?? description;
}

/** The command itself and everything below it. */
function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
