import { expect, test } from 'vitest';
import { WINDOW_NAMES } from '../../src/contract/resources/rate-limits.ts';
import { LOGIC_SYNONYMS, PART_SYNONYMS, QUERY_SYNONYMS, STEP_SYNONYMS, type Synonyms } from '../../src/contract/resources/synonyms.ts';
import { preflight } from '../../src/domain/definition/push/preflight.ts';
import { applyOperations } from '../../src/domain/document/operations.ts';
import { SETTING_RULES } from '../../src/domain/project/settings.ts';
import { COLLECTION_FUNCTIONS } from '../../src/language/expressions/collections.ts';
import { FUNCTION_NAMES } from '../../src/language/expressions/functions.ts';
import { compileOperator } from '../../src/language/expressions/operators.ts';
import { stepKinds } from '../../src/language/steps/registry.ts';
import { EMPTY, put } from '../domain/definition/given.ts';
import { filesOf, textOfPage } from './support/pages.ts';

/** Compares docs/language.md with the language that it describes. */

const PAGE = textOfPage('docs/language.md');

/** The names that a refusal lists as known. */
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
  ['step type', [...stepKinds.keys()]],
  ['function', [...FUNCTION_NAMES, ...COLLECTION_FUNCTIONS]],
  ['operator', listed(() => compileOperator('?'))],
  ['operation', listed(() => applyOperations({}, [{ op: '?', path: 'a' }]))],
  ['window', WINDOW_NAMES],
])('every %s stands there', (_, names) => {
  const missing = names.filter((name) => !PAGE.includes(`\`${name}\``) && !PAGE.includes(`\`${name}(`));
  expect(names.length).toBeGreaterThan(0);
  expect(missing).toEqual([]);
});

/** Rows of the table of synonyms: what has the same names stands in one row. */
function synonymRows(table: Readonly<Record<string, Synonyms>>): readonly string[] {
  const owners = new Map<string, Set<string>>();
  for (const [owner, rows] of Object.entries(table)) {
    for (const [name, { names }] of Object.entries(rows)) {
      const cells = `\`${name}\` | ${names.map((each) => `\`${each}\``).join(', ')} |`;
      owners.set(cells, (owners.get(cells) ?? new Set()).add(`\`${owner}\``));
    }
  }
  return [...owners].map(([cells, of]) => `| ${[...of].join(', ')} | ${cells}`);
}

test('every synonym stands there, in the order in which they count', () => {
  const table = PAGE.split('\n### Names that mean the same\n')[1]?.split('\n### ')[0] ?? '';
  const expected = [STEP_SYNONYMS, PART_SYNONYMS, LOGIC_SYNONYMS, QUERY_SYNONYMS].flatMap((each) => synonymRows(each));
  expect(table.split('\n').filter((line) => line.startsWith('| `'))).toEqual(expected);
});

test('every setting of a project stands in docs/projects.md, with its default', () => {
  const table = textOfPage('docs/projects.md').split('\n## Settings of a project\n')[1]?.split('\n## ')[0] ?? '';
  const rows = [...table.matchAll(/^\| (`\w+`) \| (`[^`]+`) \|/gm)].map(([, name, initial]) => [name, initial]);
  const expected = Object.entries(SETTING_RULES).map(([name, { fallback }]) => [`\`${name}\``, `\`${JSON.stringify(fallback)}\``]);
  expect(rows.sort()).toEqual(expected.sort());
});

test('its examples pass the preflight without a finding', () => {
  const files = filesOf('docs/language.md');
  const items = [...files].map(([name, sourceText]) => ({ kind: name.split('.')[1] ?? '', sourceFormat: 'yaml', sourceText }));
  const of = (kind: string) => items.filter((item) => item.kind === kind);
  const sections = { collections: of('collection'), endpoints: of('endpoint'), workflows: of('workflow'), libraries: of('library') };
  const rest = { queries: JSON.parse(files.get('queries.json') ?? ''), rateLimitRules: JSON.parse(files.get('rules.json') ?? '') };
  const state = put(EMPTY, 'game-values', JSON.parse(files.get('values.json') ?? ''));
  const reply = preflight(state, { ...sections, ...rest }, 'live', { strict: true });
  expect(reply).toMatchObject({ ok: true, summary: { total: 11, success: 11, failed: 0, warnings: 0 } });
});
