import type { Command } from 'commander';
import { type Done, type Pushed, pushFolder } from '../folder/push.ts';
import { RemoteRefusal } from '../folder/refusal.ts';
import type { Remote, Target } from '../folder/remote.ts';
import { readFolder } from '../folder/sources.ts';
import { counted } from '../kernel/counted.ts';
import { endProgress, printNote, printResult, progress } from './context.ts';
import { MESSAGE_HELP, TICKET_HELP } from './remote/message.ts';
import { keepSchemas } from './remote/schemas.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { type Shown, shownChanges, shownFindings, shownPublishes, summaryOf } from './show.ts';

interface PushOptions extends RemoteOptions {
  readonly live?: boolean;
  readonly prune?: boolean;
  readonly force?: boolean;
  readonly message?: string;
  readonly ticket?: string;
  readonly strict: boolean;
}

/** `savepoint push`: pushes the whole folder in one publish. */
export function pushCommand(): Command {
  return revealing(remoteCommand('push', 'push the folder in one publish: to `next`, where it is staged; exit code 1: nothing was written'))
    .option('--live', 'make it live at once, without staging')
    .option('--prune', 'remove what the project holds and the folder does not')
    .option('--force', 'overwrite what somebody else has published since')
    .option('--no-strict', 'push in spite of findings')
    .option('-m, --message <text>', MESSAGE_HELP)
    .option('--ticket <id>', TICKET_HELP)
    .action(async (options: PushOptions) => {
      const remote = remoteOf(options);
      const { server } = remote;
      const target: Target = options.live ? 'live' : 'next';
      await keepSchemas(server.dir);
      const folder = readFolder(server.dir);
      for (const { path, hint } of folder.unrecognized) printNote(`Note: ${path} is not pushed. ${hint}`);
      progress(`pushing ${counted(folder.sources.length, 'definition')} to ${target} of ${server.project} on ${server.address}`);
      const { prune = false, force = false, strict, message, ticket } = options;
      const pushed = await pushFolder(remote, folder, { target, strict, prune, force, message, ticket }).finally(endProgress);
      if (!pushed.ok) process.exitCode = 1;
      const staged = pushed.ok && target === 'next' ? await stagedChanges(remote) : null;
      const result = { ...pushed, ...(staged === null ? {} : { staged }), target, project: server.project, address: server.address };
      printResult(options, result, () => shown(pushed, target, staged));
    })
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint push\n  savepoint push --prune -m "Axes are cheaper"\n  savepoint push --live --force      # a pipeline, where the repository is right',
    );
}

/** How many definitions are staged over live; `null`: the key may not know. */
async function stagedChanges(remote: Remote): Promise<number | null> {
  try {
    return (await remote.diff()).changes.length;
  } catch (error) {
    if (error instanceof RemoteRefusal && error.status === 403) return null;
    throw error;
  }
}

function shown(pushed: Pushed, target: Target, staged: number | null): string {
  if (!pushed.ok && pushed.reason === 'findings') {
    const why = pushed.isHeld ? `${target} holds all of this already, with ${summaryOf(pushed.findings)}` : summaryOf(pushed.findings);
    return `${shownFindings(pushed.findings)}\n\nNothing was pushed: ${why}.`;
  }
  if (!pushed.ok) return conflict(pushed);
  const { changes } = pushed;
  const made = changes.filter(({ action }) => action !== 'absent');
  const absent = changes.length - made.length;
  const hint =
    absent === 0
      ? []
      : [
          `${counted(absent, 'definition')} of ${target} ${absent === 1 ? 'is' : 'are'} not in this folder, and left alone: \`push --prune\` removes ${absent === 1 ? 'it' : 'them'}.`,
        ];
  const warned = pushed.warnings.length === 0 ? [] : [shownFindings(pushed.warnings), ''];
  if (!pushed.published) return [...warned, ...hint, `Nothing to push: ${target} holds all of this.${promotable(staged)}`].join('\n');
  return [...warned, shownChanges(changes), ...hint, done(pushed, made, { target, staged })].join('\n');
}

function done(
  { revision }: Done,
  made: readonly Shown[],
  { target, staged }: { readonly target: Target; readonly staged: number | null },
): string {
  const what = counted(made.length, 'change');
  const at = revision === null ? '' : ` (revision ${revision})`;
  if (made.every(({ kind }) => kind === 'test'))
    return `Pushed ${what} of tests${at}. Tests are never staged${staged === 0 ? ': there is nothing to promote' : ''}.${promotable(staged)}`;
  return `Pushed ${what} to ${target}${at}.${target === 'next' ? ' `savepoint promote` makes it live.' : ''}`;
}

/** What a promotion would make live besides. */
function promotable(staged: number | null): string {
  if (staged === null || staged === 0) return '';
  return ` ${counted(staged, 'change')} ${staged === 1 ? 'is' : 'are'} staged: \`savepoint promote\` makes ${staged === 1 ? 'it' : 'them'} live.`;
}

function conflict({ publishes, changes }: Extract<Pushed, { reason: 'conflict' }>): string {
  const ways = '`savepoint diff` shows what differs, `savepoint pull` takes theirs, `savepoint push --force` overwrites.';
  if (publishes.length > 0)
    return `${shownPublishes(publishes)}\n\nNothing was pushed: this was published since you last pulled or pushed. ${ways}`;
  const differ = changes.filter(({ action }) => action !== 'add');
  return `${shownChanges(differ)}\n\nNothing was pushed: the project holds this, and this folder was never pulled from it or pushed to it. ${ways}`;
}
