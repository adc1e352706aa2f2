import { type Command, Option } from 'commander';
import type { Commits } from '../contract/answers.ts';
import { commits } from '../contract/routes/commits.ts';
import { listOf, members, wholeNumber } from '../folder/answer-shape.ts';
import { checkedBody } from '../folder/remote.ts';
import { COMMIT, commitSaid } from './commit-said.ts';
import { printResult, table } from './context.ts';
import { withLimit } from './limit-option.ts';
import { pathOf } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';

interface ActivityOptions extends RemoteOptions {
  readonly who?: string;
  readonly player?: string;
  readonly ticket?: string;
  readonly endpoint?: string;
  readonly kind?: string;
  readonly changed?: string;
  readonly from?: string;
  readonly to?: string;
  readonly before?: string;
  readonly limit: number;
}

const PAGE = members({ commits: listOf(COMMIT), searched: wholeNumber });

/** `savepoint activity`: what happened in a project. */
export function activityCommand(): Command {
  const made = remoteCommand('activity', 'list what happened in the project, newest first: every change, who made it and why');
  return withLimit(revealing(made), 'how many', { to: 200, preset: 50 })
    .option('--who <id>', 'only what this person did, or was done with this key; `--json` tells the ids')
    .option('--player <id>', 'only what names this player')
    .option('--ticket <id>', 'only what was done for this ticket of the support desk')
    .option('--endpoint <slug>', 'only calls of this endpoint')
    .option('--kind <cause>', 'only this cause, or those that begin so up to a dot, such as document or commit.undo; several by commas')
    .addOption(new Option('--changed <what>', 'only what changed this').choices(commits.list.query.changed.options))
    .option('--from <moment>', 'not before this revision, or this time with its zone, such as 2026-03-01T12:00Z')
    .option('--to <moment>', 'not after it')
    .option('--before <revision>', 'the next page: what the page before ends with')
    .addHelpText(
      'after',
      '\nThe key needs `history`. What no index finds is looked for in a part of the log at a time; --before goes on.\n\nExamples:' +
        '\n  savepoint activity --who per_5f0c1d2e3a4b5c6d --from 2026-03-01T00:00Z' +
        '\n  savepoint activity --kind document.correct,player.restore,commit.undo' +
        '\n  savepoint activity --ticket T-77',
    )
    .action(async (options: ActivityOptions) => {
      const remote = remoteOf(options);
      const { who: key, player, ticket, endpoint, kind, changed, from, to, before, limit } = options;
      const query = { key, player, ticket, endpoint, kind, changed, from, to, before, limit };
      const answer = await remote.request('GET', pathOf(remote, 'manage', 'commits'), { query, again: 'read' });
      const page = checkedBody<Commits>(answer, PAGE);
      printResult(options, page, () => pageText(page));
    });
}

function pageText({ commits: found, searched, before }: Commits): string {
  const rows = found.map((commit) => [commit.at, ...commitSaid(commit), whySaid(commit)]);
  return [
    rows.length > 0
      ? table(['AT', 'WHAT', 'BY', 'COMMIT', 'WHY'], rows)
      : before === null
        ? 'Nothing like that happened.'
        : `Nothing like that happened from revision ${searched} on.`,
    ...(before === null ? [] : [`Older: --before ${before}`]),
  ].join('\n');
}

function whySaid({ why }: Commits['commits'][number]): string {
  return visible([why?.reason, why?.ticket].filter((part) => part !== undefined && part !== '').join(' · '));
}
