import { join, resolve } from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { CREDENTIALS_FILE, serverAccessOf } from '../folder/credentials.ts';
import { readJsonFile } from '../folder/files.ts';
import { FolderProblem } from '../folder/problem.ts';
import { findProject } from '../folder/project-file.ts';
import { RemoteUnreachable } from '../folder/refusal.ts';
import { Remote } from '../folder/remote.ts';
import { TYPES_FILE } from '../folder/type-sources.ts';
import { JSON_LINES, withJsonHelp } from './context.ts';
import { CoalescingRunner } from './dev/coalescing-runner.ts';
import { keepRunning } from './dev/keep-running.ts';
import { isLocalAddress, type LocalNode, localNode } from './dev/local-node.ts';
import { type DevReporter, reporterFor } from './dev/reporter.ts';
import { type RoundOptions, round } from './dev/round.ts';
import { watchFolder } from './dev/watch.ts';
import { followLogs } from './remote/logs.ts';
import { keepSchemas } from './remote/schemas.ts';
import { type RemoteOptions, remoteCommand } from './remote.ts';

interface DevOptions extends RemoteOptions {
  /** Of the folder's own node. */
  readonly port?: number;
  readonly prune?: boolean;
  readonly force?: boolean;
  /** `false`: --no-types. */
  readonly types: string | false;
  readonly logs: boolean;
}

/** `savepoint dev`: keeps `next` equal to the folder, and prints the outcome of each change. */
export function devCommand(): Command {
  const about =
    'run the game of the folder here: push each change to next, run the tests of what changed, make its types, show calls and refusals';
  return withJsonHelp(remoteCommand('dev', about), `${JSON_LINES}; its member event says what happened`)
    .option('--port <port>', "where the folder's own node listens, now and the next time (default: a free port)", parsePort)
    .option('--prune', 'remove from next what the folder does not hold (always at a local node)')
    .option('--force', 'overwrite what somebody else has published since')
    .option('--types <file>', 'where the TypeScript types of the game go', TYPES_FILE)
    .option('--no-types', 'make no types')
    .option('--no-logs', 'do not show calls and refusals')
    .addHelpText(
      'after',
      `
Where no server is named, a node of this folder's own is started, with its data and log in .savepoint; it stops with the command.

Examples:
  savepoint dev
  savepoint dev --port 8080
  savepoint dev --address https://game.example --project p1`,
    )
    .action(async (options: DevOptions) => {
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
      const reporter = reporterFor(options.json ?? false);
      const node = await nodeOf(options, reporter);
      try {
        const remote = new Remote(node === null ? serverAccessOf(options) : node.server);
        if (!stop.signal.aborted) await develop(remote, node, options, reporter, stop.signal);
      } finally {
        await node?.stop();
      }
      reporter.stopped();
    });
}

async function develop(
  remote: Remote,
  node: LocalNode | null,
  options: DevOptions,
  reporter: DevReporter,
  stop: AbortSignal,
): Promise<void> {
  const { dir, address, project } = remote.server;
  const isOwn = node !== null;
  const rounds: RoundOptions = {
    prune: isOwn || (options.prune ?? false),
    force: isOwn || (options.force ?? false),
    types: options.types === false ? null : resolve(dir, options.types),
  };
  if (node === null) await remote.validate();
  await keepSchemas(dir, { anew: true });
  reporter.ready(address, project, node?.isShared ?? false, isOwn);
  const failed = (error: unknown) => {
    if (!(error instanceof RemoteUnreachable && error.code === 'UNREACHABLE')) reporter.failed(error);
  };
  const work = new CoalescingRunner(async () => {
    // No round runs while the folder's own node restarts: it would only report that. A round follows when the node answers.
    if (node === null || node.isAlive()) await round(remote, rounds, node === null ? reporter : { ...reporter, failed });
  });
  const end = new AbortController();
  const signal = AbortSignal.any([stop, end.signal]);
  // Watching begins before the first round, so that a change during that round is seen.
  const watching = watchFolder(dir, () => work.request(), signal);
  work.request();
  const following = options.logs ? follow(remote, reporter, signal) : Promise.resolve();
  const restarted = () => {
    reporter.note('the local node runs again');
    work.request();
  };
  const keeping = node === null ? Promise.resolve() : keepRunning(node, { note: reporter.note, restarted }, signal);
  // A failure that ends one part of `dev` ends all of it.
  keeping.catch(() => end.abort());
  await watching;
  await Promise.all([work.settled(), following]);
  await keeping;
}

/** Reports requests of the project, without those of managers: this command's own pushes would be among them. */
async function follow(remote: Remote, reporter: DevReporter, signal: AbortSignal): Promise<void> {
  try {
    await followLogs(remote, { errors: false, lines: 0 }, signal, {
      request(request) {
        if (!request.path.startsWith('/v3/manage/')) reporter.request(request);
      },
      gap: (missed) => reporter.note(`… ${missed ?? 'some'} requests left out here`),
      broken: (why) => reporter.note(`the server cannot be followed (${why}); trying again`),
      refused(code, message) {
        throw new Error(`${message} (${code})`);
      },
    });
  } catch (error) {
    reporter.note(`calls are not shown: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The folder's own node; `null`: the options or the folder name a server. */
async function nodeOf(options: DevOptions, reporter: DevReporter): Promise<LocalNode | null> {
  const node = ownNodeFolder(options);
  if (node !== null) return localNode(node, { port: options.port ?? null, onStart: () => reporter.note('starting a local node …') });
  if (options.port === undefined) return null;
  throw new FolderProblem('NO_NODE', '--port is for a node of the folder, and a server is named: leave out one of them.');
}

/** The folder whose own node is used; `null`: a server is named. */
function ownNodeFolder(options: DevOptions): string | null {
  const found = findProject(options.dir ?? process.cwd());
  if (options.address ?? process.env['SAVEPOINT_URL'] ?? process.env['SAVEPOINT_CREDENTIALS'] ?? found?.address) return null;
  if (found === null)
    throw new FolderProblem(
      'NO_FOLDER',
      `There is no savepoint.json in ${options.dir ?? process.cwd()} or above it: \`savepoint init\` makes one.`,
    );
  const stored = readJsonFile(join(found.dir, CREDENTIALS_FILE))?.['url'];
  if (typeof stored === 'string' && !isLocalAddress(found.dir, stored)) return null;
  return found.dir;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port >= 1 && port <= 65_535) return port;
  throw new InvalidArgumentError('It must be from 1 to 65535.');
}
