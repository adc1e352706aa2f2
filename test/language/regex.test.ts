import { describe, expect, it } from 'vitest';
import { LanguageError } from '../../src/language/expressions/errors.ts';
import { compileRegex } from '../../src/language/expressions/regex.ts';

const PATTERNS = [
  'abc',
  '^abc$',
  'a|b|',
  'a*b+c?',
  '(ab)+c',
  '(?:ab){2,3}',
  '[a-c]x',
  '[^a-c]x',
  '\\d+',
  '\\w\\s\\w',
  '\\bcat\\b',
  '\\Bat',
  'a.c',
  'a{2}',
  'a{2,}',
  'x{,3}',
  'a{',
  '[\\d-]+$',
  '[\\]]',
  '\\.',
  '\\x41',
  '\\u0041',
  '(a|b)*abb$',
  '(?<name>a)b',
  '^$',
  '[a-]',
  'a+?b',
  '\\t',
  '()*x',
  '(a*)*$',
  '^(a|ab)(c|bcd)$',
];
const TEXTS = [
  '',
  'abc',
  'aabbc',
  'ababc',
  'abababab',
  'bx',
  'dx',
  '12-3',
  'a b',
  'a cat sat',
  'concat',
  'a\nc',
  'aaa',
  'x{,3}',
  'a{',
  ']',
  '.',
  'A',
  '\t',
  'abcd',
  'babb',
];

describe('the pattern engine', () => {
  it.each(PATTERNS)('agrees with JavaScript on %s', (pattern) => {
    const mine = compileRegex(pattern);
    const theirs = new RegExp(pattern);
    for (const text of TEXTS) expect([text, mine.test(text)]).toEqual([text, theirs.test(text)]);
  });

  it('ignores case on request', () => {
    expect(compileRegex('(?i)^[a-f]bC$').test('FBc')).toBe(true);
  });

  it.each([
    '(',
    ')',
    '[a',
    'a**',
    '*a',
    '\\',
    '(a)\\1',
    '(?=a)',
    '(?<!a)b',
    'a{3,2}',
    '\\k<x>',
    '(?s).',
    `${'('.repeat(30)}${')'.repeat(30)}`,
    '((a{99}){99}){99}',
    '((){999}){999}',
    '\\q',
  ])('refuses %s', (pattern) => {
    expect(() => compileRegex(pattern)).toThrow(LanguageError);
  });
});
