import type { Command } from 'commander';
import { type CorrectionOptions, correct, revisionOf, withCorrection } from './remote/corrections.ts';
import { remoteCommand, revealing } from './remote.ts';

/** `savepoint undo`: takes back what one commit did to documents and save records. */
export function undoCommand(): Command {
  const made = remoteCommand(
    'undo',
    'take back what one commit did to documents and save records: shows it, then asks. A publish: `rollback`',
  );
  return withCorrection(revealing(made), 'reverse')
    .argument('<revision>', 'any revision of the commit', revisionOf)
    .addHelpText(
      'after',
      '\nNumbers with a ledger, and those changed by `inc`, go back by the opposite amount, whatever happened since; items go back into lists and out' +
        '\nof them; everything else goes back if nobody changed it since.' +
        '\n\nExamples:\n  savepoint undo 4182 --reason "granted twice" --dry-run\n  savepoint undo 4182 --reason "granted twice" --ticket T-77 --yes',
    )
    .action(async (revision: number, options: CorrectionOptions) => {
      await correct(
        options,
        ['undo'],
        { revision },
        { question: 'Undo it?', undone: (made) => `Undone by the commit at revision ${made}.` },
      );
    });
}
