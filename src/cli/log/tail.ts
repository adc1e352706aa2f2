import type { Command } from 'commander';
import type pg from 'pg';
import { errorMessage, throttled } from '../../kernel/error-reporting.ts';
import { followWithTimeout } from '../../log/follow.ts';
import type { Log, RecordedEvent } from '../../log/port.ts';
import { PROJECT_PREFIX, projectStream } from '../../log/streams.ts';
import { type CommonOptions, command, JSON_LINES, needProject, print, printNote, withInstallation, withJsonHelp } from '../context.ts';
import { WrongUsage } from '../wrong-usage.ts';
import { scan } from './scan.ts';

interface TailOptions extends CommonOptions {
  readonly follow?: boolean;
  readonly lines: string;
  readonly project?: string;
}

/** `savepoint log tail` */
export function tailCommand(): Command {
  const examples = ['savepoint log tail -n 100', 'savepoint log tail --follow --project p1 --json'] as const;
  return withJsonHelp(command('tail', 'print the last events; --follow goes on', ...examples), JSON_LINES)
    .option('-n, --lines <count>', 'how many events to begin with', '20')
    .option('-f, --follow', 'go on with new events until interrupted')
    .option('--project <id>', 'of one project only')
    .action(async (options: TailOptions) => {
      const lines = Number(options.lines);
      if (!Number.isInteger(lines) || lines < 0 || lines > 10_000) throw new WrongUsage('--lines must be a whole number from 0 to 10000');
      await withInstallation(options, async (installation) => {
        const { config, log, pool } = installation;
        await needProject(installation, options.project);
        const prefix = options.project === undefined ? PROJECT_PREFIX : projectStream(options.project);
        const isAsked = ({ stream }: RecordedEvent) => options.project === undefined || stream === prefix;
        const last = config.eventStoreUrl === null ? null : await lastEvents(log, options.project, lines);
        const after = last === null ? await positionInTables(pool, options.project, lines) : last.end;
        for (const event of last?.events ?? []) print(shown(event, options));
        if (last !== null && !options.follow) return;
        const stop = new AbortController();
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
        const onError = throttled((error: unknown) => printNote(`the log cannot be followed (${errorMessage(error)}); trying again`));
        const following = { prefix, after, signal: stop.signal, onError: onError };
        for await (const step of options.follow ? log.follow(following) : followWithTimeout(log, following)) {
          for (const event of step.events) if (isAsked(event)) print(shown(event, options));
          if (step.caughtUp && !options.follow) break;
        }
      });
    });
}

/** The position before the last `lines` events. */
async function positionInTables(pool: pg.Pool, project: string | undefined, lines: number): Promise<bigint | null> {
  const of = project === undefined ? 'stream LIKE $2' : 'stream = $2';
  const { rows } = await pool.query<{ position: string }>(
    `SELECT position FROM savepoint.log_events WHERE ${of} ORDER BY position DESC OFFSET $1 LIMIT 1`,
    [lines, project === undefined ? `${PROJECT_PREFIX}%` : projectStream(project)],
  );
  return rows[0] ? BigInt(rows[0].position) : null;
}

interface Last {
  readonly events: readonly RecordedEvent[];
  /** Where following goes on. */
  readonly end: bigint | null;
}

/** The last events of a log without tables. A project's stream is read from its end; for all projects the log is read from its start. */
async function lastEvents(log: Log, project: string | undefined, lines: number): Promise<Last> {
  const end = await log.end();
  if (lines === 0) return { events: [], end };
  if (project !== undefined) {
    const found = await log.read(projectStream(project), { limit: lines, direction: 'backwards' });
    return { events: [...found].reverse(), end: found[0]?.position ?? end };
  }
  const events: RecordedEvent[] = [];
  for await (const event of scan(log, PROJECT_PREFIX)) {
    events.push(event);
    if (events.length > lines) events.shift();
  }
  return { events, end: events.at(-1)?.position ?? end };
}

/** An event as one line. */
function shown(event: RecordedEvent, options: CommonOptions): string {
  const head = { position: event.position.toString(), stream: event.stream, revision: event.revision, type: event.type, id: event.id };
  // Data and metadata are shown as they are stored: parsing could change a number.
  if (options.json) return `${JSON.stringify(head).slice(0, -1)},"metadata":${event.metadata},"data":${event.data}}`;
  const data = event.data.length > 160 ? `${event.data.slice(0, 160)}…` : event.data;
  return `${head.position}  ${event.stream}@${event.revision}  ${event.type}  ${data}`;
}
