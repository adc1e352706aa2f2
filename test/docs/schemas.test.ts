import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { SOURCE_FILES, type SourceFileName } from '../../src/contract/resources/files.ts';
import { filesOf } from './support/pages.ts';

/**
 * Checks docs/schemas, by which editors complete and check source files, against the files of the example game and of the documentation.
 */

const ROOT = join(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');
// `strict` also warns of types in unions, and of required members that another part of the schema describes.
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false, allErrors: true, formats: {} });
// For editors alone.
ajv.addKeyword('doNotSuggest');

const names = Object.keys(SOURCE_FILES) as SourceFileName[];
const checks = new Map<string, ValidateFunction>(names.map((name) => [name, ajv.compile(JSON.parse(text(`docs/schemas/${name}.json`)))]));

function faults(name: string, value: unknown): readonly string[] {
  const check = checks.get(name);
  if (check === undefined) throw new Error(`There is no schema ${name}`);
  return check(value) ? [] : (check.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

test.each(names)('%s is a JSON Schema of draft 2020-12', (name) => {
  const schema = JSON.parse(text(`docs/schemas/${name}.json`));
  expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect(ajv.validateSchema(schema)).toBe(true);
});

const game = readdirSync(join(ROOT, 'infra/demo/game')).filter((file) => file.endsWith('.yml'));

test.each(game)('the example game’s %s is accepted', (file) => {
  const kind = /\.(\w+)\.yml$/.exec(file)?.[1] ?? '';
  expect(faults(kind, parse(text(`infra/demo/game/${file}`)))).toEqual([]);
});

test.each([
  ['queries.json', 'query'],
  ['rules.json', 'rate-limit-rules'],
  ['values.json', 'game-values'],
])('the example game’s %s is accepted', (file, kind) => {
  const value = JSON.parse(text(`infra/demo/game/${file}`));
  expect((kind === 'query' ? value : [value]).flatMap((each: unknown) => faults(kind, each))).toEqual([]);
});

const KINDS: Readonly<Record<string, string>> = { 'values.json': 'game-values', 'rules.json': 'rate-limit-rules', 'queries.json': 'query' };
const examples = [...filesOf('docs/language.md')].map(([file, content]): [string, string, string] => {
  return [file, KINDS[file] ?? /\.(\w+)\.yml$/.exec(file)?.[1] ?? '', content];
});

test('the language page has examples of every kind', () => {
  const kinds = ['collection', 'endpoint', 'workflow', 'library', 'query', 'game-values', 'rate-limit-rules'];
  expect(new Set(examples.map(([, kind]) => kind))).toEqual(new Set(kinds));
});

test.each(examples)('its %s is accepted', (_, kind, content) => {
  const value: unknown = parse(content);
  expect((Array.isArray(value) ? value : [value]).flatMap((each: unknown) => faults(kind, each))).toEqual([]);
});

test('the example of a test is accepted', () => {
  const [, yaml = ''] = /^```yaml\n(kind: test[\s\S]*?)^```$/m.exec(text('docs/tests.md')) ?? [];
  expect(yaml).not.toBe('');
  expect(faults('test', parse(yaml))).toEqual([]);
});

describe('what is wrong is told', () => {
  const endpoint = (step: object) => ({ sourceVersion: 1, kind: 'endpoint', id: 'buy', steps: [step] });

  test.each<[string, string, unknown]>([
    ['a member that a collection has not', 'collection', { kind: 'collection', id: 'a', acessMode: 'public' }],
    ['a word that is none', 'collection', { kind: 'collection', id: 'a', accessMode: 'everybody' }],
    ['the same in a wrapper', 'collection', { kind: 'collection', id: 'a', definition: { accessMode: 'everybody' } }],
    ['too many save slots', 'collection', { kind: 'collection', id: 'a', maxRecords: 51 }],
    ['a field without a type that there is', 'collection', { kind: 'collection', id: 'a', schema: { gold: { type: 'money' } } }],
    ['a setting that a field has not', 'collection', { kind: 'collection', id: 'a', schema: { gold: { type: 'number', ledger: true } } }],
    ['another kind', 'collection', { kind: 'endpoint', id: 'a' }],
    ['a step without a type', 'endpoint', endpoint({ id: 'a' })],
    ['a type of step that there is not', 'endpoint', endpoint({ id: 'a', type: 'raed' })],
    ['a member that a step has not', 'endpoint', endpoint({ id: 'a', type: 'read', collection: 'heroes', requird: true })],
    ['a loop without an end', 'endpoint', endpoint({ id: 'a', type: 'while', check: { field: 'a', op: 'exists' }, steps: [] })],
    ['an operation that there is not', 'endpoint', endpoint({ id: 'a', type: 'write', collection: 'c', ops: [{ op: 'add', path: 'a' }] })],
    ['the same in a nested step', 'endpoint', endpoint({ id: 'a', type: 'block', steps: [{ id: 'b', type: 'raed' }] })],
    ['a block that is no object', 'library', { kind: 'library', id: 'a', blocks: { b: [] } }],
    ['a query of a type that there is not', 'query', { kind: 'query', id: 'a', type: 'top', sources: [{ collectionId: 'c' }] }],
    ['an outcome that there is not', 'test', { kind: 'test', id: 'a', endpoint: 'buy', expect: { outcome: 'ok' } }],
    ['a member that nothing is compared with', 'test', { kind: 'test', id: 'a', endpoint: 'buy', expect: { statsu: 200 } }],
    ['a table without rows', 'game-values', { items: [{ id: 'a', type: 'table', columns: ['b'] }] }],
    ['a window that there is not', 'rate-limit-rules', { rules: [{ window: 'perSecond', limit: 1 }] }],
    ['a limit of nothing', 'rate-limit-rules', { rules: [{ window: 'perDay', limit: 0 }] }],
    ['a setting that is out of range', 'settings', { authSessionTtlSeconds: 1 }],
    ['a setting that there is not', 'settings', { requirePlayerAuht: true }],
  ])('%s (%s)', (_, name, value) => {
    expect(faults(name, value)).not.toEqual([]);
  });

  test('notes of editors are none', () => {
    expect(faults('endpoint', endpoint({ id: 'a', type: 'response', _folded: true, 'x-y': 1, comment: 'here' }))).toEqual([]);
  });
});
