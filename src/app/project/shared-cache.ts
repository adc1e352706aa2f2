import { LRUCache } from 'lru-cache';
import type { Entry, Version } from './version.ts';
import { weighCached } from './weight.ts';

/** States that may be forgotten, of all projects of a node. The key is an object: a text key would have to be built for every look-up. */
export interface SharedCache {
  readonly versions: LRUCache<Entry, Version>;
  /** Reads that found their subject in memory, and those that had to load it. */
  readonly reads: { hits: number; misses: number };
}

export function createCache(maxBytes: number): SharedCache {
  const versions = new LRUCache<Entry, Version>({
    maxSize: maxBytes,
    sizeCalculation: ({ state, size, memo }) => weighCached(state, size, memo?.text ?? ''),
    // A pinned entry may still be in the cache with an old version. Then only that version goes.
    dispose: (_, entry, reason) => {
      if (reason === 'evict' && !entry.pinned) forget(entry);
    },
  });
  return { versions, reads: { hits: 0, misses: 0 } };
}

/** Forgets the durable state. What commits under way make of the subject stays. */
export function forget(entry: Entry): void {
  entry.version = null;
  if (entry.speculative === null) entry.container.delete(entry.subject);
}
