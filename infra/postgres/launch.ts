import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { type DataFolder, rememberPort, type Secrets, writeIntoCluster } from './data-folder.ts';
import { childEnvironment, pathForPostgres } from './environment.ts';
import { disarmLockFile, findPostmaster, isLockFileBroken, markerOf, type Postmaster, removeBrokenLockFile } from './postmaster.ts';
import { asProblem, DatabaseProblem } from './problem.ts';
import { CONFIGURATION } from './settings.ts';

/** Recovery after a crash replays up to `max_wal_size`, which may take minutes on a slow disk. Giving up earlier would only restart it. */
const RECOVERY_TIMEOUT_MS = 300_000;
const ATTEMPTS = 8;

/**
 * Starts Postgres on a cluster that has no server, and resolves when it takes connections. Resolves to `null` when another process was
 * faster, so that the caller looks again; Postgres' own lock file decides between the two. Throws {@link DatabaseProblem}.
 */
export async function launch(folder: DataFolder, binaries: Binaries, secrets: Secrets): Promise<Postmaster | null> {
  writeIntoCluster(folder, 'postgresql.conf', CONFIGURATION);
  let port = await choosePort(secrets.port);
  let socket = process.platform === 'linux';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    disarmLockFile(folder);
    const outcome = await tryToStart(folder, binaries, port, socket);
    if (outcome.ok) {
      rememberPort(folder, secrets, outcome.postmaster.port);
      return outcome.postmaster;
    }
    const isLocked = /lock file ".*" already exists/.test(outcome.said);
    if (isLocked && !isLockFileBroken(folder)) return null;
    if (isLocked || /lock file ".*" is empty|bogus data in lock file/.test(outcome.said)) await removeBrokenLockFile(folder);
    else if (/could not create any TCP\/IP sockets/.test(outcome.said)) port = await choosePort(null);
    // Some shared folders of virtual machines cannot hold sockets. Then only the check for other containers is missing.
    else if (/Unix-domain socket/.test(outcome.said)) socket = false;
    else if (/pre-existing shared memory block/.test(outcome.said)) await sleep(250 * attempt);
    else throw failure(folder, outcome.said, outcome.ended);
  }
  throw failure(folder, 'it was tried several times', 'gave up');
}

type Outcome =
  | { readonly ok: true; readonly postmaster: Postmaster }
  | { readonly ok: false; readonly said: string; readonly ended: string };

async function tryToStart(folder: DataFolder, binaries: Binaries, port: number, socket: boolean): Promise<Outcome> {
  const before = logLength(folder);
  const args = [
    ['-D', pathForPostgres(folder.account, folder.cluster)],
    ['-c', markerOf(folder)],
    ['-c', releaseMarker(binaries)],
    ['-c', `port=${port}`],
    ['-c', 'listen_addresses=127.0.0.1'],
    // The socket is inside the cluster's own folder, mode 700. Nobody connects to it, but a second container sees that it answers.
    ['-c', `unix_socket_directories=${socket ? '.' : ''}`],
  ].flat();
  rmSync(folder.startLog, { force: true });
  const output = openSync(folder.startLog, 'wx', 0o600);
  // Runs in a process group of its own: Ctrl-C in the node's terminal must not stop the database before the node has finished.
  const child = spawn(binaries.postgres, args, {
    ...folder.account,
    cwd: folder.cluster,
    env: childEnvironment(),
    stdio: ['ignore', output, output],
    detached: true,
  });
  closeSync(output);
  child.unref();

  const state: { ended: string | null; error: unknown } = { ended: null, error: null };
  child.once('exit', (code, signal) => {
    state.ended = `exit ${code ?? signal}`;
  });
  child.once('error', (error) => {
    state.error = asProblem(error, 'run', binaries.postgres);
  });
  for (const until = performance.now() + RECOVERY_TIMEOUT_MS; performance.now() < until; await sleep(5)) {
    if (state.error !== null) throw state.error;
    if (state.ended !== null) return { ok: false, said: saidSince(folder, before), ended: state.ended };
    const found = child.pid === undefined ? null : await findOwn(folder, child.pid);
    if (found?.ready === true) return { ok: true, postmaster: found };
  }
  throw new DatabaseProblem(
    `Postgres on ${folder.cluster} is not ready after ${RECOVERY_TIMEOUT_MS / 1000} s.`,
    `Look at its log in ${folder.cluster}/log; it goes on recovering, so starting again later may do.`,
  );
}

async function findOwn(folder: DataFolder, pid: number): Promise<Postmaster | null> {
  const found = await findPostmaster(folder);
  return found?.pid === pid ? found : null;
}

/** A marker of the programs and settings of a release. A postmaster with another marker was started by another release of Savepoint. */
export function releaseMarker(binaries: Binaries): string {
  let sum = 0;
  for (const char of CONFIGURATION) sum = (Math.imul(sum, 31) + char.charCodeAt(0)) | 0;
  return `savepoint.release=${binaries.version}:${sum >>> 0}`;
}

/** The port of the last start if it is free, so that configured clients keep working. Otherwise any free port. */
async function choosePort(last: number | null): Promise<number> {
  if (last !== null && (await isFree(last))) return last;
  for (let attempt = 0; attempt < 50; attempt += 1) {
    // Chosen below the range that systems use for outgoing connections, so that it is probably free at the next start, too.
    const port = 15_000 + Math.floor(Math.random() * 17_000);
    if (await isFree(port)) return port;
  }
  throw new DatabaseProblem('Found no free port for Postgres on 127.0.0.1 between 15000 and 31999.', 'Free one, or set DATABASE_URL.');
}

async function isFree(port: number): Promise<boolean> {
  return await new Promise<boolean>((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => done(true)));
  });
}

/** The log file that Postgres writes today, and its length before the start. */
interface LogLength {
  readonly path: string | null;
  readonly bytes: number;
}

function logLength(folder: DataFolder): LogLength {
  const logs = join(folder.cluster, 'log');
  if (statSync(logs, { throwIfNoEntry: false }) === undefined) return { path: null, bytes: 0 };
  const files = readdirSync(logs).map((name) => ({ path: join(logs, name), stat: statSync(join(logs, name)) }));
  const newest = files.sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs)[0];
  return newest === undefined ? { path: null, bytes: 0 } : { path: newest.path, bytes: newest.stat.size };
}

function saidSince(folder: DataFolder, before: LogLength): string {
  const now = logLength(folder);
  const text =
    now.path === null ? '' : readFileSync(now.path).toString('utf8', now.path === before.path ? Math.min(before.bytes, now.bytes) : 0);
  return `${readFileSync(folder.startLog, 'utf8')}\n${text}`.trim();
}

const CURES: readonly (readonly [pattern: RegExp, cure: string])[] = [
  [/No space left|Disk quota/, 'The disk is full: free some space and start again; nothing that was committed is lost.'],
  [
    /Permission denied|wrong ownership|invalid permissions/,
    'Everything in this folder must belong to the account that runs Postgres: chown -R.',
  ],
  [/Cannot allocate memory|could not map anonymous shared memory/, 'Free some memory: Postgres needs about 200 MB.'],
  [/could not create shared memory|could not create semaphores/, 'Raise the limits on shared memory and semaphores of this system.'],
  [
    /invalid checkpoint record|could not locate a valid checkpoint/,
    'Files of the database are damaged or missing: restore the data folder from a backup.',
  ],
  [/unrecognized configuration parameter|invalid value for parameter|contains errors/, 'Remove the setting from postgresql.auto.conf.'],
];

function failure(folder: DataFolder, said: string, ended: string): DatabaseProblem {
  const telling = said.split('\n').filter((line) => /FATAL|PANIC|ERROR|LOG: {2}(could not|invalid)/.test(line));
  const why = (telling.length > 0 ? telling : said.split('\n')).slice(-3).join('\n');
  const cure = CURES.find(([pattern]) => pattern.test(said))?.[1] ?? `Its logs are ${folder.startLog} and ${join(folder.cluster, 'log')}.`;
  return new DatabaseProblem(`Postgres did not start on ${folder.cluster} (${ended}):\n${why}`, cure);
}
