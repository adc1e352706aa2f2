import type { Command } from 'commander';
import { hashOf } from '../../log/chain.ts';
import { lastSealed } from '../../log/foreign.ts';
import { PROJECT_PREFIX } from '../../log/streams.ts';
import { type CommonOptions, command, printNote, printResult, withInstallation } from '../context.ts';
import { projectStreams } from './project-streams.ts';

/** `savepoint log anchor` */
export function anchorCommand(): Command {
  return command(
    'anchor',
    'print the head hash of every project, to be kept elsewhere and given to `verify --anchor`',
    'savepoint log anchor >> anchors.txt',
  ).action(async (options: CommonOptions) => {
    const anchors = await withInstallation(options, async (installation) => {
      const found = [];
      for (const stream of await projectStreams(installation)) {
        const last = await lastSealed(installation.log, stream);
        if (last) found.push({ projectId: stream.slice(PROJECT_PREFIX.length), revision: last.revision, hash: hashOf(last.metadata) });
      }
      return found;
    });
    if (anchors.length === 0) printNote('The log holds no projects.');
    printResult(options, anchors, () => anchors.map((one) => `${one.projectId}@${one.revision}:${one.hash}`).join('\n'));
  });
}
