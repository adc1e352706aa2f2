import { expect, test } from 'vitest';
import { ExactNumber, isLargerThan, type Json, stringifyJson } from '../../src/kernel/json.ts';

test.each<[string, Json]>([
  ['a text of plain characters', 'a'.repeat(1000)],
  ['a text that is escaped', '\u0000"\\'.repeat(300)],
  ['a text of several bytes a character', 'é€😀'.repeat(300)],
  ['numbers', [1, -1.7976931348623157e308, new ExactNumber('123456789012345678901234567890'), 0.1]],
  ['objects and lists', { a: [null, true, false, { 'né"me': [] }], b: {}, c: [[[]]] }],
  ['one value in many places', Array(500).fill({ x: 'shared' })],
])('%s is larger than one byte less than its text, and no larger than that', (_, value) => {
  const bytes = Buffer.byteLength(stringifyJson(value));
  expect(isLargerThan(value, bytes)).toBe(false);
  expect(isLargerThan(value, bytes - 1)).toBe(true);
});

test('what is surely larger, or surely is not, is never printed', () => {
  const unprintable = { toJSON: () => expect.fail('it was printed') } as unknown as Json;
  expect(isLargerThan([unprintable, 'a'.repeat(1_000)], 900)).toBe(true);
  expect(isLargerThan({ a: [unprintable], b: { c: Array(500).fill(12) } }, 400)).toBe(true);
  expect(isLargerThan([unprintable, 'a'], 100)).toBe(false);
});
