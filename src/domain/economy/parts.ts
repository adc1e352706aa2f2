import { type Amount, amountOf, minus, negated, signOf, smaller } from './amount.ts';
import { type DayNames, EconomyFold, keyOf, type Posted, placeOf } from './fold.ts';

/** What an amount is: what came from nowhere or went nowhere, what went from one place to another, or what was put right. */
export type EntryClass = 'faucet' | 'sink' | 'transfer' | 'correction';

interface Wanted {
  readonly class: EntryClass;
  readonly currency: string;
}

/**
 * How much of each entry of a commit is of a class, in their order, as the sums of days count it: what a place has in common with others is
 * taken from its first entries. Not negative; 0: nothing.
 */
export function partsOf(posted: Posted, names: DayNames, { class: wanted, currency }: Wanted): readonly Amount[] {
  const fold = new EconomyFold(names);
  fold.add(posted);
  const settled = new Map(
    [...fold.places].map(([key, { inflow, outflow, faucet, sink }]) => [key, { in: minus(inflow, faucet), out: minus(outflow, sink) }]),
  );
  const isApart = posted.isCorrection !== (wanted === 'correction');
  return posted.postings.flatMap(({ collection, entries }) =>
    entries.map((entry) => {
      const place = placeOf(posted, collection, entry, names);
      const amount = amountOf(entry.delta);
      const side = signOf(amount) < 0 ? 'out' : 'in';
      const size = side === 'in' ? amount : negated(amount);
      if (isApart || place.currency !== currency) return 0;
      if (wanted === 'correction') return size;
      const left = settled.get(keyOf(place));
      if (left === undefined) return 0;
      const transfer = smaller(size, left[side]);
      left[side] = minus(left[side], transfer);
      if (wanted === 'transfer') return transfer;
      return wanted === (side === 'in' ? 'faucet' : 'sink') ? minus(size, transfer) : 0;
    }),
  );
}
