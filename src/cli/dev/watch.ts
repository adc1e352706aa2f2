import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Detects changes of a folder's sources by polling. Events of the system are lost on network disks and container mounts, and are incomplete
 * where editors write a new file and rename it over the old one. A look at a game's folder takes a millisecond or two.
 */

const LOOK_MS = 150;
/** A file that is being written changes again, so nothing is reported before all files have stayed the same for this long. */
const REST_MS = 40;
/** After so many such waits a change is reported although files still change. */
const MAX_RESTS = 10;
/** Looking takes at most this part of the time, however large the folder is. */
const SHARE = 0.1;

/** Calls `changed` whenever a source of the folder has come, changed or gone, until `signal` aborts. */
export async function watchFolder(dir: string, changed: () => void, signal: AbortSignal): Promise<void> {
  let before = looksOf(dir);
  while (!signal.aborted) {
    const began = performance.now();
    let now = looksOf(dir);
    const took = performance.now() - began;
    if (now !== before) {
      for (let rests = 0; rests < MAX_RESTS; rests += 1) {
        await pause(REST_MS, signal);
        const later = looksOf(dir);
        if (later === now) break;
        now = later;
      }
      before = now;
      changed();
    }
    await pause(Math.max(LOOK_MS, took / SHARE), signal);
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** What tells one state of all sources from another: path, time, size and place on the disk of each file. */
function looksOf(dir: string): string {
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
    // It has just gone, or may not be read: the next push says so.
    return [];
  }
}

function lookOf(path: string): string {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? '' : `${found.mtimeNs}:${found.size}:${found.ino}`;
}
