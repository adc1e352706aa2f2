import type { Command } from 'commander';
import type { Finding } from '../folder/findings.ts';
import { FolderProblem } from '../folder/problem.ts';
import { findProject, PROJECT_FILE } from '../folder/project-file.ts';
import { checkFolder } from '../folder/push.ts';
import { type Folder, readFolder } from '../folder/sources.ts';
import { counted } from '../kernel/counted.ts';
import { endProgress, printNote, printResult, progress } from './context.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';
import { shownFindings, summaryOf } from './show.ts';

interface CheckOptions extends RemoteOptions {
  readonly live?: boolean;
  readonly prune?: boolean;
  readonly offline?: boolean;
}

/** `savepoint check`: reports everything that a push would report, and pushes nothing. */
export function checkCommand(): Command {
  return remoteCommand(
    'check',
    'report what a push would report, with file, line and column; writes nothing. Exit code 1: there are findings',
  )
    .option('--live', 'for a push that is live at once')
    .option('--prune', 'for a push that removes what the folder does not hold')
    .option('--offline', 'without a server, as if the project were empty')
    .action(async (options: CheckOptions) => {
      const folder = readFolder(options.offline ? dirOf(options) : remoteOf(options).server.dir);
      if (folder.sources.length === 0) {
        // Otherwise a pipeline in the wrong folder would pass.
        if (findProject(folder.dir) === null)
          throw new FolderProblem(
            'NO_FOLDER',
            `There is no ${PROJECT_FILE} in ${folder.dir} or above it, and there are no definitions in it.`,
          );
        printNote(`Note: ${folder.dir} holds no definitions.`);
      }
      for (const { path, hint } of folder.unrecognized) printNote(`Note: ${path} is not pushed. ${hint}`);
      progress(`checking ${counted(folder.sources.length, 'definition')}`);
      const findings = await found(folder, options).finally(endProgress);
      if (findings.length > 0) process.exitCode = 1;
      printResult(options, { ok: findings.length === 0, definitions: folder.sources.length, findings }, () =>
        findings.length === 0
          ? `${counted(folder.sources.length, 'definition')}, no findings.`
          : `${shownFindings(findings)}\n\n${summaryOf(findings)}.`,
      );
    })
    .addHelpText('after', '\nExamples:\n  savepoint check\n  savepoint check --offline --json');
}

async function found(folder: Folder, options: CheckOptions): Promise<readonly Finding[]> {
  if (options.offline) return (await import('../folder/offline.ts')).checkOffline(folder);
  return checkFolder(remoteOf(options), folder, { target: options.live ? 'live' : 'next', prune: options.prune ?? false });
}

function dirOf({ dir = process.cwd() }: CheckOptions): string {
  return findProject(dir)?.dir ?? dir;
}
