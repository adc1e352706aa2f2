import { Command } from 'commander';
import { VERSION } from '../version.ts';
import { analyticsCommand } from './analytics.ts';
import { callCommand } from './call.ts';
import { completionCommand } from './completion.ts';
import { dbCommand } from './db.ts';
import { devCommand } from './dev.ts';
import { docCommand } from './doc.ts';
import { doctorCommand } from './doctor.ts';
import { flagsCommand } from './flags.ts';
import { FOLDER_COMMANDS } from './folder-commands.ts';
import { jobsCommand } from './jobs.ts';
import { keyCommand } from './key.ts';
import { ledgerCommand } from './ledger.ts';
import { logCommand } from './log.ts';
import { logsCommand } from './logs.ts';
import { migrateCommand } from './migrate.ts';
import { pageCommand } from './page.ts';
import { projectCommand } from './project.ts';
import { rebuildCommand } from './rebuild.ts';
import { startCommand } from './start.ts';
import { testCommand } from './test.ts';
import { typesCommand } from './types.ts';
import { verifyCommand } from './verify.ts';

/** The whole command line. Help and wrong usage are thrown as `CommanderError`, so that the caller decides how the process ends. */
export function createProgram(): Command {
  const program = new Command('savepoint')
    .description('An event-sourced, self-hostable game backend.')
    .version(VERSION)
    // An option behind a command is that command's, also where commands above it have one of the same name.
    .enablePositionalOptions()
    .addHelpText('after', '\nDATABASE_URL makes every command use that Postgres instead of the embedded one in the data folder.');
  for (const make of [
    startCommand,
    ...FOLDER_COMMANDS,
    projectCommand,
    keyCommand,
    pageCommand,
    migrateCommand,
    rebuildCommand,
    verifyCommand,
    logCommand,
    dbCommand,
    doctorCommand,
    jobsCommand,
    testCommand,
    typesCommand,
    analyticsCommand,
    flagsCommand,
    devCommand,
    callCommand,
    docCommand,
    ledgerCommand,
    logsCommand,
    completionCommand,
  ]) {
    program.addCommand(make());
  }
  for (const each of allCommands(program)) each.exitOverride().showHelpAfterError('(add --help for the options)');
  return program;
}

/** The command itself and everything below it. */
function allCommands(command: Command): readonly Command[] {
  return [command, ...command.commands.flatMap(allCommands)];
}
