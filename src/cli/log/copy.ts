import { type Command, Option } from 'commander';
import { refusal } from '../../kernel/errors.ts';
import { BrokenSource, type Copied, type CopyProgress, copyLog, TwoHistories } from '../../log/copy/copy.ts';
import { FileProblem } from '../../log/file/parts.ts';
import { AppendTooLarge, LogUnavailable, OutcomeUnknown } from '../../log/port.ts';
import { type CommonOptions, command, configOf, endProgress, printResult, progress, tell } from '../context.ts';
import { openSource, openTarget } from './open.ts';
import { PLACES_HELP, type Place, parsePlace, placeOf, placeText } from './places.ts';

interface CopyCommandOptions extends CommonOptions {
  readonly from?: string;
  readonly fromData?: string;
  readonly to?: string;
  readonly toData?: string;
  readonly follow?: boolean;
  readonly allowIncomplete?: boolean;
}

/** 128 + SIGINT, as shells have it. */
const INTERRUPTED = 130;

const AFTERWARDS = `
A copy that broke off, and a later one, go on where the last one ended: only new events are copied. To move with seconds of
downtime, copy while the node runs, stop it, copy again, and start the node on the target. The first start builds the read models
from the log; \`savepoint verify\` then proves them.

Exit codes: 0 all is copied, 1 refused or failed, 2 wrong usage, 130 interrupted before all was copied.`;

/** `savepoint log copy`: backup, restore, and moving house. */
export function copyCommand(): Command {
  return command('copy', 'copy every event, with the same ids, revisions and hash chain, to another engine or a file')
    .option('--from <place>', 'where the log is')
    .addOption(new Option('--from-data <dir>', 'the same as --from data:DIR').conflicts('from'))
    .option('--to <place>', 'where it is to be')
    .addOption(new Option('--to-data <dir>', 'the same as --to data:DIR').conflicts('to'))
    .option('-f, --follow', 'go on with new events until interrupted')
    .option('--allow-incomplete', 'take what a file holds whose end is missing')
    .addHelpText('after', `${PLACES_HELP}\n${AFTERWARDS}`)
    .action(async (options: CopyCommandOptions) => {
      const { from, to } = placesOf(options);
      try {
        const result = await copyBetween(from, to, options);
        endProgress();
        printResult(options, result, () => summary(result, to));
        if (!result.complete) process.exitCode = INTERRUPTED;
      } catch (error) {
        endProgress();
        if (!explainsItself(error)) throw error;
        tell(`savepoint: ${error.message}`);
        process.exitCode = 1;
      }
    });
}

function placesOf(options: CopyCommandOptions): { readonly from: Place; readonly to: Place } {
  const named = (place: string | undefined, dir: string | undefined) => place ?? (dir === undefined ? undefined : `data:${dir}`);
  const [from, to] = [named(options.from, options.fromData), named(options.to, options.toData)];
  if (from === undefined && to === undefined)
    throw refusal('VALIDATION_FAILED', 'Say where to copy to (--to), or what to copy here (--from)');
  const own = () => placeOf(configOf(options));
  const places = { from: from === undefined ? own() : parsePlace(from), to: to === undefined ? own() : parsePlace(to) };
  if (placeText(places.from) === placeText(places.to))
    throw refusal('VALIDATION_FAILED', `--from and --to are both ${placeText(places.to)}`);
  return places;
}

async function copyBetween(from: Place, to: Place, options: CopyCommandOptions): Promise<Copied> {
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, interrupt);
  const source = await openSource(from, options.allowIncomplete ?? false);
  try {
    const target = await openTarget(to);
    try {
      const follow = options.follow ?? false;
      return await copyLog({ source: source.end, target: target.end, signal: stop.signal, follow, onProgress: show });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, interrupt);
  }
}

function show({ copied, skipped, share, eventsPerSecond }: CopyProgress): void {
  const percent = share === null ? '' : `, ${Math.floor(share * 100)} %`;
  progress(`copying: ${copied + skipped} events${percent}, ${Math.round(eventsPerSecond)}/s`);
}

function summary({ copied, skipped, seconds, complete }: Copied, to: Place): string {
  const done = `Copied ${copied} events to ${placeText(to)} in ${seconds.toFixed(1)} s; ${skipped} were there already.`;
  if (!complete) return `${done} Interrupted before the end: the same command goes on from there.`;
  if (to.kind === 'file') return done;
  return `${done}\nNext: \`savepoint start\` on the target builds its read models; \`savepoint verify\` then proves them.`;
}

/** What was foreseen: the message says what to do, and a stack would only hide it. */
function explainsItself(error: unknown): error is Error {
  return [TwoHistories, BrokenSource, FileProblem, AppendTooLarge, LogUnavailable, OutcomeUnknown].some((kind) => error instanceof kind);
}
