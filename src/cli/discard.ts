import type { Command } from 'commander';
import { counted } from '../kernel/counted.ts';
import { printNote, printResult } from './context.ts';
import { explainConflict, isConfirmed } from './promote.ts';
import { MESSAGE_HELP, TICKET_HELP } from './remote/message.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { shownChanges } from './show.ts';

interface DiscardOptions extends RemoteOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly message?: string;
  readonly ticket?: string;
}

/** `savepoint discard`: takes back what is staged. */
export function discardCommand(): Command {
  return remoteCommand('discard', 'take back what is staged, after asking; live stays as it is')
    .argument('[kind]', 'only definitions of this kind, as `diff` names it: collection, endpoint, game-values …')
    .argument('[id]', 'only the one of this id')
    .option('--dry-run', 'look only')
    .option('--yes', 'do not ask')
    .option('-m, --message <text>', MESSAGE_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (kind: string | undefined, id: string | undefined, options: DiscardOptions) => {
      const remote = remoteOf(options);
      const part = { ...(kind === undefined ? {} : { kind }), ...(id === undefined ? {} : { id }) };
      const look = await remote.discard({ ...part, dryRun: true, base: null });
      const nothing = look.changes.length === 0;
      const shown = nothing
        ? 'Nothing is staged.'
        : `${shownChanges(look.changes.map((change) => ({ ...change, action: 'discard' })))}\nNext would lose this: ${counted(look.changes.length, 'change')}.`;
      if (options.dryRun || nothing) return printResult(options, look, () => shown);
      if (!options.json) printNote(shown);
      if (!(await isConfirmed(options, 'Take it back?'))) {
        process.exitCode = 1;
        return printResult(options, { ...look, ok: false, discarded: false }, () => 'Nothing was taken back.');
      }
      const { message, ticket } = options;
      // Takes back what was shown, and only if nothing was published since.
      const done = await explainConflict(remote.discard({ ...part, dryRun: false, base: look.position, message, ticket }));
      const at = done.revision === null ? '' : ` (revision ${done.revision})`;
      printResult(
        options,
        { ...done, discarded: true },
        () => `Taken back: ${counted(done.changes.length, 'change')} staged no more${at}.`,
      );
    })
    .addHelpText('after', '\nExamples:\n  savepoint discard --dry-run\n  savepoint discard endpoint buy -m "not this week"');
}
