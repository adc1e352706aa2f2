import { Command } from 'commander';
import type { SaveRecordComparison, SaveRecordHistory } from '../contract/answers.ts';
import { type CompareOptions, compareSub, type HistoryOptions, historySub, printComparison, printHistory } from './changes.ts';
import { pathOf } from './remote/requests.ts';

/** `savepoint save-records`: what happened to the list of a player's save records. */
export function saveRecordsCommand(): Command {
  return new Command('save-records')
    .description('see which save records a player had; what is in one is the document PLAYER_RECORD, see `doc history`')
    .addCommand(history())
    .addCommand(compare());
}

const ofPlayer = (made: Command) => made.argument('<collection>').argument('<player>', "the player's id");

function history(): Command {
  return historySub('list the save records of a player that were created, renamed and deleted, newest first', ofPlayer)
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint save-records history saves 42\n  savepoint save-records history saves 42 --at 2026-03-01T12:00Z --json',
    )
    .action((collection: string, player: string, options: HistoryOptions) => {
      const said = ({ action, recordId, publish }: SaveRecordHistory['changes'][number]) =>
        [`${action} ${recordId}`, publish === null ? '' : `, publish ${publish}`] as const;
      return printHistory(options, (remote) => pathOf(remote, 'storage', collection, player, 'records', 'history'), said, { collection });
    });
}

function compare(): Command {
  return compareSub('show how the list of save records of a player differs between two moments', ofPlayer)
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint save-records compare saves 42 --from 2026-03-01T12:00Z\n  savepoint save-records compare saves 42 --from 1200 --to 1300',
    )
    .action((collection: string, player: string, options: CompareOptions) => {
      const missing = ({ records }: SaveRecordComparison['from']) => `, ${records === 1 ? '1 record' : `${records} records`}`;
      return printComparison(options, (remote) => pathOf(remote, 'storage', collection, player, 'records', 'compare'), missing, {
        collection,
      });
    });
}
