import { homedir } from 'node:os';
import { join } from 'node:path';
import { isObject, type Json, type JsonObject, nonEmptyString } from '../kernel/json.ts';
import { readJsonFile, writeJsonFile } from './files.ts';

/** `~/.config/savepoint/credentials.json`, which only the user may read: keys by address and project, and who is signed in where. */

export type Environment = Readonly<Record<string, string | undefined>>;

/** A person who is signed in on the command line. Requests go to the console, which alone takes the token. */
export interface PersonAccess {
  /** The origin of the console. */
  readonly console: string;
  readonly name: string;
  readonly token: string;
}

/** The member with people by the address of the server. No address is called so. */
const PEOPLE = 'people';
/** Most servers that a message names. */
const MAX_KEPT = 5;

/** Stores keys. Returns the path of the file. */
export function keepUserKeys(
  server: { readonly address: string; readonly project: string },
  keys: { readonly secretKey: string; readonly publicKey?: string },
  env: Environment = process.env,
): string {
  return changed(env, (all) => ({ ...all, [server.address]: { ...objectIn(all, server.address), [server.project]: { ...keys } } }));
}

/** Stores who is signed in to a server. Returns the path of the file. */
export function keepPerson(address: string, person: PersonAccess, env: Environment = process.env): string {
  return changed(env, (all) => ({ ...all, [PEOPLE]: { ...objectIn(all, PEOPLE), [address]: { ...person } } }));
}

export function forgetPerson(address: string, env: Environment = process.env): void {
  changed(env, (all) => ({ ...all, [PEOPLE]: without(objectIn(all, PEOPLE), address) }));
}

/** Who is signed in to a server; `null`: nobody. */
export function personAt(address: string, env: Environment = process.env): PersonAccess | null {
  const kept = objectIn(objectIn(readUserFile(env), PEOPLE), address);
  const [console, name, token] = [kept['console'], kept['name'], kept['token']].map(nonEmptyString);
  return console && name && token ? { console, name, token } : null;
}

/** The keys of a project. */
export function userKeysOf(address: string, project: string, env: Environment): JsonObject {
  return objectIn(objectIn(readUserFile(env), address), project);
}

/** For which servers the user has keys, as a sentence: an address or a project with a typing error is seen beside them. */
export function keptFor(env: Environment): string {
  const all = Object.entries(readUserFile(env)).filter(([address]) => address !== PEOPLE);
  const kept = all.flatMap(([address, projects]) => (isObject(projects) ? Object.keys(projects).map((id) => `${id} on ${address}`) : []));
  return kept.length === 0
    ? ''
    : ` You have logged in for ${kept.slice(0, MAX_KEPT).join(', ')}${kept.length > MAX_KEPT ? ' and others' : ''}.`;
}

function changed(env: Environment, change: (all: JsonObject) => JsonObject): string {
  const path = userFile(env);
  writeJsonFile(path, change(readUserFile(env)), 0o600);
  return path;
}

function readUserFile(env: Environment): JsonObject {
  return readJsonFile(userFile(env)) ?? {};
}

function userFile(env: Environment): string {
  return join(env['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'savepoint', 'credentials.json');
}

function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}

function objectIn(object: JsonObject, name: string): JsonObject {
  const value: Json | undefined = Object.hasOwn(object, name) ? object[name] : undefined;
  return isObject(value) ? value : {};
}
