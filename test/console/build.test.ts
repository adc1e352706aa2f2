import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { builtChunks, builtFolder, filesOfChunk, gzippedBytes, pageWeights, shellFiles } from '../../infra/harness/console-build.ts';

/** What a browser loads of the console, as `npm run build` made it. */

const ROOT = resolve(import.meta.dirname, '../..');
const BUILT = builtFolder();
const FIRST_ROUTE = 200 * 1024;
const FURTHER_PAGE = 120 * 1024;
/** A fifth of the first route. */
const EARLY = 40 * 1024;
/** The editor of definitions is loaded where one is opened. */
const EDITOR = 180 * 1024;

test('the first route is small, and every page is little more', () => {
  const chunks = builtChunks();
  expect(gzippedBytes(new Set([...shellFiles(chunks), ...filesOfChunk('pages/activity.tsx', chunks)]))).toBeLessThan(FIRST_ROUTE);
  const pages = pageWeights(chunks);
  expect(pages.size).toBeGreaterThan(3);
  for (const [name, bytes] of pages)
    expect([name, bytes < (name === 'pages/definitions/edit.tsx' ? EDITOR : FURTHER_PAGE)]).toEqual([name, true]);
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
  const chunks = builtChunks();
  const early = filesOfChunk('early.ts', chunks);
  expect(readFileSync(join(BUILT, 'index.html'), 'utf8')).toContain(`<script type="module" async crossorigin src="/${[...early][0]}"`);
  expect(early.size).toBe(1);
  expect(gzippedBytes(early)).toBeLessThan(EARLY);
});

test('a build that lacks what it needs says how to get it', async () => {
  const [folder, script] = [mkdtempSync(join(tmpdir(), 'savepoint-build-')), join(ROOT, 'infra/build/installed.mjs')];
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts.build).toMatch(/^node infra\/build\/installed\.mjs && /);
  const built = promisify(execFile)(process.execPath, [script], { cwd: folder });
  await expect(built).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('npm ci') });
  rmSync(folder, { recursive: true });
});

test('a build whose sources did not change is kept', async () => {
  const before = statSync(join(BUILT, 'index.html')).mtimeMs;
  await promisify(execFile)(process.execPath, ['infra/build/console.mjs'], { cwd: ROOT });
  expect(statSync(join(BUILT, 'index.html')).mtimeMs).toBe(before);
});
