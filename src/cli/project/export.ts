import type { Command } from 'commander';
import { counted } from '../../kernel/counted.ts';
import { refusal } from '../../kernel/errors.ts';
import { type CommonOptions, command, endProgress, printNote, printResult, progress, withInstallation } from '../context.ts';
import { openWhole } from '../whole-file.ts';

interface ExportOptions extends CommonOptions {
  readonly out: string;
  readonly force?: boolean;
}

/** `savepoint project export`: writes the data and definitions of a project into one JSON file. */
export function exportCommand(): Command {
  return command(
    'export',
    'write the live definitions, keys, pages, documents and save records of a project into one JSON file',
    'savepoint project export p1 --out game.json',
  )
    .argument('<project>', 'its id, or its name')
    .requiredOption('--out <file>', 'the file to be made, readable by its owner alone')
    .option('--force', 'replace the file if it is there')
    .addHelpText('after', HELP)
    .action(async (named: string, options: ExportOptions) => {
      const exported = await withInstallation(options, async ({ pool, log, operator, waitUntilProjected }) => {
        const { findProject } = await import('./name.ts');
        const projectId = await findProject(pool, named);
        await operator.show(projectId);
        const { projectStream } = await import('../../log/streams.ts');
        const head = await log.head(projectStream(projectId));
        if (!(await waitUntilProjected(projectId, head?.revision ?? -1)))
          throw refusal('STORAGE_UNAVAILABLE', 'The read models do not come up to the log: see savepoint doctor');
        return openWhole(options, async (file) => {
          const { exportProject } = await import('../../../projections/readers/project-export.ts');
          const sink = { write: (text: string) => file.writeFile(text), progress: (rows: number) => progress(`${rows} rows`) };
          const done = await exportProject(pool, projectId, Date.now(), sink);
          if (done === null) throw refusal('NOT_FOUND', `No project ${projectId}`);
          return done;
        });
      });
      endProgress();
      for (const [collection, documents] of Object.entries(exported.leftOut))
        printNote(`Note: not in it: ${counted(documents, 'document')} of ${collection}, a collection that has no definition any more.`);
      printResult(options, { ...exported, file: options.out }, () => {
        const counts = Object.entries(exported.counts).filter(([, count]) => count > 0);
        return `Project ${exported.projectId} is in ${options.out}: ${counts.map(([table, count]) => `${count} ${table}`).join(', ')}.`;
      });
    });
}

const HELP = `
Keys are in it as the server keeps them: public ones whole, of secret ones the hash. The ledger, telemetry, what is staged and all
history are not: \`savepoint log copy\` moves everything there is.`;
