import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, mkdirSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { isObject, type JsonObject, parseJson, prettyJson } from '../kernel/json.ts';
import { FolderProblem } from './problem.ts';

/** Reads and writes the files of a folder and of the user. Neither waits for a pipe, nor goes beyond what was asked. */

/** Most bytes of a file that is read whole. */
const MAX_BYTES = 64 * 1024 * 1024;
const CHUNK = 64 * 1024;

/** The object in a JSON file; `null` if there is no such file. Throws {@link FolderProblem} if it cannot be read or contains no object. */
export function readJsonFile(path: string): JsonObject | null {
  const text = readTextFile(path);
  if (text === null) return null;
  const value = parsedFile(path, text);
  if (!isObject(value)) throw new FolderProblem('BAD_FILE', `${path} must hold a JSON object.`);
  return value;
}

/** The text of a file; `null` if there is none. Throws {@link FolderProblem} if it cannot be read. */
export function readTextFile(path: string): string | null {
  return readFileBytes(path)?.toString('utf8') ?? null;
}

/**
 * The bytes of a regular file; `null` if there is none. Throws {@link FolderProblem} for anything else of that name (a folder, a pipe, a
 * device), for more than `most` bytes, and for what the system refuses.
 */
export function readFileBytes(path: string, most = MAX_BYTES): Buffer | null {
  let file: number | null = null;
  try {
    // Without O_NONBLOCK, opening a pipe waits until somebody writes to it.
    file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    if (!fstatSync(file).isFile())
      throw new FolderProblem('BAD_FILE', `${path} is no file: there is a folder, a pipe or a device of that name.`);
    const bytes = bytesOf(file, most);
    if (bytes === null) throw new FolderProblem('BAD_FILE', `${path} is larger than ${most} bytes.`);
    return bytes;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error instanceof FolderProblem ? error : unreadable(path, error);
  } finally {
    if (file !== null) closeSync(file);
  }
}

/** The bytes of an open file; `null`: there are more than `most`. Its size is not asked for, because it may grow meanwhile. */
function bytesOf(file: number, most: number): Buffer | null {
  const chunks: Buffer[] = [];
  for (let length = 0; length <= most; ) {
    const chunk = Buffer.alloc(CHUNK);
    const read = readSync(file, chunk, 0, CHUNK, null);
    if (read === 0) return Buffer.concat(chunks);
    chunks.push(chunk.subarray(0, read));
    length += read;
  }
  return null;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function unreadable(path: string, error: unknown): FolderProblem {
  const why =
    error instanceof Error && 'code' in error && error.code === 'ELOOP' ? 'it is a link that leads back to itself' : String(error);
  return new FolderProblem('BAD_FILE', `${path} cannot be read: ${why.replace(/^Error: /, '')}`);
}

/** Writes a file atomically, and makes the folders above it. `mode`: of a new file. */
export function writeFileWhole(path: string, text: string, mode = 0o666): void {
  mkdirSync(dirname(path), { recursive: true, mode: mode === 0o600 ? 0o700 : 0o777 });
  // A name that nobody can guess, and that must be new: otherwise a link of that name would be followed.
  const temporary = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    writeFileSync(temporary, text, { mode, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Throws {@link FolderProblem} if a file at `path` (with `/` between) would not be in `dir`: a folder on the way is a link. Also if the
 * file cannot be written: a folder has that name, or a file stands on the way.
 */
export function needPathInside(dir: string, path: string): void {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const part = parts.slice(0, depth).join('/');
    const stats = lstatSync(join(dir, part.split('/').join(sep)), { throwIfNoEntry: false });
    if (stats === undefined) return;
    if (depth === parts.length && stats.isDirectory())
      throw new FolderProblem('BAD_FOLDER', `${path} cannot be written: there is a folder of that name. Rename or remove it.`);
    if (depth < parts.length && !stats.isDirectory()) {
      const what = stats.isSymbolicLink() ? 'a link, which may lead out of the folder' : 'no folder';
      throw new FolderProblem('BAD_FOLDER', `${path} cannot be written: ${part} is ${what}. Rename or remove it.`);
    }
  }
}

export function writeJsonFile(path: string, value: JsonObject, mode?: number): void {
  writeFileWhole(path, `${prettyJson(value)}\n`, mode);
}

function parsedFile(path: string, text: string) {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new FolderProblem('BAD_FILE', `${path} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
