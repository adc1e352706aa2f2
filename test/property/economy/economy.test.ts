import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Amount, amountOf, amountText, minus, plus, signOf } from '../../../src/domain/economy/amount.ts';
import { byCurrency, EconomyFold, type PlaceSums, type Posted } from '../../../src/domain/economy/fold.ts';
import { KeptNames } from '../../../src/domain/economy/names.ts';
import { type EntryClass, partsOf } from '../../../src/domain/economy/parts.ts';
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

test('the parts of entries that are of a class come to the sum of the class, in each place, and no part is more than its entry', () => {
  const sums: Readonly<Record<EntryClass, (place: PlaceSums, side: 'in' | 'out') => Amount>> = {
    faucet: ({ faucet }, side) => (side === 'in' ? faucet : 0),
    sink: ({ sink }, side) => (side === 'out' ? sink : 0),
    transfer: ({ place, inflow, outflow, faucet, sink }, side) =>
      place.isCorrection ? 0 : side === 'in' ? minus(inflow, faucet) : minus(outflow, sink),
    correction: ({ place, inflow, outflow }, side) => (place.isCorrection ? (side === 'in' ? inflow : outflow) : 0),
  };
  fc.assert(
    fc.property(commit, (one) => {
      const posted = postedOf(one);
      const fold = new EconomyFold(new KeptNames([]));
      fold.add(posted);
      const entries = posted.postings.flatMap((posting) => posting.entries);
      for (const wanted of ['faucet', 'sink', 'transfer', 'correction'] as const) {
        const parts = ['coin', 'saves.gold', 'saves.gems'].map((currency) =>
          partsOf(posted, new KeptNames([]), { class: wanted, currency }),
        );
        for (const sumsHere of fold.places.values()) {
          for (const side of ['in', 'out'] as const) {
            const own = entries.flatMap((each, at) => {
              const amounts = parts.map((of) => of[at] ?? 0);
              const isHere = (each.currency ?? `saves.${each.field}`) === sumsHere.place.currency && each.field === sumsHere.place.field;
              const isOf = isHere && each.source === sumsHere.place.source && (signOf(amountOf(each.delta)) < 0 ? 'out' : 'in') === side;
              return isOf ? amounts : [];
            });
            expect(total(own)).toBe(amountText(sums[wanted](sumsHere, side)));
          }
        }
        for (const [at, { delta }] of entries.entries()) {
          const amount = amountOf(delta);
          const size = signOf(amount) < 0 ? minus(0, amount) : amount;
          for (const of of parts) expect(signOf(minus(size, of[at] ?? 0))).toBeGreaterThanOrEqual(0);
        }
      }
    }),
  );
});
