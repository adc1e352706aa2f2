import { expect, test } from 'vitest';
import { cellsOf } from '../../../src/domain/document/cells.ts';

test('a cell holds a value as it is, and of what is long or has members the beginning', () => {
  const document = { a: 1, b: 'x'.repeat(12), c: { d: [1, 2], e: 'yes' }, f: null, g: false };
  expect(cellsOf(document, ['a', 'b', 'c', 'c.d', 'c.e', 'f', 'g', 'h', 'a.x'], 10)).toEqual({
    a: 1,
    b: { text: 'x'.repeat(10), of: 'text', whole: false },
    c: { text: '{"d":[1,2]', of: 'object', whole: false },
    'c.d': { text: '[1,2]', of: 'list', whole: true },
    'c.e': 'yes',
    f: null,
    g: false,
  });
});

test('no character is cut in two', () => {
  expect(cellsOf({ a: 'abc😀d' }, ['a'], 4)).toEqual({ a: { text: 'abc', of: 'text', whole: false } });
});
