import fc from 'fast-check';
import { v5 } from 'uuid';
import { expect, test } from 'vitest';
import { uuidSpace, uuidV5 } from '../../src/kernel/uuid.ts';

const SPACE = '5b0c8f5e-6f6b-4d8e-9f0a-3c1d2e4f5a6b';

test('a version 5 id is the one that every other implementation makes', () => {
  const space = uuidSpace(SPACE);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      expect(uuidV5(space, name)).toBe(v5(name, SPACE));
    }),
  );
});
