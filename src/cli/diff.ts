import type { Command } from 'commander';
import { changesOf } from '../folder/changes.ts';
import { heldBy } from '../folder/held.ts';
import type { Target } from '../folder/remote.ts';
import { readFolder } from '../folder/sources.ts';
import { counted, endProgress, printResult, progress } from './context.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { type Shown, shownChanges } from './show.ts';

interface DiffOptions extends RemoteOptions {
  readonly live?: boolean;
  readonly staged?: boolean;
  readonly exitCode?: boolean;
}

/** `savepoint diff`: the folder, what is staged and what is live, against each other. */
export function diffCommand(): Command {
  return remoteCommand('diff', 'show field by field what a push of the folder would change')
    .option('--live', 'against what is live, instead of what is staged over it')
    .option('--staged', 'what is staged against what is live: what a promotion would change')
    .option('--exit-code', 'exit with 1 if there is a difference')
    .action(async (options: DiffOptions) => {
      const remote = remoteOf(options);
      progress(`reading ${remote.place.project} on ${remote.place.address}`);
      const target: Target = options.live ? 'live' : 'next';
      const read = async (): Promise<readonly Shown[]> => {
        if (options.staged) return (await remote.diff()).changes;
        return changesOf(readFolder(remote.place.dir), (await heldBy(remote, target)).definitions);
      };
      const changes = await read().finally(endProgress);
      const [from, to] = options.staged ? ['live', 'next'] : [target, 'the folder'];
      if (options.exitCode && changes.length > 0) process.exitCode = 1;
      printResult(options, { ok: true, from, to: options.staged ? 'next' : 'folder', changes }, () =>
        changes.length === 0
          ? `No difference: ${to} is what ${from} is.`
          : `${shownChanges(changes)}\n${counted(changes.length, 'difference')} from ${from} to ${to}.`,
      );
    })
    .addHelpText('after', '\nExamples:\n  savepoint diff\n  savepoint diff --live\n  savepoint diff --staged --exit-code');
}
