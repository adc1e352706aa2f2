import type { Command } from 'commander';
import type { DocumentComparison, DocumentHistory } from '../contract/answers.ts';
import { stringifyJson } from '../kernel/json.ts';
import { type CompareOptions, compareSub, type HistoryOptions, historySub, printComparison, printHistory } from './changes.ts';
import { pathOf } from './remote/requests.ts';

type Change = DocumentHistory['changes'][number];

const ofDocument = (made: Command) =>
  made.argument('<collection>').argument('<key>', "the document's key; a player's is the player's id, a save record's PLAYER_RECORD");

/** `savepoint doc history`: what happened to a document. */
export function docHistory(): Command {
  return historySub('list the changes of a document, newest first: when, who, by what, and what', ofDocument)
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint doc history players 42\n  savepoint doc history players 42 --at 2026-03-01T12:00Z --json',
    )
    .action((collection: string, key: string, options: HistoryOptions) => {
      const said = ({ action, version, publish }: Change) =>
        [`${action}, version ${version}`, publish === null ? '' : `, publish ${publish}`] as const;
      return printHistory(options, (remote) => pathOf(remote, 'storage', collection, key, 'history'), said, {
        besides: ledgerLines,
        collection,
      });
    });
}

function ledgerLines({ ledger }: Change): readonly string[] {
  return ledger.map(({ field, delta, source, reason }) => `ledger: ${field} ${stringifyJson(delta)} ${source} ${reason ?? ''}`.trimEnd());
}

/** `savepoint doc compare`: what differs between two moments. */
export function docCompare(): Command {
  return compareSub('show what differs in a document between two moments', ofDocument)
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint doc compare players 42 --from 2026-03-01T12:00Z\n  savepoint doc compare players 42 --from 1200 --to 1300',
    )
    .action((collection: string, key: string, options: CompareOptions) => {
      const missing = ({ version }: DocumentComparison['from']) => (version === null ? ', no document' : '');
      return printComparison(options, (remote) => pathOf(remote, 'storage', collection, key, 'compare'), missing, { collection });
    });
}
