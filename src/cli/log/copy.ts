import { type Command, Option } from 'commander';
import { endProcess } from '../../../infra/postgres/process-exit.ts';
import { type Config, redactUrl } from '../../config/config.ts';
import { counted } from '../../kernel/counted.ts';
import { type BrokenStream, type CopyProgress, type CopyResult, copyLog } from '../../log/copy/copy.ts';
import { type CommonOptions, command, configOf, endProgress, printNote, printResult, progress } from '../context.ts';
import { WrongUsage } from '../wrong-usage.ts';
import { type LogLocation, locationText, ownLocation, PLACES_HELP, parseLocation } from './locations.ts';
import type { CatchUpResult } from './read-models.ts';

interface CopyCommandOptions extends CommonOptions {
  readonly from?: string;
  readonly fromData?: string;
  readonly to?: string;
  readonly toData?: string;
  readonly follow?: boolean;
  readonly allowIncomplete?: boolean;
  /** `false`: `--no-read-models`. */
  readonly readModels?: boolean;
}

const INTERRUPTIONS = ['SIGINT', 'SIGTERM'] as const;
/** 128 + SIGINT, as in shells. */
const INTERRUPTED = 130;

const AFTERWARDS = `
A copy that broke off, and a later one, go on where the last one ended: only new events are copied. A copy to a database then brings
the read models there up to the log's end, also only by what is new; a copy to an EventStoreDB does where EVENTSTORE_URL names it, and
says otherwise what to do. So to move with seconds of downtime, copy while the node runs,
stop it, copy again, and start the node on the target; \`savepoint verify\` there proves log and read models.

Events that other programs wrote to the streams of projects are replaced by \`log.foreign\`. Where a stream is corrupt, what lies before
that is copied, and so are all other streams.

Exit codes: 0 all is copied, 1 refused, failed or corrupt, 2 wrong usage, 130 interrupted before all was copied. A second signal
ends it at once.`;

/** `savepoint log copy`: backup, restore, and moves to another engine. */
export function copyCommand(): Command {
  return command(
    'copy',
    'copy every event, with the same ids, revisions and hash chain, to another engine or a file',
    'savepoint log copy --to file:/backup/log.ndjson.gz',
    'savepoint log copy --from file:/backup/log.ndjson.gz --to data:./restored',
    'savepoint log copy --to postgres://game:secret@db.example/game --follow',
  )
    .option('--from <location>', 'where the log is')
    .addOption(new Option('--from-data <dir>', 'the same as --from data:DIR').conflicts('from'))
    .option('--to <location>', 'where it is to be')
    .addOption(new Option('--to-data <dir>', 'the same as --to data:DIR').conflicts('to'))
    .option('-f, --follow', 'go on with new events until interrupted')
    .option('--no-read-models', 'copy the log alone; the start on the target builds the read models')
    .option('--allow-incomplete', 'accept a file whose end is missing')
    .addHelpText('after', `${PLACES_HELP}\n${AFTERWARDS}`)
    .action(async (options: CopyCommandOptions) => {
      const { from, to } = placesOf(options);
      const { copied, readModels } = await copyAndCatchUp(from, to, options).finally(endProgress);
      printResult(options, { ...copied, readModels }, () => summary(copied, readModels, to));
      if (readModels !== null && readModels.behind.length > 0) process.exitCode = 1;
      if (copied.broken.length > 0) process.exitCode = 1;
      if (!copied.complete) process.exitCode = INTERRUPTED;
    });
}

function placesOf(options: CopyCommandOptions): { readonly from: LogLocation; readonly to: LogLocation } {
  const named = (location: string | undefined, dir: string | undefined) => location ?? (dir === undefined ? undefined : `data:${dir}`);
  const [from, to] = [named(options.from, options.fromData), named(options.to, options.toData)];
  if (from === undefined && to === undefined) throw new WrongUsage('Say where to copy to (--to), or what to copy here (--from)');
  const own = () => ownLocation(requireOwnLog(configOf(options), options));
  const places = { from: from === undefined ? own() : parseLocation(from), to: to === undefined ? own() : parseLocation(to) };
  if (locationText(places.from) === locationText(places.to)) throw new WrongUsage(`--from and --to are both ${locationText(places.to)}`);
  return places;
}

/** `--data` is the folder of the read models alone where the log is in an EventStoreDB. Whoever copies a log there means another one. */
function requireOwnLog(config: Config, { data }: CopyCommandOptions): Config {
  if (data === undefined || config.eventStoreUrl === null) return config;
  throw new WrongUsage(
    `--data names the log in ${data}, and EVENTSTORE_URL another one (${redactUrl(config.eventStoreUrl)}); nothing was copied. ` +
      'Name the folder as a location, data:DIR, with --from or --to; for the log of EVENTSTORE_URL leave --data out.',
  );
}

/** Copies the log. If the copy is complete, catches up the read models, unless that is left to the next start. */
async function copyAndCatchUp(from: LogLocation, to: LogLocation, options: CopyCommandOptions) {
  const copied = await copyBetween(from, to, options);
  const wanted = copied.complete && !options.follow && options.readModels !== false;
  const readModels = wanted ? await (await import('./read-models.ts')).catchUpReadModels(to, configOf(options)) : null;
  return { copied, readModels };
}

async function copyBetween(from: LogLocation, to: LogLocation, options: CopyCommandOptions): Promise<CopyResult> {
  const { openSource, openTarget } = await import('./open.ts');
  const source = await openSource(from, options.allowIncomplete ?? false);
  try {
    const target = await openTarget(to);
    try {
      const follow = options.follow ?? false;
      return await untilInterrupted((signal) =>
        copyLog({ source: source.end, target: target.end, signal, follow, onProgress: show, onBroken }),
      );
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/**
 * The first signal has the work end by itself. The second ends the process: what is worked on may wait for something that does not come.
 * What opens places before does not look at signals, so these end it.
 */
async function untilInterrupted<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const interrupt = () => {
    if (stop.signal.aborted) void endProcess(INTERRUPTED);
    stop.abort();
  };
  for (const signal of INTERRUPTIONS) process.on(signal, interrupt);
  try {
    return await work(stop.signal);
  } finally {
    for (const signal of INTERRUPTIONS) process.off(signal, interrupt);
  }
}

function show({ copied, skipped, fraction, eventsPerSecond }: CopyProgress): void {
  const percent = fraction === null ? '' : `, ${Math.floor(fraction * 100)} %`;
  progress(`copying: ${copied + skipped} events${percent}, ${Math.round(eventsPerSecond)}/s`);
}

function onBroken({ detail }: BrokenStream): void {
  endProgress();
  printNote(`${detail}. What lies before it is copied, and so are all other streams.`);
}

function summary(result: CopyResult, readModels: CatchUpResult | null, to: LogLocation): string {
  const { copied, skipped, seconds, complete } = result;
  const counts = `Copied ${counted(copied, 'event')} to ${locationText(to)} in ${seconds.toFixed(1)} s; ${skipped} were there already.`;
  const done = [counts, ...notWhole(result)].join('\n');
  if (!complete) return `${done} Interrupted before the end: the same command goes on from there.`;
  if (to.kind === 'file') return done;
  if (readModels === null) return `${done}\nIts read models are as they were. ${catchUpInstructions(to)}`;
  const { projects, behind } = readModels;
  if (behind.length > 0)
    return `${done}\nThe read models of ${behind.join(', ')} do not move; \`savepoint rebuild\` on the target builds them anew.`;
  const up = `The read models of ${counted(projects, 'project')} are up to it (${readModels.seconds.toFixed(1)} s)`;
  return `${done}\n${up}. Next: \`savepoint verify\` on the target proves them; then start it.`;
}

/** What the copy does not hold as the source does. */
function notWhole({ broken, foreign }: CopyResult): readonly string[] {
  const fillers = `${counted(foreign, 'event')} of other programs: \`log.foreign\` stands in their places.`;
  const left = broken.map(
    (one) => `${one.stream} is corrupt at revision ${one.revision}: ${counted(one.left, 'event')} from there on left behind.`,
  );
  return [...(foreign > 0 ? [fillers] : []), ...left];
}

/** Instructions for catching up the read models that this command did not touch. */
function catchUpInstructions({ kind }: LogLocation): string {
  if (kind !== 'eventstore')
    return 'Next: `savepoint verify --wait` on the target brings them up to the log and proves them; so does a start, which proves nothing.';
  return 'They lie in a Postgres of their own. Next: set EVENTSTORE_URL to this location, beside the DATABASE_URL (or --data) of its read models; `savepoint verify --wait` then brings them up to the log and proves them.';
}
