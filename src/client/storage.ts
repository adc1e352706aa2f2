import { requireKind } from './arguments.ts';
import { SavepointError } from './errors.ts';

/** Storages for offline queues and for the secrets of guests. */

/** A storage of texts by name, such as `localStorage`. */
export interface QueueStorage {
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, text: string): void | Promise<void>;
  removeItem(name: string): void | Promise<void>;
}

/** The storage that was given, else the page's own; `undefined`: there is none. */
export function storageOf(given: QueueStorage | undefined): QueueStorage | undefined {
  return given ?? (globalThis as { readonly localStorage?: QueueStorage }).localStorage;
}

/**
 * A storage that keeps nothing over a restart: for tests, and for games that queue only while they run.
 *
 * @example
 * ```ts
 * const storage = memoryStorage();
 * storage.setItem('a', 'b');
 * storage.getItem('a'); // → 'b'
 * ```
 */
export function memoryStorage(): QueueStorage {
  const items = new Map<string, string>();
  return {
    getItem: (name) => items.get(name) ?? null,
    setItem: (name, text) => void items.set(name, text),
    removeItem: (name) => void items.delete(name),
  };
}

interface Files {
  mkdirSync(path: string, options: { readonly recursive: true }): unknown;
  readFileSync(path: string, encoding: 'utf8'): string;
  openSync(path: string, flags: string, mode?: number): number;
  writeSync(file: number, text: string): number;
  fsyncSync(file: number): void;
  closeSync(file: number): void;
  renameSync(from: string, to: string): void;
  rmSync(path: string, options: { readonly force: true }): void;
}

/**
 * A storage in a folder of files, for Node, Bun and Deno. What was stored survives a crash.
 *
 * @example
 * ```ts
 * const storage = fileStorage(folder);
 * await storage.setItem('a', 'b');
 * await fileStorage(folder).getItem('a'); // → 'b'
 * ```
 */
export function fileStorage(folder: string): QueueStorage {
  requireKind('folder', folder, 'string');
  const program = (globalThis as { readonly process?: { getBuiltinModule?(name: string): unknown } }).process;
  const files = program?.getBuiltinModule?.('node:fs') as Files | undefined;
  if (files === undefined) throw new SavepointError('QUEUE_STORAGE', 'This platform has no files; on a page use localStorage');
  files.mkdirSync(folder, { recursive: true });
  const pathOf = (name: string) => `${folder}/${encodeURIComponent(name)}.json`;
  return {
    getItem(name) {
      try {
        return files.readFileSync(pathOf(name), 'utf8');
      } catch (error) {
        if ((error as { readonly code?: unknown }).code === 'ENOENT') return null;
        throw error;
      }
    },
    setItem(name, text) {
      const path = pathOf(name);
      // It may be the secret of a guest's device, so only the user may read it; a file that was left behind has other rights.
      files.rmSync(`${path}.new`, { force: true });
      // The text is written to another file first and renamed, so that a half-written text never has this name.
      const file = files.openSync(`${path}.new`, 'w', 0o600);
      try {
        files.writeSync(file, text);
        files.fsyncSync(file);
      } finally {
        files.closeSync(file);
      }
      files.renameSync(`${path}.new`, path);
    },
    removeItem: (name) => files.rmSync(pathOf(name), { force: true }),
  };
}
