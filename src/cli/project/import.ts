import { type Command, Option } from 'commander';
import type { Conflicts, ImportReport, ImportTarget } from '../../app/operator/transfer/plan.ts';
import { counted } from '../../kernel/counted.ts';
import { type CommonOptions, command, endProgress, printNote, printResult, table, withInstallation } from '../context.ts';
import { WrongUsage } from '../wrong-usage.ts';

interface ImportOptions extends CommonOptions {
  readonly asNew?: string | true;
  readonly into?: string;
  readonly onConflict: Conflicts;
  readonly preview?: boolean;
  readonly enableKeys?: boolean;
}

/** `savepoint project import`: reads a JSON project export into a project of this installation. */
export function importCommand(): Command {
  return command(
    'import',
    'bring the definitions, documents and save records of a JSON project export into a project',
    "savepoint project import game.json --as-new 'My game'",
    'savepoint project import game.json --into p1 --preview',
  )
    .argument('<file>')
    .addOption(new Option('--as-new [name]', 'make a project for it, with keys of its own beside those of the file').conflicts('into'))
    .option('--into <project>', 'write it into this project: its id, or its name')
    .addOption(
      new Option('--on-conflict <how>', 'with a definition that is there: replace it, leave it, or add the new one under a new id')
        .choices(['overwrite', 'skip', 'copy'])
        .default('overwrite'),
    )
    .option('--enable-keys', 'keys of the file work at once, for whoever holds them; without it they come disabled')
    .option('--preview', 'write nothing; show what is new, what is there already, and the keys of the file')
    .addHelpText('after', HELP)
    .action(async (file: string, options: ImportOptions) => {
      const target = targetOf(options);
      const { readProjectFile } = await import('./file.ts');
      const { ProjectImport } = await import('./importing.ts');
      const contents = await readProjectFile(file);
      for (const name of contents.unknown) printNote(`Not imported: tables.${name}, which this release does not know.`);
      const report = await withInstallation(
        options,
        (installation) =>
          new ProjectImport(installation, file, contents).run(target, options.onConflict, {
            preview: options.preview === true,
            enableKeys: options.enableKeys === true,
          }),
        { mayMake: 'asNew' in target && options.preview !== true },
      );
      endProgress();
      printResult(options, report, () => told(report));
      if (report.secretKey !== undefined) printNote('The secret key is shown only here.');
    });
}

const HELP = `
Documents, save records, game values and rate-limit rules of the file always replace those in the project. Everything else in the project
stays. No rule, limit or schema refuses anything. A changed number of a ledger field gets an entry with the source \`import\`. An import
that was interrupted can be run again: what it wrote is not written twice, except copies (--on-conflict copy), which are made anew each
time. With --as-new the project is disabled until all of it is there, and gets the settings of the file. Its keys come disabled:
whoever had them would reach the project. \`savepoint key enable\` enables one, --enable-keys all that worked.`;

function targetOf({ asNew, into }: ImportOptions): ImportTarget {
  if (into !== undefined) return { into };
  if (asNew === undefined) throw new WrongUsage('Say where it belongs: --as-new [NAME], or --into PROJECT');
  return { asNew: asNew === true ? null : asNew };
}

function told(report: ImportReport): string {
  const rows = report.tables.map(({ table: name, incomingCount, existingCount, conflictCount, newCount }) =>
    [name, incomingCount, existingCount, newCount, conflictCount].map(String),
  );
  const keys = report.keys.map(({ kind, label, display, enabled }) => [kind, display, label, enabled ? 'yes' : 'no']);
  const lines = rows.length === 0 ? [] : [table(['TABLE', 'IN THE FILE', 'IN THE PROJECT', 'NEW', 'CONFLICTS'], rows)];
  if (keys.length > 0) lines.push(table(['KEY', 'SHOWN AS', 'LABEL', report.written === null ? 'WOULD WORK' : 'WORKS'], keys));
  if (report.written === null) return [...lines, 'Nothing was written: this was a preview.'].join('\n');
  const { definitions, documents, saveRecords, keys: adopted, pages, unfollowed } = report.written;
  lines.push(
    `${definitions} definitions, ${documents} documents, ${saveRecords} save records, ${pages} pages and ${adopted} keys are written.`,
  );
  lines.push(...toldUnfollowed(unfollowed), `project     ${report.projectId}`);
  if (report.publicKey !== undefined) lines.push(`public key  ${report.publicKey}\nsecret key  ${report.secretKey}`);
  return lines.join('\n');
}

/** A document by document: the sum of its ledger is less than what it holds. */
function toldUnfollowed({ count, first }: NonNullable<ImportReport['written']>['unfollowed']): readonly string[] {
  if (count === 0) return [];
  const more = count > first.length ? [`  … and ${count - first.length} more`] : [];
  const named = first.map(({ collection, key, message }) => `  ${collection}/${key}: ${message}`);
  return [`Numbers that no ledger follows, in ${counted(count, 'document')}; a write that changes one is refused:`, ...named, ...more];
}
