import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const COLUMNS = 140;
const A_COMMENT = /^\s*(?:\/\*\*? |\* |\/\/ |-- )/;

test('a comment fits into a line', () => {
  const files = ['src', 'projections', 'infra', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:tsx?|mjs|sql)$/.test(entry.name) && entry.name !== 'generated.ts')
      .map((entry) => join(entry.parentPath, entry.name)),
  );
  const long = files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line, index) => (line.length > COLUMNS && A_COMMENT.test(line) ? [`${file.slice(ROOT.length + 1)}:${index + 1}`] : [])),
  );
  expect(long).toEqual([]);
});
