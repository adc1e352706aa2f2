import { resolve } from 'node:path';
import { Command } from 'commander';
import { notInstalled } from '../compose/not-installed.ts';
import { type CommonOptions, command, configOf, printNote, printResult } from './context.ts';

/** `savepoint db`: the database itself. */
export function dbCommand(): Command {
  return new Command('db').description('the database that is in use').addCommand(url());
}

function url(): Command {
  return command(
    'url',
    'print the connection string, password included, for psql and reporting tools',
    'psql "$(savepoint db url)"',
  ).action(async (options: CommonOptions) => {
    const { databaseUrlOf, findDatabase } = await import('../../infra/postgres/database.ts');
    const config = configOf(options);
    const running = config.databaseUrl === null ? await findDatabase({ dataDir: config.dataDir }) : null;
    const found = config.databaseUrl ?? running?.url ?? databaseUrlOf(config.dataDir);
    if (found === null) throw notInstalled(`in ${resolve(config.dataDir)}`);
    if (config.databaseUrl === null && !running) printNote('The embedded database is not running: it answers while a node runs.');
    printResult(options, { url: found, running: config.databaseUrl !== null || running !== null }, () => found);
  });
}
