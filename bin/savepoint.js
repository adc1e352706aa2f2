#!/usr/bin/env -S node --max-semi-space-size=32 --initial-old-space-size=128 --heap-growing-percent=100
// The flags: what a write allocates lives for a few milliseconds, which is longer than in a small young generation. And V8 would let
// garbage grow to hundreds of megabytes before it collects the old generation. Measured with `npm run bench`: more requests, less memory.
// The program itself is TypeScript, built into dist/ by `npm run build`.
import { existsSync } from 'node:fs';

const program = new URL('../dist/program/main.js', import.meta.url);
if (!existsSync(program)) {
  console.error('savepoint is not built yet: run `npm ci` and `npm run build` first.');
  process.exit(1);
}
await import(program.href);
