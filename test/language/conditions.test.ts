import { describe, expect, it } from 'vitest';
import { ExactNumber, type Json } from '../../src/kernel/json.ts';
import { LanguageError } from '../../src/language/expressions/errors.ts';
import { expression, holds } from './support.ts';

const NAMES: Record<string, Json> = {
  n: 5,
  text: 'abc',
  none: null,
  zero: 0,
  empty: '',
  no: false,
  list: [1, '2'],
  bag: { sword: 2 },
  slot: 'sword',
};

describe('a condition without a clause', () => {
  it('is true or false, or a template, which is an expression', () => {
    expect([true, false].map((condition) => holds(condition, {}))).toEqual([true, false]);
    expect(['{{n}}', '{{zero}}', '{{n}} > 4', '{{n}} > 5'].map((condition) => holds(condition, NAMES))).toEqual([true, false, true, false]);
    expect(holds({ all: [true, '{{n}}'] }, NAMES)).toBe(true);
    expect(() => holds('n', NAMES)).toThrow(LanguageError);
  });
});

describe('an operator', () => {
  it.each<[string, Json, string, Json | undefined, boolean]>([
    ['equal numbers', 5, '==', 5, true],
    ['a number and its text', 5, '==', '5', true],
    ['null and a missing value', null, '==', undefined, true],
    ['null and 0', null, '==', 0, false],
    ['true and its spelling', true, '==', 'TRUE', true],
    ['true and 1', true, '==', 1, true],
    ['a list and its text', [1], '==', '1', true],
    ['two lists alike', [1], '==', [1], false],
    ['eq', 5, 'eq', 5, true],
    ['ne', 5, 'ne', 5, false],
    ['more', 5, '>', '4', true],
    ['a missing value counts as 0', null, '>=', 0, true],
    ['text counts as 0', 'abc', '>', -1, true],
    ['dates without a time count as 0', '2024-01-02', '>', '2024-01-01', false],
    ['an instant after another', '2024-01-01T12:00:00Z', '>', '2024-01-01T11:59:59.999Z', true],
    ['an instant that is not over yet', '2024-01-02T00:00:00Z', '<=', '2024-01-01T00:00:00.000Z', false],
    ['the same instant in two zones', '2024-01-01T12:00:00+02:00', '>=', '2024-01-01T10:00:00Z', true],
    ['the same instant in two zones is not before itself', '2024-01-01T12:00:00+02:00', 'lt', '2024-01-01T10:00Z', false],
    ['nothing is before every instant', null, '<', '2024-01-01T00:00:00Z', true],
    ['nothing is not after an instant', null, '>=', '2024-01-01T00:00:00Z', false],
    ['a day that does not exist counts as 0', '2024-02-30T00:00:00Z', '<', '2024-01-01T00:00:00Z', false],
    ['an instant beside a number counts as 0', '2024-01-01T00:00:00Z', '<', 1, true],
    ['a list contains', [1, '2'], 'contains', 2, true],
    ['a text contains', 'abc', 'has', 'b', true],
    ['nothing contains', null, 'contains', 'b', false],
    ['nothing does not contain', null, 'not_contains', 'b', true],
    ['in a list', 1, 'in', [1, 2], true],
    ['in a text', 'b', 'in', 'abc', true],
    ['not in nothing', 1, 'not_in', null, true],
    ['starts with', 'abc', 'starts_with', 'ab', true],
    ['a number starts with nothing', 5, 'not_starts_with', '5', true],
    ['a pattern', 'abc', 'matches', '^a.c$', true],
    ['0 exists', 0, 'exists', undefined, true],
    ['"" exists', '', 'exists', undefined, true],
    ['false exists', false, 'exists', undefined, true],
    ['null does not exist', null, 'not_exists', undefined, true],
    ['null is null', null, 'is_null', undefined, true],
    ['nought is not null', 0, 'is_not_null', undefined, true],
  ])('%s', (_name, left, op, right, expected) => {
    expect(holds(right === undefined ? { field: '{{left}}', op } : { field: '{{left}}', op, value: right }, { left })).toBe(expected);
  });

  it('orders instants in an expression and in a condition on items, too', () => {
    const at = '2023-11-14T22:13:20.001Z';
    expect(holds({ expression: '{{at}} <= {{now}}' }, { at })).toBe(false);
    expect(holds({ expression: '{{at}} > "2023-11-14T22:13:20Z"' }, { at })).toBe(true);
    expect(expression('count(list, x => x.at > now)', { list: [{ at }, { at: '2020-01-01T00:00:00Z' }, {}] })).toBe(1);
    expect(expression('count(list, x => x.at < now)', { list: [{ at }, { at: '2020-01-01T00:00:00Z' }, {}] })).toBe(1);
  });

  it.each<[Json, boolean]>([
    ['tomorrow', true],
    ['', true],
    ['2024-01-01', true],
    [{ a: 1 }, true],
    [[1, 2], true],
    ['2024-01-01T00:00:00Z', true],
    ['5', false],
    [5, false],
    [null, false],
    [true, false],
    [[7], false],
  ])('in a project with strict comparisons, %j beside a number fails: %s', (left, fails) => {
    const strict = { call: { strictComparisons: true } };
    const check = () => holds({ field: '{{left}}', op: '>', value: 1 }, { left }, strict);
    if (fails) expect(check).toThrow(LanguageError);
    else expect(check).not.toThrow();
    expect(() => holds({ field: '{{left}}', op: '==', value: 1 }, { left }, strict)).not.toThrow();
  });

  it('compares ids beyond doubles by their decimal value', () => {
    const id = new ExactNumber('76561198000000001');
    expect(holds({ field: 'id', op: '==', value: '76561198000000001' }, { id })).toBe(true);
    expect(holds({ field: 'id', op: '==', value: '76561198000000002' }, { id })).toBe(false);
    expect(holds({ field: 'id', op: '==', value: '{{other}}' }, { id, other: new ExactNumber('76561198000000002') })).toBe(false);
  });
});

describe('a condition', () => {
  it.each<[Json, boolean]>([
    [{ field: 'n', op: '>', value: 4 }, true],
    [{ left: 'n', op: '==', right: 5 }, true],
    [{ field: 'nope|9', op: '==', value: 9 }, true],
    [{ field: '{{n}}', op: '==', value: '{{n}}' }, true],
    [{ field: 'bag.{{slot}}', op: '==', value: 2 }, true],
    [{ field: 'count(list)', op: '==', value: 2 }, true],
    [{ field: 'n', op: '==', expression: '2 + 3' }, true],
    [{ field: 'n', op: 'in', value: ['{{n}}'] }, false],
    [{ all: [] }, true],
    [{ any: [] }, false],
    [{ all: [{ field: 'n', op: '==', value: 5 }, { any: [{ field: 'n', op: '==', value: 1 }, { expression: '{{n}} > 1' }] }] }, true],
    [
      {
        any: [
          { field: 'n', op: 'exists' },
          { field: 'n', op: 'bogus' },
        ],
      },
      true,
    ],
    [
      {
        all: [
          { field: 'n', op: 'not_exists' },
          { field: 'n', op: 'bogus' },
        ],
      },
      false,
    ],
    [{ expression: '{{n}} >= 2 + 3' }, true],
    [{ expression: '{{n}} > {{n}} - 1' }, true],
    [{ expression: '{{text}} == abc' }, true],
    [{ expression: '{{text}} == "abc"' }, true],
    [{ expression: '{{no}} == false' }, true],
    [{ expression: '{{day}} == 2024-01-01' }, true],
    [{ expression: 'count(list, x => x > 1) == 1' }, true],
    [{ expression: '{{n}} - 5' }, false],
    [{ expression: '{{n}}' }, true],
  ])('%j', (condition, expected) => {
    expect(holds(condition, { ...NAMES, day: '2024-01-01' })).toBe(expected);
  });

  it.each<[Json]>([
    ['text'],
    [{}],
    [{ field: 'n' }],
    [{ field: 'n', op: 'bogus', value: 1 }],
    [
      {
        any: [
          { field: 'n', op: 'not_exists' },
          { field: 'n', op: 'bogus' },
        ],
      },
    ],
    [{ not: { field: 'n', op: '==', value: 1 } }],
    [{ expression: '{{n}} > {{nope}} + 1' }],
    [{ field: 'text', op: 'matches', value: '(' }],
    [{ field: 'text', op: 'matches', value: 'x'.repeat(201) }],
    [{ field: 'text', op: 'matches', value: '(a)\\1' }],
    [{ field: 'text', op: 'matches', value: 'a(?=b)' }],
  ])('%j is an error', (condition) => {
    expect(() => holds(condition, NAMES)).toThrow(LanguageError);
  });

  it('is an error against a very long text, and quick against any pattern', () => {
    const pattern = { field: 't', op: 'matches', value: '^(a|a|aa)*(a*)*a*a*a*b$' };
    expect(holds(pattern, { t: 'a'.repeat(2000) })).toBe(false);
    expect(() => holds(pattern, { t: 'a'.repeat(2001) })).toThrow(LanguageError);
  });
});

// Each of these held up a node for seconds, by one call of an endpoint that compares what players send.
describe('a long value is converted once for a comparison with many', () => {
  const numbers = Array.from({ length: 60_000 }, () => 1);

  it.each<[string, Json]>([
    ['a text', '1'.repeat(130_000)],
    ['blanks', ' '.repeat(130_000)],
    ['a number', new ExactNumber('9'.repeat(130_000))],
  ])('%s among numbers', (_name, long) => {
    expect(holds({ field: 'numbers', op: 'contains', value: '{{long}}' }, { numbers, long })).toBe(false);
  });

  it('a text among booleans', () => {
    const flags = numbers.map(() => true);
    expect(holds({ field: 'long', op: 'in', value: '{{flags}}' }, { flags, long: 'T'.repeat(130_000) })).toBe(false);
  });

  it('a long text in a long text is refused, a short one is not', () => {
    const text = 'ab'.repeat(65_000);
    const half = 'ab'.repeat(15_000);
    expect(() => holds({ field: 'text', op: 'contains', value: '{{long}}' }, { text, long: `${half}a${half}` })).toThrow(
      'A call may not process more data than this',
    );
    expect(holds({ field: 'text', op: 'contains', value: 'baa' }, { text })).toBe(false);
  });
});
