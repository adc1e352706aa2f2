import { spawn } from 'node:child_process';
import { chownSync, closeSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { requireNamedUser } from './account.ts';
import type { Binaries } from './binaries.ts';
import { clearStagingFolders, clusterMajor, type DataFolder, makeStagingFolder } from './data-folder.ts';
import { syncFolder } from './durable.ts';
import { childEnvironment, pathForPostgres } from './environment.ts';
import { asProblem, DatabaseProblem, systemCode } from './problem.ts';

export const DATABASE_USER = 'savepoint';

/**
 * Makes the cluster of a data folder: in a staging folder, which is moved into place when it is complete. So an interrupted start leaves
 * nothing that looks like a database, and two nodes that do it at once end up with the same cluster.
 */
export async function createCluster(folder: DataFolder, binaries: Binaries, password: string): Promise<void> {
  requireNamedUser();
  clearStagingFolders(folder);
  const staging = makeStagingFolder(folder);
  const passwordFile = `${staging}.password`;
  try {
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' });
    if (folder.account !== null) chownSync(passwordFile, folder.account.uid, folder.account.gid);
    await runInitdb(folder, binaries, staging, passwordFile);
    moveIntoPlace(folder, staging);
  } catch (error) {
    throw asProblem(error, 'create the database in', folder.cluster);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(staging, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function runInitdb(folder: DataFolder, binaries: Binaries, staging: string, passwordFile: string): Promise<void> {
  const passwordHandle = openSync(passwordFile, 'r');
  const args = [
    ['-D', pathForPostgres(folder.account, staging)],
    ['-U', DATABASE_USER],
    ['-A', 'scram-sha-256'],
    // A folder that is closed to all but root hides the file's name from initdb, but not the open file.
    [`--pwfile=${folder.account !== null && process.platform === 'linux' ? '/proc/self/fd/3' : passwordFile}`],
    // Sorts texts by code point with Postgres' own tables, so that the order is the same on every machine that the folder is moved to.
    ['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ['--data-checksums'],
  ].flat();
  const child = spawn(binaries.initdb, args, {
    ...folder.account,
    cwd: staging,
    env: childEnvironment(),
    stdio: ['ignore', 'ignore', 'pipe', passwordHandle],
    detached: true,
  });
  closeSync(passwordHandle);
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString('utf8');
  });
  const code = await new Promise<number | string | null>((done, fail) => {
    child.once('error', fail);
    child.once('close', (exitCode, signal) => done(exitCode ?? signal));
  });
  if (code === 0) return;
  throw new DatabaseProblem(
    `Postgres could not create a database in ${folder.cluster} (initdb ended with ${code}):\n${said.trim().slice(-1500)}`,
    said.includes('No space left') ? 'The disk is full: free some space and start again.' : 'Put right what it says, and start again.',
  );
}

function moveIntoPlace(folder: DataFolder, staging: string): void {
  try {
    renameSync(staging, folder.cluster);
  } catch (error) {
    // Another process was faster. Its cluster has the same password.
    const taken = ['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(systemCode(error) ?? '') && clusterMajor(folder) !== null;
    if (!taken) throw error;
  }
  syncFolder(folder.path);
}
