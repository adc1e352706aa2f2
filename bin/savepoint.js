#!/usr/bin/env -S node --max-semi-space-size=32 --initial-old-space-size=96
// The flags: what a write allocates mostly lives a few milliseconds, longer than a small young generation gives it; the old one is to be
// looked at before it has grown large.
// The program itself is TypeScript, built into dist/ by `npm run build`.
import { existsSync } from 'node:fs';

const program = new URL('../dist/src/cli/main.js', import.meta.url);
if (!existsSync(program)) {
  console.error('savepoint is not built yet: run `npm run build` first.');
  process.exit(1);
}
await import(program.href);
