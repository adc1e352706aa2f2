import { Command, Option } from 'commander';
import type { QueryResult } from '../contract/answers.ts';
import { listOf, members, optional, something, text } from '../folder/answer-shape.ts';
import { checkedBody, type Target } from '../folder/remote.ts';
import { isObject, type Json, stringifyJson } from '../kernel/json.ts';
import { getPath } from '../kernel/path.ts';
import { printNote, printResult, table } from './context.ts';
import { withLimit } from './limit-option.ts';
import { pathOf, TARGETS } from './remote/requests.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { WrongUsage } from './wrong-usage.ts';

type Leaderboard = Extract<QueryResult, { readonly type: 'leaderboard' }>;

/** `savepoint board`: the leaderboards of a game. */
export function boardCommand(): Command {
  return new Command('board')
    .description('leaderboards: list them, read one page by page or around a player')
    .addCommand(list())
    .addCommand(show());
}

interface ListOptions extends RemoteOptions {
  readonly target: Target;
}

const QUERIES = members({ data: listOf(members({ id: text })) });

interface QueryListed {
  readonly id: string;
  readonly name?: string;
  readonly type?: string;
}

function list(): Command {
  return remoteCommand('list', 'list the leaderboards that are defined')
    .addOption(new Option('--target <target>', 'the definitions').choices(TARGETS).default('live'))
    .addHelpText('after', '\nExample:\n  savepoint board list')
    .action(async (options: ListOptions) => {
      const remote = remoteOf(options);
      const { target } = options;
      const answer = await remote.request('GET', pathOf(remote, 'manage', 'queries'), { target });
      const { data } = checkedBody<{ readonly data: readonly QueryListed[] }>(answer, QUERIES);
      const boards = data.filter(({ type = 'leaderboard' }) => type === 'leaderboard').map(({ id, name = id }) => ({ id, name }));
      printResult(options, boards, () =>
        boards.length === 0
          ? 'No leaderboard is defined: a query of the type leaderboard is one.'
          : table(
              ['BOARD', 'NAME'],
              boards.map(({ id, name }) => [id, name]),
            ),
      );
    });
}

interface ShowOptions extends RemoteOptions {
  readonly target: Target;
  readonly around?: string;
  readonly offset?: string;
  readonly limit: number;
}

const BOARD = members({
  type: text,
  entries: optional(listOf(members({ rank: something, key: text, value: something }))),
});

function show(): Command {
  const made = remoteCommand('show', 'show rows of a leaderboard, the first of them first, or those around a player');
  return withLimit(revealing(made), 'rows of a page; with --around, on each side', { to: 200, preset: 20 })
    .argument('<board>', 'as `savepoint board list` names it')
    .option('--offset <rows>', 'rows before the first')
    .option('--around <key>', 'the row of this player, or of this key, and its neighbours')
    .addOption(new Option('--target <target>', 'the data').choices(TARGETS).default('live'))
    .addHelpText(
      'after',
      '\nOf equal values the one that was reached first stands first.\n\nExamples:' +
        '\n  savepoint board show richest --limit 10\n  savepoint board show richest --around 76561198000000001 --limit 3',
    )
    .action(async (board: string, options: ShowOptions) => {
      if (options.around !== undefined && options.offset !== undefined) throw new WrongUsage('Choose one of --around and --offset');
      const remote = remoteOf(options);
      const { around, offset, limit, target } = options;
      const query = around === undefined ? { limit, offset } : { platformId: around, around: limit };
      const answer = await remote.request('GET', pathOf(remote, 'queries', board), { query, target });
      const result = checkedBody<QueryResult>(answer, BOARD);
      if (result.type !== 'leaderboard') throw new WrongUsage(`${board} is no leaderboard, but a query of the type ${result.type}`);
      printResult(options, result, () => tableOf(result, around));
      if (options.json || around === undefined) return;
      const [source, another] = result.performance.sources;
      if (source !== undefined && another === undefined && result.entries.length > 0)
        printNote(`What set a value: savepoint doc history ${source.collectionId} ${around}`);
    });
}

function tableOf({ entries, columns, total }: Leaderboard, around: string | undefined): string {
  if (entries.length === 0) return around === undefined ? 'No rows.' : `${around} has no row on this board.`;
  const shown = columns.flatMap(({ key: path, label = path }) => (path === undefined || label === undefined ? [] : [{ path, label }]));
  const rows = entries.map(({ rank, key, value, data, outputValues }) => [
    ...[String(rank), key, cellOf(value)],
    ...shown.map(({ path }) => cellOf(outputValues[path] ?? (isObject(data) ? getPath(data, path) : undefined))),
  ]);
  return `${table(['RANK', 'KEY', 'VALUE', ...shown.map(({ label }) => label.toUpperCase())], rows)}\n${total} rows in all`;
}

function cellOf(value: Json | undefined): string {
  return value === undefined || value === null ? '-' : typeof value === 'string' ? value : stringifyJson(value);
}
