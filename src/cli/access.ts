import { type Command, Option } from 'commander';
import type { Looks } from '../contract/answers.ts';
import { LOOKED_OF } from '../contract/routes/looks.ts';
import { listOf, members, optional, text, wholeNumber } from '../folder/answer-shape.ts';
import { checkedBody } from '../folder/remote.ts';
import { counted } from '../kernel/counted.ts';
import { printResult, table } from './context.ts';
import { withLimit } from './limit-option.ts';
import { pathOf } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';

interface AccessOptions extends RemoteOptions {
  readonly player?: string;
  readonly of?: string;
  readonly person?: string;
  readonly from?: string;
  readonly to?: string;
  readonly before?: string;
  readonly limit: number;
}

type Look = Looks['looks'][number];

const PAGE = members({
  looks: listOf(members({ at: text, person: text, player: optional(text), page: text })),
  before: optional(wholeNumber),
});

/** `savepoint access`: which person looked at the data of which player. */
export function accessCommand(): Command {
  const made = remoteCommand('access', 'list which person was shown the data of which player, newest first, and how often');
  return withLimit(made, 'how many', { to: 200, preset: 50 })
    .option('--player <id>', 'whose data it was')
    .addOption(
      new Option('--of <whose>', 'only looks that name a player, or only those at lists and files, which name none').choices(LOOKED_OF),
    )
    .option('--person <id>', 'who looked, by the id that this list shows')
    .option('--from <time>', 'not before: an ISO time with its zone, or a date')
    .option('--to <time>', 'not after')
    .option('--before <revision>', 'those before this revision, which the page before names')
    .addHelpText(
      'after',
      '\nThe key needs `access`. Looks of one person at one player by one page within a minute are one.\n\nExamples:\n  savepoint access --player 42\n  savepoint access --from 2026-03-01 --to 2026-03-08 --json',
    )
    .action(async (options: AccessOptions) => {
      const remote = remoteOf(options);
      const { player, of, person, from, to, before, limit } = options;
      const query = { player, of, person, from, to, before, limit };
      const answer = await remote.request('GET', pathOf(remote, 'manage', 'access'), { query, again: 'read' });
      const page = checkedBody<Looks>(answer, PAGE);
      printResult(options, page, () => pageText(page));
    });
}

/** Whose data it was; of a list of many nobody is named. */
function whoseText({ player, players }: Pick<Look, 'player' | 'players'>): string {
  if (player !== undefined) return visible(player);
  return players === undefined ? 'nobody by name' : `a list of ${counted(players, 'player')}`;
}

function personText({ person, name }: Pick<Look, 'person' | 'name'>): string {
  return name === undefined ? person : `${visible(name)} (${person})`;
}

/** What was seen: the name of a route as words. */
function seenText(page: string): string {
  return page.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Who looked at whom, and how often: the most first. */
function countedText(looks: readonly Look[]): readonly string[] {
  const counts = new Map<string, { readonly look: Look; times: number; revealed: number }>();
  for (const look of looks) {
    const key = JSON.stringify([look.person, look.player ?? null]);
    const known = counts.get(key) ?? { look, times: 0, revealed: 0 };
    counts.set(key, { look, times: known.times + 1, revealed: known.revealed + (look.reason === undefined ? 0 : 1) });
  }
  const rows = [...counts].sort(([, a], [, b]) => b.times - a.times);
  return rows.map(([, { look, times, revealed }]) => {
    const whose = look.player === undefined ? 'at lists, or at nobody by name' : `at ${visible(look.player)}`;
    const shown = revealed === 0 ? '' : `, ${revealed === times ? 'each time' : counted(revealed, 'time')} with personal values`;
    return `${personText(look)} looked ${whose}: ${counted(times, 'time')}${shown}`;
  });
}

function pageText({ looks, before }: Looks): string {
  const more = before === null ? [] : [`More: --before ${before}`];
  if (looks.length === 0) return [before === null ? 'Nobody looked.' : 'Nobody so far.', ...more].join(' ');
  const rows = looks.map((look) => [
    look.at,
    personText(look),
    whoseText(look),
    seenText(look.page),
    look.reason === undefined ? '' : visible(look.reason),
  ]);
  const listed = table(['AT', 'PERSON', 'PLAYER', 'SAW', 'PERSONAL VALUES BECAUSE'], rows);
  return [listed, '', 'Of these:', ...countedText(looks), ...more].join('\n');
}
