import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const rows = readFileSync(join(ROOT, 'docs/owasp.md'), 'utf8')
  .split('\n')
  .filter((line) => /^\| API\d/.test(line));
const named = rows.flatMap((row) =>
  [...row.matchAll(/`(test\/[\w/.-]+)` › (.*?)(?=<br>| \|$)/g)].map(([, file = '', name = '']) => ({ file, name })),
);

test('all ten risks are gone through, each with a test at least', () => {
  expect(rows.map((row) => row.split(' ')[1])).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`));
  expect(rows.filter((row) => !row.includes('`test/'))).toEqual([]);
});

test.each(named)('$file › $name', ({ file, name }) => {
  expect(readFileSync(join(ROOT, file), 'utf8')).toContain(name);
});
