import { type Command, Option } from 'commander';
import type { TestRun } from '../contract/answers.ts';
import { ACCESS_WIDENED } from '../domain/access/widened.ts';
import { PERSONAL_UNSEEN } from '../domain/definition/release/stored-data.ts';
import type { Finding } from '../folder/findings.ts';
import { FolderProblem } from '../folder/problem.ts';
import { moveBase } from '../folder/push.ts';
import { RemoteRefusal } from '../folder/refusal.ts';
import type { Remote } from '../folder/remote.ts';
import { stagedFindings } from '../folder/staged.ts';
import { counted } from '../kernel/counted.ts';
import type { JsonObject } from '../kernel/json.ts';
import { endProgress, print, printNote, printResult, progress } from './context.ts';
import { cancelSchedule, printSchedule, readSchedule, schedulePromotion } from './promote-at.ts';
import { BREAK_GLASS_HELP, MESSAGE_HELP, TICKET_HELP } from './remote/message.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { shownChanges, shownFailedTests, shownFindings, shownPublishes, shownStagedPlay, summaryOf } from './show.ts';
import { confirm, isInteractive, styled } from './terminal.ts';

interface PromoteOptions extends RemoteOptions {
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly force?: boolean;
  readonly message?: string;
  readonly ticket?: string;
  readonly breakGlass?: boolean;
  readonly at?: string;
  /** The id of the one that is meant; `true`: whichever waits. */
  readonly cancel?: string | true;
  readonly scheduled?: boolean;
}

/** `savepoint promote`: shows what is staged, asks, and makes it live. */
export function promoteCommand(): Command {
  return revealing(
    remoteCommand(
      'promote',
      'make live what is staged: shows what changes and what is wrong with it, runs the tests, looks at stored data, then asks. Exit code 1: nothing is promoted',
    ),
  )
    .option('--dry-run', 'look only')
    .option('--yes', 'do not ask')
    .option('--force', 'in spite of failed tests, and of findings in definitions and in stored data')
    .option('--break-glass', BREAK_GLASS_HELP)
    .addOption(
      new Option(
        '--at <time>',
        'at a time, in ISO with its zone: exactly what is staged now. Any change of it, or of live, voids that; tests run and findings are looked at again then',
      ).conflicts(['dryRun', 'cancel', 'scheduled']),
    )
    .addOption(
      new Option('--cancel [id]', 'take back what waits for its time; with its id (--scheduled), that one or none').conflicts([
        ...['dryRun', 'force', 'breakGlass', 'scheduled'],
      ]),
    )
    .option('--scheduled', 'show what waits for its time, or what became of the last one')
    .option('-m, --message <text>', MESSAGE_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (options: PromoteOptions) => {
      const remote = remoteOf(options);
      requireOfNow(options);
      if (options.scheduled) return printSchedule(options, await readSchedule(remote));
      if (options.cancel === '')
        throw new FolderProblem(
          'NOT_ASKED',
          'The id behind --cancel is empty, so nothing was taken back. Without one it is whichever waits.',
        );
      if (options.cancel !== undefined)
        return printSchedule(options, await cancelSchedule(remote, options.cancel === true ? undefined : options.cancel, options));
      const preview = await previewOf(remote).finally(endProgress);
      if (!options.json && preview.staged) print(shown(preview));
      if (!options.json) for (const { message } of preview.unseen) printNote(`Note: ${String(message)} (--reveal REASON)`);
      const isBlocked = preview.tests.failed > 0 || preview.findings.length > 0 || preview.definitionFindings.length > 0;
      const result = { dryRun: options.dryRun ?? false, ...preview };
      if (preview.changes.length === 0 && !preview.staged)
        return printResult(
          options,
          { ok: true, promoted: false, ...result },
          () => 'Nothing is staged: `savepoint push` stages the folder.',
        );
      if (options.dryRun || (isBlocked && !options.force)) {
        if (isBlocked) process.exitCode = 1;
        const end = options.dryRun
          ? 'Nothing was promoted: this was a look.'
          : options.at === undefined
            ? 'Nothing was promoted. `--force` promotes nevertheless.'
            : 'Nothing was scheduled: with what is wrong here it would be missed. Mend it and schedule then, or promote now with `--force`.';
        return printResult(options, { ok: !isBlocked, promoted: false, ...result }, () => end);
      }
      const when = options.at === undefined ? '' : ` at ${options.at}`;
      if (!(await isConfirmed(options, `Promote ${counted(preview.changes.length, 'change')} to live${when}?`))) {
        process.exitCode = 1;
        return printResult(options, { ok: false, promoted: false, ...result }, () => 'Nothing was promoted.');
      }
      if (options.at !== undefined)
        return printSchedule(options, await explainConflict(schedulePromotion(remote, options.at, preview.position, options)));
      const { revision, position, generation } = await explainConflict(
        remote.promote({
          dryRun: false,
          force: options.force ?? false,
          base: preview.position,
          message: options.message,
          ticket: options.ticket,
          breakGlass: options.breakGlass,
        }),
      );
      await moveBase(remote, position);
      printResult(options, { ok: true, promoted: true, ...result, position, revision, generation }, () =>
        promotedText(revision, preview.nextDocuments),
      );
    })
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint promote --dry-run\n  savepoint promote -m "Summer prices" --ticket T-77\n  savepoint promote --at 2026-12-24T06:00:00Z\n  savepoint promote --scheduled\n  savepoint promote --yes      # in a pipeline',
    );
}

/** Throws {@link FolderProblem} where something that only who is there answers for is to happen at a time. */
function requireOfNow({ at, force, breakGlass }: PromoteOptions): void {
  if (at === undefined || !(force || breakGlass)) return;
  const [option, instead] = force ? ['--force', 'Mend what is wrong'] : ['--break-glass', 'Have it approved'];
  throw new FolderProblem(
    'NOT_ASKED',
    `${option} is for now: at its time nobody is there to answer for it. ${instead} and schedule it with --at alone, or leave --at out and promote now.`,
  );
}

function promotedText(revision: number | null, nextDocuments: number): string {
  const anew = nextDocuments === 0 ? '' : ' The data of next have begun anew.';
  return `Promoted: live is what was staged${revision === null ? '' : ` (revision ${revision})`}.${anew} \`savepoint rollback\` goes back.`;
}

/** Whether the user confirms. Throws {@link FolderProblem} if nobody can be asked. */
export async function isConfirmed({ yes, json }: { readonly yes?: boolean; readonly json?: boolean }, question: string): Promise<boolean> {
  if (yes) return true;
  if (json || !isInteractive()) throw new FolderProblem('NOT_ASKED', 'Nobody can be asked here, so nothing was done: give --yes.');
  return confirm(question);
}

interface PromotionPreview {
  /** The revision of the project's log that was examined. */
  readonly position: number;
  readonly staged: boolean;
  readonly changes: Awaited<ReturnType<Remote['diff']>>['changes'];
  readonly tests: Pick<TestRun, 'total' | 'passed' | 'failed' | 'results'>;
  /** Findings in stored data. */
  readonly findings: readonly JsonObject[];
  /** What of stored data a person was not told without a reason. It stops nothing. */
  readonly unseen: readonly JsonObject[];
  /** Findings in the definitions of `next` that live does not already have. */
  readonly definitionFindings: readonly Finding[];
  /** Documents that were written through `next`, which the promotion does not take over. */
  readonly nextDocuments: number;
}

const NOTHING_STAGED = {
  tests: { total: 0, passed: 0, failed: 0, results: [] },
  findings: [],
  unseen: [],
  definitionFindings: [],
  nextDocuments: 0,
} as const;

async function previewOf(remote: Remote): Promise<PromotionPreview> {
  progress('looking at what is staged');
  const { position, staged, changes } = await remote.diff();
  if (!staged) return { position, staged, changes, ...NOTHING_STAGED };
  progress('looking at the definitions of next');
  const definitionFindings = await stagedFindings(remote).catch(tooLarge);
  progress('running the tests of next');
  const { total, passed, failed, results } = await remote.runTests('next');
  progress('looking at stored data');
  const promotion = await remote.promote({ dryRun: true, force: false, base: null });
  // What is opened is shown with the changes.
  const findings = promotion.findings.filter(({ code }) => code !== ACCESS_WIDENED && code !== PERSONAL_UNSEEN);
  const unseen = promotion.findings.filter(({ code }) => code === PERSONAL_UNSEEN);
  const { nextDocuments = 0 } = promotion;
  return { position, staged, changes, tests: { total, passed, failed, results }, findings, unseen, definitionFindings, nextDocuments };
}

/** Skips the check, with a note, if the staged definitions are too large for one request. They may have been pushed in several. */
function tooLarge(error: unknown): readonly Finding[] {
  if (!(error instanceof RemoteRefusal) || error.status !== 413) throw error;
  printNote(`Note: the definitions of next are too large to be checked in one request: ${error.message}`);
  return [];
}

/** If a command is refused because somebody published since the user confirmed it, prints those publishes. */
export async function explainConflict<Answer>(request: Promise<Answer>): Promise<Answer> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof RemoteRefusal && error.publishes.length > 0) printNote(shownPublishes(error.publishes));
    throw error;
  }
}

function shown({ changes, tests, findings, definitionFindings, nextDocuments }: PromotionPreview): string {
  const failed = tests.results.filter((each) => each['passed'] !== true);
  const findingLines = findings.map((each) =>
    styled('red', `  ${String(each['code'])} ${String(each['kind'] ?? '')} ${String(each['id'] ?? '')}: ${String(each['message'] ?? '')}`),
  );
  return [
    changes.length === 0 ? 'What is staged is what is live: a promotion would change nothing.' : shownChanges(changes),
    ...(definitionFindings.length === 0
      ? []
      : ['', shownFindings(definitionFindings), '', `Definitions: ${summaryOf(definitionFindings)}.`]),
    ...(tests.total === 0 ? [] : [`Tests: ${tests.passed} of ${tests.total} passed.`, ...shownFailedTests(failed)]),
    ...(findings.length === 0 ? [] : [`Stored data: ${counted(findings.length, 'finding')}.`, ...findingLines]),
    ...shownStagedPlay(nextDocuments),
  ].join('\n');
}
