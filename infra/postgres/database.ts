import { setTimeout as sleep } from 'node:timers/promises';
import { type Binaries, findBinaries } from './binaries.ts';
import { createCluster, DATABASE_USER } from './create-cluster.ts';
import {
  clearStagingFolders,
  clusterMajor,
  type DataFolder,
  ensureSecrets,
  lookIntoDataFolder,
  openDataFolder,
  readSecrets,
} from './data-folder.ts';
import { launch, releaseMarker } from './launch.ts';
import { type DatabaseLock, findLockHolder, type LockHolder, type Purpose, tryLock } from './lock.ts';
import { findPostmaster, isLockFileBroken, isPostmaster, type Postmaster, runsWith, stopPostmaster } from './postmaster.ts';
import { DatabaseProblem } from './problem.ts';
import { stopBeforeEnd } from './process-exit.ts';

/** Where progress is reported; a logger of pino fits. */
interface Progress {
  info(text: string): void;
  warn(text: string): void;
}

export interface DatabaseOptions {
  readonly dataDir: string;
  readonly log: Progress;
}

/** An embedded Postgres that this process may stop. */
export interface Database {
  /** `postgres://…` with the password, so it must never be logged. */
  readonly url: string;
  readonly major: number;
  readonly pid: number;
  /** Whether the server was already running, because a node before us was killed. */
  readonly adopted: boolean;
  /** Resolves when the server is gone, for whatever reason. `expected`: after {@link Database.stop}. */
  readonly exited: Promise<{ readonly expected: boolean }>;
  /** Stops it and resolves when it is gone. It may be called twice. Close the pools first. */
  stop(): Promise<void>;
}

export interface RunningDatabase {
  readonly url: string;
  readonly pid: number;
  /** `null`: a node that was killed left it behind. */
  readonly holder: LockHolder | null;
}

/** How long to wait for another holder, in milliseconds: the session of a killed node may linger, and a command ends soon. */
const WAIT_FOR = { node: 2_000, command: 30_000 };
const WAIT_FOR_ANSWER_MS = 60_000;

/**
 * Starts the embedded Postgres of a data folder, and creates both if they are missing. This process then holds the database alone. A server
 * that a killed node left running is adopted as it is. Throws {@link DatabaseProblem}, whose message says what to do: another node holds
 * it, another major version wrote it, it cannot be read, written or run.
 */
export async function startDatabase(options: DatabaseOptions & { readonly purpose?: Purpose }): Promise<Database> {
  const { log, purpose = 'node' } = options;
  const folder = openDataFolder(options.dataDir);
  const binaries = await findBinaries(folder.account);
  await prepareCluster(folder, binaries, log);
  const deadline = new StartDeadline(folder, log);
  for (;;) {
    const found = await findPostmaster(folder);
    const postmaster = found ?? (await launch(folder, binaries, ensureSecrets(folder, false)));
    if (postmaster === null || !postmaster.ready) {
      await deadline.forAnswer(postmaster, 'it is starting or stopping');
      continue;
    }
    const url = urlOf(folder, postmaster.port);
    const attempt = await tryLock(url, purpose, (text) => log.warn(text));
    if (attempt.kind === 'wrongPassword') throw wrongPassword(folder);
    if (attempt.kind === 'taken') {
      await deadline.forHolder(attempt.by);
      continue;
    }
    if (attempt.kind === 'unreachable') {
      await deadline.forAnswer(postmaster, attempt.reason);
      continue;
    }
    const adopted = found !== null;
    if (!adopted || (await runsWith(postmaster.pid, releaseMarker(binaries)))) {
      return asDatabase({ folder, binaries, postmaster, lock: attempt.lock, url, adopted });
    }
    log.info('the embedded Postgres was left behind by another release; starting it anew');
    attempt.lock.expectEnd();
    await stopPostmaster(postmaster, folder, binaries);
    await attempt.lock.release();
  }
}

/**
 * The embedded Postgres that runs on this data folder, or `null` when none does. For commands beside a running node: it takes no lock and
 * changes nothing. Throws {@link DatabaseProblem} when the folder cannot be read.
 */
export async function findDatabase(options: { readonly dataDir: string }): Promise<RunningDatabase | null> {
  const folder = lookIntoDataFolder(options.dataDir);
  if (folder === null || readSecrets(folder) === null) return null;
  const postmaster = await findPostmaster(folder);
  if (postmaster === null || !postmaster.ready) return null;
  const url = urlOf(folder, postmaster.port);
  return { url, pid: postmaster.pid, holder: await findLockHolder(url) };
}

/** Whether the lock file of the embedded database is damaged, as a power cut leaves it. The next start removes it. */
export function hasBrokenLockFile(dataDir: string): boolean {
  const folder = lookIntoDataFolder(dataDir);
  return folder !== null && isLockFileBroken(folder);
}

/**
 * The database for a command. A running node's database is shared, and `release` leaves it alone. Otherwise it is started and locked as by
 * a node, so that two commands and a node wait for each other, and `release` stops it.
 */
export async function useDatabase(options: DatabaseOptions): Promise<{ readonly url: string; release(): Promise<void> }> {
  const ofNode = async () => {
    const running = await findDatabase(options);
    return running?.holder?.purpose === 'node' ? { url: running.url, release: async () => undefined } : null;
  };
  const found = await ofNode();
  if (found !== null) return found;
  const starting = startDatabase({ ...options, purpose: 'command' });
  const ended = stopBeforeEnd(() => stopStarted(starting));
  try {
    const { url, stop } = await starting;
    return { url, release: () => stop().finally(ended) };
  } catch (error) {
    ended();
    // A node may have been starting at the same time.
    const late = error instanceof DatabaseProblem ? await ofNode() : null;
    if (late === null) throw error;
    return late;
  }
}

/** A start takes a second or two. One that took longer was still waiting for another command and has started nothing. */
const STARTED_MS = 3_000;

async function stopStarted(starting: Promise<Database>): Promise<void> {
  const database = await Promise.race([starting, sleep(STARTED_MS, null)]);
  await database?.stop();
}

/**
 * The address of the last start, whether it runs or not; `null` before the first start. It holds the password, so it must never be logged.
 */
export function databaseUrlOf(dataDir: string): string | null {
  const folder = lookIntoDataFolder(dataDir);
  const port = folder === null ? null : (readSecrets(folder)?.port ?? null);
  return folder === null || port === null ? null : urlOf(folder, port);
}

async function prepareCluster(folder: DataFolder, binaries: Binaries, log: Progress): Promise<void> {
  clearStagingFolders(folder);
  const major = clusterMajor(folder);
  if (major === null) {
    log.info(`creating the embedded database in ${folder.cluster}`);
    await createCluster(folder, binaries, ensureSecrets(folder, true).password);
    return;
  }
  if (major === binaries.major) return;
  throw new DatabaseProblem(
    `The database in ${folder.cluster} was written by Postgres ${major}; this release of savepoint brings Postgres ${binaries.major}.`,
    `Start the release that wrote it and copy the log into a new folder or server (savepoint log copy), or choose another folder with --data. Nothing was changed.`,
  );
}

function urlOf(folder: DataFolder, port: number): string {
  const { password } = ensureSecrets(folder, false);
  return `postgres://${DATABASE_USER}:${encodeURIComponent(password)}@127.0.0.1:${port}/postgres`;
}

function wrongPassword(folder: DataFolder): DatabaseProblem {
  return new DatabaseProblem(
    `The password in ${folder.path}/postgres.json is not the one of the database in ${folder.cluster}.`,
    'Restore both from the same backup, or choose another folder with --data.',
  );
}

/** Waits between two tries. Gives up with the reason when the time is over. */
class StartDeadline {
  readonly #folder: DataFolder;
  readonly #log: Progress;
  readonly #start = performance.now();
  #isReported = false;

  constructor(folder: DataFolder, log: Progress) {
    this.#folder = folder;
    this.#log = log;
  }

  async forHolder(by: LockHolder | null): Promise<void> {
    const deadline = WAIT_FOR[by?.purpose ?? 'node'];
    if (performance.now() - this.#start > deadline) throw this.#inUse(by);
    if (by?.purpose === 'command') this.#tell(`waiting for a savepoint command (process ${by.pid}) to finish with the embedded database`);
    await sleep(100);
  }

  async forAnswer(postmaster: Postmaster | null, reason: string): Promise<void> {
    if (performance.now() - this.#start > WAIT_FOR_ANSWER_MS) {
      throw new DatabaseProblem(
        `Postgres (process ${postmaster?.pid ?? 'unknown'}) on ${this.#folder.cluster} does not answer: ${reason}`,
        `Look at its log in ${this.#folder.cluster}/log; stop that process if it hangs.`,
      );
    }
    if (performance.now() - this.#start > 1_000) this.#tell('waiting for the embedded Postgres to start or to stop');
    await sleep(20);
  }

  #tell(text: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#log.info(text);
  }

  #inUse(by: LockHolder | null): DatabaseProblem {
    const who = by === null ? 'another process' : `a savepoint ${by.purpose} (process ${by.pid}, since ${by.since.toISOString()})`;
    return new DatabaseProblem(
      `The embedded database in ${this.#folder.path} is already used by ${who}.`,
      'Stop that one, choose another folder with --data, or set DATABASE_URL to a Postgres server that several nodes share.',
    );
  }
}

interface Started {
  readonly folder: DataFolder;
  readonly binaries: Binaries;
  readonly postmaster: Postmaster;
  readonly lock: DatabaseLock;
  readonly url: string;
  readonly adopted: boolean;
}

function asDatabase({ folder, binaries, postmaster, lock, url, adopted }: Started): Database {
  let stopping: Promise<void> | null = null;
  const watch = async () => {
    while (await isPostmaster(postmaster.pid, postmaster.marker)) await sleep(250, undefined, { ref: false });
    return { expected: stopping !== null };
  };
  const stopNow = async () => {
    // If another process holds the lock now, that process works with the server, and this one must not stop it.
    const mayStop = lock.held();
    lock.expectEnd();
    if (mayStop) await stopPostmaster(postmaster, folder, binaries);
    await lock.release();
  };
  const stop = async () => {
    stopping ??= stopNow();
    await stopping;
  };
  return { url, major: binaries.major, pid: postmaster.pid, adopted, exited: watch(), stop };
}
