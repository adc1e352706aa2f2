import { expect, it } from 'vitest';
import { DOCUMENT_KEY } from '../../../src/domain/document/key.ts';
import { playerIn } from '../../../src/domain/telemetry/space.ts';

it('a player in live keeps its name; in next the name is one that no live player can have, and differs in every generation', () => {
  expect(playerIn('live', 'p:1')).toBe('p:1');
  expect([playerIn('next2', 'p:1'), playerIn('next3', 'p:1')]).toEqual(['next2/p:1', 'next3/p:1']);
  expect(DOCUMENT_KEY.test(playerIn('next2', 'p'))).toBe(false);
});
