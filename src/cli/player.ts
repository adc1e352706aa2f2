import { Command, InvalidArgumentError } from 'commander';
import type { GuestAccess, GuestAccessWithCode, PlayersFound } from '../contract/answers.ts';
import { listOf, members, text } from '../folder/answer-shape.ts';
import { checkedBody, type Remote } from '../folder/remote.ts';
import type { Json, JsonObject } from '../kernel/json.ts';
import { printResult, table } from './context.ts';
import { playerShow } from './player-show.ts';
import { playerTimeline } from './player-timeline.ts';
import { type CorrectionOptions, correct, withCorrection } from './remote/corrections.ts';
import { pathOf } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';

/** `savepoint player`: what support does for players, with a key that has the scope `players`. */
export function playerCommand(): Command {
  return new Command('player')
    .description('find players by name, restore what they had, let guests in again who lost their device')
    .addCommand(find())
    .addCommand(restore())
    .addCommand(playerShow())
    .addCommand(playerTimeline())
    .addCommand(issueCode())
    .addCommand(unlink())
    .addCommand(revoke());
}

interface RestoreOptions extends CorrectionOptions {
  readonly to: string;
  readonly only?: readonly string[];
  readonly keep?: readonly string[];
  readonly keepSlot?: readonly string[];
  readonly collection?: readonly string[];
  readonly lost?: boolean;
  readonly also?: readonly string[];
  readonly alsoCollection?: readonly string[];
  readonly alsoSlot?: readonly string[];
  readonly lines?: number;
}

function restore(): Command {
  const made = revealing(
    remoteCommand('restore', "restore a player's documents and save records as they were at a moment: shows it, then asks"),
  );
  return withCorrection(made, 'give')
    .argument('<player>', 'id of the player')
    .requiredOption('--to <moment>', 'a revision, or a time with its zone, such as 2026-03-01T12:00:00Z')
    .option('--only <path...>', 'only these parts of documents, as dotted paths')
    .option('--keep <path...>', 'these parts stay as they are, such as what was bought since')
    .option('--keep-slot <id...>', 'these save slots stay as they are, with their data')
    .option('--collection <id...>', 'only in these collections')
    .option('--lost', 'only what is less now than it was, or gone: what only differs, or came since, stays as it is')
    .option('--also <path...>', 'with --lost: these parts are restored, too')
    .option('--also-collection <id...>', 'with --lost: of these collections all that differs is restored')
    .option('--also-slot <id...>', 'with --lost: these save slots, which came since, go with their data')
    .option('--lines <n>', 'changes of each document that the answer lists, of what was lost first (default: all)', linesOf)
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint player restore 42 --to 2026-03-01T12:00:00Z --keep skins --reason "lost by a crash" --dry-run' +
        '\n  savepoint player restore 42 --to 2026-03-01T12:00:00Z --lost --reason "lost by a crash"' +
        '\n  savepoint player restore 42 --to 4182 --collection players --policy reverse --reason "stolen account" --yes',
    )
    .action(async (player: string, options: RestoreOptions) => {
      const { to, only = [], keep = [], keepSlot: keepSlots = [], collection: collections = [], lost, lines } = options;
      const { also, alsoCollection: alsoCollections, alsoSlot: alsoSlots } = options;
      await correct(
        options,
        ['players', player, 'restore'],
        { to, only, keep, keepSlots, collections, ...given({ lost, also, alsoCollections, alsoSlots, lines }) },
        {
          question: `Restore ${player}?`,
          undone: (revision) => `Restored by the commit at revision ${revision}.`,
        },
      );
    });
}

/** What was given: an older server knows none of it. */
function given(options: Readonly<Record<string, Json | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function linesOf(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number.');
}

interface FindOptions extends RemoteOptions {
  readonly limit: string;
}

function find(): Command {
  return revealing(remoteCommand('find', 'list players whose name begins so, whatever the letter case'))
    .argument('<name>', 'how the name begins')
    .option('--limit <n>', 'how many at most, from 1 to 200', '50')
    .addHelpText('after', '\nExample:\n  savepoint player find ada')
    .action(async (name: string, options: FindOptions) => {
      const remote = remoteOf(options);
      const query = new URLSearchParams({ name, limit: options.limit }).toString();
      const answer = await remote.request('GET', `${pathOf(remote, 'manage', 'players')}?${query}`, { again: 'read' });
      const found = checkedBody<PlayersFound>(
        answer,
        members({ players: listOf(members({ platformId: text, name: text, lastSeen: text })) }),
      );
      printResult(options, found.players, () => foundTable(found));
    });
}

function foundTable({ players, more }: PlayersFound): string {
  if (players.length === 0)
    return 'No reported name begins so. Names come from heartbeats and events of the game; an id is looked up as it is.';
  const rows = players.map(({ platformId, name, lastSeen, online }) => [platformId, visible(name), online ? 'yes' : 'no', lastSeen]);
  return `${table(['PLAYER', 'NAME', 'ONLINE', 'LAST SEEN'], rows)}${more ? '\nThere are more: give more of the name, or a larger --limit' : ''}`;
}

function guestCommand(name: string, description: string, more = ''): Command {
  return remoteCommand(name, description)
    .argument('<guest>', 'id of the guest, as `player find` lists it')
    .addHelpText('after', `\nExample:\n  savepoint player ${name} guest-e10f1675f59be31b9eefe8b2d9a3bdab${more}`);
}

function issueCode(): Command {
  return guestCommand('code', 'make a recovery code, with which a new device becomes one of the guest; the one before is void').action(
    async (guest: string, options: RemoteOptions) => {
      const remote = remoteOf(options);
      const answer = await remote.request('POST', guestPath(remote, guest, 'code'), { again: 'never' });
      const access = checkedBody<GuestAccessWithCode>(answer, members({ ...ACCESS, code: text }));
      printResult(options, access, () => `${access.code}\nWhoever has it plays as ${access.player}. It works once and is shown only here.`);
    },
  );
}

function unlink(): Command {
  return guestCommand('unlink', 'unlink the account of a guest').action(async (guest: string, options: RemoteOptions) => {
    const remote = remoteOf(options);
    const access = guestAccess(await remote.request('POST', guestPath(remote, guest, 'unlink'), { again: 'never' }));
    printResult(options, access, () => shown(access));
  });
}

function revoke(): Command {
  return guestCommand('revoke', 'shut a device of a guest out, with every session that it opened', ' c24e35bf8b56c8c8')
    .argument('<device>', 'id of the device, as `player show` lists it')
    .action(async (guest: string, device: string, options: RemoteOptions) => {
      const remote = remoteOf(options);
      const access = guestAccess(await remote.request('POST', guestPath(remote, guest, 'revoke'), { body: { device }, again: 'never' }));
      printResult(options, access, () => shown(access));
    });
}

const ACCESS = { player: text, devices: listOf(members({ id: text, joinedAt: text })) };

function guestAccess(answer: Parameters<typeof checkedBody>[0]): GuestAccess {
  return checkedBody<GuestAccess>(answer, members(ACCESS));
}

function guestPath(remote: Remote, guest: string, ...more: readonly string[]): string {
  return pathOf(remote, 'manage', 'guests', guest, ...more);
}

function shown({ player, devices, account, hasCode }: GuestAccess): string {
  const rows = devices.map(({ id, joinedAt }) => [visible(id), visible(joinedAt)]);
  const ways = [
    `account ${account === null ? 'none' : visible(account)}`,
    hasCode ? 'a recovery code that was not used' : 'no recovery code',
  ];
  return `${visible(player)}: ${ways.join(', ')}\n${table(['DEVICE', 'JOINED'], rows)}`;
}
