import { expect, test } from 'vitest';
import { ExactNumber } from '../../src/kernel/json.ts';
import { ancestorsOf, getPath, splitPath } from '../../src/kernel/path.ts';

test('a path reads own members of objects only', () => {
  const value = { a: { b: 1, list: [{ n: 1 }], id: new ExactNumber('1e400') }, none: null };
  expect(getPath(value, 'a.b')).toBe(1);
  expect(getPath(value, 'none')).toBe(null);
  expect(getPath(value, 'none.x')).toBe(undefined);
  expect(getPath(value, 'a.list.0')).toBe(undefined);
  expect(getPath(value, 'a.id.text')).toBe(undefined);
  expect(getPath(value, 'a.constructor')).toBe(undefined);
  expect(getPath(value, '__proto__')).toBe(undefined);
});

test('ancestors come nearest first', () => {
  expect([...ancestorsOf('a.b.c')]).toEqual(['a.b', 'a']);
  expect([...ancestorsOf('a')]).toEqual([]);
});

test('an answer does not depend on the cache', () => {
  for (let index = 0; index < 6_000; index += 1) splitPath(`a.p${index}`);
  expect(splitPath('a.p1')).toEqual(['a', 'p1']);
});
