// Builds the pages of the console into dist/console, unless they are there already, made of the same sources.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeConsoleClient } from './console-client.mjs';

const SOURCES = 'src/console';
/** What they import from elsewhere. */
const SHARED = 'src/contract/told-as-one.ts';
const BUILT = 'dist/console';
/** Holds the hash of what the built pages are made of. It is written last, so a build that was cut off does not count. */
const MARK = join('dist', 'console.hash');

export async function buildConsole() {
  await writeConsoleClient();
  const hash = hashOfSources();
  if (existsSync(MARK) && readFileSync(MARK, 'utf8') === hash) return;
  // A shell or a test that says otherwise would get React's build for developers, which is larger and slower.
  process.env.NODE_ENV = 'production';
  const [{ build }, { default: react }] = await Promise.all([import('vite'), import('@vitejs/plugin-react')]);
  await build({
    root: SOURCES,
    configFile: false,
    logLevel: 'warn',
    plugins: [react(), loadsAhead],
    // The server puts a nonce of each answer in its place.
    html: { cspNonce: '__NONCE__' },
    build: {
      outDir: join(process.cwd(), BUILT),
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      // All styles are eight kilobytes: files of their own would cost each page more than they spare it.
      cssCodeSplit: false,
      rollupOptions: {
        input: { index: join(SOURCES, 'index.html'), early: EARLY },
        output: { manualChunks: chunkOf },
      },
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // A test holds the pages to sizes, as browsers load them.
      chunkSizeWarningLimit: 1000,
      manifest: 'chunks.json',
    },
  });
  writeFileSync(MARK, hash);
}

/** What runs first. All that it needs is one file, so small that it runs while the others are loaded: of libraries, what knows no React. */
const EARLY = join(SOURCES, 'early.ts');
const EARLY_LIBRARIES = /\/(?:@tanstack\/query-core|@oazapfts\/runtime)\/|\/react-query\/.*ueryOptions\.js$|vite\/preload-helper/;
/** So many pages have to use a file for it to be loaded with all of them, as one with its like in place of twenty small ones. */
const SHARED_BY = 3;

function chunkOf(id, { getModuleInfo }) {
  const seen = new Set([id]);
  let [pages, isInFirst] = [0, false];
  for (const each of seen) {
    const { isEntry = false, importers = [], dynamicImporters = [] } = getModuleInfo(each) ?? {};
    if (each.endsWith(EARLY) && (!id.includes('/node_modules/') || EARLY_LIBRARIES.test(id))) return 'early';
    if (isEntry) isInFirst = true;
    if (dynamicImporters.length > 0 && each.includes('/src/console/pages/')) pages += 1;
    for (const importer of importers) seen.add(importer);
  }
  if (isInFirst) return 'index';
  return pages >= SHARED_BY ? 'shared' : undefined;
}

/** What every page needs is asked for beside the first file, not once that has run: what runs early, shared code, who is signed in. */
const loadsAhead = {
  name: 'loads-ahead',
  transformIndexHtml: {
    order: 'post',
    handler(_html, { bundle = {} }) {
      const named = (wanted) => Object.values(bundle).find(({ name, type }) => type === 'chunk' && name === wanted);
      const early = named('early');
      if (early.imports.length > 0) throw new Error(`${EARLY} needs ${early.imports.join(', ')}, and has to run before that is there`);
      const link = (attrs) => ({ tag: 'link', attrs: { ...attrs, crossorigin: true }, injectTo: 'head' });
      return [
        { tag: 'script', attrs: { type: 'module', async: true, crossorigin: true, src: `/${early.fileName}` }, injectTo: 'head-prepend' },
        link({ rel: 'modulepreload', href: `/${named('shared').fileName}` }),
        link({ rel: 'preload', as: 'fetch', href: '/api/session' }),
      ];
    },
  },
};

function hashOfSources() {
  const hash = createHash('sha256');
  const sources = readdirSync(SOURCES, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = [...sources.map(({ parentPath, name }) => join(parentPath, name)), SHARED, 'package-lock.json', 'infra/build/console.mjs'];
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

if (process.argv[1] === import.meta.filename) await buildConsole();
