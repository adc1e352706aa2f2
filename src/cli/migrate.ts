import type { Command } from 'commander';
import type { Installation } from '../compose/installation.ts';
import { type CommonOptions, command, printResult, withInstallation } from './context.ts';

/** `savepoint migrate`: migrates the database's tables to this release. A node does the same when it starts. */
export function migrateCommand(): Command {
  return command('migrate', "bring the database's tables up to this release", 'savepoint migrate').action(
    async (options: CommonOptions) => {
      const applied = async ({ pool }: Installation) => {
        const { rows } = await pool.query<{ name: string }>('SELECT name FROM savepoint.migrations ORDER BY name');
        return rows.map(({ name }) => name);
      };
      const names = await withInstallation(options, applied, { mayMake: true });
      printResult(options, { migrations: names }, () => `The database is up to date (${names.length} migrations).`);
    },
  );
}
