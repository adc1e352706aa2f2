import { describe, expect, test } from 'vitest';
import { classesOf } from '../../../src/domain/economy/classes.ts';
import { EconomyFold, MAX_NAMES, OTHER_FIELD, OTHER_SOURCE } from '../../../src/domain/economy/fold.ts';
import { KeptNames } from '../../../src/domain/economy/names.ts';

const flow = (source: string, inflow: number, outflow = 0) => ({ source, inflow, outflow });

describe('the classes of one commit', () => {
  test('what comes from nowhere is faucet, what goes nowhere is sink', () => {
    expect(classesOf([flow('quest', 5), flow('daily', 2)])).toEqual([
      { faucet: 5, sink: 0 },
      { faucet: 2, sink: 0 },
    ]);
    expect(classesOf([flow('shop', 0, 5)])).toEqual([{ faucet: 0, sink: 5 }]);
  });

  test('what both sides have in common is transfer, and a fee is what is left', () => {
    expect(classesOf([flow('trade', 95, 100)])).toEqual([{ faucet: 0, sink: 5 }]);
  });

  test('a flow is settled with its own source first: a reward beside a trade is the faucet', () => {
    expect(classesOf([flow('reward', 7), flow('trade', 50, 50)])).toEqual([
      { faucet: 7, sink: 0 },
      { faucet: 0, sink: 0 },
    ]);
  });

  test('what is left of two sources is settled between them', () => {
    expect(classesOf([flow('pay', 0, 10), flow('gain', 12)])).toEqual([
      { faucet: 0, sink: 0 },
      { faucet: 2, sink: 0 },
    ]);
  });
});

describe('names that a day tells apart', () => {
  test('are the first ones, and all others are one', () => {
    const names = new KeptNames([]);
    const sources = Array.from({ length: MAX_NAMES + 2 }, (_, at) => names.sourceOf('live', 'saves', 'gold', `s${at}`));
    expect(sources.slice(-3)).toEqual([`s${MAX_NAMES - 1}`, OTHER_SOURCE, OTHER_SOURCE]);
    expect(names.sourceOf('live', 'saves', 'gold', 's0')).toBe('s0');
    for (let at = 0; at < MAX_NAMES; at += 1) names.fieldOf('live', 'saves', `f${at}`);
    expect(names.fieldOf('live', 'saves', 'new')).toBe(OTHER_FIELD);
    expect(names.fieldOf('live', 'towns', 'new')).toBe('new');
    expect(names.grown().map(({ collection, field }) => `${collection}/${field}`)).toEqual(['saves/gold', 'saves/', 'towns/']);
  });

  test('go on from those of the batch before', () => {
    const known = {
      space: 'live' as const,
      collection: 'saves',
      field: 'gold',
      names: Array.from({ length: MAX_NAMES }, (_, at) => `s${at}`),
    };
    const names = new KeptNames([known]);
    expect([names.sourceOf('live', 'saves', 'gold', 's5'), names.sourceOf('live', 'saves', 'gold', 'x')]).toEqual(['s5', OTHER_SOURCE]);
    expect(names.grown()).toEqual([]);
  });
});

test('a correction is neither faucet nor sink, whatever its source says', () => {
  const fold = new EconomyFold(new KeptNames([]));
  const entries = [{ field: 'gold', before: 0, after: 5, delta: 5, source: 'quest', currency: 'gold' }];
  const postings = [{ by: 1, collection: 'saves', key: 'a', player: 'a', entries }];
  const posted = { space: 'live' as const, revision: 1, at: 0, endpoint: '', postings };
  fold.add({ ...posted, isCorrection: true });
  fold.add({ ...posted, isCorrection: false });
  const sums = [...fold.places.values()].map(({ place, inflow, faucet }) => [place.isCorrection, inflow, faucet]);
  expect(sums).toEqual([
    [true, 5, 0],
    [false, 5, 5],
  ]);
});
