import { closeSync, fsyncSync, openSync, writeFileSync } from 'node:fs';

/** Writes a new file that only its owner can read. Its content survives a power cut once its name does: see {@link syncFolder}. */
export function writeDurably(path: string, text: string): void {
  const file = openSync(path, 'wx', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Makes the names in a folder survive a power cut. Windows has no such call for folders. */
export function syncFolder(path: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
