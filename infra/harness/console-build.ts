import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { repositoryFolder } from './node.ts';

/** What a browser loads of the console, as `npm run build` made it. */

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly isDynamicEntry?: boolean;
}

type Chunks = Readonly<Record<string, Chunk>>;

export const builtFolder = () => join(repositoryFolder(), 'dist/console');

/** The chunks by the source that each begins with. */
export const builtChunks = (): Chunks => JSON.parse(readFileSync(join(builtFolder(), 'chunks.json'), 'utf8'));

/** The files that a chunk needs, with those of its imports. */
export function filesOfChunk(name: string, chunks: Chunks, found = new Set<string>()): ReadonlySet<string> {
  const chunk = chunks[name];
  if (chunk === undefined || found.has(chunk.file)) return found;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
  for (const each of chunk.imports ?? []) filesOfChunk(each, chunks, found);
  return found;
}

/** The files that every page needs. All styles are one file, which comes with the first. */
export function shellFiles(chunks: Chunks): ReadonlySet<string> {
  const styles = readdirSync(join(builtFolder(), 'assets')).filter((file) => file.endsWith('.css'));
  return new Set([...filesOfChunk('index.html', chunks), ...styles.map((file) => join('assets', file))]);
}

/** Bytes of these files together. */
export function gzippedBytes(files: Iterable<string>): number {
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(builtFolder(), file)), { level: 9 }).length, 0);
}

/** By the source of each page: bytes after gzip of what it needs beside the shell. */
export function pageWeights(chunks: Chunks): ReadonlyMap<string, number> {
  const shell = shellFiles(chunks);
  const pages = Object.entries(chunks).filter(([, { isDynamicEntry }]) => isDynamicEntry);
  return new Map(pages.map(([name]) => [name, gzippedBytes([...filesOfChunk(name, chunks)].filter((file) => !shell.has(file)))]));
}
