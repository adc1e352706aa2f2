import type { Command } from 'commander';
import { moveBase } from '../folder/push.ts';
import { RemoteRefusal, RemoteUnreachable } from '../folder/refusal.ts';
import type { Remote } from '../folder/remote.ts';
import { counted } from '../kernel/counted.ts';
import { refusal } from '../kernel/errors.ts';
import type { JsonObject } from '../kernel/json.ts';
import { printNote, printResult } from './context.ts';
import { explainConflict, isConfirmed } from './promote.ts';
import { BREAK_GLASS_HELP, MESSAGE_HELP, TICKET_HELP } from './remote/message.ts';
import { publishRevision } from './remote/publish-revision.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { shownChanges, shownFailedTests, shownStagedPlay } from './show.ts';

interface RollbackOptions extends RemoteOptions {
  readonly to?: number;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly message?: string;
  readonly ticket?: string;
  readonly breakGlass?: boolean;
}

/** `savepoint rollback`: restores the live definitions to what they were before a publish. */
export function rollbackCommand(): Command {
  return revealing(
    remoteCommand('rollback', 'make live what it was before its last publish or promotion, after asking; players’ documents stay'),
  )
    .option(
      '--to <revision>',
      'a revision that `savepoint publishes` lists: live as it was right after that; -1: before any',
      publishRevision,
    )
    .option('--dry-run', 'look only')
    .option('--yes', 'do not ask')
    .option('--break-glass', BREAK_GLASS_HELP)
    .option('-m, --message <text>', MESSAGE_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (options: RollbackOptions) => {
      const remote = remoteOf(options);
      const to = options.to ?? null;
      const look = await remote.rollback({ dryRun: true, to, base: null }).catch(async (error: unknown) => {
        const isUnknown = error instanceof RemoteRefusal && error.code === 'PUBLISH_NOT_FOUND' && to !== null;
        throw isUnknown ? await unknownPublish(remote, to) : error;
      });
      const what = shownChanges(look.changes);
      const goal = look.to < 0 ? 'before any publish' : `at revision ${look.to}`;
      const shown = [
        `${what}\nLive would be what it was ${goal}: ${counted(look.changes.length, 'change')}.`,
        ...shownStagedPlay(look.nextDocuments ?? 0),
      ].join('\n');
      if (options.dryRun) return printResult(options, look, () => shown);
      if (!options.json) printNote(shown);
      if (!(await isConfirmed(options, 'Roll back?'))) {
        process.exitCode = 1;
        return printResult(options, { ...look, ok: false, rolledBack: false }, () => 'Nothing was rolled back.');
      }
      const failedBefore = await failedTests(remote);
      // Applies what was shown, and only if nothing was published since.
      const done = await explainConflict(
        remote.rollback({
          dryRun: false,
          to: look.to,
          base: look.position,
          message: options.message,
          ticket: options.ticket,
          breakGlass: options.breakGlass,
        }),
      );
      await moveBase(remote, done.position);
      const at = done.revision === null ? '' : ` (revision ${done.revision})`;
      const red = newlyFailed(failedBefore, await failedTests(remote));
      const anew = (look.nextDocuments ?? 0) === 0 ? '' : ' The data of next have begun anew.';
      printResult(options, { ...done, rolledBack: true, failedTests: red }, () => `Rolled back: live is what it was ${goal}${at}.${anew}`);
      if (red.length > 0 && !options.json) printNote(shownRed(red));
    })
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint rollback --dry-run\n  savepoint rollback\n  savepoint rollback --to 41 --yes      # 41: a revision of `savepoint publishes`',
    );
}

/** The saved tests that fail on what is live; `null` if that cannot be told. A rollback must not fail because of it. */
async function failedTests(remote: Remote): Promise<readonly JsonObject[] | null> {
  try {
    const { results } = await remote.runTests('live');
    return results.filter((each) => each['passed'] !== true);
  } catch (error) {
    if (!(error instanceof RemoteRefusal || error instanceof RemoteUnreachable)) throw error;
    printNote(`Note: the saved tests could not be run: ${error.message}`);
    return null;
  }
}

/** The tests that fail after a rollback and did not before. */
function newlyFailed(before: readonly JsonObject[] | null, after: readonly JsonObject[] | null): readonly JsonObject[] {
  if (before === null || after === null) return [];
  const known = new Set(before.map(({ id }) => id));
  return after.filter(({ id }) => !known.has(id)).map(({ id = '', endpoint = '', reason = '' }) => ({ id, endpoint, reason }));
}

function shownRed(red: readonly JsonObject[]): string {
  const what = red.length === 1 ? 'This saved test fails now' : `These ${red.length} saved tests fail now`;
  return [
    `${what}, since tests are not rolled back and came with what was taken back:`,
    ...shownFailedTests(red),
    'They stop the next promotion: take the files of the folder back, too, and `savepoint push --prune` them.',
  ].join('\n');
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
