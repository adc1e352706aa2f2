import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { schemaLine } from './schemas.ts';

/** The template of a browser game: the example in this package. */

const EXAMPLE = fileURLToPath(new URL('../../infra/examples/game', import.meta.url));
const PAGE = 'web';
/** Files that `savepoint dev`, npm or vite generate. */
const MADE = /^(?:game\.types\.ts|savepoint\.json|savepoint\.credentials\.json|\.savepoint|node_modules|dist|package-lock\.json)$/;
const SCHEMA = /^# yaml-language-server: \$schema=\S*\/([\w-]+)\.json\r?\n/;

/** Path → text, for a folder of this name. */
export function filesOfBrowserGame(folder: string): readonly (readonly [path: string, text: string])[] {
  return filesIn(EXAMPLE).map((file) => {
    const path = relative(EXAMPLE, file).split(sep).join('/');
    const text = readFileSync(file, 'utf8').replace(SCHEMA, (_, kind: string) => schemaLine(path, kind));
    return [path, path === `${PAGE}/package.json` ? linked(text, join(folder, PAGE)) : text];
  });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (MADE.test(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

/** Links the client library from the package that made the folder, so that no registry is needed. */
function linked(text: string, page: string): string {
  const own = relative(page, packageFolder(import.meta.dirname))
    .split(sep)
    .join('/');
  return text.replace(/"savepoint": "file:[^"]*"/, () => `"savepoint": ${JSON.stringify(`file:${own}`)}`);
}

/** The folder of the package, from the sources as well as from the build. */
function packageFolder(folder: string): string {
  const above = dirname(folder);
  return above === folder || existsSync(join(folder, 'package.json')) ? folder : packageFolder(above);
}
