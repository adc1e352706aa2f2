import type { Command } from 'commander';
import { realScheduler } from '../kernel/scheduler.ts';
import { type CommonOptions, command, printResult, table, withInstallation } from './context.ts';

/** A process that has not been seen for so long has ended, or its database does not answer, ms. */
const GONE_MS = 120_000;

/** `savepoint nodes`: the processes of the installation, and what each did in its last minute. */
export function nodesCommand(): Command {
  return command(
    'nodes',
    'list the processes that run, and what each did in its last minute',
    'savepoint nodes',
    'savepoint nodes --json',
  ).action(async (options: CommonOptions) => {
    const processes = await withInstallation(options, async ({ pool }) => {
      const { createProcessTable } = await import('../../projections/processes.ts');
      return createProcessTable(pool).seenSince(realScheduler.now() - GONE_MS);
    });
    printResult(options, processes, () => {
      if (processes.length === 0) return 'No process has been seen in the last two minutes.';
      const rows = processes.map(({ host, pid, version, roles, startedAt, seenAt, last }) => [
        `${host} ${pid}`,
        roles,
        version,
        new Date(startedAt).toISOString(),
        new Date(seenAt).toISOString(),
        ...(last === null
          ? ['-', '-', '-', '-', '-']
          : [
              (last.requests / Math.min(60, Math.max(1, (seenAt - last.at) / 1000))).toFixed(1),
              last.p99 === null ? '-' : `${last.p99.toFixed(1)} ms`,
              `${Math.round(last.busy * 100)} %`,
              `${Math.round(last.memory / 1e6)} MB`,
              String(last.behind),
            ]),
      ]);
      return table(['PROCESS', 'ROLES', 'VERSION', 'STARTED', 'SEEN', 'REQ/S', 'P99', 'BUSY', 'MEMORY', 'BEHIND'], rows);
    });
  });
}
