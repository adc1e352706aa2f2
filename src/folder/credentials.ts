import { homedir } from 'node:os';
import { join } from 'node:path';
import { isObject, type Json, type JsonObject, nonEmptyString } from '../kernel/json.ts';
import { readJsonFile, writeJsonFile } from './files.ts';
import { FolderProblem } from './problem.ts';
import { addressOf, findProject } from './project-file.ts';

/**
 * The address of the folder's server, and the keys for it. Their sources, in this order: the environment (`SAVEPOINT_URL`, `SAVEPOINT_PROJECT`,
 * `SAVEPOINT_SECRET_KEY`, `SAVEPOINT_PUBLIC_KEY`); `savepoint.credentials.json`, or the file that `SAVEPOINT_CREDENTIALS` names, which the
 * client library reads, too; the user's own file, which has keys by address and project.
 */

/** A folder with its server, project and keys, as commands need them. */
export interface ServerAccess {
  /** The folder of the game, as an absolute path. */
  readonly dir: string;
  readonly address: string;
  readonly project: string;
  readonly secretKey: string;
  /** `null`: none was found. */
  readonly publicKey: string | null;
}

/** Options of the command line, which take precedence over every file. */
export interface ServerOptions {
  /** The folder to start the search in. Default: the working directory. */
  readonly dir?: string | undefined;
  readonly address?: string | undefined;
  readonly project?: string | undefined;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Most servers that a message names. */
const MAX_KEPT = 5;

export const CREDENTIALS_FILE = 'savepoint.credentials.json';

/** The folder, its server and keys. Throws {@link FolderProblem}, which says what is missing and where it can be set. */
export function serverAccessOf(named: ServerOptions, env: Environment = process.env): ServerAccess {
  const server = serverOf(named, env);
  needSafeAddress(server.address);
  const keys = keysOf(server, env);
  if (keys.secretKey === null) {
    throw new FolderProblem(
      'NO_KEY',
      `No secret key for project ${server.project} on ${server.address}.${keys.withheld} Give it as SAVEPOINT_SECRET_KEY with SAVEPOINT_URL, run ` +
        `\`savepoint login\`, or put {"url": "${server.address}", "secretKey": "…"} into ${join(server.dir, CREDENTIALS_FILE)} (which git must ignore). \`savepoint key create PROJECT\` on the server makes one.${keptFor(env)}`,
    );
  }
  return { ...server, secretKey: keys.secretKey, publicKey: keys.publicKey };
}

/** A server that a command addresses. */
interface Server extends Pick<ServerAccess, 'dir' | 'address' | 'project'> {
  /** The user named the address, on the command line or in the environment: no file that a commit may change. */
  readonly isNamed: boolean;
}

/** {@link serverAccessOf} without keys. */
export function serverOf(named: ServerOptions, env: Environment = process.env): Server {
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
  const project = named.project ?? env['SAVEPOINT_PROJECT'] ?? found?.project ?? stored.projectId;
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
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
}

/** Stores keys in the user's own file, which nobody else may read. Returns its path. */
export function keepUserKeys(
  server: Pick<ServerAccess, 'address' | 'project'>,
  keys: { readonly secretKey: string; readonly publicKey?: string },
  env: Environment = process.env,
): string {
  const path = userFile(env);
  const all = readJsonFile(path) ?? {};
  writeJsonFile(path, { ...all, [server.address]: { ...objectIn(all, server.address), [server.project]: { ...keys } } }, 0o600);
  return path;
}

/** `~/.config/savepoint/credentials.json`. */
function userFile(env: Environment = process.env): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'savepoint', 'credentials.json');
}

/** The address in the folder's credentials file; `null`: there is none. */
export function storedAddress(dir: string, env: Environment = process.env): string | null {
  return storedIn(dir, env).url;
}

/** For which servers the user has keys: an address or a project with a typing error is seen beside them. */
function keptFor(env: Environment): string {
  const all = Object.entries(readJsonFile(userFile(env)) ?? {});
  const kept = all.flatMap(([address, projects]) => (isObject(projects) ? Object.keys(projects).map((id) => `${id} on ${address}`) : []));
  return kept.length === 0
    ? ''
    : ` You have logged in for ${kept.slice(0, MAX_KEPT).join(', ')}${kept.length > MAX_KEPT ? ' and others' : ''}.`;
}

interface Keys {
  readonly secretKey: string | null;
  readonly publicKey: string | null;
}

/**
 * The keys for a server. A key belongs to an address. A key of the environment, or of a credentials file without `url`, names no address: it is
 * used for an address that the user named, and for this machine. It is not used for an address that only `savepoint.json` names, because any
 * commit may change that file. `withheld`: a sentence about a key that was not used for this reason.
 */
function keysOf({ dir, address, project, isNamed }: Server, env: Environment): Keys & { readonly withheld: string } {
  const stored = storedIn(dir, env);
  const isElsewhere = (stored.url !== null && stored.url !== address) || (stored.projectId !== null && stored.projectId !== project);
  const user = objectIn(objectIn(readJsonFile(userFile(env)) ?? {}, address), project);
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

function objectIn(object: JsonObject, name: string): JsonObject {
  const value: Json | undefined = Object.hasOwn(object, name) ? object[name] : undefined;
  return isObject(value) ? value : {};
}
