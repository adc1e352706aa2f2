import { expect, test } from 'vitest';
import { cellText, fieldList, isNumeric, orderOf, whichText } from '../../src/console/words/collection.ts';

const ORDERS = [
  { by: '_key', kind: 'key' },
  { by: 'gold', kind: 'number' },
  { by: 'gold', kind: 'unique' },
] as const;

test('an order of the address is one that the server offers; a field may be a number and unique', () => {
  expect(orderOf(ORDERS, undefined, undefined)).toBe(ORDERS[0]);
  expect(orderOf(ORDERS, 'gold', undefined)).toBe(ORDERS[1]);
  expect(orderOf(ORDERS, 'gold', '5')).toBe(ORDERS[2]);
  expect(orderOf(ORDERS, 'name', undefined)).toBeUndefined();
});

test('a cell shows that it goes on, and tells as much as came', () => {
  expect(cellText('Ada')).toEqual({ text: 'Ada', whole: 'Ada' });
  expect(cellText({ text: '[1,2', of: 'list', whole: false })).toEqual({ text: '[1,2…', whole: '[1,2…' });
  expect(cellText('x'.repeat(100))).toEqual({ text: `${'x'.repeat(59)}…`, whole: 'x'.repeat(100) });
});

test('a column of numbers alone stands to the right', () => {
  expect(isNumeric([1, undefined, null, 2.5])).toBe(true);
  expect(isNumeric(['\uE00018446744073709551615'])).toBe(true);
  expect(isNumeric([1, 'a'])).toBe(false);
  expect(isNumeric([undefined])).toBe(false);
});

test('an export says what it holds', () => {
  expect(whichText({})).toBe('All documents');
  expect(whichText({ by: 'gold' })).toBe('All documents that have the number gold');
  expect(whichText({ by: 'gold', from: '5', to: '9' })).toBe('Documents whose gold is 5 or more and is 9 or less');
  expect(whichText({ begins: '76' })).toBe('Documents whose key begins with 76');
  expect(fieldList(['a', 'b', 'c'], 2)).toBe('a, b and 1 more');
});
