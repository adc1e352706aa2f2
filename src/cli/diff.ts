import type { Command } from 'commander';
import { changesOf } from '../folder/changes.ts';
import { problemsIn } from '../folder/findings.ts';
import type { Target } from '../folder/remote.ts';
import { readFolder } from '../folder/sources.ts';
import { storedDefinitions } from '../folder/stored-definitions.ts';
import { counted } from '../kernel/counted.ts';
import { endProgress, printResult, progress } from './context.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { type Shown, shownChanges, shownFindings, summaryOf } from './show.ts';

interface DiffOptions extends RemoteOptions {
  readonly live?: boolean;
  readonly staged?: boolean;
  readonly exitCode?: boolean;
}

/** `savepoint diff`: compares the folder, the staged definitions and the live ones. */
export function diffCommand(): Command {
  return remoteCommand('diff', 'show field by field what a push of the folder would change')
    .option('--live', 'against what is live, instead of what is staged over it')
    .option('--staged', 'what is staged against what is live: what a promotion would change')
    .option('--exit-code', 'exit with 1 if there is a difference')
    .action(async (options: DiffOptions) => {
      const remote = remoteOf(options);
      progress(`reading ${remote.server.project} on ${remote.server.address}`);
      const target: Target = options.live ? 'live' : 'next';
      const folder = options.staged ? null : readFolder(remote.server.dir);
      const read = async (): Promise<readonly Shown[]> =>
        folder === null ? (await remote.diff()).changes : changesOf(folder, (await storedDefinitions(remote, target)).definitions);
      const changes = await read().finally(endProgress);
      // A file that cannot be read is reported as a finding: its difference is unknown.
      const findings = folder === null ? [] : problemsIn(folder);
      if (findings.length > 0) process.exitCode = 1;
      const [from, to] = options.staged ? ['live', 'next'] : [target, 'the folder'];
      if (options.exitCode && changes.length > 0) process.exitCode = 1;
      printResult(options, { ok: findings.length === 0, from, to: options.staged ? 'next' : 'folder', changes, findings }, () => {
        const told =
          changes.length === 0
            ? `No difference: ${to} is what ${from} is.`
            : `${shownChanges(changes)}\n${counted(changes.length, 'difference')} from ${from} to ${to}.`;
        return findings.length === 0
          ? told
          : `${told}\n\n${shownFindings(findings)}\n\nNot all of the folder can be read: ${summaryOf(findings)}.`;
      });
    })
    .addHelpText('after', '\nExamples:\n  savepoint diff\n  savepoint diff --live\n  savepoint diff --staged --exit-code');
}
