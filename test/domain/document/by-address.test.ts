import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByAddress } from '../../../src/domain/document/by-address.ts';

test('holds the last value of every address, and lists the keys of a collection once each, in the order of their first use', () => {
  const address = fc.tuple(fc.constantFrom('a', 'ab', 'b'), fc.constantFrom('1', '2', '11'));
  fc.assert(
    fc.property(fc.array(fc.tuple(address, fc.option(fc.nat()))), (sets) => {
      const held = new ByAddress<number | null>();
      const model = new Map<string, number | null>();
      for (const [[collection, key], value] of sets) {
        held.set(collection, key, value);
        model.set(`${collection}/${key}`, value);
        for (const name of ['a/1', 'a/2', 'ab/1', 'b/11']) {
          const [inCollection = '', at = ''] = name.split('/');
          expect(held.get(inCollection, at)).toBe(model.get(name));
        }
      }
      for (const collection of ['a', 'ab', 'b', 'c']) {
        const keys = [...model.keys()].filter((name) => name.startsWith(`${collection}/`)).map((name) => name.split('/')[1]);
        expect(held.keysIn(collection)).toEqual(keys);
      }
    }),
  );
});
