import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pause } from '../../kernel/pause.ts';

/**
 * Detects changes of a folder's sources by polling, because file system events are lost on network disks and container mounts, and
 * incomplete when editors rename a new file over the old one. Polling a game's folder takes a millisecond or two.
 */

const POLL_MS = 150;
/** A file that is being written changes again, so nothing is reported before all files have stayed the same for this long. */
const SETTLE_MS = 40;
/** After so many such waits a change is reported even if files are still changing. */
const MAX_SETTLE_WAITS = 10;
/** Polling takes at most this part of the time, however large the folder is. */
const MAX_TIME_SHARE = 0.1;

/** Calls `changed` whenever a source of the folder was added, changed or removed, until `signal` aborts. */
export async function watchFolder(dir: string, changed: () => void, signal: AbortSignal): Promise<void> {
  let before = fingerprintOf(dir);
  while (!signal.aborted) {
    const began = performance.now();
    let now = fingerprintOf(dir);
    const took = performance.now() - began;
    if (now !== before) {
      for (let rests = 0; rests < MAX_SETTLE_WAITS; rests += 1) {
        await pause(SETTLE_MS, signal);
        const later = fingerprintOf(dir);
        if (later === now) break;
        now = later;
      }
      before = now;
      changed();
    }
    await pause(Math.max(POLL_MS, took / MAX_TIME_SHARE), signal);
  }
}

/** Interval at which a remote project is asked, ms. */
const ASK_MS = 2_000;

/**
 * Calls `changed` once the hash is known, and whenever it is another one, until `signal` aborts. What is made before it is known could be
 * older. Rejects if the first look fails.
 */
export async function watchHash(hashOf: () => Promise<string>, changed: () => void, signal: AbortSignal, everyMs = ASK_MS): Promise<void> {
  let known = await hashOf();
  changed();
  while (!signal.aborted) {
    await pause(everyMs, signal);
    const hash = signal.aborted ? known : await hashOf().catch(() => known);
    if (hash !== known) changed();
    known = hash;
  }
}

/** A fingerprint of all sources: path, time, size and inode of each file. */
function fingerprintOf(dir: string): string {
  const seen: string[] = [];
  const visit = (folder: string): void => {
    for (const entry of entriesOf(folder)) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      const path = join(folder, entry.name);
      if (entry.isDirectory()) visit(path);
      else if (/\.(ya?ml|json)$/i.test(entry.name)) seen.push(`${path}\0${lookOf(path)}`);
    }
  };
  visit(dir);
  return seen.sort().join('\n');
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // The folder has just been removed, or cannot be read. The next push reports that.
    return [];
  }
}

function lookOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.mtimeNs}:${found.size}:${found.ino}`;
}
