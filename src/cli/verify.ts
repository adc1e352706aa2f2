import type { Command } from 'commander';
import { counted } from '../kernel/counted.ts';
import { type CommonOptions, command, endProgress, printResult, progress, table, withInstallation } from './context.ts';
import { anchorFault, parseAnchor } from './log/anchored.ts';
import { lookedAtText, placesOf } from './log/locations.ts';

interface VerifyOptions extends CommonOptions {
  readonly anchor?: readonly string[];
  readonly wait?: boolean;
}

/**
 * `savepoint verify`: checks that the hash chain is intact, that every row follows from the log, and that no row is missing. Exit code 1
 * if a check fails.
 */
export function verifyCommand(): Command {
  return command(
    'verify',
    'check the hash chain, then every column of every read model against a fresh fold of the log',
    'savepoint verify',
    'savepoint verify --wait --anchor $(cat anchors.txt)',
  )
    .option('--anchor <text...>', 'lines that `savepoint log anchor` printed earlier: the log must still hold those events')
    .option('--wait', 'bring the read models up to the log first, whether a node runs or not')
    .action(async (options: VerifyOptions) => {
      const anchors = (options.anchor ?? []).map(parseAnchor);
      const result = await withInstallation(options, async (installation) => {
        const { log, pool } = installation;
        if (options.wait) await (await import('./log/read-models.ts')).catchUp(installation);
        const { verify } = await import('../../projections/maintenance/verify.ts');
        const found = await verify({ log, pool, onProgress: (now) => progress(`${now.phase} ${now.project}: ${now.events} events`) });
        const broken = [];
        for (const anchor of anchors) {
          const detail = await anchorFault(log, anchor);
          if (detail !== null) broken.push({ kind: 'anchor', project: anchor.of, table: null, row: String(anchor.revision), detail });
        }
        return {
          ...found,
          ok: found.ok && broken.length === 0,
          problems: [...broken, ...found.problems],
          ...placesOf(installation.config),
        };
      });
      endProgress();
      printResult(options, result, () => {
        const place = lookedAtText(result);
        const head = `${counted(result.events, 'event')} of ${counted(result.projects, 'project')} in ${result.seconds.toFixed(1)} s`;
        const lag =
          result.behind === 0
            ? ''
            : `\nThe read models are ${counted(result.behind, 'event')} behind the log: \`savepoint verify --wait\` brings them up first. Where a node runs, its log says what keeps it.`;
        if (result.ok) return `${place}\nVerified: the chain is whole and every row is what the log says (${head}).`;
        const rows = result.problems.map((one) => [one.kind, one.project ?? '', one.table ?? '', String(one.row ?? ''), one.detail]);
        return `${place}\n${counted(result.problems.length, 'problem')} (${head}):\n${table(['KIND', 'PROJECT', 'TABLE', 'ROW', 'DETAIL'], rows)}${lag}`;
      });
      if (!result.ok) process.exitCode = 1;
    });
}
