import { Option } from 'commander';
import type { EconomyDays, EconomyEntries, EconomyFlows, EconomyPlayers } from '../contract/answers.ts';
import { economy } from '../contract/routes/economy.ts';
import { listOf, members, optional, type Shape, something, text, wholeNumber } from '../folder/answer-shape.ts';
import { checkedBody, type Remote, type Target } from '../folder/remote.ts';
import { csvLine } from '../kernel/csv.ts';
import { isNumber, type Json, stringifyJson, toDouble } from '../kernel/json.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { print, table } from './context.ts';
import { economyAlarms } from './economy-alarms.ts';
import { withLimit } from './limit-option.ts';
import { pathOf, TARGETS } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { WrongUsage } from './wrong-usage.ts';

/** What rows are narrowed by. */
interface Filters {
  readonly source?: string;
  readonly endpoint?: string;
  readonly player?: string;
  readonly direction?: 'in' | 'out';
  readonly class?: (typeof CLASSES)[number];
}

interface EconomyOptions extends RemoteOptions, Filters {
  readonly field?: string;
  readonly since: string;
  readonly until?: string;
  readonly by: 'day' | 'source' | 'endpoint' | 'player' | 'entry';
  readonly alarm?: number;
  readonly cursor?: string;
  readonly csv?: boolean;
  readonly limit: number;
  readonly target: Target;
}

/** Rows as they are shown: names, then numbers. `size` is what the plot shows. */
interface Shown {
  readonly head: readonly string[];
  readonly rows: readonly { readonly cells: readonly Json[]; readonly size: number }[];
  /** The cursor of the next page; `null`: there is none. */
  readonly more: string | null;
}

const CLASSES = economy.entries.query.class.options;
/** By what each filter goes. */
const NARROWED: Readonly<Record<keyof Filters, readonly EconomyOptions['by'][]>> = {
  source: ['entry', 'player'],
  endpoint: ['entry', 'player'],
  player: ['entry'],
  direction: ['entry'],
  class: ['entry'],
};

/** `savepoint economy`: what became of the money of all players. */
export function economyCommand(): ReturnType<typeof remoteCommand> {
  const made = remoteCommand('economy', 'show what came in and went out of the currencies of a game, by day, source, endpoint or player');
  return withLimit(revealing(made), 'how many rows', { to: 200, preset: 50 })
    .option('--field <currency>', 'one currency, or the field that it is in')
    .option('--since <time>', 'from then on: days back such as 30d, or a date', '30d')
    .option('--until <date>', 'the last day, in UTC (default: today)')
    .addOption(new Option('--by <what>', 'what it is added up by').choices(['day', 'source', 'endpoint', 'player', 'entry']).default('day'))
    .option('--source <source>', 'of one source only, such as quest; with --by entry or player')
    .option('--endpoint <slug>', 'by one endpoint only; with --by entry or player')
    .option('--player <id>', 'of one player only; with --by entry')
    .addOption(new Option('--direction <direction>', 'only what came in, or only what went out; with --by entry').choices(['in', 'out']))
    .addOption(
      new Option(
        '--class <class>',
        'only what a faucet, sink, transfer or correction is made of, with how much of each; with --by entry',
      ).choices(CLASSES),
    )
    .addOption(
      new Option(
        '--alarm <revision>',
        'what the alarm counted that was raised at this revision; with --by entry and its currency as --field',
      )
        .argParser(revisionOf)
        .conflicts(['since', 'until', ...Object.keys(NARROWED)]),
    )
    .option('--cursor <cursor>', 'the cursor that the page before names')
    .option('--csv', 'print comma-separated values')
    .addOption(new Option('--target <target>', 'the data').choices(TARGETS).default('live'))
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint economy\n  savepoint economy --field gold --by source --since 7d\n  savepoint economy --field gold --by player --csv\n  savepoint economy --field gold --by entry --source quest\n  savepoint economy --field gold --by entry --class faucet --since 2026-03-01 --until 2026-03-01',
    )
    .action(async (options: EconomyOptions) => {
      if (options.csv && options.json) throw new WrongUsage('Choose one of --csv and --json');
      const remote = remoteOf(options);
      const { alarm } = options;
      const days = { from: sinceOf(options.since), to: options.until === undefined ? undefined : dayAfter(options.until) };
      const isNamed = options.field === undefined || alarm !== undefined;
      const currency = isNamed ? options.field : await currencyOf(remote, options.field, days, options.target);
      const needsCurrency = options.by === 'player' || options.by === 'entry';
      if (needsCurrency && currency === undefined)
        throw new WrongUsage(`--by ${options.by} needs --field: amounts of two currencies have no order`);
      const { by, source, endpoint, player, direction, class: of, limit, cursor } = options;
      const filters = { source, endpoint, player, direction, class: of };
      for (const [name, fitting] of Object.entries(NARROWED)) {
        if (options[name as keyof Filters] !== undefined && !fitting.includes(by))
          throw new WrongUsage(`--${name} goes with --by ${fitting.join(' or --by ')}`);
      }
      if (alarm !== undefined && by !== 'entry') throw new WrongUsage('--alarm goes with --by entry');
      const within = alarm === undefined ? days : { from: undefined, to: undefined, alarm };
      const { body, shown } = await READ[by](remote, { currency, ...within, limit, cursor, ...filters }, options.target);
      print(options.json ? stringifyJson(body) : options.csv ? csvOf(shown) : plotted(shown));
    })
    .enablePositionalOptions()
    .addCommand(economyAlarms());
}

interface Days {
  readonly from: string;
  readonly to: string | undefined;
}

type Query = { readonly [Name in keyof Filters | 'currency' | 'cursor' | 'from' | 'to']: string | undefined } & {
  readonly limit: number;
  readonly alarm?: number;
};

type Read = (remote: Remote, query: Query, target: Target) => Promise<{ readonly body: Json; readonly shown: Shown }>;

const SUMS = { entries: wholeNumber, inflow: something, outflow: something };
const PAGE = { cursor: optional(text) };
const DAYS = members({
  ...PAGE,
  days: listOf(
    members({
      ...{ ...SUMS, currency: text, day: text, closing: something, faucet: something, sink: something, transfer: something },
      top: optional(members({ share: something })),
    }),
  ),
});
const FLOWS = members({ ...PAGE, flows: listOf(members({ ...SUMS, currency: text, faucet: something, sink: something })) });
const PLAYERS = members({ ...PAGE, players: listOf(members({ ...SUMS, player: text, net: something })) });

const ENTRIES = members({
  ...PAGE,
  entries: listOf(
    members({
      ...{ at: text, player: text, collection: text, field: text, source: text, before: something, delta: something, after: something },
      ...{ revision: wholeNumber, endpoint: optional(text) },
    }),
  ),
});

const READ: Readonly<Record<EconomyOptions['by'], Read>> = {
  async day(remote, query, target) {
    const { body, read } = await ask<EconomyDays>(remote, ['economy'], { ...query }, target, DAYS);
    const rows = read.days.map(({ currency, day, entries, faucet, sink, transfer, closing, top }) => {
      return { cells: [currency, day, entries, faucet, sink, transfer, closing, top?.share ?? ''], size: doubleOf(closing) };
    });
    // A plot is read downwards in time; the answer begins with the newest.
    const head = ['CURRENCY', 'DAY', 'ENTRIES', 'FAUCET', 'SINK', 'TRANSFER', 'CLOSING', 'TOP1%'];
    return { body, shown: { head, rows: rows.reverse(), more: read.cursor } };
  },
  source: (remote, query, target) => flows(remote, query, target, 'source'),
  endpoint: (remote, query, target) => flows(remote, query, target, 'endpoint'),
  async player(remote, query, target) {
    const { body, read } = await ask<EconomyPlayers>(remote, ['economy', 'players'], { ...query }, target, PLAYERS);
    const rows = read.players.map(({ player, entries, inflow, outflow, net }) => {
      return { cells: [player, entries, inflow, outflow, net], size: doubleOf(net) };
    });
    return { body, shown: { head: ['PLAYER', 'ENTRIES', 'IN', 'OUT', 'NET'], rows, more: read.cursor } };
  },
  async entry(remote, query, target) {
    const { body, read } = await ask<EconomyEntries>(remote, ['economy', 'entries'], { ...query }, target, ENTRIES);
    // An alarm of a day is of a class, too.
    const of = query.class ?? (read.entries.some(({ part }) => part !== undefined) ? 'faucet' : undefined);
    const isOfClass = of !== undefined;
    const rows = read.entries.map(({ at, revision, player, collection, field, before, delta, after, part = delta, source, endpoint }) => {
      const parts = isOfClass ? [part] : [];
      return {
        cells: [at, revision, player, `${collection}.${field}`, before, delta, after, ...parts, source, endpoint ?? ''],
        size: isOfClass ? Math.sign(doubleOf(delta)) * doubleOf(part) : doubleOf(delta),
      };
    });
    const parts = of === undefined ? [] : [of.toUpperCase()];
    const head = ['AT', 'REVISION', 'PLAYER', 'FIELD', 'BEFORE', 'DELTA', 'AFTER', ...parts, 'SOURCE', 'ENDPOINT'];
    return { body, shown: { head, rows, more: read.cursor } };
  },
};

async function flows(remote: Remote, query: Query, target: Target, by: 'source' | 'endpoint'): ReturnType<Read> {
  const { body, read } = await ask<EconomyFlows>(remote, ['economy', 'flows'], { ...query, by }, target, FLOWS);
  const rows = read.flows.map((flow) => {
    const { currency, entries, inflow, outflow, faucet, sink } = flow;
    return { cells: [currency, flow[by] ?? '', entries, inflow, outflow, faucet, sink], size: doubleOf(faucet) - doubleOf(sink) };
  });
  const head = ['CURRENCY', by.toUpperCase(), 'ENTRIES', 'IN', 'OUT', 'FAUCET', 'SINK'];
  return { body, shown: { head, rows: rows.sort((a, b) => Math.abs(b.size) - Math.abs(a.size)), more: read.cursor } };
}

async function ask<Body>(
  remote: Remote,
  words: readonly string[],
  query: Readonly<Record<string, string | number | undefined>>,
  target: Target,
  shape: Shape,
) {
  const answer = await remote.request('GET', pathOf(remote, 'manage', ...words), { query, target });
  return { body: answer.body ?? null, read: checkedBody<Body>(answer, shape) };
}

/** A date, or days back from now. */
function sinceOf(since: string): string {
  const days = /^(\d{1,4})d$/.exec(since)?.[1];
  if (days !== undefined) {
    const first = new Date();
    first.setUTCDate(first.getUTCDate() - Number(days) + 1);
    return first.toISOString().slice(0, 10);
  }
  if (/^\d{4}-\d\d-\d\d/.test(since)) return since;
  throw new WrongUsage(`--since ${since} is neither days back, such as 30d, nor a date, such as 2026-03-01`);
}

/** The day behind a date: the server's end of days is exclusive. */
function dayAfter(date: string): string {
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) : Number.NaN;
  if (Number.isNaN(time)) throw new WrongUsage(`--until ${date} is no date, such as 2026-03-01`);
  return new Date(time + 86_400_000).toISOString().slice(0, 10);
}

function revisionOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new WrongUsage(`--alarm ${text} is no revision, such as 4711; \`savepoint economy alarms\` lists the alarms that were raised`);
}

/** The currency of this name, or that of the field with this name. Throws {@link WrongUsage} with what there is. */
async function currencyOf(remote: Remote, name: string, days: Days, target: Target): Promise<string> {
  const { read } = await ask<EconomyFlows>(remote, ['economy', 'flows'], { by: 'field', ...days, limit: 200 }, target, FLOWS);
  const currencies = [...new Set(read.flows.map(({ currency }) => currency))];
  if (currencies.includes(name)) return name;
  const [own, ...others] = new Set(read.flows.filter(({ field }) => field === name).map(({ currency }) => currency));
  if (own !== undefined && others.length === 0) return own;
  if (own !== undefined) throw new WrongUsage(`${name} is a field of several currencies: --field ${[own, ...others].join(' or ')}`);
  if (read.cursor !== null) return name;
  const known =
    currencies.length === 0 ? 'Nothing has moved since then.' : (didYouMean(name, currencies) ?? `There are ${currencies.join(', ')}.`);
  throw new WrongUsage(`Nothing moved of a currency or field '${name}' since ${days.from}. ${known}`);
}

function doubleOf(amount: Json): number {
  return isNumber(amount) ? toDouble(amount) : 0;
}

function cellOf(value: Json): string {
  return visible(typeof value === 'string' ? value : stringifyJson(value));
}

function csvOf({ head, rows }: Shown): string {
  const told = rows.map(({ cells }) => cells.map((cell) => (typeof cell === 'string' ? visible(cell) : cell)));
  return [head.map((name) => name.toLowerCase()), ...told].map((line) => csvLine(line).replace(/\r\n$/, '')).join('\n');
}

const MIN_PLOT = 10;
const NARROW = 80;

/** A table with a bar for each row, as wide as the terminal leaves. */
function plotted({ head, rows, more }: Shown): string {
  const next = more === null ? [] : [`More: --cursor '${more}'`];
  if (rows.length === 0) return more === null ? 'Nothing moved.' : ['Nothing so far.', ...next].join(' ');
  const plain = table(
    head,
    rows.map(({ cells }) => cells.map(cellOf)),
  ).split('\n');
  const width = Math.max(...plain.map((line) => line.length));
  const room = Math.max((process.stdout.columns ?? NARROW) - width - 2, MIN_PLOT);
  const most = Math.max(...rows.map(({ size }) => Math.abs(size)), Number.MIN_VALUE);
  const bars = rows.map(({ size }) => (size < 0 ? '-' : '#').repeat(Math.round((Math.abs(size) / most) * room)));
  const lines = plain.map((line, at) => `${line.padEnd(width)}  ${bars[at - 1] ?? ''}`.trimEnd());
  return [...lines, ...next].join('\n');
}
