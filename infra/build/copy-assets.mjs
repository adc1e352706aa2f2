// tsc writes only JavaScript. This then copies the other files that the code reads beside itself: SQL files, and the reference of the API.
import { cpSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

for (const folder of ['src', 'projections', 'infra']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: (path) => !path.endsWith('.ts') && !path.endsWith('.mjs') });
}

const reference = 'dist/src/http/reference';
const library = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
for (const file of ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE']) {
  cpSync(join(library, file), join(reference, file));
}
const { openApi } = await import('../../dist/src/contract/openapi.js');
const { VERSION } = await import('../../dist/src/version.js');
writeFileSync(join(reference, 'openapi.json'), JSON.stringify(openApi(VERSION)));
