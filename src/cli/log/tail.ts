import type { Command } from 'commander';
import { refusal } from '../../kernel/errors.ts';
import type { RecordedEvent } from '../../log/port.ts';
import { PROJECT_PREFIX, projectStream } from '../../log/streams.ts';
import { type CommonOptions, command, print, withInstallation } from '../context.ts';

interface TailOptions extends CommonOptions {
  readonly follow?: boolean;
  readonly lines: string;
  readonly project?: string;
}

/** `savepoint log tail` */
export function tailCommand(): Command {
  return command('tail', 'print the last events; --follow goes on')
    .option('-n, --lines <count>', 'how many events to begin with', '20')
    .option('-f, --follow', 'go on with new events until interrupted')
    .option('--project <id>', 'of one project only')
    .action(async (options: TailOptions) => {
      const lines = Number(options.lines);
      if (!Number.isInteger(lines) || lines < 0 || lines > 10_000)
        throw refusal('VALIDATION_FAILED', '--lines must be a whole number from 0 to 10000');
      await withInstallation(options, async ({ log, pool }) => {
        const prefix = options.project === undefined ? PROJECT_PREFIX : projectStream(options.project);
        const of = options.project === undefined ? 'stream LIKE $2' : 'stream = $2';
        const { rows } = await pool.query<{ position: string }>(
          `SELECT position FROM savepoint.log_events WHERE ${of} ORDER BY position DESC OFFSET $1 LIMIT 1`,
          [lines, options.project === undefined ? `${PROJECT_PREFIX}%` : prefix],
        );
        const after = rows[0] ? BigInt(rows[0].position) : null;
        const stop = new AbortController();
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
        for await (const step of log.follow({ prefix, after, signal: stop.signal })) {
          for (const event of step.events) if (options.project === undefined || event.stream === prefix) print(shown(event, options));
          if (step.caughtUp && !options.follow) break;
        }
      });
    });
}

/** One event on one line. */
function shown(event: RecordedEvent, options: CommonOptions): string {
  const head = { position: event.position.toString(), stream: event.stream, revision: event.revision, type: event.type, id: event.id };
  // Data and metadata are shown as they are stored: parsing could change a number.
  if (options.json) return `${JSON.stringify(head).slice(0, -1)},"metadata":${event.metadata},"data":${event.data}}`;
  const data = event.data.length > 160 ? `${event.data.slice(0, 160)}…` : event.data;
  return `${head.position}  ${event.stream}@${event.revision}  ${event.type}  ${data}`;
}
