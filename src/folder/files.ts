import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isObject, type JsonObject, parseJson, stringifyJson } from '../kernel/json.ts';
import { FolderProblem } from './problem.ts';

/** Small JSON files of a folder and of the user. */

/** The object in a JSON file; `null` if there is no such file. Throws {@link FolderProblem} if it cannot be read or contains no object. */
export function readJsonFile(path: string): JsonObject | null {
  const text = readTextFile(path);
  if (text === null) return null;
  const value = parsed(path, text);
  if (!isObject(value)) throw new FolderProblem('BAD_FILE', `${path} must hold a JSON object.`);
  return value;
}

/** The text of a file; `null` if there is none. */
export function readTextFile(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
    throw error;
  }
}

/** Writes a file atomically, and makes the folders above it. `mode`: of a new file. */
export function writeFileWhole(path: string, text: string, mode = 0o666): void {
  mkdirSync(dirname(path), { recursive: true, mode: mode === 0o600 ? 0o700 : 0o777 });
  const beside = `${path}.${process.pid}.tmp`;
  writeFileSync(beside, text, { mode });
  renameSync(beside, path);
}

export function writeJsonFile(path: string, value: JsonObject, mode?: number): void {
  writeFileWhole(path, `${JSON.stringify(JSON.parse(stringifyJson(value)), null, 2)}\n`, mode);
}

function parsed(path: string, text: string) {
  try {
    return parseJson(text);
  } catch (error) {
    throw new FolderProblem('BAD_FILE', `${path} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
