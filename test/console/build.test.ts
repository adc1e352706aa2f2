import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

/** What a browser loads of the console, as `npm run build` made it. */

const ROOT = resolve(import.meta.dirname, '../..');
const BUILT = join(ROOT, 'dist/console');
const FIRST_ROUTE = 200 * 1024;
const FURTHER_PAGE = 120 * 1024;
/** A fifth of the first route. */
const EARLY = 40 * 1024;
/** The editor of definitions is loaded where one is opened. */
const EDITOR = 180 * 1024;

interface Chunk {
  readonly file: string;
  readonly css?: readonly string[];
  readonly imports?: readonly string[];
  readonly isDynamicEntry?: boolean;
}

const manifest = (): Readonly<Record<string, Chunk>> => JSON.parse(readFileSync(join(BUILT, 'chunks.json'), 'utf8'));

/** The files that a chunk needs, with those of its imports. */
function filesOf(name: string, chunks: Readonly<Record<string, Chunk>>, found = new Set<string>()): ReadonlySet<string> {
  const chunk = chunks[name];
  if (chunk === undefined || found.has(chunk.file)) return found;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(file);
  for (const each of chunk.imports ?? []) filesOf(each, chunks, found);
  return found;
}

/** All styles are one file, which comes with the first. */
const STYLES = () => readdirSync(join(BUILT, 'assets')).flatMap((file) => (file.endsWith('.css') ? [join('assets', file)] : []));

function gzipped(files: Iterable<string>): number {
  return [...files].reduce((sum, file) => sum + gzipSync(readFileSync(join(BUILT, file)), { level: 9 }).length, 0);
}

test('the first route is small, and every page is little more', () => {
  const chunks = manifest();
  const shell = new Set([...filesOf('index.html', chunks), ...STYLES()]);
  expect(gzipped(new Set([...shell, ...filesOf('pages/activity.tsx', chunks)]))).toBeLessThan(FIRST_ROUTE);
  const pages = Object.entries(chunks).filter(([, { isDynamicEntry }]) => isDynamicEntry);
  expect(pages.length).toBeGreaterThan(3);
  for (const [name] of pages) {
    const own = [...filesOf(name, chunks)].filter((file) => !shell.has(file));
    expect([name, gzipped(own) < (name === 'pages/definitions/edit.tsx' ? EDITOR : FURTHER_PAGE)]).toEqual([name, true]);
  }
});

test('a page loads nothing from elsewhere, and its scripts carry the nonce of the answer', () => {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
  expect(page.match(/(?:src|href)="(?!\/assets\/)[^"]*"/g)).toEqual(['href="/api/session"']);
  expect(page).toContain('nonce="__NONCE__"');
  expect(page).not.toMatch(/<style|<script(?![^>]*\bsrc=)/);
});

test('who is signed in and the code that pages share are asked for with the first file, and all styles are one', () => {
  const page = readFileSync(join(BUILT, 'index.html'), 'utf8');
  expect(page).toMatch(/<link rel="modulepreload" href="\/assets\/shared-[^"]*\.js"/);
  expect(page).toContain('<link rel="preload" as="fetch" href="/api/session" crossorigin');
  expect(readdirSync(join(BUILT, 'assets')).filter((file) => file.endsWith('.css'))).toHaveLength(1);
});

test('what asks for the page at an address runs while the rest is loaded: it needs no other file, and is small', () => {
  const chunks = manifest();
  const early = filesOf('early.ts', chunks);
  expect(readFileSync(join(BUILT, 'index.html'), 'utf8')).toContain(`<script type="module" async crossorigin src="/${[...early][0]}"`);
  expect(early.size).toBe(1);
  expect(gzipped(early)).toBeLessThan(EARLY);
});

test('a build whose sources did not change is kept', async () => {
  const before = statSync(join(BUILT, 'index.html')).mtimeMs;
  await promisify(execFile)(process.execPath, ['infra/build/console.mjs'], { cwd: ROOT });
  expect(statSync(join(BUILT, 'index.html')).mtimeMs).toBe(before);
});
