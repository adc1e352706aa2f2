import { type Command, InvalidArgumentError } from 'commander';
import type { LoggedRequest } from '../contract/answers.ts';
import { RemoteRefusal } from '../folder/refusal.ts';
import { counted } from '../kernel/counted.ts';
import { JSON_LINES, print, printNote, withJsonHelp } from './context.ts';
import { withLimit } from './limit-option.ts';
import { logsSummary } from './logs-summary.ts';
import { followLogs, type LogFilter, lastLogs } from './remote/logs.ts';
import { requestLine } from './remote/request-line.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';

interface LogsOptions extends RemoteOptions {
  readonly follow?: boolean;
  readonly limit: number;
  readonly errors?: boolean;
  readonly slug?: string;
  readonly player?: string;
  readonly status?: number;
  readonly code?: string;
  readonly request?: string;
  readonly from?: string;
  readonly to?: string;
}

/** `savepoint logs`: the call log of a project. */
export function logsCommand(): Command {
  const shown = remoteCommand('logs', "show the project's endpoint calls and refused requests; --follow goes on");
  const made = withJsonHelp(revealing(shown), JSON_LINES);
  return withLimit(made, 'how many of the last ones', { from: 0, to: 10_000, preset: 50 })
    .option('-f, --follow', 'go on with what happens until interrupted')
    .option('--errors', 'only what was refused or failed')
    .option('--slug <slug>', 'calls of one endpoint only')
    .option('--player <id>', 'of one player only')
    .option('--status <status>', 'with this status only', statusOf)
    .option('--code <code>', 'with this code only, such as RATE_LIMIT')
    .option('--request <id>', 'the request with this id, as its answer or the log of the node names it')
    .option('--from <time>', 'from this time on: ISO text with a zone, a date, or unix ms')
    .option('--to <time>', 'before this time')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint logs --follow --errors --slug buy\n  savepoint logs --errors --player 42 --from 2026-03-01 --to 2026-03-02',
    )
    .action(async (options: LogsOptions) => {
      const remote = remoteOf(options);
      const { slug, player, errors, status, code, request: id, from, to } = options;
      const filter: LogFilter = { slug, player, errors: errors === true, status, code, request: id, from, to, lines: options.limit };
      const show = (request: LoggedRequest) => print(options.json ? JSON.stringify(request) : requestLine(request));
      if (!options.follow) {
        const { requests, missed, isPartial } = await lastLogs(remote, filter);
        for (const request of requests) show(request);
        if (requests.length === 0 && !options.json) print(nothing(filter));
        if (isPartial) printNote('The database does not answer: this is only what this node has served itself.');
        else if (missed !== 0)
          printNote(missed === null ? SOME_MISSING : `${counted(missed, 'request')} of this time left out: too many came at once.`);
        return;
      }
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
      await followLogs(remote, filter, stop.signal, {
        request: show,
        gap: (missed) => printNote(missed === null ? SOME_MISSING : `… ${counted(missed, 'request')} left out here`),
        broken: (why) => printNote(`the server cannot be followed (${why}); trying again`),
        refused(code, message) {
          throw new RemoteRefusal(403, code, message, {}, {});
        },
      });
    })
    .enablePositionalOptions()
    .addCommand(logsSummary());
}

const SOME_MISSING = '… some are missing here';

function nothing({ lines, errors, ...filter }: LogFilter): string {
  const isFiltered = errors || Object.values(filter).some((wanted) => wanted !== undefined);
  return isFiltered
    ? 'Nothing of this is in the call log; --follow waits for it.'
    : 'Nothing was called or refused yet, or it is no longer kept; --follow waits for it.';
}

function statusOf(text: string): number {
  if (/^[1-5]\d\d$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be from 100 to 599.');
}
