import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Amount, amountText, minus, plus, signOf } from '../../../src/domain/economy/amount.ts';
import { byCurrency, EconomyFold, type Posted } from '../../../src/domain/economy/fold.ts';
import { KeptNames } from '../../../src/domain/economy/names.ts';
import type { LedgerEntry } from '../../../src/domain/events.ts';
import { ExactNumber, numberFromText } from '../../../src/kernel/json.ts';

/** A naive fold: every entry of a commit is added up by itself, and its classes by their definition alone. */

const amount: fc.Arbitrary<number | ExactNumber> = fc.oneof(
  fc.integer({ min: -50, max: 50 }),
  fc.double({ min: -10, max: 10, noNaN: true, noDefaultInfinity: true }).map((value) => Math.round(value * 100) / 100),
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map((value) => numberFromText(String(value))),
);
const entry: fc.Arbitrary<LedgerEntry> = fc.record(
  {
    field: fc.constantFrom('gold', 'gems'),
    before: fc.constant(0),
    after: fc.constant(0),
    delta: amount,
    source: fc.constantFrom('shop', 'quest', 'trade'),
    currency: fc.constant('coin'),
  },
  { requiredKeys: ['field', 'before', 'after', 'delta', 'source'] },
);
const commit = fc.record({
  isCorrection: fc.boolean(),
  postings: fc.array(fc.record({ key: fc.constantFrom('a', 'b'), entries: fc.array(entry, { minLength: 1, maxLength: 4 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
});

function postedOf({
  isCorrection,
  postings,
}: {
  isCorrection: boolean;
  postings: readonly { key: string; entries: LedgerEntry[] }[];
}): Posted {
  const of = postings.map(({ key, entries }) => ({ by: 1, collection: 'saves', key, player: key, entries }));
  return { space: 'live', revision: 1, at: 0, isCorrection, endpoint: 'buy', postings: of };
}

function total(amounts: readonly Amount[]): string {
  return amountText(amounts.reduce<Amount>((sum, one) => plus(sum, one), 0));
}

test('opening + in − out = closing to the last digit, and the classes are those of a naive fold', () => {
  fc.assert(
    fc.property(fc.array(commit, { minLength: 1, maxLength: 8 }), (commits) => {
      const fold = new EconomyFold(new KeptNames([]));
      const players = commits.flatMap((one) => fold.add(postedOf(one)));
      const currencies = byCurrency(fold.places.values());
      for (const { currency, inflow, outflow, faucet, sink, correctedIn, correctedOut, entries } of currencies) {
        const naive = commits.map(({ isCorrection, postings }) => {
          const deltas = postings
            .flatMap((posting) => posting.entries)
            .filter((one) => (one.currency ?? `saves.${one.field}`) === currency)
            .map(({ delta }) => (typeof delta === 'number' || delta instanceof ExactNumber ? delta : 0));
          const net = deltas.reduce<Amount>((sum, delta) => plus(sum, delta), 0);
          return { isCorrection, deltas, net };
        });
        const play = naive.filter(({ isCorrection }) => !isCorrection);
        expect(entries).toBe(naive.flatMap(({ deltas }) => deltas).length);
        expect(amountText(minus(inflow, outflow))).toBe(total(naive.map(({ net }) => net)));
        expect(amountText(faucet)).toBe(total(play.map(({ net }) => (signOf(net) > 0 ? net : 0))));
        expect(amountText(sink)).toBe(total(play.map(({ net }) => (signOf(net) < 0 ? minus(0, net) : 0))));
        const transfers = [minus(minus(inflow, faucet), correctedIn), minus(minus(outflow, sink), correctedOut)];
        expect(amountText(transfers[0] ?? 0)).toBe(amountText(transfers[1] ?? 1));
        const places = [...fold.places].filter(([, { place }]) => place.currency === currency);
        const own = players.filter(({ place }) => places.some(([key]) => key === place));
        expect(total(own.map((one) => minus(one.inflow, one.outflow)))).toBe(amountText(minus(inflow, outflow)));
      }
    }),
  );
});
