import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { preflight } from '../../src/domain/definition/preflight.ts';
import { applyOperations } from '../../src/domain/document/operations.ts';
import { COLLECTION_FUNCTIONS } from '../../src/domain/endpoint/collections.ts';
import { FUNCTION_NAMES } from '../../src/domain/endpoint/functions.ts';
import { compileOperator } from '../../src/domain/endpoint/operators.ts';
import { STEP_TYPES } from '../../src/domain/endpoint/steps/types.ts';
import { WINDOW_NAMES } from '../../src/domain/limit/windows.ts';
import { SETTING_RULES } from '../../src/domain/project/settings.ts';
import { EMPTY, put } from '../domain/definition/given.ts';

/** docs/definitions.md against the language that it describes. */

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/definitions.md'), 'utf8');

/** What a refusal lists as known. */
function listed(refused: () => unknown): readonly string[] {
  try {
    refused();
  } catch (error) {
    return (
      String(error)
        .split(/(?:known|supported) are /)[1]
        ?.replace(/\.$/, '')
        .split(', ') ?? []
    );
  }
  return [];
}

test.each<[string, readonly string[]]>([
  ['step type', [...STEP_TYPES.keys()]],
  ['function', [...FUNCTION_NAMES, ...COLLECTION_FUNCTIONS]],
  ['operator', listed(() => compileOperator('?'))],
  ['operation', listed(() => applyOperations({}, [{ op: '?', path: 'a' }]))],
  ['window', WINDOW_NAMES],
])('every %s stands there', (_, names) => {
  const missing = names.filter((name) => !PAGE.includes(`\`${name}\``) && !PAGE.includes(`\`${name}(`));
  expect(names.length).toBeGreaterThan(0);
  expect(missing).toEqual([]);
});

test('every setting of a project stands in docs/operations.md, with its default', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const table = page.split('\n## Settings of a project\n')[1]?.split('\n## ')[0] ?? '';
  const rows = [...table.matchAll(/^\| (`\w+`) \| (`[^`]+`) \|/gm)].map(([, name, initial]) => [name, initial]);
  const expected = Object.entries(SETTING_RULES).map(([name, { fallback }]) => [`\`${name}\``, `\`${JSON.stringify(fallback)}\``]);
  expect(rows.sort()).toEqual(expected.sort());
});

test('its examples pass the preflight without a finding', () => {
  const texts = [...PAGE.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  const items = texts.map((sourceText) => ({ kind: /^kind: (\w+)$/m.exec(sourceText)?.[1] ?? '', sourceFormat: 'yaml', sourceText }));
  const of = (kind: string) => items.filter((item) => item.kind === kind);
  const values = { items: [{ id: 'prices', type: 'table', columns: [{ key: 'item', type: 'string' }], rows: [] }] };
  const body = { collections: of('collection'), endpoints: of('endpoint'), workflows: of('workflow'), libraries: of('library') };
  const reply = preflight(put(EMPTY, 'game-values', values), body, 'live');
  expect(reply).toMatchObject({ body: { ok: true, summary: { total: 4, success: 4, failed: 0, warnings: 0 } } });
});
