import type { Command } from 'commander';
import type { LoggedRequest } from '../contract/answers.ts';
import { RemoteRefusal } from '../folder/refusal.ts';
import { counted, JSON_LINES, print, printNote, withJsonHelp } from './context.ts';
import { withLimit } from './limit-option.ts';
import { followLogs, type LogFilter, lastLogs } from './remote/logs.ts';
import { requestLine } from './remote/request-line.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';

interface LogsOptions extends RemoteOptions {
  readonly follow?: boolean;
  readonly limit: number;
  readonly errors?: boolean;
  readonly slug?: string;
  readonly player?: string;
}

/** `savepoint logs`: the call log of a project, from the node that serves it. */
export function logsCommand(): Command {
  const made = withJsonHelp(remoteCommand('logs', "show the project's endpoint calls and refused requests; --follow goes on"), JSON_LINES);
  return withLimit(made, 'how many to begin with, of those that a node keeps', { from: 0, to: 100, preset: 50 })
    .option('-f, --follow', 'go on with what happens until interrupted')
    .option('--errors', 'only what was refused or failed')
    .option('--slug <slug>', 'calls of one endpoint only')
    .option('--player <id>', 'of one player only')
    .addHelpText('after', '\nExample:\n  savepoint logs --follow --errors --slug buy')
    .action(async (options: LogsOptions) => {
      const remote = remoteOf(options);
      const { slug, player, errors } = options;
      const filter: LogFilter = { slug, player, errors: errors === true, lines: options.limit };
      const show = (request: LoggedRequest) => print(options.json ? JSON.stringify(request) : requestLine(request));
      if (!options.follow) {
        const requests = await lastLogs(remote, filter);
        for (const request of requests) show(request);
        if (requests.length === 0 && !options.json) print(nothing(filter));
        return;
      }
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
      await followLogs(remote, filter, stop.signal, {
        request: show,
        gap: (missed) => printNote(missed === null ? '… some are missing here' : `… ${counted(missed, 'request')} left out here`),
        broken: (why) => printNote(`the server cannot be followed (${why}); trying again`),
        refused(code, message) {
          throw new RemoteRefusal(403, code, message, {}, {});
        },
      });
    });
}

function nothing({ slug, player, errors }: LogFilter): string {
  const isFiltered = slug !== undefined || player !== undefined || errors;
  return isFiltered
    ? 'Nothing of this is among the last requests that the node keeps; --follow waits for it.'
    : 'Nothing was called or refused since the node started; --follow waits for it.';
}
