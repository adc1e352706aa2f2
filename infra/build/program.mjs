// Bundles the program into few files in dist/program, because loading a thousand modules takes longer than all else of a start. Packages
// stay outside, and names as they are, so that stack traces can be read.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { build } from 'esbuild';

const BUNDLED = 'dist/program';
/** What is started by its path: the command line, the package `savepoint`, the thread of the compiler. */
const ENTRIES = ['dist/src/cli/main.js', 'dist/src/index.js', 'dist/src/compose/compile-worker.js'];
const NAMES = ENTRIES.map((entry) => basename(entry, '.js'));
const ADDRESS = new RegExp(`(?<!'./(?:${NAMES.join('|')})\\.js', )import\\.meta\\.url`, 'g');

export async function bundleProgram() {
  const { metafile } = await build({
    entryPoints: ENTRIES,
    outdir: BUNDLED,
    entryNames: '[name]',
    chunkNames: '[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    ignoreAnnotations: true,
    metafile: true,
    logLevel: 'warning',
    plugins: [{ name: 'places', setup: keepPlaces }],
  });
  // A running node may still load what did not change.
  const made = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
  for (const name of readdirSync(BUNDLED)) if (!made.has(name)) rmSync(join(BUNDLED, name));
}

/** Files beside a module, such as SQL, stay where they are. So its address is still that of the module, unless it leads to an entry. */
function keepPlaces({ onLoad }) {
  onLoad({ filter: /[\\/]dist[\\/](?:src|projections|infra)[\\/].*\.js$/ }, ({ path }) => {
    const text = readFileSync(path, 'utf8');
    const place = JSON.stringify(relative(BUNDLED, path).replaceAll('\\', '/'));
    return { contents: text.replaceAll(ADDRESS, `new URL(${place}, import.meta.url).href`), loader: 'js' };
  });
}
