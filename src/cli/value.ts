import { Command } from 'commander';
import { type CompareOptions, compareSub, type HistoryOptions, historySub, printComparison, printHistory } from './changes.ts';
import { noneThere, saidOf } from './definition.ts';
import { pathOf } from './remote/requests.ts';

/** `savepoint value`: what happened to a game value. */
export function valueCommand(): Command {
  return new Command('value').description('see what game values were, and who changed them').addCommand(history()).addCommand(compare());
}

interface OfCollection {
  readonly collection?: string;
}

const ofValue = (made: Command) =>
  made
    .argument('<value>', 'id of a group or table of game values')
    .option('--collection <collection>', 'the collection that holds it (default: whichever does, else the document of game values)');

function history(): Command {
  return historySub('list what changed a group or table of game values, newest first: who, when, why, which field', ofValue)
    .addHelpText('after', '\nExamples:\n  savepoint value history shop\n  savepoint value history shop --target next --json')
    .action((value: string, { collection, ...options }: HistoryOptions & OfCollection) =>
      printHistory(options, (remote) => pathOf(remote, 'manage', 'game-values', value, 'history'), saidOf, { query: { collection } }),
    );
}

function compare(): Command {
  return compareSub('show what differs in a group or table of game values between two moments', ofValue)
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint value compare shop --from 2026-03-01T12:00Z\n  savepoint value compare shop --from 1200 --to 1300',
    )
    .action((value: string, { collection, ...options }: CompareOptions & OfCollection) =>
      printComparison(options, (remote) => pathOf(remote, 'manage', 'game-values', value, 'compare'), noneThere, { query: { collection } }),
    );
}
