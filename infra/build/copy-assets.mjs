// tsc writes only JavaScript. This script copies the other files that the code reads at run time: SQL files, the assets of the API
// reference and the pages of the manual. The program is bundled by esbuild, and the pages of the console are built by Vite.
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { buildConsole } from './console.mjs';
import { bundleProgram } from './program.mjs';

for (const folder of ['src', 'projections', 'infra']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: (path) => !/\.(?:ts|mjs)$|^infra.examples|^src.console/.test(path) });
}
// Copies the sources of the browser game, which is a template. Installed packages, build output and credentials are left out.
rmSync('dist/infra/examples', { recursive: true, force: true });
cpSync('infra/examples/game', 'dist/infra/examples/game', {
  recursive: true,
  filter: (path) => !/[\\/](?:node_modules|dist|\.savepoint|savepoint[\w.]*\.json)$/.test(path),
});

const reference = 'dist/src/http/reference';
const library = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE']) {
  cpSync(join(library, file), join(reference, file));
}

const manual = 'dist/src/http/manual/pages';
rmSync(manual, { recursive: true, force: true });
const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));
for (const page of ['README.md', ...pages.map((name) => `docs/${name}`)]) cpSync(page, join(manual, basename(page)));

const { openApi } = await import('../../dist/src/contract/openapi.js');
const { VERSION } = await import('../../dist/src/version.js');
writeFileSync(join(reference, 'openapi.json'), JSON.stringify(openApi(VERSION)));

await bundleProgram();
await buildConsole();
