import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Json } from '../kernel/json.ts';
import { didYouMean } from '../kernel/nearest.ts';
import { readJsonFile, writeJsonFile } from './files.ts';
import { FolderProblem } from './problem.ts';

/** `savepoint.json`: marks the folder of a game, and names its server and project. It contains no secrets. */

export const PROJECT_FILE = 'savepoint.json';

export interface ProjectFile {
  /** Address of the server, such as `http://127.0.0.1:8080`; left out: a node on this machine, or set elsewhere. */
  readonly address?: string;
  /** Id of the project there. */
  readonly project?: string;
}

export interface FoundProject extends ProjectFile {
  /** The folder that holds the file, as an absolute path. */
  readonly dir: string;
}

const MEMBERS = ['$schema', 'address', 'project'];

/**
 * The nearest `savepoint.json` in `from` or a folder above it; `null` if there is none. Throws {@link FolderProblem} if it is invalid, and
 * if it is above `from` and another user put it there: keys of the environment are sent to the address that it names.
 */
export function findProject(from: string): FoundProject | null {
  const start = resolve(from);
  for (let dir = start; ; dir = dirname(dir)) {
    const file = readProjectFile(dir);
    if (file !== null) {
      if (dir !== start) needOwnFile(join(dir, PROJECT_FILE), start);
      return { dir, ...file };
    }
    if (dirname(dir) === dir) return null;
  }
}

/** The system's own user may own it, and whoever owns `start` (in a container that is often another user than the one of the command). */
function needOwnFile(path: string, start: string): void {
  const owner = statSync(path).uid;
  if ([process.getuid?.() ?? owner, 0, statSync(start, { throwIfNoEntry: false })?.uid].includes(owner)) return;
  throw new FolderProblem(
    'BAD_FILE',
    `${path} belongs to another user, so ${start} does not take its address from there. Give --dir ${dirname(path)} if that is your game.`,
  );
}

/** `savepoint.json` of this folder alone; `null` if there is none. */
export function readProjectFile(dir: string): ProjectFile | null {
  const path = join(dir, PROJECT_FILE);
  const value = readJsonFile(path);
  if (value === null) return null;
  const unknown = Object.keys(value).find((name) => !MEMBERS.includes(name));
  if (unknown !== undefined) {
    const meant = didYouMean(unknown, MEMBERS) ?? 'It has address and project; keys have a file of their own.';
    throw new FolderProblem('BAD_FILE', `${path} has no member '${unknown}'. ${meant}`);
  }
  const [address, project] = [textMember(path, value['address'], 'address'), textMember(path, value['project'], 'project')];
  return { ...(address === undefined ? {} : { address: addressOf(address, path) }), ...(project === undefined ? {} : { project }) };
}

export function writeProjectFile(dir: string, file: ProjectFile): void {
  writeJsonFile(join(dir, PROJECT_FILE), { ...file });
}

/** A server's address without a trailing slash. `from`: where it was set. Throws {@link FolderProblem} if it is invalid. */
export function addressOf(text: string, from: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new FolderProblem(
      'BAD_FILE',
      `The address in ${from} is '${text}'; it must look like https://game.example or http://127.0.0.1:8080`,
    );
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '');
}

function textMember(path: string, value: Json | undefined, name: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (typeof value === 'string') return value;
  throw new FolderProblem('BAD_FILE', `\`${name}\` in ${path} must be a text.`);
}
