import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Running } from './supervisor.ts';

/** Processes of a cluster: finds programs, starts them with their output in a file, waits for them, stops them. */

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Its output is appended to this file. */
  readonly logFile: string;
  /** The signal that asks it to finish its work and end. */
  readonly stopWith: NodeJS.Signals;
}

const STOP_MS = 20_000;
const READY_MS = 90_000;
/** Folders with servers that are often not in a user's PATH. */
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/bin'];
/** On Linux this program makes a process end with its parent, however the parent ends. */
const SETPRIV = '/usr/bin/setpriv';

/** The path of a program on this machine; `null` where there is none. */
export function findProgram(name: string): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...SERVER_FOLDERS];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export function startProcess({ program, args, env, logFile, stopWith }: Command): Running {
  const output = openSync(logFile, 'a', 0o600);
  const own = [program, ...args];
  const [first = program, ...rest] = isExecutable(SETPRIV) ? [SETPRIV, '--pdeathsig', 'TERM', ...own] : own;
  // A process group of its own: Ctrl-C in the terminal goes to the cluster, which stops its parts in their order.
  const child = spawn(first, rest, { env, stdio: ['ignore', output, output], detached: true });
  closeSync(output);
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => {
      endGroup(child.pid);
      resolve(signal ?? `code ${code}`);
    });
  });
  return {
    pid: child.pid ?? 0,
    ended,
    async stop() {
      child.kill(stopWith);
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

/** Kills what a killed process leaves behind, such as the workers of nginx, which would keep its port. */
function endGroup(leader: number | undefined): void {
  if (leader === undefined) return;
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // The group has no process left.
  }
}

/** Resolves when `isReady` is true. If the process ends, takes too long, or `signal` aborts, stops it and throws with its last lines. */
export async function whenReady(running: Running, logFile: string, isReady: () => Promise<boolean>, signal: AbortSignal): Promise<Running> {
  const state: { end: string | null } = { end: null };
  running.ended.then((how) => {
    state.end = how;
  });
  for (const until = Date.now() + READY_MS; !signal.aborted && state.end === null && Date.now() < until; await sleep(30)) {
    if (await isReady()) return running;
  }
  await running.stop();
  throw new Error(`it was not ready (${state.end}):\n${lastLines(logFile)}`);
}

function lastLines(file: string): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-8).join('\n');
}
