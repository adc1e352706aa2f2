// tsc writes JavaScript only; the SQL files that the code reads beside itself are copied after it.
import { cpSync } from 'node:fs';

for (const folder of ['src', 'projections', 'infra']) {
  cpSync(folder, `dist/${folder}`, { recursive: true, filter: (path) => !path.endsWith('.ts') && !path.endsWith('.mjs') });
}
