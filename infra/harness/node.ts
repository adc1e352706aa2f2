import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from './port.ts';
import { type Credentials, parseCredentials } from './project.ts';

/** A `savepoint start` that a test or benchmark owns, with its own data folder and a free loopback port. */
export interface RunningNode {
  readonly url: string;
  readonly dataFolder: string;
  readonly pid: number;
  /** Milliseconds from starting the program to the first healthy answer. */
  readonly startedInMs: number;
  /** The last lines it printed, for error messages. */
  output(): string;
  /** Asks it to finish and end. Resolves to its exit code, `null` when it had to be killed after 20 s. */
  stop(): Promise<number | null>;
  /** `kill -9`. Resolves when it is gone. */
  kill(): Promise<void>;
}

const run = promisify(execFile);

/** The folder of the repository, whether this runs from the sources or from `dist/`. */
export function repositoryFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'bin/savepoint.js'))) {
    if (dirname(folder) === folder) throw new Error('bin/savepoint.js was not found above this file');
    folder = dirname(folder);
  }
  return folder;
}

export function programPath(): string {
  return join(repositoryFolder(), 'bin/savepoint.js');
}

/**
 * The program and arguments to spawn for a command line. Like a shell it starts the file itself, whose first line names Node and its flags.
 */
export function programCommand(words: readonly string[]): readonly [command: string, args: readonly string[]] {
  // Windows does not read that first line.
  return process.platform === 'win32' ? [process.execPath, [programPath(), ...words]] : [programPath(), words];
}

export interface NodeOptions {
  readonly withinMs?: number;
  /** Further arguments after `start`. */
  readonly args?: readonly string[];
  readonly settings?: Settings;
}

/** Starts a node and waits until `/health` answers 200. Throws with its last output when it ends before, or after `withinMs`. */
export async function startNode(dataFolder: string, options: NodeOptions = {}): Promise<RunningNode> {
  const started = performance.now();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const start = ['start', '--host', '127.0.0.1', '--port', String(port)];
  const [command, args] = programCommand([...start, ...(options.args ?? [])]);
  const child = spawn(command, args, {
    env: ownEnvironment({ SAVEPOINT_DATA: dataFolder, ...options.settings }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = lastLines(child);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const deadline = started + (options.withinMs ?? 60_000);
  try {
    await healthy(url, child, deadline);
  } catch (error) {
    child.kill('SIGKILL');
    throw new Error(`the node did not start: ${String(error)}\n${output()}`);
  }
  if (child.pid === undefined) throw new Error('a running child has a process id');
  return {
    url,
    dataFolder,
    pid: child.pid,
    startedInMs: performance.now() - started,
    output,
    async stop() {
      child.kill('SIGTERM');
      const killing = setTimeout(() => child.kill('SIGKILL'), 20_000);
      await ended;
      clearTimeout(killing);
      return child.exitCode;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Settings of a node beside the defaults, as environment variables. */
export type Settings = Readonly<Record<string, string>>;

/** A project to work on: the one that the first start on a data folder made, or a new one if the log already held some. */
export async function projectOf(dataFolder: string, settings: Settings): Promise<Credentials> {
  if (existsSync(join(dataFolder, 'demo-project.json'))) return demoCredentials(dataFolder);
  const { code, stdout, stderr } = await savepointWith(
    { SAVEPOINT_DATA: dataFolder, ...settings },
    'project',
    'create',
    'Harness',
    '--json',
  );
  if (code !== 0) throw new Error(`no project: ${stderr}`);
  return parseCredentials(JSON.parse(stdout));
}

/** The project that the first start on a data folder makes. */
export function demoCredentials(dataFolder: string): Credentials {
  return parseCredentials(JSON.parse(readFileSync(join(dataFolder, 'demo-project.json'), 'utf8')));
}

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command of the program beside a node of ours. Resolves to its exit code and its output. */
export function savepoint(...commandLine: readonly string[]): Promise<Ended> {
  return runProgram(ownEnvironment(), commandLine);
}

/** The same with settings. */
export function savepointWith(settings: Settings, ...commandLine: readonly string[]): Promise<Ended> {
  return runProgram(ownEnvironment(settings), commandLine);
}

/**
 * The same beside a node that is not ours, with the caller's own settings, which say where its log and database are. Where they name none,
 * it is the embedded one in `dataFolder`.
 */
export function savepointAsCaller(dataFolder: string, ...commandLine: readonly string[]): Promise<Ended> {
  return runProgram({ ...process.env, SAVEPOINT_DATA: dataFolder }, commandLine);
}

/** Runs one command of the program in exactly this environment. */
export async function runProgram(env: NodeJS.ProcessEnv, commandLine: readonly string[]): Promise<Ended> {
  try {
    const { stdout, stderr } = await run(process.execPath, [programPath(), ...commandLine], {
      env,
      maxBuffer: 64 * 1024 * 1024,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') throw error;
    const text = (name: 'stdout' | 'stderr') => String(Reflect.get(error, name) ?? '');
    return { code: error.code, stdout: text('stdout'), stderr: text('stderr') };
  }
}

/** An environment without the caller's configuration: a node of ours must not write into somebody's real database. */
export function ownEnvironment(settings: Settings = {}): NodeJS.ProcessEnv {
  const kept = ['PATH', 'HOME', 'USER', 'LANG', 'TMPDIR', 'TEMP', 'TMP', 'SystemRoot', 'LD_LIBRARY_PATH'];
  const inherited = kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  return { LOG_LEVEL: 'warn', CONSOLE_LISTEN: 'off', ...Object.fromEntries(inherited), ...settings };
}

function lastLines(child: ChildProcess): () => string {
  const lines: string[] = [];
  const keep = (chunk: Buffer) => {
    lines.push(chunk.toString());
    if (lines.length > 60) lines.shift();
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => lines.join('');
}

async function healthy(url: string, child: ChildProcess, deadline: number): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with code ${child.exitCode}`);
    if (child.signalCode !== null) throw new Error(`it was ended by ${child.signalCode}`);
    if (performance.now() > deadline) throw new Error('it was not healthy in time');
    if (await isHealthy(url)) return;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Whether the node answers `/health` with 200. */
export async function isHealthy(url: string): Promise<boolean> {
  return (await healthStatus(url)) === 200;
}

/** Whether the node answers `/ready` with 200, which means that its read models have caught up with the log. */
export async function isReady(url: string): Promise<boolean> {
  return (await statusOf(`${url}/ready`)) === 200;
}

/** The status of the node's `/health`; 0 when nobody answers. */
export function healthStatus(url: string): Promise<number> {
  return statusOf(`${url}/health`);
}

async function statusOf(url: string): Promise<number> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => null);
  await answer?.arrayBuffer().catch(() => undefined);
  return answer?.status ?? 0;
}
