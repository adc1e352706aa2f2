import { Command } from 'commander';
import { refusal } from '../kernel/errors.ts';
import { hashOf } from '../log/chain.ts';
import type { RecordedEvent } from '../log/port.ts';
import { PROJECT_PREFIX, projectStream } from '../log/streams.ts';
import { type CommonOptions, command, print, printResult, table, withInstallation } from './context.ts';

/** `savepoint log`: the log itself, for auditors. */
export function logCommand(): Command {
  return new Command('log').description('look at the log').addCommand(tail()).addCommand(stats()).addCommand(anchor());
}

interface TailOptions extends CommonOptions {
  readonly follow?: boolean;
  readonly lines: string;
  readonly project?: string;
}

function tail(): Command {
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

function stats(): Command {
  return command('stats', 'count streams, events and bytes').action(async (options: CommonOptions) => {
    const result = await withInstallation(options, async ({ pool }) => {
      const streams = await pool.query<{ stream: string; events: string; bytes: string }>(
        `SELECT stream, count(*) AS events, sum(octet_length(data::text) + octet_length(metadata::text)) AS bytes
         FROM savepoint.log_events GROUP BY stream ORDER BY count(*) DESC`,
      );
      const types = await pool.query<{ type: string; events: string }>(
        'SELECT type, count(*) AS events FROM savepoint.log_events GROUP BY type ORDER BY count(*) DESC',
      );
      return {
        streams: streams.rows.map((row) => ({ stream: row.stream, events: Number(row.events), bytes: Number(row.bytes) })),
        types: types.rows.map((row) => ({ type: row.type, events: Number(row.events) })),
      };
    });
    printResult(options, result, () =>
      [
        table(
          ['STREAM', 'EVENTS', 'BYTES'],
          result.streams.map((row) => [row.stream, String(row.events), String(row.bytes)]),
        ),
        table(
          ['TYPE', 'EVENTS'],
          result.types.map((row) => [row.type, String(row.events)]),
        ),
      ].join('\n\n'),
    );
  });
}

function anchor(): Command {
  return command('anchor', 'print the head hash of every project, to be kept elsewhere and given to `verify --anchor`').action(
    async (options: CommonOptions) => {
      const anchors = await withInstallation(options, async ({ log, pool }) => {
        const { rows } = await pool.query<{ stream: string }>(
          "SELECT stream FROM savepoint.log_streams WHERE stream LIKE 'project-%' ORDER BY stream",
        );
        const found = [];
        for (const { stream } of rows) {
          const [last] = await log.read(stream, { limit: 1, direction: 'backwards' });
          if (last) found.push({ projectId: stream.slice(PROJECT_PREFIX.length), revision: last.revision, hash: hashOf(last.metadata) });
        }
        return found;
      });
      printResult(options, anchors, () => anchors.map((one) => `${one.projectId}@${one.revision}:${one.hash}`).join('\n'));
    },
  );
}
