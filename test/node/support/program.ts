import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { healthStatus, ownEnvironment, programPath } from '../../../infra/harness/node.ts';
import { freePort } from '../../../infra/harness/port.ts';

/** The built program as a user runs it: real processes with their own environments and data folders. */

/** Generous, because other work shares the machine. */
const TIMEOUT_MS = 90_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly pid: number;
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ended>;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Another built program than `savepoint`. */
  readonly program?: string;
}

export function run(args: readonly string[], options: RunOptions = {}): Running {
  const child = spawn(process.execPath, [options.program ?? programPath(), ...args], {
    env: ownEnvironment(options.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out: string[] = [];
  const err: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk.toString()));
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code, signal) => resolve({ code, signal, stdout: out.join(''), stderr: err.join('') }));
  });
  return { pid: child.pid ?? 0, child, stdout: () => out.join(''), stderr: () => err.join(''), ended };
}

/** Runs a command to its end. */
export async function savepoint(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const running = run(args, options);
  const late = setTimeout(() => running.child.kill('SIGKILL'), TIMEOUT_MS);
  const ended = await running.ended;
  clearTimeout(late);
  return ended;
}

/** Runs a command that must end with 0 and gives what it printed. */
export async function succeed(args: readonly string[], options: RunOptions = {}): Promise<string> {
  const { code, stdout, stderr } = await savepoint(args, options);
  if (code !== 0) throw new Error(`savepoint ${args.join(' ')} ended with ${code}: ${stdout}${stderr}`);
  return stdout;
}

export interface Node extends Running {
  readonly url: string;
  readonly data: string;
  /** Sends SIGTERM and waits for its end; kills it after 30 s. */
  stop(): Promise<Ended>;
  /** Sends `kill -9` and waits for its end. */
  kill(): Promise<Ended>;
}

/** The default settings of a node. */
export const ALL_ROLES = { ROLES: 'api,projector,worker' };

export interface NodeOptions extends RunOptions {
  /** Unless `ROLES` is set a node has no background jobs: loading their library takes half as long as the rest of a start. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly port?: number;
}

/** Runs `savepoint start` on `data`, and waits until it serves. Throws with all its output when it ends instead. */
export async function startNode(data: string, options: NodeOptions = {}): Promise<Node> {
  const port = options.port ?? (await freePort());
  const env = { ROLES: 'api,projector', SAVEPOINT_DATA: data, ...options.env };
  const running = run(['start', '--port', String(port), ...(options.args ?? [])], { ...options, env });
  const url = `http://127.0.0.1:${port}`;
  for (const until = Date.now() + TIMEOUT_MS; ; await sleep(30)) {
    const { exitCode, signalCode } = running.child;
    if (exitCode !== null || signalCode !== null || Date.now() > until) {
      running.child.kill('SIGKILL');
      throw new Error(`the node did not start (${exitCode ?? signalCode}): ${running.stdout()}${running.stderr()}`);
    }
    // Also waits for the node's own message, because another program might listen there and answer in its place.
    if (running.stdout().includes(url) && (await healthStatus(url)) === 200) break;
  }
  const kill = () => {
    running.child.kill('SIGKILL');
    return running.ended;
  };
  const stop = async () => {
    running.child.kill('SIGTERM');
    const late = setTimeout(kill, 30_000);
    const ended = await running.ended;
    clearTimeout(late);
    return ended;
  };
  return { ...running, url, data, stop, kill };
}

/** A folder that belongs to a test; `removeFolders` removes it. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-node-'));
  folders.push(folder);
  return folder;
}

const folders: string[] = [];

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Calls `look` until it gives something; throws `what` when it never does. */
export async function eventually<T>(what: string, look: () => Promise<T | null | undefined | false>, everyMs = 50): Promise<T> {
  for (const until = Date.now() + TIMEOUT_MS; Date.now() < until; await sleep(everyMs)) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
  }
  throw new Error(`it never came to this: ${what}`);
}

/** Whether a process still runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The process id of the embedded Postgres that serves `data`, from its lock file. */
export function postmasterOf(data: string): number {
  return Number(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
}
