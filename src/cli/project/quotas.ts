import type { Command } from 'commander';
import { quotasIn } from '../../compose/projects.ts';
import { isQuotaName, NO_QUOTAS, ownQuotas, type QuotaChanges, type QuotaName, quotasOf } from '../../domain/project/quotas.ts';
import { didYouMean } from '../../kernel/nearest.ts';
import { command, printResult, table, withInstallation } from '../context.ts';
import { needSet, type SayingOptions, saying } from '../remote/message.ts';
import { WrongUsage } from '../wrong-usage.ts';

interface QuotasOptions extends SayingOptions {
  readonly set?: readonly string[];
}

/** `savepoint project quotas`: shows and sets how much a project may store and report. */
export function quotasCommand(): Command {
  const made = command(
    'quotas',
    'show what a project may store and report, or set it apart from QUOTA_… of the installation',
    'savepoint project quotas p1',
    'savepoint project quotas p1 --set documents=100000 eventsPerDay=default',
  );
  return saying(made)
    .argument('<projectId>')
    .option('--set <name=value...>', 'such as documents=100000, bytes=0 (no limit), eventsPerDay=default')
    .action(async (projectId: string, options: QuotasOptions) => {
      needSet(options);
      const changes: QuotaChanges = Object.fromEntries((options.set ?? []).map(assignment));
      const shown = await withInstallation(options, async ({ config, operator, waitUntilProjected }) => {
        if (options.set !== undefined) {
          const { revision } = await operator.changeQuotas(projectId, changes, options);
          await waitUntilProjected(projectId, revision);
        }
        const { settings } = await operator.show(projectId);
        return { quotas: quotasOf(settings, quotasIn(config)), own: ownQuotas(settings) };
      });
      printResult(options, { projectId, ...shown }, () =>
        table(
          ['QUOTA', 'LIMIT', 'SET BY'],
          Object.entries(shown.quotas).map(([name, most]) => [
            name,
            most === 0 ? 'none' : String(most),
            Object.hasOwn(shown.own, name) ? 'the project' : 'QUOTA_… of this installation',
          ]),
        ),
      );
    });
}

function assignment(text: string): readonly [QuotaName, number | null] {
  const [, name, value = ''] = /^(\w+)=(\d{1,15}|default)$/.exec(text) ?? [];
  if (name === undefined) throw new WrongUsage(`--set takes NAME=NUMBER or NAME=default, not ${text}.`);
  if (!isQuotaName(name)) {
    const names = Object.keys(NO_QUOTAS);
    throw new WrongUsage(`There is no quota '${name}'. ${didYouMean(name, names) ?? `The quotas are ${names.join(', ')}.`}`);
  }
  return [name, value === 'default' ? null : Number(value)];
}
