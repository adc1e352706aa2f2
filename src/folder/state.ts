import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { isObject, type JsonObject } from '../kernel/json.ts';
import type { ServerAccess } from './credentials.ts';
import { readJsonFile, writeFileWhole, writeJsonFile } from './files.ts';

/**
 * What a folder had in common with its project when the two last met. It lies in `.savepoint`, which git ignores: it is about this copy of
 * the folder alone.
 */

export interface Known {
  /** The revision of the project's log that the folder is made on; `null`: the folder has never met the project. */
  readonly base: number | null;
  /** Path → hash of the text that the file had then. */
  readonly files: Readonly<Record<string, string>>;
}

export const STATE_FOLDER = '.savepoint';

const NOTHING: Known = { base: null, files: {} };

export function readKnown(server: Pick<ServerAccess, 'dir' | 'address' | 'project'>): Known {
  const known = readJsonFile(pathOf(server.dir))?.[nameOf(server)];
  if (!isObject(known)) return NOTHING;
  const { base, files } = known;
  const texts = Object.entries(isObject(files) ? files : {}).flatMap(([path, hash]) => (typeof hash === 'string' ? [[path, hash]] : []));
  return { base: typeof base === 'number' ? base : null, files: Object.fromEntries(texts) };
}

export function keepKnown(server: Pick<ServerAccess, 'dir' | 'address' | 'project'>, known: Known): void {
  const path = pathOf(server.dir);
  const all: JsonObject = readJsonFile(path) ?? {};
  ignoreState(server.dir);
  writeJsonFile(path, { ...all, [nameOf(server)]: { base: known.base, files: { ...known.files } } });
}

/** Makes the state folder one that ignores itself: this works in folders that are no checkout, too. */
export function ignoreState(dir: string): void {
  writeFileWhole(join(dir, STATE_FOLDER, '.gitignore'), '*\n');
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function pathOf(dir: string): string {
  return join(dir, STATE_FOLDER, 'state.json');
}

function nameOf({ address, project }: Pick<ServerAccess, 'address' | 'project'>): string {
  return `${address}/${project}`;
}
