import { type Command, InvalidArgumentError } from 'commander';
import { moveBase } from '../folder/push.ts';
import { RemoteRefusal } from '../folder/refusal.ts';
import type { Remote } from '../folder/remote.ts';
import { refusal } from '../kernel/errors.ts';
import { counted, printNote, printResult } from './context.ts';
import { explainConflict, isConfirmed } from './promote.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { shownChanges } from './show.ts';

interface RollbackOptions extends RemoteOptions {
  readonly to?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `savepoint rollback`: restores the live definitions to what they were before a publish. */
export function rollbackCommand(): Command {
  return remoteCommand('rollback', 'make live what it was before its last publish or promotion, after asking; players’ documents stay')
    .option('--to <revision>', 'a revision that `savepoint publishes` lists: live as it was right after that; -1: before any', revisionOf)
    .option('--dry-run', 'look only')
    .option('--yes', 'do not ask')
    .action(async (options: RollbackOptions) => {
      const remote = remoteOf(options);
      const to = options.to ?? null;
      const look = await remote.rollback({ dryRun: true, to, base: null }).catch(async (error: unknown) => {
        const isUnknown = error instanceof RemoteRefusal && error.code === 'PUBLISH_NOT_FOUND' && to !== null;
        throw isUnknown ? await unknownPublish(remote, to) : error;
      });
      const what = shownChanges(look.changes);
      const goal = look.to < 0 ? 'before any publish' : `at revision ${look.to}`;
      const shown = `${what}\nLive would be what it was ${goal}: ${counted(look.changes.length, 'change')}.`;
      if (options.dryRun) return printResult(options, look, () => shown);
      if (!options.json) printNote(shown);
      if (!(await isConfirmed(options, 'Roll back?'))) {
        process.exitCode = 1;
        return printResult(options, { ...look, ok: false, rolledBack: false }, () => 'Nothing was rolled back.');
      }
      // Applies what was shown, and only if nothing was published since.
      const done = await explainConflict(remote.rollback({ dryRun: false, to: look.to, base: look.position }));
      await moveBase(remote, done.position);
      const at = done.revision === null ? '' : ` (revision ${done.revision})`;
      printResult(options, { ...done, rolledBack: true }, () => `Rolled back: live is what it was ${goal}${at}.`);
    })
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint rollback --dry-run\n  savepoint rollback\n  savepoint rollback --to 41 --yes      # 41: a revision of `savepoint publishes`',
    );
}

/** The error for a revision at which nothing was published to live. Commands also print revisions of other commits. */
async function unknownPublish(remote: Remote, to: number): Promise<Error> {
  const { publishes } = await remote.publishes({ limit: 200, before: to });
  const earlier = publishes.find(({ target, changes }) => target === 'live' && changes.some(({ kind }) => kind !== 'tests'));
  const what = `Nothing was published live at revision ${to}; \`savepoint publishes\` lists what was.`;
  return refusal(
    'PUBLISH_NOT_FOUND',
    earlier === undefined ? what : `${what} The one before is ${earlier.revision}: --to ${earlier.revision}.`,
  );
}

function revisionOf(text: string): number {
  if (/^(-1|\d{1,15})$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a revision, as `savepoint publishes` lists them, or -1.');
}
