import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';
import { errorMessage } from '../../kernel/error-reporting.ts';
import { listeningError } from '../listening.ts';
import { openFilesLimit } from '../open-files.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Checks the machine that a node runs on: Node itself, the data folder, the port. */

const OLDEST_NODE = [20, 19] as const;

export function checkNode(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [least, atLeast] = OLDEST_NODE;
  const fits = major > least || (major === least && minor >= atLeast);
  const found = `Node ${process.version} on ${process.platform} ${process.arch}`;
  return fits ? ok('node', found) : fail('node', found, `Install Node ${OLDEST_NODE.join('.')} or later.`);
}

/** Fewer open files are too few for a game with players: beyond them, new connections wait without an answer. */
const FEW_FILES = 1_024;

/** How many files this process may open. A node that is started otherwise, as by systemd, may have another limit. */
export function checkOpenFiles(limit: string | null = openFilesLimit()): readonly Finding[] {
  if (limit === null) return [];
  const found = `${limit} at once; each connection takes one`;
  if (limit === 'unlimited' || Number(limit) >= FEW_FILES) return [ok('open files', found)];
  return [
    warn(
      'open files',
      found,
      'Raise the limit: ulimit -n 65536, or LimitNOFILE=65536 of systemd. Streams beyond it are refused, and connections closed.',
    ),
  ];
}

const GIB = 1024 ** 3;
const LITTLE = 2 * GIB;
const TOO_LITTLE = GIB / 4;

export const FULL_DISK_CURE = 'Free some space, or move the data folder to a larger disk; a full disk stops every write.';

export function checkDataFolder({ dataDir, databaseUrl }: Config): readonly Finding[] {
  const folder = resolve(dataDir);
  const isNeeded = databaseUrl === null;
  let nearest = folder;
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest);
  try {
    if (!statSync(nearest).isDirectory()) throw new Error(`${nearest} is no folder`);
    accessSync(nearest, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const cure = 'Give this user the folder (chown -R), start as its owner, or choose another one with --data.';
    return [
      isNeeded
        ? fail('data folder', errorMessage(error), cure)
        : warn('data folder', `${errorMessage(error)}; not needed with DATABASE_URL`, cure),
    ];
  }
  const where = nearest === folder ? folder : `${folder} is not there yet: nothing is installed here until the first start`;
  return [ok('data folder', where), freeSpace(nearest, isNeeded)];
}

function freeSpace(folder: string, isNeeded: boolean): Finding {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const found = `${(free / GIB).toFixed(1)} GiB free on the disk of ${folder}`;
  if (!isNeeded || free >= LITTLE) return ok('disk', found);
  return free < TOO_LITTLE ? fail('disk', found, FULL_DISK_CURE) : warn('disk', found, FULL_DISK_CURE);
}

/** Checks that the port is free, or that a Savepoint node serves on it. */
export async function checkPort({ port, host }: Config): Promise<Finding> {
  const address = `${host}:${port}`;
  const error = await listeningError(port, host);
  const refusal = error === null ? null : (error.code ?? error.message);
  if (refusal === null) return ok('port', `${address} is free`);
  const version = refusal === 'EADDRINUSE' ? await versionAt(port, host) : null;
  if (version !== null) return ok('port', `${address} is served by a savepoint node, version ${version}`);
  if (refusal === 'EADDRINUSE') {
    return fail('port', `${address} is taken by another program`, 'Choose another port with --port or PORT, or stop that program.');
  }
  return fail('port', `${address} cannot be listened on: ${refusal}`, 'Choose another HOST or PORT; ports below 1024 need more rights.');
}

async function versionAt(port: number, host: string): Promise<string | null> {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  try {
    const answer = await fetch(`http://${name.includes(':') ? `[${name}]` : name}:${port}/health`, { signal: AbortSignal.timeout(2_000) });
    const report: unknown = await answer.json();
    const ours = typeof report === 'object' && report !== null && 'status' in report && 'version' in report;
    return ours ? String(report.version) : null;
  } catch {
    return null;
  }
}
