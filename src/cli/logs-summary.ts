import { type Command, Option } from 'commander';
import type { CallSummary } from '../contract/answers.ts';
import { anyObject, listOf, members, optional, something, text, wholeNumber } from '../folder/answer-shape.ts';
import { checkedBody, type Target } from '../folder/remote.ts';
import { counted } from '../kernel/counted.ts';
import { printNote, printResult, table } from './context.ts';
import { pathOf, TARGETS } from './remote/requests.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';

interface SummaryOptions extends RemoteOptions {
  readonly from?: string;
  readonly to?: string;
  readonly target: Target;
}

const ENDPOINT = members({ requests: wholeNumber, perMinute: something, last: text, codes: listOf(anyObject) });
const SUMMARY = members({ from: text, to: text, endpoints: listOf(ENDPOINT), more: wholeNumber, partial: optional(something) });

/** `savepoint logs summary`: calls by endpoint and outcome. */
export function logsSummary(): Command {
  return remoteCommand('summary', 'show calls by endpoint and code: how many, how often, how long they take; the most frequent first')
    .option('--from <time>', 'from this time on: ISO text with a zone, a date, or unix ms (default: an hour before --to)')
    .option('--to <time>', 'before this time (default: now)')
    .addOption(new Option('--target <target>', 'only requests to these definitions').choices(TARGETS).default('live'))
    .addHelpText('after', '\nExamples:\n  savepoint logs summary\n  savepoint logs summary --from 2026-03-01 --to 2026-03-02 --json')
    .action(async (options: SummaryOptions) => {
      const remote = remoteOf(options);
      const { from, to, target } = options;
      // The route takes the target as what it tells of, not as a header.
      const answer = await remote.request('GET', pathOf(remote, 'manage', 'logs', 'summary'), { query: { from, to, target } });
      const summary = checkedBody<CallSummary>(answer, SUMMARY);
      printResult(options, summary, () => said(summary));
      if (options.json) return;
      const { succeeded, failed } = summary.counted;
      for (const [what, kind] of [
        ['succeeded', succeeded],
        ['were refused or failed', failed],
      ] as const)
        if (kind.from !== summary.from) printNote(`Of requests that ${what}, those since ${kind.from} are counted.`);
      if (summary.partial) printNote('The database does not answer: this is only what this node has served itself.');
    });
}

function said({ from, to, endpoints, more }: CallSummary): string {
  if (endpoints.length === 0) return `Nothing was called or refused from ${from} to ${to}, or it is no longer kept.`;
  const rows = endpoints.flatMap(({ slug, route, codes }) =>
    codes.map(({ code, status, requests, perMinute, p50, p95, last }) => [
      ...[slug ?? route ?? '', code === null ? String(status) : `${status} ${code}`, String(requests), String(perMinute)],
      ...[String(p50), String(p95), last],
    ]),
  );
  const shown = table(['ENDPOINT', 'OUTCOME', 'REQUESTS', 'A MINUTE', 'HALF WITHIN MS', '95 % WITHIN MS', 'LAST'], rows);
  return more === 0 ? shown : `${shown}\nand ${counted(more, 'endpoint')} more`;
}
