import { type Command, InvalidArgumentError } from 'commander';
import { printResult } from './context.ts';
import { withLimit } from './limit-option.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { shownPublishes } from './show.ts';

interface PublishesOptions extends RemoteOptions {
  readonly limit: number;
  readonly before?: number;
}

/** `savepoint publishes`: who published what, and when. */
export function publishesCommand(): Command {
  const made = remoteCommand('publishes', 'list publishes, promotions and rollbacks, newest first');
  return withLimit(made, 'how many', { to: 200, preset: 20 })
    .option('--before <revision>', 'those before this revision', wholeNumber)
    .action(async (options: PublishesOptions) => {
      const { limit, before } = options;
      const page = await remoteOf(options).publishes({ limit, ...(before === undefined ? {} : { before }) });
      printResult(options, page, () => {
        if (page.publishes.length === 0) return 'Nothing was published yet.';
        const more = page.before === null ? '' : `\nMore: \`savepoint publishes --before ${page.before}\``;
        return `${shownPublishes(page.publishes.map((each) => ({ ...each })))}${more}`;
      });
    })
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint publishes\n  savepoint publishes --limit 100 --json\n  savepoint publishes --before 41',
    );
}

function wholeNumber(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}
