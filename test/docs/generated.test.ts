import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GENERATED } from '../../infra/docs/generated.ts';

const ROOT = join(import.meta.dirname, '../..');

test.each(GENERATED)('$file is what the code says (`npm run docs` writes it)', async ({ file, render }) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).toBe(await render());
});
