// Says what is missing, where a fresh clone is built before it has what it needs: the shell says `tsc: not found`.
import { existsSync } from 'node:fs';

if (!existsSync('node_modules/typescript')) {
  console.error('What the build needs is not installed yet: run `npm ci` first.');
  process.exit(1);
}
