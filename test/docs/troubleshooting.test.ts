import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, textOfPage } from './support/pages.ts';

/** Compares docs/troubleshooting.md with what the product says when something is wrong. */

const PAGE = textOfPage('docs/troubleshooting.md');
const source = (path: string) => readFileSync(join(ROOT, path), 'utf8');

test('every code of a refusal stands there', () => {
  const codes = [...source('src/kernel/errors.ts').matchAll(/^ {2}([A-Z_]+): \[/gm)].map(([, code = '']) => code);
  expect(codes.length).toBeGreaterThan(80);
  expect(codes.filter((code) => !new RegExp(`\\b${code}\\b`).test(PAGE))).toEqual([]);
});

test('every line of doctor stands there', () => {
  const folder = 'src/compose/doctor';
  const text = readdirSync(join(ROOT, folder))
    .map((file) => source(`${folder}/${file}`))
    .join('\n');
  const names = new Set([...text.matchAll(/\b(?:ok|warn|fail)\('([a-z][\w ]*)'/g)].map(([, name = '']) => name));
  expect(names.size).toBeGreaterThan(20);
  expect([...names].filter((name) => !PAGE.includes(`\`${name}\``))).toEqual([]);
});
