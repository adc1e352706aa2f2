import type { Command } from 'commander';
import type pg from 'pg';
import { hashOf } from '../../log/chain.ts';
import type { Log } from '../../log/port.ts';
import { PROJECT_PREFIX } from '../../log/streams.ts';
import { type CommonOptions, command, printResult, withInstallation } from '../context.ts';
import { scan } from './scan.ts';

/** `savepoint log anchor` */
export function anchorCommand(): Command {
  return command('anchor', 'print the head hash of every project, to be kept elsewhere and given to `verify --anchor`').action(
    async (options: CommonOptions) => {
      const anchors = await withInstallation(options, async ({ config, log, pool }) => {
        const streams = config.eventStoreUrl === null ? await fromTables(pool) : await fromEvents(log);
        const found = [];
        for (const stream of streams) {
          const [last] = await log.read(stream, { limit: 1, direction: 'backwards' });
          if (last) found.push({ projectId: stream.slice(PROJECT_PREFIX.length), revision: last.revision, hash: hashOf(last.metadata) });
        }
        return found;
      });
      printResult(options, anchors, () => anchors.map((one) => `${one.projectId}@${one.revision}:${one.hash}`).join('\n'));
    },
  );
}

async function fromTables(pool: pg.Pool): Promise<readonly string[]> {
  const { rows } = await pool.query<{ stream: string }>(
    "SELECT stream FROM savepoint.log_streams WHERE stream LIKE 'project-%' ORDER BY stream",
  );
  return rows.map(({ stream }) => stream);
}

/** Reads the whole log: the read models could lack a project, and an anchor must not. */
async function fromEvents(log: Log): Promise<readonly string[]> {
  const streams = new Set<string>();
  for await (const { stream } of scan(log, PROJECT_PREFIX)) streams.add(stream);
  return [...streams].sort();
}
