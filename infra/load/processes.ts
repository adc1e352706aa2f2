import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Reads Linux's /proc about processes. On other systems every figure is `null` and no process is found. */

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

export interface ProcessStat {
  readonly pid: number;
  readonly parent: number;
  /** CPU seconds of its own. */
  readonly own: number;
  /** CPU seconds of its children that have ended and were waited for. */
  readonly ended: number;
}

/** The process id of the Postgres server whose cluster is somewhere below `dataFolder`; `null` when its file is not there. */
export async function findPostmaster(dataFolder: string): Promise<number | null> {
  const note = await findFile(dataFolder, 'postmaster.pid', 3);
  if (note === null) return null;
  const first = (await readFile(note, 'utf8').catch(() => '')).split('\n')[0];
  const pid = Number(first);
  return Number.isInteger(pid) && pid > 1 && (await readStat(pid)) !== null ? pid : null;
}

/** CPU seconds of one process, without its children. */
export async function cpuSeconds(pid: number): Promise<number | null> {
  return (await readStat(pid))?.own ?? null;
}

/** CPU seconds of a process and all its children, including those that have ended: for Postgres, whose backends come and go. */
export async function familyCpuSeconds(pid: number): Promise<number | null> {
  const parent = await readStat(pid);
  if (parent === null) return null;
  return (await childrenOf(pid)).reduce((sum, child) => sum + child.own, parent.own + parent.ended);
}

/** The direct children of a process. Empty without /proc. */
export async function childrenOf(pid: number): Promise<readonly ProcessStat[]> {
  const entries = await readdir('/proc').catch(() => []);
  const stats = await Promise.all(entries.filter((name) => /^\d+$/.test(name)).map((name) => readStat(Number(name))));
  return stats.filter((stat) => stat !== null).filter((stat) => stat.parent === pid);
}

/** Resident memory of one process in bytes. */
export async function residentBytes(pid: number): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** `null` when there is no such process (or it has ended and was not collected yet). */
async function readStat(pid: number): Promise<ProcessStat | null> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The name, in parentheses, may hold blanks. The fields after it are fixed (man 5 proc): state, parent, … utime, stime, cutime, cstime.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  const ticks = (index: number) => Number(fields[index]) / TICKS_PER_SECOND;
  return { pid, parent: Number(fields[1]), own: ticks(11) + ticks(12), ended: ticks(13) + ticks(14) };
}

async function findFile(folder: string, name: string, depth: number): Promise<string | null> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  if (entries.some((entry) => entry.isFile() && entry.name === name)) return join(folder, name);
  if (depth === 0) return null;
  for (const entry of entries.filter((one) => one.isDirectory())) {
    const found = await findFile(join(folder, entry.name), name, depth - 1);
    if (found !== null) return found;
  }
  return null;
}
