import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, fstatSync, mkdirSync, openSync, readSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CREDENTIALS_FILE, type ServerAccess } from '../../folder/credentials.ts';
import { readJsonFile, readTextFile, writeFileWhole, writeJsonFile } from '../../folder/files.ts';
import { FolderProblem } from '../../folder/problem.ts';
import { Remote } from '../../folder/remote.ts';
import { ignoreState, STATE_FOLDER } from '../../folder/state.ts';
import type { JsonObject } from '../../kernel/json.ts';

/** A node for one folder, on this machine, with its data in the folder's `.savepoint`, which git ignores. */

export interface LocalNode {
  readonly server: ServerAccess;
  /** Whether another `savepoint dev` owns the node. */
  readonly isShared: boolean;
  /** Whether it runs, or is being started by another `savepoint dev`. */
  isAlive(): boolean;
  /** Restarts a node that has ended, at the same address. Throws {@link FolderProblem} with the end of its log if it does not start. */
  restart(signal: AbortSignal): Promise<void>;
  /** Stops it, unless another `savepoint dev` owns it. */
  stop(): Promise<void>;
}

const START_MS = 120_000;
const STOP_MS = 20_000;
const LOOK_MS = 50;

/** Origins of a page that vite serves, in development and as a preview. `CORS_ORIGINS` in the environment takes precedence. */
const CORS_ORIGINS = 'http://localhost:5173,http://127.0.0.1:5173,http://localhost:4173,http://127.0.0.1:4173';
/** Settings of a new project: each device is a guest player, and is proven. */
const INITIAL_SETTINGS = { guestSignIn: true, requirePlayerAuth: true };

/** Settings that the user may have set for another node. The local node does not inherit them. */
const FOREIGN_SETTINGS = [
  ...['DATABASE_URL', 'EVENTSTORE_URL', 'SAVEPOINT_DATA', 'PORT', 'HOST', 'ROLES', 'WORKERS', 'METRICS_PORT'],
  ...['CONSOLE_URL', 'CONSOLE_NETWORKS', 'CONSOLE_TLS', 'CONSOLE_PROXIES'],
];
/** Where the console listens if that is free. */
const CONSOLE_PORT = 8090;

/** The content of `.savepoint/node.json`: the running node. */
interface NodeState {
  readonly url: string;
  readonly pid: number;
  /** The process of the `savepoint dev` that will stop it. */
  readonly owner: number;
}

/** Whether the address in the credentials file is that of the folder's own node. */
export function isLocalAddress(dir: string, address: string): boolean {
  return readState(dir)?.url === address;
}

export interface LocalNodeOptions {
  /** Where it must listen; `null`: where it listened last, or on any free port. */
  readonly port: number | null;
  onStart(): void;
}

/**
 * The folder's node: the running one, or a new one. Throws `FolderProblem` if the port is not to be had, and with the end of its log if it
 * does not start.
 */
export async function localNode(dir: string, { port, onStart }: LocalNodeOptions): Promise<LocalNode> {
  const known = readState(dir);
  if (known !== null && isAlive(known.pid) && (await isHealthy(known.url))) {
    const isShared = known.owner !== process.pid && isAlive(known.owner);
    if (port === null || port === portOf(known)) {
      // This command takes over a node whose `dev` was killed.
      if (!isShared) writeState(dir, { ...known, owner: process.pid });
      return nodeIn(dir, known.url, isShared);
    }
    if (isShared)
      throw new FolderProblem('NO_NODE', `Another \`savepoint dev\` runs this folder's node at ${known.url}: end it, or leave out --port.`);
    await stopped(dir);
  }
  const url = `http://127.0.0.1:${port === null ? await freePort(known === null ? 0 : portOf(known)) : await requirePort(port)}`;
  onStart();
  const isFirst = !existsSync(projectFileOf(dir));
  try {
    await startAndWait(dir, url);
  } catch (error) {
    // The credentials file holds the address of before, by which the folder's own node is known.
    if (known !== null) writeState(dir, { ...known, pid: 0 });
    throw error;
  }
  const node = nodeIn(dir, url, false);
  if (isFirst) await settled(node);
  return node;
}

function nodeIn(dir: string, url: string, isShared: boolean): LocalNode {
  const isOurs = () => readState(dir)?.owner === process.pid;
  return {
    server: accessIn(dir, url),
    isShared,
    isAlive() {
      const known = readState(dir);
      // If another `dev` owns the node and is alive, it restarts a node that has ended.
      return known !== null && (isAlive(known.pid) || (!isOurs() && isAlive(known.owner)));
    },
    restart: (signal) => startAndWait(dir, url, signal),
    stop: () => (isOurs() ? stopped(dir) : Promise.resolve()),
  };
}

async function settled({ server, stop }: LocalNode): Promise<void> {
  try {
    const path = `/v3/manage/${encodeURIComponent(server.project)}/settings`;
    await new Remote(server).request('PUT', path, { body: INITIAL_SETTINGS, again: 'keyed' });
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Starts the node and waits until it answers. `signal` ends only the wait: the caller stops the node. */
async function startAndWait(dir: string, url: string, signal?: AbortSignal): Promise<void> {
  const state = join(dir, STATE_FOLDER);
  mkdirSync(join(state, 'data'), { recursive: true });
  ignoreState(dir);
  ignoreCredentials(dir);
  // A restart appends to the log, which says why the node ended before.
  const child = spawnNode(state, new URL(url).port, await freePort(CONSOLE_PORT), signal === undefined ? 'w' : 'a');
  writeState(dir, { url, pid: child.pid ?? 0, owner: process.pid });
  for (const until = performance.now() + START_MS; !(await isHealthy(url)); await sleep(LOOK_MS)) {
    if (signal?.aborted) return;
    if (child.exitCode === null && child.signalCode === null && performance.now() < until) continue;
    const how = child.signalCode ?? (child.exitCode === null ? `no answer within ${START_MS / 1000} s` : `exit code ${child.exitCode}`);
    child.kill('SIGKILL');
    const words = lastLines(join(state, 'node.log'), 5);
    throw new FolderProblem('NO_NODE', `The local node did not start (${how}). Its last lines (${join(state, 'node.log')}):\n${words}`);
  }
}

const MAX_LINES_BYTES = 8 * 1024;

/** The last lines of a log, however long it is. */
function lastLines(path: string, count: number): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(MAX_LINES_BYTES);
    const read = readSync(file, bytes, 0, MAX_LINES_BYTES, Math.max(0, fstatSync(file).size - MAX_LINES_BYTES));
    return bytes.toString('utf8', 0, read).trimEnd().split('\n').slice(-count).join('\n');
  } finally {
    closeSync(file);
  }
}

/** Spawns the node in a process group of its own: Ctrl-C is for `dev`, which stops the node at its end. `mode`: how the log is opened. */
function spawnNode(state: string, port: string, consolePort: number, mode: 'w' | 'a'): ChildProcess {
  const [program = ''] = process.argv.slice(1);
  const log = openSync(join(state, 'node.log'), mode, 0o600);
  const given = Object.fromEntries(Object.entries(process.env).filter(([name]) => !FOREIGN_SETTINGS.includes(name)));
  const env = { CORS_ORIGINS, CONSOLE_LISTEN: `127.0.0.1:${consolePort}`, ...given };
  const words = ['start', '--data', join(state, 'data'), '--host', '127.0.0.1', '--port', port, '--roles', 'api,projector', '--json'];
  const child = spawn(process.execPath, [...process.execArgv, program, ...words], {
    env,
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.unref();
  return child;
}

/** The node's address and project. The first start makes the project, and keeps its keys in the data folder. */
function accessIn(dir: string, url: string): ServerAccess {
  const made = readJsonFile(projectFileOf(dir));
  const [project, publicKey, secretKey] = ['projectId', 'publicKey', 'secretKey'].map((name) => made?.[name]);
  if (typeof project !== 'string' || typeof publicKey !== 'string' || typeof secretKey !== 'string') {
    throw new FolderProblem(
      'NO_NODE',
      `${join(dir, STATE_FOLDER, 'data')} holds no project. Remove that folder: the next start makes a new one.`,
    );
  }
  const path = join(dir, CREDENTIALS_FILE);
  const stored = { url, projectId: project, publicKey, secretKey };
  const before: JsonObject = readJsonFile(path) ?? {};
  if (Object.entries(stored).some(([name, value]) => before[name] !== value)) writeJsonFile(path, { ...before, ...stored }, 0o600);
  return { dir, address: url, project, secretKey, publicKey };
}

function projectFileOf(dir: string): string {
  return join(dir, STATE_FOLDER, 'data', 'demo-project.json');
}

/** Makes git ignore the keys. */
function ignoreCredentials(dir: string): void {
  const path = join(dir, '.gitignore');
  const text = readTextFile(path) ?? '';
  if (text.split(/\r?\n/).some((line) => line.trim().replace(/^\//, '') === CREDENTIALS_FILE)) return;
  writeFileWhole(path, `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${CREDENTIALS_FILE}\n`);
}

async function stopped(dir: string): Promise<void> {
  const known = readState(dir);
  if (known === null) return;
  const { pid } = known;
  send(pid, 'SIGTERM');
  for (const until = performance.now() + STOP_MS; isAlive(pid); await sleep(LOOK_MS)) if (performance.now() > until) send(pid, 'SIGKILL');
  // The address stays in the file: the next node listens there, so a game's configuration stays valid.
  writeState(dir, { ...known, pid: 0 });
}

function readState(dir: string): NodeState | null {
  const value = readJsonFile(fileOf(dir));
  const [url, pid, owner] = [value?.['url'], value?.['pid'], value?.['owner']];
  return typeof url === 'string' && typeof pid === 'number' && typeof owner === 'number' ? { url, pid, owner } : null;
}

function writeState(dir: string, { url, pid, owner }: NodeState): void {
  writeJsonFile(fileOf(dir), { url, pid, owner });
}

function fileOf(dir: string): string {
  return join(dir, STATE_FOLDER, 'node.json');
}

/** Whether a process lives. A child that has ended counts as alive until Node has reaped it. */
function isAlive(pid: number): boolean {
  return pid > 0 && send(pid, 0);
}

function send(pid: number, what: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, what);
  } catch {
    return false;
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/ready`, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

function portOf({ url }: NodeState): number {
  return Number(new URL(url).port || 80);
}

/** Throws `FolderProblem` if nobody can listen there. */
async function requirePort(port: number): Promise<number> {
  if ((await freePort(port)) === port) return port;
  throw new FolderProblem(
    'NO_NODE',
    `Port ${port} of this machine is taken, or this account may not listen on it: give --port another one.`,
  );
}

/** The port `wanted` if nobody listens there, else a free one. */
function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => (wanted === 0 ? reject(error) : resolve(freePort(0))));
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : wanted;
      server.close(() => resolve(port));
    });
  });
}
