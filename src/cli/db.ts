import { resolve } from 'node:path';
import { Command } from 'commander';
import { notInstalled } from '../compose/not-installed.ts';
import type { Rights } from '../log/eventstore/protect.ts';
import { type CommonOptions, command, configOf, printNote, printResult } from './context.ts';
import { isConfirmed } from './promote.ts';
import { WrongUsage } from './wrong-usage.ts';

/** `savepoint db`: the database itself, and the server of the log. */
export function dbCommand(): Command {
  return new Command('db')
    .description('the database that is in use, and the rights on an EventStoreDB')
    .addCommand(url())
    .addCommand(protect());
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

interface ProtectCommandOptions extends CommonOptions {
  readonly yes?: boolean;
}

/** A user of the server, and no group or role of it. */
const ACCOUNT = /^[^$\s\p{C}][^\p{C}]{0,127}$/u;

function protect(): Command {
  return command(
    'protect',
    'on an EventStoreDB: let only this account append to streams, and let it read $all; asks before',
    "EVENTSTORE_URL='esdb://admin:PASSWORD@host:2113' savepoint db protect savepoint",
  )
    .argument('<account>', 'the account that nodes use')
    .option('--yes', 'do not ask')
    .addHelpText('after', PROTECT_HELP)
    .action(async (account: string, options: ProtectCommandOptions) => {
      const { eventStoreUrl } = configOf(options);
      if (eventStoreUrl === null)
        throw new WrongUsage('EVENTSTORE_URL names no EventStoreDB; in Postgres nobody else writes to the log but who owns the database');
      if (!ACCOUNT.test(account)) throw new WrongUsage(`'${account}' is no name of an account`);
      if (/[?&]tls=false/i.test(eventStoreUrl))
        printNote('Note: with tls=false no account is sent, and a server without TLS checks no rights.');
      const { protectStreams } = await import('../log/eventstore/protect.ts');
      const done = await protectStreams({
        url: eventStoreUrl,
        account,
        confirm: ({ after }) => {
          if (!options.json) printNote(shownRights(after));
          return isConfirmed(options, 'Set these rights for the whole server?');
        },
      });
      if (done === null) process.exitCode = 1;
      const changed = done?.changed ?? false;
      const told =
        done === null ? 'Nothing was changed.' : changed ? 'The rights are set.' : `${account} has these rights, and nobody else.`;
      printResult(
        options,
        { ok: done !== null, changed, ...(done === null ? {} : { before: done.before, after: done.after }) },
        () => told,
      );
    });
}

function shownRights({ settings, all }: Rights): string {
  return `$settings  ${JSON.stringify(settings)}\n$all       ${JSON.stringify(all)}`;
}

const PROTECT_HELP = `
By default every account of the server may append to every stream. Afterwards, of streams without an access list of their own, the
account and admins alone are written by, and admins alone delete them. That holds for all streams of the server whose name does not begin
with $: another program there needs access lists on its own. EVENTSTORE_URL names an admin for this call. Needs no AtomPub.`;
