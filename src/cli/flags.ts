import { Command } from 'commander';
import { readFlags } from '../../projections/models/flags/read.ts';
import { type CommonOptions, command, needProject, printResult, table, withInstallation } from './context.ts';
import { withLimit } from './limit-option.ts';

/** `savepoint flags`: writes that rate-limit rules with the action `flag` have flagged. */
export function flagsCommand(): Command {
  return new Command('flags').description('look at writes that went over rate-limit rules').addCommand(list());
}

interface ListOptions extends CommonOptions {
  readonly player?: string;
  readonly limit: number;
}

function list(): Command {
  const made = command(
    'list',
    'list the writes that rules with the action flag have noted, newest first',
    'savepoint flags list p1 --player 42',
  );
  return withLimit(made, 'how many at most', { to: 10_000, preset: 50 })
    .argument('<projectId>')
    .option('--player <id>', 'of one player only')
    .action(async (projectId: string, options: ListOptions) => {
      const flags = await withInstallation(options, async (installation) => {
        await needProject(installation, projectId);
        const page = { before: Number.MAX_SAFE_INTEGER, limit: options.limit };
        return (await readFlags(installation.pool, projectId, { space: 'live', player: options.player ?? null, ...page })).flags;
      });
      const shown = flags.map(({ at, start, ...flag }) => ({
        ...flag,
        start: new Date(start).toISOString(),
        at: new Date(at).toISOString(),
      }));
      printResult(options, shown, () => {
        if (shown.length === 0) return 'Nothing was flagged.';
        return table(
          ['AT', 'RULE', 'WINDOW', 'PLAYER', 'DOCUMENT', 'AMOUNT', 'LIMIT'],
          shown.map((flag) => [
            flag.at,
            flag.rule,
            flag.window,
            flag.platformId,
            `${flag.collection}/${flag.key}`,
            String(flag.amount),
            String(flag.limit),
          ]),
        );
      });
    });
}
