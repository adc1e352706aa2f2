import { type Command, Option } from 'commander';
import type { Timeline } from '../contract/answers.ts';
import { playerPage } from '../contract/routes/player-page.ts';
import { folded, goingOn } from '../contract/told-as-one.ts';
import { listOf, members, optional, text } from '../folder/answer-shape.ts';
import { checkedBody } from '../folder/remote.ts';
import { stringifyJson } from '../kernel/json.ts';
import { COMMIT, commitSaid } from './commit-said.ts';
import { print, table } from './context.ts';
import { withLimit } from './limit-option.ts';
import { pathOf } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';

interface TimelineOptions extends RemoteOptions {
  readonly what: string;
  readonly endpoint?: string;
  readonly field?: string;
  readonly from?: string;
  readonly to?: string;
  readonly before?: string;
  readonly limit: number;
}

const TIMELINE = members({
  items: listOf(
    members({
      at: text,
      commit: optional(COMMIT),
      call: optional(members({ method: text, path: text, requestId: text })),
      report: optional(members({ type: text, label: text })),
    }),
  ),
  leftOut: listOf(members({ source: text, why: text })),
});

/** `savepoint player timeline`: what happened to a player, as one list. */
export function playerTimeline(): Command {
  const made = remoteCommand('timeline', 'list what happened to one player, newest first: commits, refused requests, reports of the game');
  return withLimit(revealing(made), 'how many', { to: 200, preset: 50 })
    .argument('<player>', 'id of the player, as `player find` lists it')
    .addOption(new Option('--what <kind>', 'only this').choices(playerPage.timeline.query.what.unwrap().options).default('everything'))
    .option('--endpoint <slug>', 'only of this endpoint')
    .option('--field <path>', 'only what changed this field of a document of the player, such as axe or stats.level')
    .option('--from <moment>', 'not before this revision, or this time with its zone, such as 2026-03-01T12:00Z')
    .option('--to <moment>', 'not after it')
    .option('--before <place>', 'the next page: what the page before ends with')
    .addHelpText(
      'after',
      '\nThe key needs `history`, and `players` for requests and reports, `collections` for --field.\n\nExamples:\n  savepoint player timeline 42' +
        '\n  savepoint player timeline 42 --what refused --from 2026-03-06T18:00Z' +
        '\n  savepoint player timeline 42 --field axe',
    )
    .action(async (player: string, options: TimelineOptions) => {
      const remote = remoteOf(options);
      const { what, endpoint, field, from, to, before, limit } = options;
      const path = pathOf(remote, 'manage', 'players', player, 'timeline');
      const answer = await remote.request('GET', path, { query: { what, endpoint, field, from, to, before, limit } });
      const page = checkedBody<Timeline>(answer, TIMELINE);
      print(options.json ? stringifyJson(answer.body ?? null) : pageText(page));
    });
}

function pageText({ items, before, reached, leftOut }: Timeline): string {
  const open = before === null ? null : goingOn(items);
  const rows = folded(items).map((group) => [group[0].at, ...saidOf(group, open?.has(group[0]) ?? false)]);
  return [
    rows.length === 0 && before === null ? 'Nothing like that happened, as far as it is kept.' : table(['AT', 'WHAT', 'BY', 'ID'], rows),
    ...leftOut.map(({ source, why }) => `Not shown: ${source}. ${visible(why)}`),
    ...(before === null ? [] : [`Everything since ${reached} is told. Older: --before ${visible(before)}`]),
  ].join('\n');
}

type Item = Timeline['items'][number];

type Said = readonly [what: string, by: string, id: string];

/** `isGoingOn`: there may be more of it on the next page. */
function saidOf([{ commit, call, report }, ...more]: readonly [Item, ...Item[]], isGoingOn: boolean): Said {
  if (commit !== undefined) return commitSaid(commit);
  if (call !== undefined) {
    const first = more.at(-1)?.at;
    const times = first === undefined ? '' : ` (${more.length + 1} times${isGoingOn ? ' or more' : ''} since ${first})`;
    return [
      visible(`${call.code ?? call.status} ${call.message ?? ''}${times}`),
      visible(`${call.method} ${call.path}`),
      visible(call.requestId),
    ];
  }
  return [visible(`${report?.type ?? ''} ${report?.label ?? ''}`), 'the game', ''];
}
