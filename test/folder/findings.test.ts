import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkOffline } from '../../src/folder/offline.ts';
import { readFolder } from '../../src/folder/sources.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'findings-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

/** The place of each finding, and what stands in the file from there on. */
function found(file: string, text: string): string[] {
  writeFileSync(join(dir, file), text);
  return checkOffline(readFolder(dir)).map(({ code, line, column, text: shown }) => `${line} ${code} ${shown?.slice((column ?? 1) - 1)}`);
}

test('a finding about a value is placed at the wrong word, one about a name at the name', () => {
  const endpoint = [
    'kind: endpoint',
    'sourceVersion: 1',
    'id: buy',
    'steps:',
    '  - { id: hero, type: read, collection: "nowhere", key: x }',
    '  - id: sum',
    '    type: transform',
    '    expresion: 5',
    '    value: "{{input.item}} of {{heroo.gold}}"',
    '  - { id: last, type: wirte }',
    'response: { status: 200, body: { ok: true } }',
    '',
  ];
  expect(found('buy.endpoint.yml', endpoint.join('\n')).sort()).toEqual([
    '10 INVALID_STEP_TYPE wirte }',
    '5 COLLECTION_NOT_FOUND nowhere", key: x }',
    '8 UNKNOWN_STEP_MEMBER expresion: 5',
    '9 UNKNOWN_NAME heroo.gold}}"',
  ]);
});

test('a finding in JSON is placed likewise; if the value is a block of lines, or is missing, at the nearest name', () => {
  const collection = '{ "kind": "collection", "id": "heroes",\n  "collectionType": "globl", "schema": { "gold": { "type": "number" } } }';
  expect(found('heroes.collection.json', collection)).toContainEqual(expect.stringMatching(/^2 COLLECTION_TYPE globl"/));
  rmSync(join(dir, 'heroes.collection.json'));
  expect(found('rules.yml', 'rules:\n  - id: r\n    field: gold\n    window: perMinute\n    limit:\n      a: 1\n')).toEqual([
    expect.stringMatching(/^5 \w+ limit:/),
  ]);
});

test('a finding about a whole definition, or about what it does not have, is placed at its id', () => {
  const text = 'kind: workflow\nsourceVersion: 1\nid: empty\n';
  expect(found('empty.workflow.yml', text)).toEqual(['3 NO_STEPS id: empty']);
  expect(found('empty.workflow.yaml', text)).toContain('3 DUPLICATE_DEFINITION id: empty');
});

test('a YAML error names its place once', () => {
  writeFileSync(join(dir, 'buy.endpoint.yml'), 'slug: buy\nsteps:\n  - &a { id: s }\n');
  expect(checkOffline(readFolder(dir)).map(({ line, column, message }) => [line, column, message])).toEqual([
    [3, 8, 'Invalid YAML source: Anchors (&name) are not supported'],
  ]);
});
