import type { Command } from 'commander';
import type { Looks } from '../contract/answers.ts';
import { listOf, members, optional, text, wholeNumber } from '../folder/answer-shape.ts';
import { checkedBody } from '../folder/remote.ts';
import { printResult, table } from './context.ts';
import { withLimit } from './limit-option.ts';
import { pathOf } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';

interface AccessOptions extends RemoteOptions {
  readonly player?: string;
  readonly person?: string;
  readonly from?: string;
  readonly to?: string;
  readonly before?: string;
  readonly limit: number;
}

const PAGE = members({
  looks: listOf(members({ at: text, person: text, player: optional(text), page: text })),
  before: optional(wholeNumber),
});

/** `savepoint access`: which person looked at the data of which player. */
export function accessCommand(): Command {
  const made = remoteCommand('access', 'list which person was shown the data of which player, newest first');
  return withLimit(made, 'how many', { to: 200, preset: 50 })
    .option('--player <id>', 'whose data it was')
    .option('--person <id>', 'who looked, by the id that this list shows')
    .option('--from <time>', 'not before: an ISO time with its zone, or a date')
    .option('--to <time>', 'not after')
    .option('--before <revision>', 'those before this revision, which the page before names')
    .addHelpText(
      'after',
      '\nThe key needs `access`.\n\nExamples:\n  savepoint access --player 42\n  savepoint access --from 2026-03-01 --to 2026-03-08 --json',
    )
    .action(async (options: AccessOptions) => {
      const remote = remoteOf(options);
      const { player, person, from, to, before, limit } = options;
      const query = { player, person, from, to, before, limit };
      const answer = await remote.request('GET', pathOf(remote, 'manage', 'access'), { query, again: 'read' });
      const page = checkedBody<Looks>(answer, PAGE);
      printResult(options, page, () => pageText(page));
    });
}

/** Whose data it was, where no one player is named. */
function manyText(players: number | undefined): string {
  return players === undefined ? '(none named)' : `(${players} players)`;
}

function pageText({ looks, before }: Looks): string {
  const more = before === null ? [] : [`More: --before ${before}`];
  if (looks.length === 0) return [before === null ? 'Nobody looked.' : 'Nobody so far.', ...more].join(' ');
  const rows = looks.map(({ at, name, person, player, players, page, reason }) => [
    at,
    name === undefined ? person : `${visible(name)} (${person})`,
    player === undefined ? manyText(players) : visible(player),
    page,
    reason === undefined ? '' : visible(reason),
  ]);
  return [table(['AT', 'PERSON', 'PLAYER', 'PAGE', 'REVEALED BECAUSE'], rows), ...more].join('\n');
}
