import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { CREDENTIALS_FILE, placeOf } from '../folder/credentials.ts';
import { readJsonFile } from '../folder/files.ts';
import { FolderProblem } from '../folder/problem.ts';
import { findProject } from '../folder/project-file.ts';
import { RemoteUnreachable } from '../folder/refusal.ts';
import { Remote } from '../folder/remote.ts';
import { TYPES_FILE } from '../typegen/sources.ts';
import { JSON_LINES, jsonIs } from './context.ts';
import { keepRunning } from './dev/keep-running.ts';
import { isLocalAddress, type LocalNode, localNode } from './dev/local-node.ts';
import { OneAtATime } from './dev/one-at-a-time.ts';
import { type RoundOptions, round } from './dev/round.ts';
import { type DevTeller, tellerFor } from './dev/tell.ts';
import { watchFolder } from './dev/watch.ts';
import { followLogs } from './remote/logs.ts';
import { keepSchemas } from './remote/schemas.ts';
import { type RemoteOptions, remoteCommand } from './remote.ts';

interface DevOptions extends RemoteOptions {
  readonly prune?: boolean;
  readonly force?: boolean;
  /** `false`: --no-types. */
  readonly types: string | false;
  readonly logs: boolean;
}

/** `savepoint dev`: keeps `next` equal to the folder, and prints the outcome of each change. */
export function devCommand(): Command {
  const about = 'watch the folder: push each change to next, run the tests of what changed, make its types, show calls and refusals';
  return jsonIs(remoteCommand('dev', about), `${JSON_LINES}; its member event says what happened`)
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
  savepoint dev --address https://game.example --project p1`,
    )
    .action(async (options: DevOptions) => {
      const stop = new AbortController();
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort());
      const tell = tellerFor(options.json ?? false);
      const node = await nodeOf(options, tell);
      try {
        const remote = new Remote(node === null ? placeOf(options) : node.place);
        if (!stop.signal.aborted) await develop(remote, node, options, tell, stop.signal);
      } finally {
        await node?.stop();
      }
      tell.stopped();
    });
}

async function develop(remote: Remote, node: LocalNode | null, options: DevOptions, tell: DevTeller, stop: AbortSignal): Promise<void> {
  const { dir, address, project } = remote.place;
  const isOwn = node !== null;
  const rounds: RoundOptions = {
    prune: isOwn || (options.prune ?? false),
    force: isOwn || (options.force ?? false),
    types: options.types === false ? null : resolve(dir, options.types),
  };
  if (node === null) await remote.validate();
  await keepSchemas(dir, { anew: true });
  tell.ready(address, project, node?.isShared ?? false);
  const failed = (error: unknown) => {
    if (!(error instanceof RemoteUnreachable && error.code === 'UNREACHABLE')) tell.failed(error);
  };
  const work = new OneAtATime(async () => {
    // No round runs while the folder's own node is started again: it would report that and nothing else. One is asked for when the node
    // answers.
    if (node === null || node.isAlive()) await round(remote, rounds, node === null ? tell : { ...tell, failed });
  });
  const end = new AbortController();
  const signal = AbortSignal.any([stop, end.signal]);
  // Watching begins before the first round, so that a change during that round is seen.
  const watching = watchFolder(dir, () => work.ask(), signal);
  work.ask();
  const following = options.logs ? follow(remote, tell, signal) : Promise.resolve();
  const runsAgain = () => {
    tell.note('the local node runs again');
    work.ask();
  };
  const keeping = node === null ? Promise.resolve() : keepRunning(node, { note: tell.note, runsAgain }, signal);
  // A failure that ends one part of `dev` ends all of it.
  keeping.catch(() => end.abort());
  await watching;
  await Promise.all([work.settled(), following]);
  await keeping;
}

/** Requests of managers are left out: the pushes of this very command would be among them. */
async function follow(remote: Remote, tell: DevTeller, signal: AbortSignal): Promise<void> {
  try {
    await followLogs(remote, { errors: false, lines: 0 }, signal, {
      request(request) {
        if (!request.path.startsWith('/v3/manage/')) tell.request(request);
      },
      gap: (missed) => tell.note(`… ${missed ?? 'some'} requests left out here`),
      broken: (why) => tell.note(`the server cannot be followed (${why}); trying again`),
      refused(code, message) {
        throw new Error(`${message} (${code})`);
      },
    });
  } catch (error) {
    tell.note(`calls are not shown: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The folder's own node, where no server is named; `null`: one is. */
async function nodeOf(options: DevOptions, tell: DevTeller): Promise<LocalNode | null> {
  const found = findProject(options.dir ?? process.cwd());
  if (options.address ?? process.env['SAVEPOINT_URL'] ?? process.env['SAVEPOINT_CREDENTIALS'] ?? found?.address) return null;
  if (found === null)
    throw new FolderProblem(
      'NO_FOLDER',
      `There is no savepoint.json in ${options.dir ?? process.cwd()} or above it: \`savepoint init\` makes one.`,
    );
  const stored = readJsonFile(join(found.dir, CREDENTIALS_FILE))?.['url'];
  if (typeof stored === 'string' && !isLocalAddress(found.dir, stored)) return null;
  return localNode(found.dir, () => tell.note('starting a local node …'));
}
