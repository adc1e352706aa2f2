import { type Command, Option } from 'commander';
import type { Ledger } from '../contract/answers.ts';
import { flag, listOf, members, optional, something, text, wholeNumber } from '../folder/answer-shape.ts';
import { checkedBody, type Target } from '../folder/remote.ts';
import { isNumber, type Json, stringifyJson, toDouble } from '../kernel/json.ts';
import { AT_OPTION } from './at-option.ts';
import { print, table } from './context.ts';
import { withLimit } from './limit-option.ts';
import { noteUnknownField } from './remote/fields.ts';
import { inCollection } from './remote/names.ts';
import { pathOf, TARGETS } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf, revealing } from './remote.ts';
import { WrongUsage } from './wrong-usage.ts';

interface LedgerOptions extends RemoteOptions {
  readonly player?: string;
  readonly field?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
  readonly at?: string;
  readonly newest?: boolean;
  readonly cursor?: string;
  readonly target: Target;
}

/** What is shown of a ledger. */
const LEDGER = members({
  entries: listOf(
    members({
      ts: text,
      field: text,
      delta: something,
      after: something,
      source: text,
      reason: optional(text),
      actor: optional(something),
    }),
  ),
  summary: members({
    totalIncrease: something,
    totalDecrease: something,
    netChange: something,
    entryCount: wholeNumber,
    truncated: optional(flag),
    sources: optional(something),
  }),
  cursor: optional(text),
});

/** `savepoint ledger`: every change of ledger fields. */
export function ledgerCommand(): Command {
  const made = remoteCommand(
    'ledger',
    'show the changes of followed numbers of a player, or of one document, oldest first, and their sums',
  );
  return withLimit(revealing(made), 'entries of a page', { to: 500, preset: 100 })
    .argument('<collection>')
    .argument('[key]', "whose: a player's id, or a document's key")
    .option('--player <id>', 'the player, where no key is given')
    .option('--field <path>', 'one field only')
    .option('--from <time>', 'from this time on: ISO text or unix ms')
    .option('--to <time>', 'before this time')
    .option(...AT_OPTION)
    .option('--newest', 'newest first')
    .option('--cursor <cursor>', 'the cursor that the page before names')
    .addOption(new Option('--target <target>', 'the data').choices(TARGETS).default('live'))
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint ledger players 42 --field gold --from 2026-03-01\n  savepoint ledger players 42 --newest --limit 10',
    )
    .action(async (collection: string, named: string | undefined, options: LedgerOptions) => {
      const key = named ?? options.player;
      if (key === undefined) throw new WrongUsage(`whose ledger? Name a player or a document: savepoint ledger ${collection} KEY`);
      if (named !== undefined && options.player !== undefined)
        throw new WrongUsage(`'${named}' and --player ${options.player} both say whose ledger it is: give one of them`);
      const remote = remoteOf(options);
      const { field, from, to, at, limit, cursor, target, newest = false } = options;
      const path = pathOf(remote, 'storage', collection, key, 'ledger');
      const query = { field, from, to, at, limit, cursor, order: newest ? 'desc' : undefined, who: 'true' };
      const answer = await inCollection(remote, collection, target, remote.request('GET', path, { query, target }));
      const ledger = checkedBody<Ledger>(answer, LEDGER);
      print(options.json ? stringifyJson(answer.body ?? null) : ledgerText(ledger, newest));
      if (field !== undefined && ledger.entries.length === 0) await noteUnknownField(remote, collection, target, field);
    });
}

function ledgerText({ entries, summary, cursor }: Ledger, newest: boolean): string {
  if (entries.length === 0) return 'Nothing was changed.';
  const rows = entries.map(({ ts, field, delta, after, source, reason, actor }) => {
    return [ts, field, signed(delta), stringifyJson(after), source, whoOf(actor), reason ?? ''].map(visible);
  });
  const { totalIncrease, totalDecrease, netChange, entryCount, truncated, sources } = summary;
  const sums = `${entryCount === 1 ? '1 entry' : `${entryCount} entries`}: +${stringifyJson(totalIncrease)}, ${stringifyJson(totalDecrease)}, net ${stringifyJson(netChange)}`;
  const notes = [
    ...sourceLines(sources),
    ...(truncated ? ['(sums of the first 50 000 entries)'] : []),
    ...(cursor === null ? [] : [`More: ${newest ? '--newest ' : ''}--cursor ${cursor}`]),
  ];
  return [table(['TIME', 'FIELD', 'CHANGE', 'AFTER', 'SOURCE', 'WHO', 'REASON'], rows), sums, ...notes].join('\n');
}

/** The key's label, or the player of a request that came with the game's own key. */
function whoOf(actor: Ledger['entries'][number]['actor']): string {
  if (actor === undefined) return '';
  const { kind, keyId, label, player } = actor;
  return (kind === 'public' ? player && `player ${player}` : undefined) ?? label ?? keyId ?? kind;
}

/** The sums by source, the largest first; no line where all is of one. */
function sourceLines(sources: Ledger['summary']['sources'] | undefined): readonly string[] {
  const sums = Object.entries(sources ?? {}).sort(([, one], [, other]) => Math.abs(doubleOf(other.total)) - Math.abs(doubleOf(one.total)));
  if (sums.length < 2) return [];
  const rows = sums.map(([source, { count, total }]) => [source, String(count), signed(total)].map(visible));
  return ['', table(['SOURCE', 'ENTRIES', 'SUM'], rows)];
}

function doubleOf(total: Json): number {
  return isNumber(total) ? toDouble(total) : 0;
}

/** A number with its sign. */
function signed(number: Json): string {
  const text = stringifyJson(number);
  return text.startsWith('-') ? text : `+${text}`;
}
