import type { Command } from 'commander';
import type { PlayerPage } from '../contract/answers.ts';
import { listOf, members, optional, something, text } from '../folder/answer-shape.ts';
import { checkedBody } from '../folder/remote.ts';
import { stringifyJson } from '../kernel/json.ts';
import { AT_OPTION } from './at-option.ts';
import { print, table } from './context.ts';
import { withLimit } from './limit-option.ts';
import { pathOf } from './remote/requests.ts';
import { prettyJson, visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { styled } from './terminal.ts';

interface ShowOptions extends RemoteOptions {
  readonly at?: string;
  readonly limit: number;
}

const items = (shapes: Parameters<typeof members>[0]) => optional(members({ items: listOf(members(shapes)), more: optional(text) }));
const CALL = { at: text, method: text, path: text };
const PAGE = members({
  player: text,
  name: optional(members({ text })),
  profile: optional(members({ lastSeen: text })),
  documents: items({ collection: text, key: text, updatedAt: text, document: optional(members({})) }),
  balances: items({ key: text, field: text, amount: something }),
  slots: items({ recordId: text, recordName: text, updatedAt: text }),
  sessions: items({ id: text, createdAt: text, expiresAt: text }),
  guest: optional(members({ devices: listOf(members({ id: text, joinedAt: text })) })),
  windows: items({ window: text, resetsAt: text }),
  flags: items({ rule: text, at: text }),
  boards: items({ query: text }),
  calls: items(CALL),
  refusals: items(CALL),
  reports: items({ at: text, type: text, label: text }),
  leftOut: listOf(members({ part: text, why: text })),
});

/** `savepoint player show`: one player on one page. */
export function playerShow(): Command {
  return withLimit(
    revealing(remoteCommand('show', 'show one player on one page: what he has, how he comes in, what happened last')),
    'items of each list',
    {
      to: 50,
      preset: 20,
    },
  )
    .argument('<player>', 'id of the player, as `player find` lists it')
    .option(...AT_OPTION)
    .addHelpText(
      'after',
      '\nThe key needs `players`; what else it needs for a part is said where the part is left out.\n\nExamples:\n  savepoint player show 42' +
        '\n  savepoint player show 42 --at 2026-03-06T18:00Z',
    )
    .action(async (player: string, options: ShowOptions) => {
      const remote = remoteOf(options);
      const { at, limit } = options;
      const answer = await remote.request('GET', pathOf(remote, 'manage', 'players', player), { query: { at, limit } });
      const page = checkedBody<PlayerPage>(answer, PAGE);
      print(options.json ? stringifyJson(answer.body ?? null) : pageText(page));
    });
}

function pageText(page: PlayerPage): string {
  const blocks = [
    headText(page),
    accessText(page),
    ...[balancesText(page), documentsText(page), slotsText(page), sessionsText(page), windowsText(page), flagsText(page)],
    ...[boardsText(page), callsText('Last calls', page.calls), callsText('Last refusals', page.refusals), reportsText(page)],
    leftOutText(page),
  ];
  return blocks.filter((block) => block !== null).join('\n\n');
}

function headText({ player, at, name, profile }: PlayerPage): string {
  const head = styled('bold', [visible(player), ...(name == null ? [] : [visible(name.text)])].join('  '));
  if (at !== undefined) return `${head}  as of revision ${at.revision}, ${at.time}`;
  if (profile === undefined || profile === null) return head;
  const { online, lastSeen, playedSeconds, playSessions } = profile;
  const hours = (playedSeconds / 3600).toFixed(1);
  return `${head}  ${online ? 'online' : `last seen ${lastSeen}`}, played ${hours} h in ${playSessions} sessions`;
}

function accessText({ guest, accountOf }: PlayerPage): string | null {
  const lines: string[] = [];
  if (guest !== undefined && guest !== null) {
    const account = guest.account === null ? 'no account' : `account ${visible(guest.account)}`;
    lines.push(`A guest: ${account}, ${guest.hasCode ? 'a recovery code that was not used' : 'no recovery code'}`);
    lines.push(
      table(
        ['DEVICE', 'JOINED'],
        guest.devices.map(({ id, joinedAt }) => [id, joinedAt]),
      ),
    );
  }
  if (accountOf !== undefined) lines.push(`An account that leads to the guest ${visible(accountOf.guest)}`);
  return lines.length === 0 ? null : lines.join('\n');
}

interface Listed<Item> {
  readonly items: readonly Item[];
  readonly more?: string;
}

/** A list under its title; `null`: there is nothing in it. */
function listText<Item>(
  title: string,
  part: Listed<Item> | undefined,
  header: readonly string[],
  cells: (item: Item) => readonly string[],
) {
  if (part === undefined || part.items.length === 0) return null;
  return [styled('bold', title), table(header, part.items.map(cells)), ...moreLines(part)].join('\n');
}

function moreLines({ more }: Listed<unknown>): readonly string[] {
  return more === undefined ? [] : [`There are more: ${visible(more)}`];
}

function balancesText({ balances }: PlayerPage): string | null {
  return listText('Balances', balances, ['AMOUNT', 'FIELD', 'CURRENCY', 'DOCUMENT'], ({ collection, key, field, currency, amount }) => {
    return [stringifyJson(amount), field, currency ?? '', `${collection}/${key}`];
  });
}

function documentsText({ documents }: PlayerPage): string | null {
  if (documents === undefined || documents.items.length === 0) return null;
  const blocks = documents.items.map(({ collection, key, version, updatedAt, deleted, document }) => {
    const head = `${visible(`${collection}/${key}`)}  version ${version}, ${deleted === true ? 'deleted' : 'saved'} ${updatedAt}`;
    return document === undefined ? head : `${head}\n${prettyJson(document)}`;
  });
  return [styled('bold', 'Documents'), ...blocks, ...moreLines(documents)].join('\n');
}

function slotsText({ slots }: PlayerPage): string | null {
  return listText('Save records', slots, ['RECORD', 'NAME', 'COLLECTION', 'SAVED'], ({ collection, recordId, recordName, updatedAt }) => {
    return [recordId, recordName, collection, updatedAt];
  });
}

function sessionsText({ sessions }: PlayerPage): string | null {
  return listText('Sessions', sessions, ['SESSION', 'BEGAN', 'UNTIL', 'DEVICE'], ({ id, createdAt, expiresAt, revokedAt, device }) => {
    return [id, createdAt, revokedAt === null ? expiresAt : `revoked ${revokedAt}`, device ?? ''];
  });
}

function windowsText({ windows }: PlayerPage): string | null {
  return listText('Rate limits', windows, ['RULE', 'OF', 'WINDOW', 'USED', 'RESETS'], (window) => {
    const of = [window['collection'], window['endpoint'], window['field']].filter((part) => typeof part === 'string');
    return [String(window['rule']), of.join(' '), window.window, `${window.used} of ${window.limit}`, window.resetsAt];
  });
}

function flagsText({ flags }: PlayerPage): string | null {
  return listText('Flags', flags, ['AT', 'RULE', 'DOCUMENT', 'AMOUNT', 'LIMIT'], ({ at, rule, collection, key, amount, limit }) => {
    return [at, rule, `${collection}/${key}`, String(amount), String(limit)];
  });
}

function boardsText({ boards }: PlayerPage): string | null {
  return listText('Leaderboards', boards, ['BOARD', 'RANK', 'OF', 'VALUE'], ({ query, rank, total, value, building }) => {
    const known = rank === null ? (building === undefined ? 'only by a scan' : 'being filled') : String(rank);
    return [query, known, total === undefined ? '' : String(total), value === undefined ? '' : String(value)];
  });
}

function callsText(title: string, part: PlayerPage['calls']): string | null {
  return listText(title, part, ['AT', 'CALL', 'STATUS', 'CODE', 'REQUEST'], ({ at, method, path, status, code, requestId }) => {
    return [at, `${method} ${path}`, String(status), code ?? '', requestId];
  });
}

function reportsText({ reports }: PlayerPage): string | null {
  return listText('Reports of the game', reports, ['AT', 'TYPE', 'LABEL'], ({ at, type, label }) => [at, type, label]);
}

function leftOutText({ leftOut }: PlayerPage): string | null {
  return leftOut.length === 0 ? null : leftOut.map(({ part, why }) => `Not shown: ${part}. ${visible(why)}`).join('\n');
}
