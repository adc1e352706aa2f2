import type { Command } from 'commander';
import { isProjectionName, REBUILDABLE } from '../../projections/registry.ts';
import { counted } from '../kernel/counted.ts';
import { type CommonOptions, command, endProgress, printResult, progress, withInstallation } from './context.ts';
import { lookedAtText, placesOf } from './log/locations.ts';
import { WrongUsage } from './wrong-usage.ts';

/** `savepoint rebuild`: builds read models anew beside the running ones, and switches to the new ones. */
export function rebuildCommand(): Command {
  return command(
    'rebuild',
    'build read models anew from the log, beside the running ones, and switch',
    'savepoint rebuild',
    'savepoint rebuild leaderboards ledger',
  )
    .argument('[projection...]', `which ones; all when none is named (${REBUILDABLE.join(', ')})`)
    .action(async (names: readonly string[], options: CommonOptions) => {
      const unknown = names.find((name) => !isProjectionName(name));
      if (unknown !== undefined) throw new WrongUsage(`There is no projection ${unknown}; there are ${REBUILDABLE.join(', ')}`);
      const chosen = names.filter(isProjectionName);
      const result = await withInstallation(options, async ({ config, log, pool }) => {
        const { rebuild } = await import('../../projections/maintenance/rebuild.ts');
        const rebuilt = await rebuild(chosen.length === 0 ? 'all' : chosen, {
          log,
          pool,
          onProgress: (now) =>
            progress(
              `${now.phase}: ${now.events} of ${now.total} events, ${Math.floor(now.percent)} %, ${Math.round(now.eventsPerSecond)}/s`,
            ),
        });
        return { ...rebuilt, ...placesOf(config) };
      });
      endProgress();
      printResult(
        options,
        result,
        () =>
          `${lookedAtText(result)}\nRebuilt ${result.names.join(', ')}: ${counted(result.events, 'event')} of ${counted(result.projects, 'project')} in ${result.seconds.toFixed(1)} s.`,
      );
    });
}
