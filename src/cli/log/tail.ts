import { type Command, InvalidArgumentError } from 'commander';
import type pg from 'pg';
import type { Installation } from '../../compose/installation.ts';
import { errorMessage, throttled } from '../../kernel/error-reporting.ts';
import { instantOrDate } from '../../kernel/instant.ts';
import { followWithTimeout } from '../../log/follow.ts';
import type { Log, RecordedEvent } from '../../log/port.ts';
import { PROJECT_PREFIX, projectStream } from '../../log/streams.ts';
import { type CommonOptions, command, JSON_LINES, needProject, print, printNote, withInstallation, withJsonHelp } from '../context.ts';
import { withLimit } from '../limit-option.ts';
import { scan } from './scan.ts';
import { actorOf, isSelected, selects, timeOf } from './selection.ts';

interface TailOptions extends CommonOptions {
  readonly follow?: boolean;
  readonly limit: number;
  readonly project?: string;
  readonly player?: string;
  readonly type?: string;
  readonly from?: number;
  readonly to?: number;
}

/** `savepoint log tail` */
export function tailCommand(): Command {
  const examples = [
    'savepoint log tail -n 100',
    'savepoint log tail --project p1 --player 42 --type document --from 2026-03-01',
    'savepoint log tail --follow --project p1 --json',
  ] as const;
  const made = withJsonHelp(command('tail', 'print the last events; --follow goes on', ...examples), JSON_LINES);
  return withLimit(made, 'how many events to begin with', { from: 0, to: 10_000, preset: 20 })
    .option('-f, --follow', 'go on with new events until interrupted')
    .option('--project <id>', 'of one project only')
    .option('--player <id>', 'that this player caused, or that are of his documents')
    .option('--type <type>', 'of a type such as document.written, or of a family such as document')
    .option('--from <time>', 'from this time on: ISO text or unix ms', time)
    .option('--to <time>', 'before this time', time)
    .addHelpText('after', '\nWithout --project, a selection reads the whole log.')
    .action(async (options: TailOptions) => {
      await withInstallation(options, async (installation) => {
        await needProject(installation, options.project);
        const { events, end } = await lastEvents(installation, options);
        for (const event of events) print(shown(event, options));
        if (options.follow) await follow(installation.log, options, end);
        else if (events.length === 0 && selects(options)) printNote('The log holds no such event.');
      });
    });
}

function time(text: string): number {
  const at = /^\d{1,15}$/.test(text) ? Number(text) : instantOrDate(text);
  if (at !== null) return at;
  throw new InvalidArgumentError('It must be a time such as 2026-03-01, 2026-03-01T12:00:00Z, or unix milliseconds.');
}

/** Prints what comes behind `after` until interrupted. */
async function follow(log: Log, options: TailOptions, after: bigint | null): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const prefix = options.project === undefined ? PROJECT_PREFIX : projectStream(options.project);
  const isAsked = (event: RecordedEvent) => (options.project === undefined || event.stream === prefix) && isSelected(event, options);
  for await (const { events } of log.follow({ prefix, after, signal: stop.signal, onError: lost() }))
    for (const event of events) if (isAsked(event)) print(shown(event, options));
}

function lost(): (error: unknown) => void {
  return throttled((error: unknown) => printNote(`the log cannot be followed (${errorMessage(error)}); trying again`));
}

interface Last {
  readonly events: readonly RecordedEvent[];
  /** Where following goes on. */
  readonly end: bigint | null;
}

/** The last events that were asked for, in their order. */
async function lastEvents({ config, log, pool }: Installation, options: TailOptions): Promise<Last> {
  const { project, limit } = options;
  if (limit === 0) return { events: [], end: await log.end() };
  if (project !== undefined) return lastOfProject(log, projectStream(project), options);
  return config.eventStoreUrl === null && !selects(options) ? lastInTables(pool, log, limit) : lastOfAll(log, options);
}

const PAGE = 500;

/** Reads a project's stream from its end. Times never go back in it, so nothing before `from` is read. */
async function lastOfProject(log: Log, stream: string, { limit, ...selection }: TailOptions): Promise<Last> {
  let end = await log.end();
  const events: RecordedEvent[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; before > 0 && events.length < limit; ) {
    const range = before === Number.MAX_SAFE_INTEGER ? {} : { from: before - 1 };
    const page = await log.read(stream, { ...range, limit: PAGE, direction: 'backwards' });
    const [last, first] = [page[0], page.at(-1)];
    if (last === undefined || first === undefined) break;
    if (before === Number.MAX_SAFE_INTEGER) end = last.position;
    events.push(...page.filter((event) => isSelected(event, selection)));
    if (selection.from !== undefined && (timeOf(first) ?? selection.from) < selection.from) break;
    before = first.revision;
  }
  return { events: events.slice(0, limit).reverse(), end };
}

/** The last events of all projects: their positions are asked of the table. */
async function lastInTables(pool: pg.Pool, log: Log, limit: number): Promise<Last> {
  const { rows } = await pool.query<{ position: string }>(
    'SELECT position FROM savepoint.log_events WHERE stream LIKE $2 ORDER BY position DESC OFFSET $1 LIMIT 1',
    [limit, `${PROJECT_PREFIX}%`],
  );
  const after = rows[0] ? BigInt(rows[0].position) : null;
  const events: RecordedEvent[] = [];
  const { signal } = new AbortController();
  for await (const step of followWithTimeout(log, { prefix: PROJECT_PREFIX, after, signal, onError: lost() })) {
    events.push(...step.events);
    if (step.caughtUp) return { events, end: step.position };
  }
  return { events, end: after };
}

/** Reads the whole log. */
async function lastOfAll(log: Log, { limit, ...selection }: TailOptions): Promise<Last> {
  const end = await log.end();
  const events: RecordedEvent[] = [];
  let read: bigint | null = null;
  for await (const event of scan(log, PROJECT_PREFIX)) {
    read = event.position;
    if (!isSelected(event, selection)) continue;
    events.push(event);
    if (events.length > limit) events.shift();
  }
  return { events, end: read ?? end };
}

/** An event as one line. */
function shown(event: RecordedEvent, options: CommonOptions): string {
  const head = { position: event.position.toString(), stream: event.stream, revision: event.revision, type: event.type, id: event.id };
  // Data and metadata are shown as they are stored: parsing could change a number.
  if (options.json) return `${JSON.stringify(head).slice(0, -1)},"metadata":${event.metadata},"data":${event.data}}`;
  const data = event.data.length > 160 ? `${event.data.slice(0, 160)}…` : event.data;
  const at = timeOf(event);
  const time = at === null ? '-' : new Date(at).toISOString();
  return `${time}  ${head.position}  ${event.stream}@${event.revision}  ${event.type}  ${actorOf(event) || '-'}  ${data}`;
}
