import type { Command } from 'commander';
import { hashOf } from '../../log/chain.ts';
import { lastSealed } from '../../log/foreign.ts';
import { accessStream, PEOPLE_STREAM, PROJECT_PREFIX } from '../../log/streams.ts';
import { type CommonOptions, command, printNote, printResult, withInstallation } from '../context.ts';
import { ANCHORED_STREAM } from './anchored.ts';
import { projectStreams } from './project-streams.ts';

/** `savepoint log anchor` */
export function anchorCommand(): Command {
  return command(
    'anchor',
    'print the head hash of every chained stream, to be kept elsewhere and given to `verify --anchor`',
    'savepoint log anchor >> anchors.txt',
  ).action(async (options: CommonOptions) => {
    const anchors = await withInstallation(options, async (installation) => {
      const found = [];
      const projects = await projectStreams(installation);
      const looks = projects.map((stream) => accessStream(stream.slice(PROJECT_PREFIX.length)));
      for (const stream of [...projects, ...looks, PEOPLE_STREAM]) {
        const last = await lastSealed(installation.log, stream);
        if (last) found.push({ ...namedBy(stream), revision: last.revision, hash: hashOf(last.metadata) });
      }
      return found;
    });
    if (anchors.length === 0) printNote('The log holds no projects.');
    printResult(options, anchors, () =>
      anchors
        .map((one) => `${'projectId' in one ? one.projectId : `${ANCHORED_STREAM}${one.stream}`}@${one.revision}:${one.hash}`)
        .join('\n'),
    );
  });
}

/** A project's own stream by the id of the project, any other by its name. */
function namedBy(stream: string): { readonly projectId: string } | { readonly stream: string } {
  return stream.startsWith(PROJECT_PREFIX) ? { projectId: stream.slice(PROJECT_PREFIX.length) } : { stream };
}
