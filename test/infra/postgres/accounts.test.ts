import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findBinaries } from '../../../infra/postgres/binaries.ts';
import { openDataFolder } from '../../../infra/postgres/data-folder.ts';
import { copyCheckout, isRoot, kill, query, Workshop } from './support.ts';

const NOBODY = 65_534;
const COPIES = '/var/lib/savepoint';
const linuxRoot = isRoot && process.platform === 'linux';
if (!linuxRoot) console.warn('SKIPPED: changing accounts and folders that only root may enter are tested as root on Linux only');

const workshop = new Workshop();
const copiesWereThere = existsSync(COPIES);
const locked = linuxRoot ? mkdtempSync('/root/savepoint-postgres-test-') : '';
afterAll(async () => {
  await workshop.clear();
  if (locked !== '') rmSync(locked, { recursive: true, force: true, maxRetries: 5 });
  // If this checkout is closed to other accounts, too, nodes of other tests run from the copy at this moment.
  const inUse = linuxRoot && (await findBinaries({ uid: NOBODY, gid: NOBODY })).postgres.startsWith(COPIES);
  if (!copiesWereThere && !inUse) rmSync(COPIES, { recursive: true, force: true });
});

describe.skipIf(!linuxRoot)('started by root', () => {
  it('runs Postgres unprivileged with data and checkout under a folder that only root may enter', async () => {
    chmodSync(locked, 0o700);
    const checkout = join(locked, 'checkout');
    copyCheckout(checkout);
    execFileSync('chmod', ['-R', 'go-rwx', checkout]);
    const dataDir = join(checkout, 'data');
    for (let round = 0; round < 2; round += 1) {
      const node = await workshop.startNode(dataDir, { checkout });
      expect(node.error()).toBe('');
      expect(statSync(`/proc/${node.postmaster}`).uid).not.toBe(0);
      expect(await query(node.url, `CREATE TABLE round${round} AS SELECT 1 AS one`)).toEqual([]);
      await kill(node.process, 'SIGTERM');
    }
    expect(statSync(dataDir).uid).toBe(0);
  });

  it('needs no root: an ordinary user makes it, root may start it in between, and it stays with its owner', async () => {
    chmodSync(workshop.root, 0o755);
    const home = workshop.newPath();
    mkdirSync(home);
    chownSync(home, NOBODY, NOBODY);
    const checkout = join(workshop.root, 'checkout');
    copyCheckout(checkout);
    const dataDir = join(home, 'data');
    for (const who of [{ uid: NOBODY }, {}, { uid: NOBODY }]) {
      const node = await workshop.startNode(dataDir, { checkout, ...who });
      expect(node.error()).toBe('');
      expect(statSync(`/proc/${node.postmaster}`).uid).toBe(NOBODY);
      await kill(node.process, 'SIGTERM');
    }
  });

  it('makes a new database for the owner of the data folder, and tells others whose it is', async () => {
    const theirs = folderOf(NOBODY);
    expect(openDataFolder(theirs).account).toEqual({ uid: NOBODY, gid: NOBODY });
    const ours = folderOf(0);
    expect(openDataFolder(ours).account?.uid).not.toBe(0);

    const checkout = join(workshop.root, 'checkout');
    const refused = await workshop.startNode(ours, { checkout, uid: NOBODY });
    expect(refused.error()).toMatch(/Could not use the data folder .*owner: user id 0; we are 65534.*\n.*chown/);
  });
});

function folderOf(uid: number): string {
  const path = workshop.newPath();
  mkdirSync(path, { mode: 0o711 });
  chownSync(path, uid, uid);
  return path;
}
