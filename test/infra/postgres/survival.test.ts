import { spawn, spawnSync } from 'node:child_process';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../infra/harness/port.ts';
import { findBinaries } from '../../../infra/postgres/binaries.ts';
import { ensureSecrets, openDataFolder, readSecrets, rememberPort } from '../../../infra/postgres/data-folder.ts';
import { findDatabase, hasBrokenLockFile, startDatabase } from '../../../infra/postgres/database.ts';
import { pathForPostgres } from '../../../infra/postgres/environment.ts';
import { isPostmaster, markerOf } from '../../../infra/postgres/postmaster.ts';
import { kill, query, quiet, Workshop, withDatabase } from './support.ts';

const workshop = new Workshop();
afterAll(async () => await workshop.clear());

const lockFile = (dataDir: string) => join(dataDir, 'postgres/postmaster.pid');

/** The lock file of a postmaster that is gone, changed as if `pid` were its number. */
function leaveLockFile(dataDir: string, pid: number): void {
  const now = Math.floor(Date.now() / 1000);
  writeFileSync(lockFile(dataDir), `${pid}\n/proc/self/cwd\n${now}\n15432\n.\n127.0.0.1\n 11763721        13\nready   \n`);
}

describe('after kill -9 of the node', () => {
  it('the next start takes over the same server, again and again, and loses nothing', async () => {
    const dataDir = await workshop.stoppedFolder();
    let postmaster: number | null = null;
    for (let round = 1; round <= 4; round += 1) {
      const node = await workshop.startNode(dataDir);
      postmaster ??= node.postmaster;
      expect(node.postmaster).toBe(postmaster);
      await query(node.url, `CREATE TABLE IF NOT EXISTS rounds (n int); INSERT INTO rounds VALUES (${round})`);
      await kill(node.process);
    }
    expect(await findDatabase({ dataDir })).toMatchObject({ pid: postmaster, holder: null });
    await withDatabase(dataDir, async (database) => {
      expect(database).toMatchObject({ adopted: true, pid: postmaster });
      expect(await query(database.url, 'SELECT n FROM rounds ORDER BY n')).toEqual([1, 2, 3, 4].map((n) => ({ n })));
    });
    expect(await findDatabase({ dataDir })).toBeNull();
  });

  it('and of its Postgres, the next start recovers what was committed', async () => {
    const dataDir = await workshop.stoppedFolder();
    const node = await workshop.startNode(dataDir);
    await query(node.url, 'CREATE TABLE kept AS SELECT 7 AS n');
    await kill(node.process);
    process.kill(node.postmaster, 'SIGKILL');
    await withDatabase(dataDir, async (database) => {
      expect(database.adopted).toBe(false);
      expect(await query(database.url, 'SELECT n FROM kept')).toEqual([{ n: 7 }]);
    });
  });

  it('a server of another release is stopped and started anew', async () => {
    const dataDir = await workshop.stoppedFolder();
    const folder = openDataFolder(dataDir);
    const { postgres } = await findBinaries(folder.account);
    const settings = [
      markerOf(folder),
      'savepoint.release=older',
      `port=${await freePort()}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
    ];
    const args = ['-D', pathForPostgres(folder.account, folder.cluster), ...settings.flatMap((text) => ['-c', text])];
    const older = spawn(postgres, args, { ...folder.account, cwd: folder.cluster, stdio: 'ignore', env: { LC_ALL: 'C' } });
    await expect.poll(async () => (await findDatabase({ dataDir }))?.pid).toBe(older.pid);
    await withDatabase(dataDir, async (database) => {
      expect(database.adopted).toBe(false);
      expect(database.pid).not.toBe(older.pid);
    });
  });

  it('half-way through the very first start, the next one begins again and clears away', async () => {
    const dataDir = workshop.newPath();
    const node = workshop.launchNode(dataDir);
    await expect
      .poll(() => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('postgres.init-')), {
        interval: 5,
      })
      .toBe(true);
    await kill(node.process);
    expect(existsSync(join(dataDir, 'postgres'))).toBe(false);
    await withDatabase(dataDir, async ({ url }) => expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]));
    await expect
      .poll(async () => await withDatabase(dataDir, async () => readdirSync(dataDir).sort()))
      .toEqual(['postgres', 'postgres.json', 'postgres.start.log']);
  });
});

describe('a lock file left behind', () => {
  it('does not stop a start when its number belongs to another process by now', async () => {
    const dataDir = await workshop.stoppedFolder();
    const stranger = spawn('sleep', ['60']);
    try {
      leaveLockFile(dataDir, stranger.pid ?? 0);
      await withDatabase(dataDir, async ({ adopted }) => expect(adopted).toBe(false));
      expect(stranger.exitCode).toBeNull();
    } finally {
      stranger.kill();
    }
  });

  it.each([
    ['empty', ''],
    ['full of NULs', '\0'.repeat(4096)],
    ['garbage', '\u0007\ufffdx\n\ufffd\n\n\n\nready\n'],
    ['cut off behind the number of a process that runs', `${process.pid}`],
  ])('does not stop a start when it is %s, as after a power cut', async (_, text) => {
    const dataDir = await workshop.stoppedFolder();
    writeFileSync(lockFile(dataDir), text);
    expect(hasBrokenLockFile(dataDir)).toBe(true);
    await withDatabase(dataDir, async ({ adopted }) => expect(adopted).toBe(false));
  });

  it('of a copied folder does not lead to the database of the original', async () => {
    const original = await workshop.stoppedFolder();
    const copy = await workshop.stoppedFolder();
    await withDatabase(original, async (running) => {
      copyFileSync(lockFile(original), lockFile(copy));
      await withDatabase(copy, async (database) => {
        expect(database.pid).not.toBe(running.pid);
        expect(database.url).not.toBe(running.url);
      });
      expect(await findDatabase({ dataDir: original })).toMatchObject({ pid: running.pid });
    });
  });

  it('does stop a start when another container answers on the same folder', async ({ skip }) => {
    if (process.platform !== 'linux') skip('sockets in the folder are used on Linux only');
    const dataDir = await workshop.stoppedFolder();
    leaveLockFile(dataDir, 2 ** 22 - 1);
    const other = createServer();
    const handle = openSync(join(dataDir, 'postgres'), 'r');
    await new Promise<void>((done) => other.listen(`/proc/self/fd/${handle}/.s.PGSQL.15432`, done));
    try {
      await expect(startDatabase({ dataDir, log: quiet })).rejects.toThrow(
        /cannot see already runs on .*another container[\s\S]*DATABASE_URL/,
      );
    } finally {
      other.close();
    }
    expect(statSync(lockFile(dataDir)).size).toBeGreaterThan(0);
    expect(readFileSync(lockFile(dataDir), 'utf8')).toMatch(/^4194303\n/);
  });
});

describe('a node without a free file descriptor', () => {
  it('takes its running Postgres for what it is', async ({ skip }) => {
    const mark = readFileSync('/proc/self/cmdline', 'utf8');
    const taken: number[] = [];
    let running: Promise<boolean> | null = null;
    try {
      // All in one turn, so that nothing else in this process meets the shortage.
      while (taken.length < 300_000) taken.push(openSync('/dev/null', 'r'));
    } catch {
      running = isPostmaster(process.pid, mark);
    } finally {
      for (const file of taken) closeSync(file);
    }
    if (running === null) return skip('more descriptors than are worth taking');
    expect(await running).toBe(true);
    expect(await isPostmaster(process.pid, 'another mark')).toBe(false);
  });
});

describe('after a power cut', () => {
  // A file system of its own that forgets everything which was not synced. That needs root and the right to mount.
  it('the password of the database is there as soon as a start has used it', ({ skip }) => {
    const disk = workshop.newPath();
    const image = `${disk}.img`;
    mkdirSync(disk);
    const run = (command: string, ...args: readonly string[]) => spawnSync(command, args).status === 0;
    const mount = () => run('mount', '-o', 'loop', image, disk);
    if (!run('truncate', '-s', '16M', image) || !run('mkfs.ext4', '-q', image) || !mount()) return skip();
    try {
      const folder = openDataFolder(join(disk, 'data'));
      const secrets = ensureSecrets(folder, true);
      rememberPort(folder, secrets, 15_432);
      run('mount', '-o', 'remount,abort', disk);
      expect(run('umount', disk) && mount()).toBe(true);
      expect(readSecrets(folder)).toEqual({ password: secrets.password, port: 15_432 });
    } finally {
      run('umount', disk);
    }
  });
});
