import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chownSync,
  constants,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { type Account, chooseAccount, isRoot } from './account.ts';
import { syncFolder, writeDurably } from './durable.ts';
import { asProblem, DatabaseProblem, systemCode } from './problem.ts';

/**
 * The data folder of a node, with everything that it stores on this machine:
 *     postgres/             the cluster, owned by the account that runs Postgres (mode 700); its logs in postgres/log/
 *     postgres.json         password and port (mode 600)
 *     postgres.start.log    the output of Postgres at its last start
 *     postgres.init-…       a cluster that is being made; only a start that was cut off leaves one behind
 */
export interface DataFolder {
  /** Absolute, with links resolved. */
  readonly path: string;
  readonly cluster: string;
  readonly startLog: string;
  /** The account that runs Postgres; `null`: our own. */
  readonly account: Account | null;
}

export interface Secrets {
  readonly password: string;
  /** The port of the last start. */
  readonly port: number | null;
}

const SecretsFile = z.object({ password: z.string().min(1), port: z.number().int().nullable() });
const MAKING = 'postgres.init-';

/** Opens the folder, and creates it if it is missing. Throws {@link DatabaseProblem} when this user cannot work in it. */
export function openDataFolder(dataDir: string): DataFolder {
  const wanted = resolve(dataDir);
  try {
    makeFolder(wanted);
    const path = realpathSync(wanted);
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    const folder = layout(path);
    requireOwnCluster(folder.cluster);
    return folder;
  } catch (error) {
    throw asProblem(error, 'use the data folder', `${wanted}${ownerOf(wanted)}`);
  }
}

/**
 * Creates the folder and those above it. `mkdir` with `recursive` would retry for ever where a file system answers ENOENT below an existing
 * folder (/proc does). Mode 711: the account that runs Postgres passes through to its own folder, and nobody else can read anything.
 */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o711 });
  } catch (error) {
    const code = systemCode(error);
    if (code === 'EEXIST' && isFolder(path)) return;
    if (code !== 'ENOENT') throw error;
    const above = dirname(path);
    if (isFolder(above)) throw new DatabaseProblem(`No folder can be made in ${above}.`, 'Choose another data folder with --data.');
    makeFolder(above);
    makeFolder(path);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The folder as it is, or `null` where there is no database in it. Changes nothing. */
export function lookIntoDataFolder(dataDir: string): DataFolder | null {
  const wanted = resolve(dataDir);
  try {
    if (isMissing(join(wanted, 'postgres'))) return null;
    return layout(realpathSync(wanted));
  } catch (error) {
    throw asProblem(error, 'look into the data folder', `${wanted}${ownerOf(wanted)}`);
  }
}

/** Only "no such entry" is missing: a file among the folders of the path is a fault, which `throwIfNoEntry` hides from Node 24 on. */
function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return true;
    throw error;
  }
}

function layout(path: string): DataFolder {
  const cluster = join(path, 'postgres');
  const account = chooseAccount(accountOf(cluster), accountOf(path) ?? { uid: 0, gid: 0 });
  return { path, cluster, startLog: join(path, 'postgres.start.log'), account };
}

function accountOf(path: string): Account | null {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : { uid: stat.uid, gid: stat.gid };
}

function requireOwnCluster(cluster: string): void {
  const owner = statSync(cluster, { throwIfNoEntry: false })?.uid;
  if (owner === undefined || process.getuid === undefined || isRoot() || owner === process.getuid()) return;
  throw new DatabaseProblem(
    `The database in ${cluster} belongs to user id ${owner}, and this process runs as ${process.getuid()}.`,
    `Start as its owner or as root, or give it to this user: chown -R ${process.getuid()} ${cluster}`,
  );
}

function ownerOf(path: string): string {
  try {
    return process.getuid === undefined ? '' : ` (owner: user id ${statSync(path).uid}; we are ${process.getuid()})`;
  } catch {
    return '';
  }
}

/** Major version of the cluster in it, or `null` for none. Throws {@link DatabaseProblem} for anything that is not a cluster. */
export function clusterMajor(folder: DataFolder): number | null {
  const names = lstatSync(folder.cluster, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder.cluster);
  if (names.length === 0) return null;
  if (names.includes('PG_VERSION')) return Number.parseInt(readFileSync(join(folder.cluster, 'PG_VERSION'), 'utf8'), 10);
  throw new DatabaseProblem(
    `${folder.cluster} is not empty, and it is no Postgres database: PG_VERSION is missing.`,
    'Move it away (or restore it from a backup), or choose another folder with --data.',
  );
}

/** Password and port of the cluster; `null` for a folder without them. Throws {@link DatabaseProblem} when the file cannot be read. */
export function readSecrets(folder: DataFolder): Secrets | null {
  const path = secretsPath(folder);
  try {
    return SecretsFile.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    if (systemCode(error) !== null) throw asProblem(error, 'read', path);
    throw new DatabaseProblem(`${path} is damaged: it must hold {"password", "port"}.`, 'Restore it from a backup of the data folder.');
  }
}

/** The password of the cluster; generated for a new cluster. Two processes that generate one at the same time get the same. */
export function ensureSecrets(folder: DataFolder, isNew: boolean): Secrets {
  const present = readSecrets(folder);
  if (present !== null) return present;
  if (!isNew) {
    throw new DatabaseProblem(
      `${secretsPath(folder)} is missing: it holds the password of the database beside it.`,
      'Restore it from a backup of the data folder, or choose another folder with --data.',
    );
  }
  const draft = writeDraft(folder, secretsPath(folder), { password: randomBytes(32).toString('base64url'), port: null });
  try {
    linkSync(draft, secretsPath(folder));
    syncFolder(folder.path);
  } catch (error) {
    if (systemCode(error) !== 'EEXIST') throw asProblem(error, 'write', secretsPath(folder));
  } finally {
    rmSync(draft, { force: true });
  }
  return ensureSecrets(folder, false);
}

/** Stores the port for the next start. The file is replaced as a whole, and outlives a power cut. */
export function rememberPort(folder: DataFolder, secrets: Secrets, port: number): void {
  if (secrets.port === port) return;
  renameSync(writeDraft(folder, secretsPath(folder), { ...secrets, port }), secretsPath(folder));
  syncFolder(folder.path);
}

function secretsPath(folder: DataFolder): string {
  return join(folder.path, 'postgres.json');
}

/**
 * Flushes the file to the disk before it is moved into place: an empty file there after a power cut would make the database unusable for
 * good.
 */
function writeDraft(folder: DataFolder, path: string, secrets: Secrets): string {
  const draft = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
  const { uid, gid } = statSync(folder.path);
  try {
    writeDurably(draft, `${JSON.stringify(secrets)}\n`);
    // The owner of the folder must be able to start without root later.
    if (isRoot()) chownSync(draft, uid, gid);
    return draft;
  } catch (error) {
    throw asProblem(error, 'write', path);
  }
}

/**
 * Writes a file into the cluster's folder, completely or not at all. The folder belongs to an account that root must not trust, so a new
 * file is moved into place: a move never follows a link that lies there.
 */
export function writeIntoCluster(folder: DataFolder, name: string, text: string): void {
  const path = join(folder.cluster, name);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    if (folder.account !== null) chownSync(draft, folder.account.uid, folder.account.gid);
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw asProblem(error, 'write', path);
  }
}

/** An empty folder in which a cluster is made, owned by the account that runs Postgres. */
export function makeStagingFolder(folder: DataFolder): string {
  const path = join(folder.path, `${MAKING}${process.pid}-${randomBytes(4).toString('hex')}`);
  try {
    mkdirSync(path, { mode: 0o700 });
    if (folder.account !== null) chownSync(path, folder.account.uid, folder.account.gid);
    return path;
  } catch (error) {
    throw asProblem(error, 'create', path);
  }
}

/** Removes what interrupted starts left behind: unfinished clusters whose process is gone. */
export function clearStagingFolders(folder: DataFolder): void {
  for (const name of readdirSync(folder.path)) {
    const maker = name.startsWith(MAKING) ? Number.parseInt(name.slice(MAKING.length), 10) : Number.NaN;
    if (Number.isNaN(maker) || (maker !== process.pid && exists(maker))) continue;
    try {
      rmSync(join(folder.path, name), { recursive: true, force: true });
    } catch {
      // The initdb of an interrupted start still writes here. The next start finds it finished.
    }
  }
}

/** Whether there is a process with this number, ours or not. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
