import { type Command, Option } from 'commander';
import type { Ledger } from '../contract/answers.ts';
import { RemoteRefusal } from '../folder/refusal.ts';
import type { Target } from '../folder/remote.ts';
import { refusal } from '../kernel/errors.ts';
import { stringifyJson } from '../kernel/json.ts';
import { print, table } from './context.ts';
import { noteUnknownField } from './remote/fields.ts';
import { namesOf, unknownName } from './remote/names.ts';
import { pathOf, TARGETS } from './remote/requests.ts';
import { visible } from './remote/words.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';

interface LedgerOptions extends RemoteOptions {
  readonly player?: string;
  readonly key?: string;
  readonly field?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly target: Target;
}

/** `savepoint ledger`: every change of the numbers that are followed. */
export function ledgerCommand(): Command {
  return remoteCommand('ledger', "show the changes of a document's followed numbers, oldest first, and their sums")
    .argument('<collection>')
    .option('--player <id>', 'whose document')
    .option('--key <key>', 'the document, where its key is no player')
    .option('--field <path>', 'one field only')
    .option('--from <time>', 'from this time on: ISO text or unix ms')
    .option('--to <time>', 'before this time')
    .option('--limit <n>', 'entries of a page, from 1 to 500', '100')
    .option('--cursor <cursor>', 'the page after another one')
    .addOption(new Option('--target <target>', 'the data').choices(TARGETS).default('live'))
    .addHelpText('after', '\nExample:\n  savepoint ledger players --player 42 --field gold --from 2026-03-01')
    .action(async (collection: string, options: LedgerOptions) => {
      const key = options.key ?? options.player;
      if (key === undefined) throw refusal('VALIDATION_FAILED', 'Whose? --player names the player, or --key the document');
      const remote = remoteOf(options);
      const { field, from, to, limit, cursor, target } = options;
      const path = pathOf(remote, 'storage', collection, key, 'ledger');
      const query = { field, from, to, limit, cursor };
      const { body } = await remote.request('GET', path, { query, target }).catch(async (error: unknown) => {
        const isMissing = error instanceof RemoteRefusal && error.code === 'NOT_FOUND';
        if (isMissing && !(await namesOf(remote, 'collection', target)).includes(collection))
          throw await unknownName(remote, 'collection', collection, target);
        throw error;
      });
      const ledger = body as unknown as Ledger;
      print(options.json ? stringifyJson(body ?? null) : ledgerText(ledger));
      if (field !== undefined && ledger.entries.length === 0) await noteUnknownField(remote, collection, target, field);
    });
}

function ledgerText({ entries, summary, cursor }: Ledger): string {
  if (entries.length === 0) return 'Nothing was changed.';
  const rows = entries.map(({ ts, field, delta, after, source, reason }) => {
    const amount = stringifyJson(delta);
    return [ts, field, amount.startsWith('-') ? amount : `+${amount}`, stringifyJson(after), source, reason ?? ''].map(visible);
  });
  const { totalIncrease, totalDecrease, netChange, entryCount, truncated } = summary;
  const sums = `${entryCount === 1 ? '1 entry' : `${entryCount} entries`}: +${stringifyJson(totalIncrease)}, ${stringifyJson(totalDecrease)}, net ${stringifyJson(netChange)}`;
  const notes = [...(truncated ? ['(sums of the first 50 000 entries)'] : []), ...(cursor === null ? [] : [`More: --cursor ${cursor}`])];
  return [table(['TIME', 'FIELD', 'CHANGE', 'AFTER', 'SOURCE', 'REASON'], rows), sums, ...notes].join('\n');
}
