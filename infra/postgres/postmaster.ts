import { execFile } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Binaries } from './binaries.ts';
import { type DataFolder, exists, writeIntoCluster } from './data-folder.ts';
import { DatabaseProblem, systemCode } from './problem.ts';

/** The server process of a cluster: our own, or one that a killed node left behind. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** Its {@link markerOf} when it was found. The folder may be moved while it runs. */
  readonly marker: string;
  /** False while it starts, recovers or stops. */
  readonly ready: boolean;
}

/**
 * A marker on the postmaster's command line: device and inode of the cluster's folder. It distinguishes the postmaster from another process
 * that got its number later. Device and inode stay when the folder is moved, and a copy of it has others.
 */
export function markerOf(folder: DataFolder): string {
  const { dev, ino } = statSync(folder.cluster, { bigint: true });
  return `savepoint.folder=${dev}:${ino}`;
}

/**
 * The postmaster that runs on this folder, or `null`. It is found by its lock file (`postmaster.pid`: number, folder, start, port, socket
 * folder, address, shared memory, state). Throws {@link DatabaseProblem} when one runs that this process cannot see.
 */
export async function findPostmaster(folder: DataFolder): Promise<Postmaster | null> {
  const lines = readLockFile(folder);
  if (lines === null) return null;
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  const marker = markerOf(folder);
  if (await isPostmaster(pid, marker)) return { pid, port, marker, ready: (lines[7] ?? '').trim() === 'ready' };

  // Another container or machine may use the same folder with other process numbers. Two servers on one folder destroy it.
  if (await answersOnSocket(folder, port)) {
    throw new DatabaseProblem(
      `A Postgres that this process cannot see already runs on ${folder.cluster} (another container with the same folder?).`,
      'Stop it, use another folder with --data, or give all nodes one Postgres server with DATABASE_URL.',
    );
  }
  return null;
}

/**
 * Makes a lock file that a killed postmaster left behind harmless. Postgres notices by itself that the process is gone, unless another
 * process has its number by now. The file is not removed, because Postgres uses it to check that no worker of the dead server is left.
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
  // Postgres treats the number of its own parent as stale: a parent cannot be the server that it starts.
  writeIntoCluster(folder, 'postmaster.pid', [String(process.pid), ...lines.slice(1)].join('\n'));
}

/** How long a postmaster may take between making its lock file and writing it, ms. */
const WRITTEN_MS = 500;

/**
 * Removes a lock file that no postmaster wrote to its end: empty, of NULs, of garbage, cut off. A power cut leaves one behind, and Postgres
 * refuses to start with it. One that is still being written stays.
 */
export async function removeBrokenLockFile(folder: DataFolder): Promise<void> {
  await sleep(WRITTEN_MS);
  if (isLockFileBroken(folder)) rmSync(join(folder.cluster, 'postmaster.pid'), { force: true });
}

export function isLockFileBroken(folder: DataFolder): boolean {
  const text = lockFileText(folder);
  return text !== null && linesOf(text) === null;
}

/** Whether the process with this number is now the postmaster with this mark. */
export async function isPostmaster(pid: number, marker: string): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 1 || !exists(pid)) return false;
  const command = await commandOf(pid);
  // If the system does not say what the process is, it counts as ours: a needless refusal is better than two servers.
  return command === null || command.includes(marker);
}

async function commandOf(pid: number): Promise<string | null> {
  try {
    // The file is empty for a dead process whose parent has not collected it yet.
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    if (process.platform === 'win32') return null;
    return (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout;
  } catch (error) {
    // Too few descriptors or too little memory says nothing about the process. Taking it for gone would stop a healthy server during a
    // flood of connections.
    return ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'].includes(systemCode(error) ?? '') ? null : '';
  }
}

function readLockFile(folder: DataFolder): string[] | null {
  const text = lockFileText(folder);
  return text === null ? null : linesOf(text);
}

/** The file is written in several steps. Without a number and a port it is still being written, or was cut off. */
function linesOf(text: string): string[] | null {
  const lines = text.split('\n');
  return /^-?\d+$/.test(lines[0]?.trim() ?? '') && /^\d+$/.test(lines[3]?.trim() ?? '') ? lines : null;
}

function lockFileText(folder: DataFolder): string | null {
  const path = join(folder.cluster, 'postmaster.pid');
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw new DatabaseProblem(`Could not read ${path} (${systemCode(error)}).`, 'Start as the owner of the data folder or as root.');
  }
}

/** The socket is reached through the open handle of its folder, because its path may be longer than the 107 bytes that sockets allow. */
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
const TIMEOUT = { fast: 10_000, immediate: 5_000, killed: 5_000 };

/**
 * Stops it and resolves when it is gone. The first signal rolls back transactions and flushes everything, the second stops at once (the
 * next start then recovers), the third kills. None of the three loses a commit.
 */
export async function stopPostmaster({ pid, marker }: Postmaster, folder: DataFolder, binaries: Binaries): Promise<void> {
  if (process.platform === 'win32') {
    await promisify(execFile)(binaries.pgCtl, ['stop', '-D', folder.cluster, '-m', 'fast']).catch(() => undefined);
  }
  const steps = [
    ['SIGINT', TIMEOUT.fast],
    ['SIGQUIT', TIMEOUT.immediate],
    ['SIGKILL', TIMEOUT.killed],
  ] as const;
  for (const [signal, timeoutMs] of steps) {
    if (!(await isPostmaster(pid, marker))) return;
    if (process.platform !== 'win32' || signal === 'SIGKILL') send(pid, signal);
    if (await goneWithin(timeoutMs, pid, marker)) return;
  }
  throw new DatabaseProblem(`Postgres (process ${pid}) on ${folder.cluster} does not stop.`, `Look at its log in ${folder.cluster}/log.`);
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // It ended between the check and the signal.
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}

async function goneWithin(timeoutMs: number, pid: number, marker: string): Promise<boolean> {
  for (const until = performance.now() + timeoutMs; performance.now() < until; await sleep(10)) {
    if (!(await isPostmaster(pid, marker))) return true;
  }
  return false;
}

/** Whether its command line has this setting. */
export async function runsWith(pid: number, setting: string): Promise<boolean> {
  const command = await commandOf(pid);
  return command === null || command.includes(setting);
}
