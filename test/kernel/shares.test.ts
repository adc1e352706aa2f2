import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Shares } from '../../src/kernel/shares.ts';

function takeAll(shares: Shares, who: string): number {
  let taken = 0;
  while (shares.take(who)) taken += 1;
  return taken;
}

test('one alone gets half, and who has many gets no more until others have as many', () => {
  const shares = new Shares(12);
  expect(takeAll(shares, 'a')).toBe(6);
  expect(takeAll(shares, 'b')).toBe(3);
  for (let n = 0; n < 2; n += 1) shares.give('a');
  expect([takeAll(shares, 'b'), shares.taken]).toEqual([1, 8]);
  expect(shares.take('c')).toBe(true);
});

test('what is given back is there again, and giving back twice makes no place', () => {
  const shares = new Shares(2);
  expect([shares.take('a'), shares.take('a'), shares.refused]).toEqual([true, false, 1]);
  shares.give('a');
  shares.give('a');
  expect([shares.taken, shares.take('b'), shares.taken]).toEqual([0, true, 1]);
});

test('whatever happens, nobody takes more than they leave, and none are lost', () => {
  const act = fc.record({ who: fc.constantFrom('a', 'b', 'c', 'd'), give: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 40 }), fc.array(act, { maxLength: 200 }), (total, acts) => {
      const shares = new Shares(total);
      const held = new Map<string, number>();
      for (const { who, give } of acts) {
        if (!give && shares.take(who)) held.set(who, (held.get(who) ?? 0) + 1);
        if (give) shares.give(who);
        if (give) held.set(who, Math.max(0, (held.get(who) ?? 0) - 1));
        const taken = [...held.values()].reduce((sum, count) => sum + count, 0);
        expect(shares.taken).toBe(taken);
        expect(taken).toBeLessThanOrEqual(total);
        // Whoever has none is refused only where there is none.
        expect(shares.mayTake('somebody new')).toBe(taken < total);
        for (const [one, count] of held) expect(shares.mayTake(one)).toBe(count < total - taken);
      }
    }),
  );
});
