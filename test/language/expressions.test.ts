import { describe, expect, it } from 'vitest';
import { ExactNumber, type Json } from '../../src/kernel/json.ts';
import { LanguageError } from '../../src/language/expressions/errors.ts';
import { expression } from './support.ts';

const NAMES: Record<string, Json> = {
  a: 1,
  b: 2,
  text: 'abc',
  digits: '7',
  list: [
    { q: 1, p: 2, kind: 'x' },
    { q: 3, p: 4, kind: 'y' },
  ],
  numbers: [3, 1, 2],
  huge: new ExactNumber('18446744073709551615'),
  map: { x: 1, y: 2 },
  want: 'y',
};

describe('an expression', () => {
  it.each<[string, unknown]>([
    ['1 + 2 * 3', 7],
    ['(1 + 2) * 3', 9],
    ['10 - 4 - 3', 3],
    ['-7 % 3', -1],
    ['2 - -3', 5],
    ['--2', 2],
    ['{{a}} + {{b}}', 3],
    ['{{digits}} * 2', 14],
    ['{{xp|0}} + 5', 5],
    ['{{text}}', 'abc'],
    ['{{list}}', NAMES['list']],
    ['{{a}}{{b}} + 1', 13],
    ['1{{a}}', 11],
    ['{{a}}.5 * 2', 3],
    ['2. + 1.', 3],
    ['1{{a}} + sum({{list}}, q) * count(list, x => x.q > {{a}})', 15],
    ['1{{a}} + max({{numbers}})', 14],
    ['max(1{{a}}, 3)', 11],
    ['round(2.5)', 3],
    ['round(-2.5)', -2],
    ['clamp(15, 1, 10)', 10],
    ['pow(2, 10)', 1024],
    ['ceil(1.1) + floor(1.9)', 3],
    ['log10(1000)', 3],
    ['diffS({{_unixMs}}, {{_unixMs}} - 5000)', 5],
    ['now() - {{_unixMs}}', 0],
    ['dayOfWeek() + hour()', 24],
    ['max(1, {{b}}, 3)', 3],
    ['1 / 0', Number.POSITIVE_INFINITY],
  ])('%s is computed', (text, value) => {
    expect(expression(text, NAMES)).toEqual(value);
  });

  it.each<[string, unknown]>([
    ['length({{text}})', 3],
    ['length({{map}})', 2],
    ['length({{nope}})', 0],
    ['count(list)', 2],
    ['count(nope)', 0],
    ['count(list, x => x.q > 1 && !(x.kind == "x"))', 1],
    ['count(list, x => x.kind == {{want}})', 1],
    ['count(list, x => x.kind == "{{want}}")', 1],
    ['sum(list, q)', 4],
    ['sum(list, item.q)', 4],
    ['sum(list, Q)', 4],
    ['sum("list", q) * 2', 8],
    ['sum(list, {{item.q}} * {{item.p}})', 14],
    ['sum(map)', 3],
    ['avg(numbers)', 2],
    ['avg(nope)', 0],
    ['any(list, x => x.q == 3)', true],
    ['all(list, x => x.q == 3)', false],
    ['all(nope, x => x.q == 3)', true],
    ['any(list, x => x.q == 3) + 1', 2],
    ['find(list, x => x.q == 3)', { q: 3, p: 4, kind: 'y' }],
    ['first(list, x => x.q == 9)', null],
    ['pluck(list, nope)', [null, null]],
    ['filter({{list}}, x => x.q >= 3)', [{ q: 3, p: 4, kind: 'y' }]],
    ['values({{map}})', [1, 2]],
    ['min(numbers)', 1],
    ['max({{numbers}}) + 1', 4],
    ['max({{a}})', 1],
    ['max(huge)', 2 ** 64],
    ['min(a) + 1', 2],
    ['sum(filter({{list}}, x => x.q > 1), p)', 4],
    ['count({{list}}, x => !x.q == 1)', 1],
  ])('%s works on a list', (text, value) => {
    expect(expression(text, NAMES)).toEqual(value);
  });

  it.each([
    '{{nope}} + 1',
    '{{text}} + 1',
    '1 +',
    '1 2',
    '(1',
    '1)',
    '+1',
    '.5',
    '2 ^ 3',
    '2 ** 3',
    'gold',
    'gold + 1',
    'random()',
    'foo(1)',
    'log10(0)',
    'pow(1)',
    '"a" + 1',
    '',
    '1e5',
    'sum(list, kind)',
    'length(3)',
    'count(text)',
    `1${' + 1'.repeat(300)}`,
    `${'('.repeat(100)}1${')'.repeat(100)}`,
    'count(list, x => x.q + 1)',
    'constructor',
    '{{list}} + 1',
  ])('%s is an error', (text) => {
    expect(() => expression(text, NAMES)).toThrow(LanguageError);
  });

  it('computes exact numbers as doubles', () => {
    expect(expression('{{id}} - 1', { id: new ExactNumber('76561198000000001') })).toBe(76561198000000000 - 1);
  });
});
