import type { Command } from 'commander';
import { hashOf } from '../log/chain.ts';
import type { Log } from '../log/port.ts';
import { projectStream } from '../log/streams.ts';
import { type CommonOptions, command, counted, endProgress, printResult, progress, table, withInstallation } from './context.ts';
import { lookedAtText, placesOf } from './log/locations.ts';
import { WrongUsage } from './wrong-usage.ts';

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
        for (const { projectId, revision, hash } of anchors) {
          const [event] = await log.read(projectStream(projectId), { from: revision, limit: 1, direction: 'forwards' });
          if (event && hashOf(event.metadata) === hash) continue;
          const detail = event ? 'another event stands there' : await endOf(log, projectId);
          broken.push({ kind: 'anchor', project: projectId, table: null, row: String(revision), detail });
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

/** Describes where the log ends, for an anchor beyond that. A backup that is older than its anchors is not broken. */
async function endOf(log: Log, projectId: string): Promise<string> {
  const head = await log.head(projectStream(projectId));
  const end = head === null ? 'the log has nothing of this project' : `the log ends at revision ${head.revision}`;
  return `${end}: its end was cut off, or the anchor is younger than this copy of the log`;
}

function parseAnchor(text: string): { readonly projectId: string; readonly revision: number; readonly hash: string } {
  const [, projectId, revision, hash] = /^([A-Za-z0-9_-]+)[:@](\d+):([0-9a-f]{64})$/.exec(text) ?? [];
  if (projectId === undefined || revision === undefined || hash === undefined) {
    throw new WrongUsage('An anchor looks like PROJECT@REVISION:HASH, as `savepoint log anchor` prints it');
  }
  return { projectId, revision: Number(revision), hash };
}
