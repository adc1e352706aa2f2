import { describe, expect, it } from 'vitest';
import { definitionFindings } from '../../../src/domain/definition/findings/definition.ts';
import { knownIn } from '../../../src/domain/definition/findings/known.ts';
import { rateRulesFindings } from '../../../src/domain/definition/findings/rate-rules.ts';
import { gameValuesFindings } from '../../../src/domain/definition/findings/values.ts';
import { effectiveDefinitions } from '../../../src/domain/definition/model/effective.ts';
import { compileItem } from '../../../src/domain/definition/source/compile.ts';
import { parseYaml } from '../../../src/domain/definition/source/yaml.ts';
import { Findings, type Known } from '../../../src/domain/finding.ts';
import { namesFindings, testsFindings } from '../../../src/domain/test/findings.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { EMPTY } from './given.ts';

const NOTHING: Known = knownIn(effectiveDefinitions(EMPTY, 'live'));

const told = (step: JsonObject) =>
  definitionFindings('endpoint', { id: 'e', steps: [{ id: 's', ...step }] }, NOTHING).map(({ pointer, message, fix }) =>
    `${pointer.replace('/steps/0', '')} ${message} ${fix ?? ''}`.trim(),
  );
const compute = (expression: string) => told({ type: 'transform', expression });

describe('a finding says what is wrong, where, and what to do', () => {
  it('of an operation that is none', () => {
    const write = (op: JsonObject) =>
      told({ type: 'write', collection: '{{input.c}}', key: 'k', ops: [{ path: 'gold', value: 1, ...op }] });
    expect(write({ op: 'incr' })).toContain("/ops/0/op 'incr' is no operation. Did you mean 'inc'?");
    expect(write({})).toEqual([expect.stringContaining("/ops/0 An operation needs an 'op'. One of set,")]);
  });

  it('of an operator that is none', () => {
    expect(told({ type: 'assert', check: { field: 'input.a', op: '=>', value: 1 } })).toEqual([
      expect.stringMatching(/^\/check\/op '=>' is no operator\. One of ==, !=, >, <, >=,/),
    ]);
  });

  it('once of a collection that is not there', () => {
    expect(told({ type: 'read', collection: 'heros' })).toEqual(["/collection There is no collection 'heros'."]);
    expect(told({ type: 'delete', collection: 'heros' })).toHaveLength(2);
  });

  it('of an expression that cannot be parsed', () => {
    expect(compute('floor({{input.x}} * 2')).toEqual([expect.stringMatching(/It opens more parentheses than it closes\.$/)]);
    expect(compute('floor({{input.x}}) * 2)')).toEqual([expect.stringMatching(/It closes more parentheses than it opens\.$/)]);
    expect(compute('flor({{input.x}} * 2)')).toEqual([expect.stringMatching(/Unknown function "flor" .* Did you mean 'floor'\?$/)]);
  });

  it('of a rule’s window, and of a cell of a table', () => {
    const rules = new Findings(NOTHING);
    rateRulesFindings([{ field: 'gold', window: 'perWeak', limit: 5 }], rules);
    expect(rules.all).toMatchObject([
      { pointer: '/0/window', message: "'perWeak' is no window of a rate limit, so nothing counts it.", fix: "Did you mean 'perWeek'?" },
    ]);
    const values = new Findings(NOTHING);
    const drinks = { id: 'drinks', type: 'table', name: 'Drinks', columns: [{ key: 'drink', type: 'string' }] };
    gameValuesFindings({ items: [{ ...drinks, rows: [{ drnk: 'ale' }] }] }, () => false, values);
    expect(values.all).toMatchObject([{ message: "The table has no column 'drnk'.", fix: "Did you mean 'drink'?" }]);
  });

  it('of a source without kind or version', () => {
    const source = (text: string) => compileItem({ sourcePath: 'buy.endpoint.yml', sourceText: text }, 'endpoint');
    expect(source('id: buy')).toMatchObject({
      warnings: [
        { message: expect.stringContaining("add the line 'sourceVersion: 1'") },
        { message: expect.stringContaining("'kind: endpoint'") },
      ],
    });
  });

  it('of the player under a name of other services', () => {
    const steps = [{ id: 'a', type: 'transform', value: '{{playerId}}' }];
    expect(definitionFindings('endpoint', { id: 'e', steps }, knownIn(effectiveDefinitions(EMPTY, 'live')))).toMatchObject([
      { code: 'UNKNOWN_NAME', fix: "The player's id is 'platformId'." },
    ]);
  });

  it('of a seed for a collection that nobody has', () => {
    const known = knownIn(effectiveDefinitions(EMPTY, 'live'));
    expect(namesFindings([{ endpoint: 'e', seed: { collections: { heros: { 7: {} } } } }], known)).toMatchObject([
      { code: 'ENDPOINT_NOT_FOUND', pointer: '/0/endpoint' },
      { code: 'COLLECTION_NOT_FOUND', pointer: '/0/seed/collections/heros' },
    ]);
  });

  it('of an outcome that no test has', () => {
    expect(testsFindings([{ endpoint: 'e', expect: { outcome: 'fails' } }])).toMatchObject([
      { code: 'INVALID_TEST_OUTCOME', pointer: '/0/expect/outcome' },
    ]);
    expect(testsFindings([{ endpoint: 'e', expect: { outcome: 'fail' } }])).toEqual([]);
  });
});

describe('what is wrong with the layout of a YAML text is said in words of an author', () => {
  it.each([
    ['a list item whose members are indented less', 'steps:\n  - id: a\n   type: write\n', 'indented too little', 3],
    ['a member that is indented deeper', 'id: a\n  type: write\n', 'indent the next line no deeper', 1],
    ['a text with a colon', 'message: Cost: 5 gold\n', "put a text with ': ' in quotes", 1],
    ['members in different columns', 'a:\n   b: 1\n  c: 2\n', 'begin in the same column', 3],
    ['items in different columns', 'steps:\n- id: a\n  type: b\n - id: c\n', 'Items of one list begin in the same column', 4],
    ['an item left of its list', 'a:\n  - id: b\n - id: c\n', 'same column', 3],
    ['no colon', 'kind endpoint\nid: buy\n', 'lacks the colon', 1],
    ['no space behind the colon', 'kind:endpoint\nid: buy\n', 'the space behind it', 1],
    ['a brace that is not closed', 'a: { b: 1\nc: 2\n', "A '{' above has no '}'", 2],
    ['a bracket that is not closed', 'a: [1, 2\nb: 3\n', "A '[' above has no ']'", 2],
    ['a quote that is not closed', 'a: "b\nc: d\n', 'does not end', 3],
    ['a tab', 'steps:\n  - id: a\n\ttype: b\n', 'Indent with spaces', 3],
    ['a sign that begins no text', 'a: @b\n', 'put it in quotes', 1],
  ])('%s', (_name, text, words, line) => {
    expect(parseYaml(text)).toMatchObject({ ok: false, problem: { message: expect.stringContaining(words), line } });
  });
});
