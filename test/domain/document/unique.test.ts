import { expect, test } from 'vitest';
import { compileSchema } from '../../../src/domain/document/schema.ts';
import { uniqueValues } from '../../../src/domain/document/unique.ts';

const schema = compileSchema({ name: { type: 'string', _unique: 'caseless' } });
const hashOf = (name: string) => uniqueValues(schema, { name })[0]?.hash;

test('in a caseless field a text, its lower-case form and its upper-case form are one value, for every letter of Unicode', () => {
  const apart: string[] = [];
  for (let code = 1; code < 0x30000; code += 1) {
    const letter = String.fromCodePoint(code);
    const forms = new Set([letter, letter.toLowerCase(), letter.toUpperCase()]);
    if (forms.size > 1 && new Set([...forms].map(hashOf)).size > 1) apart.push(letter);
  }
  expect(apart).toEqual([]);
  expect(hashOf('STRAẞE')).toBe(hashOf('straße'));
  expect(hashOf('strasse')).toBe(hashOf('straße'));
  expect(hashOf('a')).not.toBe(hashOf('ä'));
});
