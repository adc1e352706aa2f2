import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { shownChanges } from '../../src/cli/show.ts';
import { changesOf } from '../../src/folder/changes.ts';
import { readFolder } from '../../src/folder/sources.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'changes-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

test('a change shows that a push adds the text of a definition pushed as data, and that it only changes comments', () => {
  const text = 'kind: collection\nsourceVersion: 1\nid: heroes\nschema: { gold: number }\n';
  writeFileSync(join(dir, 'heroes.collection.yml'), text);
  const folder = readFolder(dir);
  const [source] = folder.sources;
  const held = { kind: 'collection', id: 'heroes', resource: source?.resource ?? null } as const;
  const told = (file: { readonly path: string; readonly text: string; readonly format: 'yaml' } | null) =>
    shownChanges(changesOf(folder, [{ ...held, file }]));
  const file = { path: 'heroes.collection.yml', format: 'yaml' } as const;
  expect(told({ ...file, text })).toBe('');
  expect(told({ ...file, text: `# old\n${text}` })).toContain('(comments or layout)');
  expect(told(null)).toContain('(the same; a push keeps the text of this file with it)');
});
