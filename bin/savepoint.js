#!/usr/bin/env -S node --initial-old-space-size=64 --heap-growing-percent=40
// The flags: V8 would let garbage grow to hundreds of megabytes before it looks; so it looks early, and a node under full load takes
// half the memory at the same speed (docs/performance.md).
// The program itself is TypeScript, built into dist/ by `npm run build`.
import { existsSync } from 'node:fs';

const program = new URL('../dist/src/cli/main.js', import.meta.url);
if (!existsSync(program)) {
  console.error('savepoint is not built yet: run `npm run build` first.');
  process.exit(1);
}
await import(program.href);
