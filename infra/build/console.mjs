// Builds the pages of the console into dist/console, unless they are there already, made of the same sources.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeConsoleClient } from './console-client.mjs';

const SOURCES = 'src/console';
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
    plugins: [react()],
    // The server puts a nonce of each answer in its place.
    html: { cspNonce: '__NONCE__' },
    build: {
      outDir: join(process.cwd(), BUILT),
      emptyOutDir: true,
      target: 'es2022',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      // A test holds the pages to sizes, as browsers load them.
      chunkSizeWarningLimit: 1000,
      manifest: 'chunks.json',
    },
  });
  writeFileSync(MARK, hash);
}

function hashOfSources() {
  const hash = createHash('sha256');
  const sources = readdirSync(SOURCES, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = [...sources.map(({ parentPath, name }) => join(parentPath, name)), 'package-lock.json', 'infra/build/console.mjs'];
  for (const file of files.sort()) hash.update(`${file}\n`).update(readFileSync(file));
  return hash.digest('hex');
}

if (process.argv[1] === import.meta.filename) await buildConsole();
