import { describe, expect, it } from 'vitest';
import { differences } from '../../../src/domain/correction/differences.ts';
import { restored } from '../../../src/domain/correction/pick.ts';
import { restoreSlots, undoSlots } from '../../../src/domain/correction/slots.ts';

const PAST = { gold: 100, bag: { sword: 1, rope: 2 }, name: 'Ada' };
const PRESENT = { gold: 20, bag: { rope: 5, gem: 1 }, bought: ['skin'] };
const ALL = { only: [], keep: [] };

describe('restoring a document', () => {
  it('brings all of it back, and removes what there was not', () => {
    expect(restored(PAST, PRESENT, ALL)).toEqual(PAST);
    expect(restored(null, PRESENT, ALL)).toBeNull();
    expect(restored(PAST, null, ALL)).toEqual(PAST);
  });

  it('brings only parts back', () => {
    expect(restored(PAST, PRESENT, { only: ['bag.sword'], keep: [] })).toEqual({ ...PRESENT, bag: { sword: 1, rope: 5, gem: 1 } });
    expect(restored(PAST, PRESENT, { only: ['bought'], keep: [] })).toEqual({ gold: 20, bag: { rope: 5, gem: 1 } });
    expect(restored(PAST, PRESENT, { only: ['nothing.here'], keep: [] })).toEqual(PRESENT);
    expect(restored(PAST, null, { only: ['bag.sword'], keep: [] })).toEqual({ bag: { sword: 1 } });
  });

  it('keeps parts, also below what is asked for', () => {
    expect(restored(PAST, PRESENT, { only: [], keep: ['bought', 'bag.gem'] })).toEqual({
      ...PAST,
      bag: { sword: 1, rope: 2, gem: 1 },
      bought: ['skin'],
    });
    expect(restored(PAST, PRESENT, { only: ['bag'], keep: ['bag.rope'] })).toEqual({ ...PRESENT, bag: { sword: 1, rope: 5 } });
    expect(restored(null, PRESENT, { only: [], keep: ['bought'] })).toEqual({ bought: ['skin'] });
    expect(restored(null, PRESENT, { only: [], keep: ['other'] })).toBeNull();
  });
});

describe('the differences between two documents', () => {
  it('names members that came, went and changed', () => {
    expect(differences(PAST, PRESENT)).toEqual([
      { path: 'gold', from: 100, to: 20 },
      { path: 'bag.sword', from: 1 },
      { path: 'bag.rope', from: 2, to: 5 },
      { path: 'bag.gem', to: 1 },
      { path: 'name', from: 'Ada' },
      { path: 'bought', to: ['skin'] },
    ]);
    expect(differences(null, PAST)).toEqual([{ path: '', to: PAST }]);
    expect(differences(null, null)).toEqual([]);
  });
});

describe('save records', () => {
  const slot = (recordId: string, recordName = 'Save') => ({ recordId, recordName, createdAt: 1, updatedAt: 1 });

  it('a slot that was made goes, one that was removed comes back, a name goes back', () => {
    expect(undoSlots([slot('a'), slot('b', 'Old')], [slot('b', 'New'), slot('c')], [slot('b', 'New'), slot('c'), slot('d')])).toEqual({
      create: [slot('a')],
      rename: [slot('b', 'Old')],
      remove: ['c'],
    });
  });

  it('leaves what somebody changed since', () => {
    expect(undoSlots([slot('a'), slot('b', 'Old')], [slot('b', 'New'), slot('c')], [slot('a'), slot('b', 'Newer')])).toEqual({
      create: [],
      rename: [],
      remove: [],
    });
  });

  it('a list is brought back to what it was', () => {
    expect(restoreSlots([slot('a'), slot('b', 'Old')], [slot('b', 'New'), slot('c')])).toEqual({
      create: [slot('a')],
      rename: [slot('b', 'Old')],
      remove: ['c'],
    });
  });
});
