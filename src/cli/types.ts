import { basename, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { FolderProblem } from '../folder/problem.ts';
import { findProject } from '../folder/project-file.ts';
import type { Target } from '../folder/remote.ts';
import { JSON_HELP, print, printNote, withJsonHelp } from './context.ts';
import { CoalescingRunner } from './dev/coalescing-runner.ts';
import { watchFolder, watchHash } from './dev/watch.ts';
import { explain } from './explain.ts';
import { type RemoteOptions, remoteCommand, remoteOf } from './remote.ts';

interface TypesOptions extends RemoteOptions {
  readonly out?: string;
  readonly remote?: boolean;
  readonly target: Target;
  readonly watch?: boolean;
  readonly check?: boolean;
}

/** `savepoint types`: generates TypeScript types of a game's definitions, for `createClient<Game>()`. */
export function typesCommand(): Command {
  return withJsonHelp(
    remoteCommand('types', 'write TypeScript types of the game, for `createClient<Game>()` of the client library'),
    `${JSON_HELP}; with --watch one on a line each time (NDJSON)`,
  )
    .option('--out <file>', 'where to (default: game.types.ts in the folder); - prints them')
    .option('--remote', 'types of what the project on the server holds, instead of the folder; --address and --project imply it')
    .addOption(new Option('--target <target>', 'with --remote: which definitions').choices(['live', 'next']).default('live'))
    .option('--watch', 'again after every change, until it is stopped')
    .option('--check', 'write nothing; exit code 1 if the file is out of date')
    .addHelpText(
      'after',
      '\nExamples:\n  savepoint types --out src/game.types.ts --watch\n  savepoint types --out src/game.types.ts --check\n  SAVEPOINT_SECRET_KEY=… savepoint types --address https://game.example --project p1 --out src/game.types.ts',
    )
    .action(async (options: TypesOptions) => {
      const makes = await makerOf(options);
      const once = async () => tell(options, makes.out, await makes.types());
      if (!options.watch) return once();
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
      const work = new CoalescingRunner(() => reportingFailures(options, once));
      await makes.changes(stop.signal, () => work.request());
      await work.settled();
    });
}

interface Maker {
  types(): Promise<string>;
  /** Calls `changed` once it watches, so that no change during the first generation is missed, and after each change, until the signal. */
  changes(signal: AbortSignal, changed: () => void): Promise<void>;
  /** Absolute path of the file; `null`: the types are printed. */
  readonly out: string | null;
}

async function makerOf(options: TypesOptions): Promise<Maker> {
  const { TYPES_FILE, typesOfFolder, typesOfRemote } = await import('../folder/type-sources.ts');
  const isRemote = options.remote === true || options.address !== undefined || options.project !== undefined;
  if (isRemote) {
    const remote = remoteOf(options);
    return {
      types: () => typesOfRemote(remote, options.target),
      changes: (signal, changed) => watchHash(async () => (await remote.manifest(options.target)).hash, changed, signal),
      out: outOf(options, join(remote.server.dir, TYPES_FILE)),
    };
  }
  const { readFolder } = await import('../folder/sources.ts');
  const from = resolve(options.dir ?? '.');
  const dir = findProject(from)?.dir ?? from;
  const folder = readFolder(dir);
  // Otherwise a command in the wrong folder would write the types of an empty game there.
  if (folder.sources.length === 0 && findProject(from) === null)
    throw new FolderProblem('NO_FOLDER', `There is no savepoint.json in ${from} or above it, and there are no definitions in it.`);
  return {
    types: async () => typesOfFolder(readFolder(dir)),
    changes(signal, changed) {
      const watching = watchFolder(dir, changed, signal);
      changed();
      return watching;
    },
    out: outOf(options, join(dir, TYPES_FILE)),
  };
}

function outOf({ out }: TypesOptions, otherwise: string): string | null {
  return out === '-' ? null : resolve(out ?? otherwise);
}

async function tell({ json, check }: TypesOptions, out: string | null, types: string): Promise<void> {
  if (out === null) return print(json ? JSON.stringify({ ok: true, types }) : types.trimEnd());
  const { isWritten, writeTypes } = await import('../folder/type-sources.ts');
  if (check) {
    const isFresh = isWritten(out, types);
    if (!isFresh) process.exitCode = 1;
    return print(json ? JSON.stringify({ ok: isFresh, file: out }) : isFresh ? `${out} is up to date` : stale(out));
  }
  const changed = writeTypes(out, types);
  print(json ? JSON.stringify({ ok: true, file: out, changed }) : `${out} ${changed ? 'written' : 'is up to date'}`);
}

function stale(out: string): string {
  return `${out} is not what the definitions say; \`savepoint types --out ${basename(out)}\` writes it anew`;
}

/** While watching, a mistake in a file is reported and does not end the command. */
async function reportingFailures({ json }: TypesOptions, once: () => Promise<void>): Promise<void> {
  try {
    await once();
  } catch (error) {
    const message = explain(error);
    printNote(`savepoint: ${message}`);
    if (json) print(JSON.stringify({ ok: false, error: { message } }));
  }
}
