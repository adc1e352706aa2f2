import { resolve } from 'node:path';
import { Command } from 'commander';
import { refusal } from '../kernel/errors.ts';
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
    if (found === null)
      throw refusal(
        'NOT_FOUND',
        `There is no database in ${resolve(config.dataDir)}. --data DIR names the data folder of an installation; \`savepoint start\` makes a new one`,
      );
    if (config.databaseUrl === null && !running) printNote('The embedded database is not running: it answers while a node runs.');
    printResult(options, { url: found, running: config.databaseUrl !== null || running !== null }, () => found);
  });
}
