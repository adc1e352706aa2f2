#!/usr/bin/env node
// The program itself is TypeScript, built into dist/ by `npm run build`.
import { existsSync } from 'node:fs';

const program = new URL('../dist/src/cli/main.js', import.meta.url);
if (!existsSync(program)) {
  console.error('savepoint is not built yet: run `npm run build` first.');
  process.exit(1);
}
await import(program.href);
