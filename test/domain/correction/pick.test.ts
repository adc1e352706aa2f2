import { describe, expect, it } from 'vitest';
import { differences, firstLines } from '../../../src/domain/correction/differences.ts';
import { isLost } from '../../../src/domain/correction/lost.ts';
import { restored } from '../../../src/domain/correction/pick.ts';
import { restoreSlots, undoSlots, withoutCome } from '../../../src/domain/correction/slots.ts';
import { type JsonObject, parseJson } from '../../../src/kernel/json.ts';

const PAST = { gold: 100, bag: { sword: 1, rope: 2 }, name: 'Ada' };
const PRESENT = { gold: 20, bag: { rope: 5, gem: 1 }, bought: ['skin'] };
const ALL = { only: [], keep: [], lost: false, also: [] };
const LOST = { ...ALL, lost: true };

describe('restoring a document', () => {
  it('brings all of it back, and removes what there was not', () => {
    expect(restored(PAST, PRESENT, ALL)).toEqual(PAST);
    expect(restored(null, PRESENT, ALL)).toBeNull();
    expect(restored(PAST, null, ALL)).toEqual(PAST);
  });

  it('brings only parts back', () => {
    expect(restored(PAST, PRESENT, { ...ALL, only: ['bag.sword'] })).toEqual({ ...PRESENT, bag: { sword: 1, rope: 5, gem: 1 } });
    expect(restored(PAST, PRESENT, { ...ALL, only: ['bought'] })).toEqual({ gold: 20, bag: { rope: 5, gem: 1 } });
    expect(restored(PAST, PRESENT, { ...ALL, only: ['nothing.here'] })).toEqual(PRESENT);
    expect(restored(PAST, null, { ...ALL, only: ['bag.sword'] })).toEqual({ bag: { sword: 1 } });
  });

  it('keeps parts, also below what is asked for', () => {
    expect(restored(PAST, PRESENT, { ...ALL, keep: ['bought', 'bag.gem'] })).toEqual({
      ...PAST,
      bag: { sword: 1, rope: 2, gem: 1 },
      bought: ['skin'],
    });
    expect(restored(PAST, PRESENT, { ...ALL, only: ['bag'], keep: ['bag.rope'] })).toEqual({ ...PRESENT, bag: { sword: 1, rope: 5 } });
    expect(restored(null, PRESENT, { ...ALL, keep: ['bought'] })).toEqual({ bought: ['skin'] });
    expect(restored(null, PRESENT, { ...ALL, keep: ['other'] })).toBeNull();
  });
});

describe('what was lost', () => {
  it('is what is less now than it was, or gone, and nothing that came since or only differs', () => {
    expect(isLost(3, 80)).toBe(true);
    expect(isLost(undefined, { hp: 1 })).toBe(true);
    expect(isLost(['rope'], ['sword', 'rope'])).toBe(true);
    expect(isLost([{ id: 1, of: 2 }], [{ of: 2, id: 1 }, 'rope'])).toBe(true);
    expect(isLost(parseJson('76561198000000001'), parseJson('76561198000000002'))).toBe(true);
    expect(isLost(80, 3)).toBe(false);
    expect(isLost({ hp: 1 }, undefined)).toBe(false);
    expect(isLost(['rope', 'shield'], ['sword', 'rope', 'axe'])).toBe(false);
    expect(isLost(['rope', 'rope'], ['rope', 'axe', 'sword'])).toBe(false);
    expect(isLost('warrior', 'mage')).toBe(false);
    expect(isLost(false, true)).toBe(false);
  });

  it('alone comes back where that is asked, member by member', () => {
    expect(restored(PAST, PRESENT, LOST)).toEqual({ gold: 100, bag: { sword: 1, rope: 5, gem: 1 }, name: 'Ada', bought: ['skin'] });
    expect(restored(PAST, null, LOST)).toEqual(PAST);
    expect(restored(null, PRESENT, LOST)).toEqual(PRESENT);
    expect(restored({ bag: { sword: 1 } }, { bag: 3 }, LOST)).toEqual({ bag: 3 });
  });

  it('comes back but for what is kept, within what is asked for, and with what goes back besides', () => {
    expect(restored(PAST, PRESENT, { ...LOST, keep: ['gold', 'bag.sword'] })).toEqual({ ...PRESENT, name: 'Ada' });
    expect(restored(PAST, null, { ...LOST, keep: ['bag.rope'] })).toEqual({ ...PAST, bag: { sword: 1 } });
    expect(restored(PAST, PRESENT, { ...LOST, only: ['bag'] })).toEqual({ ...PRESENT, bag: { sword: 1, rope: 5, gem: 1 } });
    expect(restored(PAST, PRESENT, { ...LOST, also: ['bag.rope', 'bought'] })).toEqual({ ...PAST, bag: { sword: 1, rope: 2, gem: 1 } });
    expect(restored(PAST, PRESENT, { ...LOST, also: ['bag'], keep: ['bag.gem'] })).toEqual({
      ...PAST,
      bag: { sword: 1, rope: 2, gem: 1 },
      bought: ['skin'],
    });
    expect(restored({ bag: { sword: 1 } }, { bag: 3 }, { ...LOST, also: ['bag'] })).toEqual({ bag: { sword: 1 } });
    // Of what came since as a whole a part goes.
    expect(restored({}, { pet: { name: 'Rex', food: 2 } }, { ...LOST, also: ['pet.food'] })).toEqual({ pet: { name: 'Rex' } });
  });

  it('is just the lines that say so, whatever two documents differ in', () => {
    const values = [undefined, null, 1, 5, 'a', 'b', [], ['x'], ['x', 'y'], {}, { n: 1 }, { n: 2, m: [1] }, { n: { deep: 3 } }];
    for (const then of values)
      for (const now of values) {
        const [past, present] = [then, now].map((value) => (value === undefined ? { held: 1 } : { held: 1, value }) as JsonObject);
        const { changes, lostLines } = firstLines(present ?? null, past ?? null, 100);
        const lines = changes.filter(({ lost }) => lost).map(({ path }) => path);
        expect(lines).toHaveLength(lostLines);
        const back = restored(past ?? null, present ?? null, LOST);
        expect(differences(present ?? null, back).map(({ path }) => path)).toEqual(lines);
      }
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
    expect(differences({ a: { b: 1, c: [1] } }, { d: 1, a: { c: [1], e: 2 } })).toEqual([
      { path: 'a.b', from: 1 },
      { path: 'a.e', to: 2 },
      { path: 'd', to: 1 },
    ]);
    expect(differences(null, PAST)).toEqual([{ path: '', to: PAST }]);
    expect(differences(null, null)).toEqual([]);
  });

  it('are told as far as is wanted, what was lost before the rest', () => {
    expect(firstLines(PRESENT, PAST, 100)).toEqual({
      changes: [
        { path: 'gold', from: 20, to: 100, lost: true },
        { path: 'bag.sword', to: 1, lost: true },
        { path: 'name', to: 'Ada', lost: true },
        { path: 'bag.rope', from: 5, to: 2 },
        { path: 'bag.gem', from: 1 },
        { path: 'bought', from: ['skin'] },
      ],
      moreLines: 0,
      lostLines: 3,
    });
    expect(firstLines(PRESENT, PAST, 2)).toMatchObject({ changes: [{ path: 'gold' }, { path: 'bag.sword' }], moreLines: 4, lostLines: 3 });
    expect(firstLines(PRESENT, PAST, 0)).toEqual({ changes: [], moreLines: 6, lostLines: 3 });
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

  it('a slot that came since stays where only what was lost comes back, unless it is asked for', () => {
    const changes = restoreSlots([slot('a')], [slot('b'), slot('c')]);
    expect(withoutCome(changes, ['c'])).toEqual({ create: [slot('a')], rename: [], remove: ['c'] });
  });

  it('a list is brought back to what it was', () => {
    expect(restoreSlots([slot('a'), slot('b', 'Old')], [slot('b', 'New'), slot('c')])).toEqual({
      create: [slot('a')],
      rename: [slot('b', 'Old')],
      remove: ['c'],
    });
  });
});
