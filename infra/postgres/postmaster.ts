import { execFile } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.ts';
import { type DataFolder, exists, writeIntoCluster } from './data-folder.ts';
import { DatabaseProblem, systemCode } from './problem.ts';

/** The server process of a cluster, ours or left behind by a node that was killed. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Its {@link markOf}, as it was when it was found: the folder may be moved while it runs. */
  readonly mark: string;
  /** False while it starts, recovers or stops. */
  readonly ready: boolean;
}

/**
 * Sits on the postmaster's command line and tells it from any other process that was given its number later: device and inode of
 * the cluster's folder. They follow the folder when it is moved, and a copy of it has others.
 */
export function markOf(folder: DataFolder): string {
  const { dev, ino } = statSync(folder.cluster, { bigint: true });
  return `savepoint.folder=${dev}:${ino}`;
}

/**
 * The postmaster that runs on this folder, or `null`. It is found by its lock file (`postmaster.pid`: number, folder, start, port,
 * socket folder, address, shared memory, state). Throws {@link DatabaseProblem} when one runs that this process cannot see.
 */
export async function findPostmaster(folder: DataFolder): Promise<Postmaster | null> {
  const lines = readLockFile(folder);
  if (lines === null) return null;
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  const mark = markOf(folder);
  if (await isPostmaster(pid, mark)) return { pid, port, mark, ready: (lines[7] ?? '').trim() === 'ready' };

  // Another container or machine has other process numbers and the same folder. Two servers on one folder destroy it.
  if (await answersOnSocket(folder, port)) {
    throw new DatabaseProblem(
      `A Postgres that this process cannot see already runs on ${folder.cluster} (another container with the same folder?).`,
      'Stop it, use another folder with --data, or give all nodes one Postgres server with DATABASE_URL.',
    );
  }
  return null;
}

/**
 * Makes a lock file that a killed postmaster left behind harmless. Postgres sees by itself that the process is gone, unless its
 * number belongs to another one by now. The file is not removed: with it Postgres checks that no worker of the dead server is left.
 */
export function disarmLockFile(folder: DataFolder): void {
  for (const name of readdirSync(folder.cluster)) {
    if (name.startsWith('.s.PGSQL.')) rmSync(join(folder.cluster, name), { force: true });
  }
  const lines = readLockFile(folder);
  if (lines === null || !exists(Number(lines[0]))) return;
  if (process.platform === 'win32') {
    rmSync(join(folder.cluster, 'postmaster.pid'), { force: true });
    return;
  }
  // Postgres takes its own parent's number for a stale one: a parent cannot be the server that it starts.
  writeIntoCluster(folder, 'postmaster.pid', [String(process.pid), ...lines.slice(1)].join('\n'));
}

/** Removes a lock file without content, which a power cut leaves behind and Postgres refuses. Call it only if it stays empty. */
export function removeEmptyLockFile(folder: DataFolder): void {
  const path = join(folder.cluster, 'postmaster.pid');
  if (statSync(path, { throwIfNoEntry: false })?.size === 0) rmSync(path, { force: true });
}

/** Whether this process number is the postmaster with this mark, now. */
export async function isPostmaster(pid: number, mark: string): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 1 || !exists(pid)) return false;
  const command = await commandOf(pid);
  // Where nobody tells what runs under a number, a living one counts as ours: too careful is better than two servers.
  return command === null || command.includes(mark);
}

async function commandOf(pid: number): Promise<string | null> {
  try {
    // A dead process that nobody has collected yet reads as empty.
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    if (process.platform === 'win32') return null;
    return (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout;
  } catch (error) {
    // Want of descriptors or memory says nothing of that process: taken for gone, a sound server was stopped in a flood of connections.
    return ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'].includes(systemCode(error) ?? '') ? null : '';
  }
}

function readLockFile(folder: DataFolder): string[] | null {
  const path = join(folder.cluster, 'postmaster.pid');
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    // Written in several steps: without a port it is being made, or was cut off.
    return lines.length < 4 ? null : lines;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw new DatabaseProblem(`Could not read ${path} (${systemCode(error)}).`, 'Start as the owner of the data folder or as root.');
  }
}

/** The socket in the folder is reached by the folder's open handle: its path may be longer than the 107 bytes that sockets allow. */
async function answersOnSocket(folder: DataFolder, port: number): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  const handle = openSync(folder.cluster, 'r');
  try {
    return await new Promise<boolean>((done) => {
      const socket = connect(`/proc/self/fd/${handle}/.s.PGSQL.${port}`);
      socket.once('connect', () => done(true));
      socket.once('error', () => done(false));
      socket.once('close', () => done(false));
      socket.once('connect', () => socket.destroy());
    });
  } finally {
    closeSync(handle);
  }
}

/** How long each way of stopping may take, in milliseconds. */
const PATIENCE = { fast: 10_000, immediate: 5_000, killed: 5_000 };

/**
 * Stops it and resolves when it is gone: first so that transactions are rolled back and everything is flushed, then at once
 * (recovery at the next start), at last by force. None of the three loses a commit.
 */
export async function stopPostmaster({ pid, mark }: Postmaster, folder: DataFolder, binaries: Binaries): Promise<void> {
  if (process.platform === 'win32') {
    await promisify(execFile)(binaries.pgCtl, ['stop', '-D', folder.cluster, '-m', 'fast']).catch(() => undefined);
  }
  const steps = [
    ['SIGINT', PATIENCE.fast],
    ['SIGQUIT', PATIENCE.immediate],
    ['SIGKILL', PATIENCE.killed],
  ] as const;
  for (const [signal, patience] of steps) {
    if (!(await isPostmaster(pid, mark))) return;
    if (process.platform !== 'win32' || signal === 'SIGKILL') send(pid, signal);
    if (await goneWithin(patience, pid, mark)) return;
  }
  throw new DatabaseProblem(`Postgres (process ${pid}) on ${folder.cluster} does not stop.`, `Look at its log in ${folder.cluster}/log.`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone between the look and the signal.
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}

async function goneWithin(patience: number, pid: number, mark: string): Promise<boolean> {
  for (const until = performance.now() + patience; performance.now() < until; await sleep(10)) {
    if (!(await isPostmaster(pid, mark))) return true;
  }
  return false;
}

/** Whether it was started with this setting on its command line. */
export async function runsWith(pid: number, setting: string): Promise<boolean> {
  const command = await commandOf(pid);
  return command === null || command.includes(setting);
}
