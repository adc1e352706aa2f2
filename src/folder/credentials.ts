import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { nonEmptyString } from '../kernel/json.ts';
import { readJsonFile } from './files.ts';
import { FolderProblem } from './problem.ts';
import { addressOf, findProject } from './project-file.ts';
import { type Environment, keptFor, type PersonAccess, personAt, userKeysOf } from './user-file.ts';

/**
 * The address of the folder's server, and the keys for it. Their sources, in this order: the environment (`SAVEPOINT_URL`,
 * `SAVEPOINT_PROJECT`, `SAVEPOINT_SECRET_KEY`, `SAVEPOINT_PUBLIC_KEY`, and the file that `SAVEPOINT_CREDENTIALS` names); a person who is
 * signed in to that server; `savepoint.credentials.json`, which the client library reads, too; the user's own file, which has keys by
 * address and project.
 */

/** A folder with its server, project and keys, as commands need them. */
export interface ServerAccess {
  /** The folder of the game, as an absolute path. */
  readonly dir: string;
  readonly address: string;
  readonly project: string;
  /** Empty where a person asks. */
  readonly secretKey: string;
  /** `null`: none was found. */
  readonly publicKey: string | null;
  /** Who asks in place of a secret key. */
  readonly person?: PersonAccess;
}

/** Where requests to a server go, and by which headers it knows who asks. */
export function askingAt({ address, secretKey, person }: ServerAccess): {
  readonly origin: string;
  readonly headers: Record<string, string>;
} {
  if (person === undefined) return { origin: address, headers: { 'x-api-key': secretKey } };
  return { origin: reachable(person.console), headers: { 'x-person-token': person.token } };
}

/** Node does not resolve the names of this machine as browsers do. The console takes its other names, too. */
export function reachable(console: string): string {
  return console.replace(/^(https?:\/\/)[a-z0-9-]+\.localhost(?=[:/]|$)/, '$1localhost');
}

/** Options of the command line, which take precedence over every file. */
export interface ServerOptions {
  /** The folder to start the search in. Default: the working directory. */
  readonly dir?: string | undefined;
  readonly address?: string | undefined;
  readonly project?: string | undefined;
}

export const CREDENTIALS_FILE = 'savepoint.credentials.json';

/** The folder, its server and keys. Throws {@link FolderProblem}, which says what is missing and where it can be set. */
export function serverAccessOf(named: ServerOptions, env: Environment = process.env): ServerAccess {
  const server = serverOf(named, env);
  needSafeAddress(server.address);
  const keys = keysOf(server, env);
  const person = isGiven(env) ? null : personAt(server.address, env);
  if (person !== null) return { ...server, secretKey: '', publicKey: keys.publicKey, person };
  if (keys.secretKey === null) {
    throw new FolderProblem(
      'NO_KEY',
      `No secret key for project ${server.project} on ${server.address}.${keys.withheld} Give it as SAVEPOINT_SECRET_KEY with SAVEPOINT_URL, run ` +
        `\`savepoint login\` (with --console as yourself), or put {"url": "${server.address}", "secretKey": "…"} into ${join(server.dir, CREDENTIALS_FILE)} (which git must ignore). \`savepoint key create PROJECT\` on the server makes one.${keptFor(env)}`,
    );
  }
  return { ...server, secretKey: keys.secretKey, publicKey: keys.publicKey };
}

/** Whether the environment says who asks. */
function isGiven(env: Environment): boolean {
  return Boolean(env['SAVEPOINT_SECRET_KEY'] || env['SAVEPOINT_CREDENTIALS']);
}

/** A server that a command addresses. */
interface Server extends Pick<ServerAccess, 'dir' | 'address' | 'project'> {
  /** The user named the address, on the command line or in the environment: no file that a commit may change. */
  readonly isNamed: boolean;
}

/** {@link serverAccessOf} without keys. */
export function serverOf(named: ServerOptions, env: Environment = process.env): Server {
  const { from, found, dir, stored, address } = placeOf(named, env);
  const project = named.project ?? env['SAVEPOINT_PROJECT'] ?? found?.project ?? stored.projectId;
  // A pull makes its folder, so it is missed only where it would have said more.
  if (found === null && !(address && project) && !existsSync(from))
    throw new FolderProblem('NO_FOLDER', `There is no folder ${resolve(from)}.`);
  const where =
    found === null
      ? `there is no savepoint.json in ${from} or above it (\`savepoint init\` makes one)`
      : `${join(dir, 'savepoint.json')} names none`;
  if (address === null)
    throw new FolderProblem(
      'NO_ADDRESS',
      `No server: ${where}. \`savepoint dev\` starts one for a folder; or give --address, SAVEPOINT_URL or "address" in savepoint.json.`,
    );
  if (!project)
    throw new FolderProblem('NO_PROJECT', `No project: ${where}. Give --project, SAVEPOINT_PROJECT or "project" in savepoint.json.`);
  return { dir, address, project, isNamed: Boolean(named.address || env['SAVEPOINT_URL']) };
}

/** The address of the server alone; `null`: none is named. */
export function serverAddress(named: ServerOptions, env: Environment = process.env): string | null {
  return placeOf(named, env).address;
}

function placeOf(named: ServerOptions, env: Environment) {
  const from = named.dir ?? process.cwd();
  const found = findProject(from);
  const dir = found?.dir ?? from;
  const stored = storedIn(dir, env);
  const address = first(
    [named.address, '--address'],
    [env['SAVEPOINT_URL'], 'SAVEPOINT_URL'],
    [found?.address, 'savepoint.json'],
    [stored.url, CREDENTIALS_FILE],
  );
  return { from, found, dir, stored, address };
}

/** Throws if a key would be sent unencrypted over a network. */
export function needSafeAddress(address: string): void {
  if (new URL(address).protocol === 'https:' || isLoopback(address)) return;
  throw new FolderProblem(
    'NO_ADDRESS',
    `${address} is not encrypted, and whoever is between could read the secret key: a key is sent over https:, or to this machine alone.`,
  );
}

function isLoopback(address: string): boolean {
  const { hostname } = new URL(address);
  return /^(?:[a-z0-9-]+\.)?localhost$/.test(hostname) || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

/** The address in the folder's credentials file; `null`: there is none. */
export function storedAddress(dir: string, env: Environment = process.env): string | null {
  return storedIn(dir, env).url;
}

interface Keys {
  readonly secretKey: string | null;
  readonly publicKey: string | null;
}

/**
 * The keys for a server. A key belongs to an address. A key of the environment, or of a credentials file without `url`, names no address:
 * it is used for an address that the user named, and for this machine. It is not used for an address that only `savepoint.json` names,
 * because any commit may change that file. `withheld`: a sentence about a key that was not used for this reason.
 */
function keysOf({ dir, address, project, isNamed }: Server, env: Environment): Keys & { readonly withheld: string } {
  const stored = storedIn(dir, env);
  const isElsewhere = (stored.url !== null && stored.url !== address) || (stored.projectId !== null && stored.projectId !== project);
  const user = userKeysOf(address, project, env);
  const takesAny = isNamed || isLoopback(address);
  // Keys of one server are never sent to another one.
  const file = isElsewhere || (stored.url === null && !takesAny) ? { secretKey: null, publicKey: null } : stored;
  const given = takesAny ? env['SAVEPOINT_SECRET_KEY'] : undefined;
  const isWithheld = !takesAny && (Boolean(env['SAVEPOINT_SECRET_KEY']) || (stored.url === null && stored.secretKey !== null));
  return {
    secretKey: given || file.secretKey || nonEmptyString(user['secretKey']),
    publicKey: env['SAVEPOINT_PUBLIC_KEY'] || file.publicKey || nonEmptyString(user['publicKey']),
    withheld: isWithheld
      ? ' A key is there that names no address, and this address comes from savepoint.json alone, which a commit may change.'
      : '',
  };
}

interface Stored extends Keys {
  readonly url: string | null;
  readonly projectId: string | null;
}

function storedIn(dir: string, env: Environment): Stored {
  const named = env['SAVEPOINT_CREDENTIALS'];
  const path = named || join(dir, CREDENTIALS_FILE);
  const value = readJsonFile(path);
  if (value === null && named) throw new FolderProblem('BAD_FILE', `SAVEPOINT_CREDENTIALS names ${named}, and there is no such file.`);
  const url = nonEmptyString(value?.['url']);
  return {
    url: url === null ? null : addressOf(url, path),
    projectId: nonEmptyString(value?.['projectId']),
    secretKey: nonEmptyString(value?.['secretKey']),
    publicKey: nonEmptyString(value?.['publicKey']),
  };
}

function first(...sources: readonly (readonly [text: string | null | undefined, from: string])[]): string | null {
  const [text, from = ''] = sources.find(([each]) => each) ?? [];
  return text ? addressOf(text, from) : null;
}
