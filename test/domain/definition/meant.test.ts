import { expect, test } from 'vitest';
import { Suggestions } from '../../../src/language/validate/meant.ts';

test('a similar name is suggested until 20 000 names were compared, for whatever finding', () => {
  const suggestions = new Suggestions();
  const among = (count: number) => suggestions.among('gld', ['gold'], count);
  expect(among(20_001)).toBeUndefined();
  expect(among(19_999)).toBe(`Did you mean 'gold'?`);
  expect(among(2)).toBeUndefined();
  expect(among(1)).toBe(`Did you mean 'gold'?`);
  expect(among(1)).toBeUndefined();
});
