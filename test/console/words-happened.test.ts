import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyOf, newerAmong, newerFrom, timesText, toldText } from '../../src/console/words/happened.ts';
import { folded, goingOn } from '../../src/contract/told-as-one.ts';

/** The rows of what happened to a player. */

const refused = (id: string, slug: string | null = 'buy', code: string | null = 'TOO_POOR', platformId = '7') => ({
  at: '2026-03-01T12:00:00.000Z',
  call: { id, slug, method: 'POST', path: '/x', code, status: 409, platformId },
});
const changed = (revision: number) => ({ at: '2026-03-01T12:00:00.000Z', commit: { revision } });

describe('requests that were refused alike', () => {
  const groupsOf = (...items: readonly (ReturnType<typeof refused> | ReturnType<typeof changed>)[]) =>
    folded(items).map((group) => group.map(keyOf));

  it('are one row where nothing else happened between them', () => {
    const items = [refused('a'), refused('b'), changed(7), refused('c'), refused('d', 'sell'), refused('e', 'sell', 'RATE_LIMIT')];
    expect(folded(items).map((group) => group.map(keyOf))).toEqual([['a', 'b'], ['7'], ['c'], ['d'], ['e']]);
    const routes = [refused('a', null), { ...refused('b', null), call: { ...refused('b', null).call, path: '/y' } }];
    expect(folded(routes)).toHaveLength(2);
  });

  it('are one row, where the newest of them stands, also where others were refused between them', () => {
    const poor = (id: string) => refused(id);
    const often = (id: string) => refused(id, 'chop', 'RATE_LIMIT');
    expect(groupsOf(poor('a'), often('b'), poor('c'), often('d'), changed(7), poor('e'))).toEqual([['a', 'c'], ['b', 'd'], ['7'], ['e']]);
    expect(groupsOf(poor('a'), refused('b', 'buy', 'TOO_POOR', '8'), poor('c'))).toEqual([['a', 'c'], ['b']]);
    const done = (id: string, slug: string) => refused(id, slug, null);
    expect(groupsOf(done('a', 'sell'), done('b', 'sell'), poor('c'), done('d', 'sell'), done('e', 'chop'), done('f', 'sell'))).toEqual([
      ['a', 'b'],
      ['c'],
      ['d'],
      ['e'],
      ['f'],
    ]);
  });

  it('are folded so that nothing is lost, rows stand in the order of their newest, and no two beside one another are alike, however the pages were cut', () => {
    const item = fc.oneof(
      fc.nat(99).map(changed),
      fc
        .record({ id: fc.uuid(), slug: fc.constantFrom('buy', 'sell', null), code: fc.constantFrom('TOO_POOR', 'RATE_LIMIT', null) })
        .map(({ id, slug, code }) => refused(id, slug, code)),
    );
    fc.assert(
      fc.property(fc.array(fc.array(item, { maxLength: 8 }), { maxLength: 6 }), (pages) => {
        const items: readonly (ReturnType<typeof refused> | ReturnType<typeof changed>)[] = pages.flat();
        const groups = folded(items);
        expect([...groups.flat()].sort(byPlace(items))).toEqual(items);
        for (const group of groups) expect([...group].sort(byPlace(items))).toEqual(group);
        expect(groups.map(([first]) => first).sort(byPlace(items))).toEqual(groups.map(([first]) => first));
        const kind = (each: (typeof items)[number]) => ('call' in each ? JSON.stringify([each.call.slug, each.call.code]) : null);
        for (const group of groups) if (group.length > 1) expect(new Set(group.map(kind)).size).toBe(1);
        for (const [place, [first]] of groups.entries()) {
          const before = groups[place - 1];
          if (before !== undefined && kind(first) !== null) expect(kind(before[0])).not.toBe(kind(first));
        }
      }),
    );
  });

  it('may go on behind the end of a list, where the last run is not over', () => {
    const openOf = (...items: readonly (ReturnType<typeof refused> | ReturnType<typeof changed>)[]) => [...goingOn(items)].map(keyOf);
    expect(openOf(refused('a'), changed(7), refused('b', 'chop', 'RATE_LIMIT'), refused('c'))).toEqual(['b', 'c']);
    expect(openOf(refused('a'), refused('b', 'sell', null))).toEqual(['b']);
    expect(openOf(refused('a'), changed(7))).toEqual([]);
    expect(openOf()).toEqual([]);
    expect([timesText(10, true), timesText(13, false)]).toEqual(['10 times or more', '13 times']);
  });

  it('say what they were told, or how many different things', () => {
    expect(toldText(['No gold', 'No gold'])).toBe('No gold');
    expect(toldText(['No gold', null])).toBe('No gold');
    expect(toldText(['30 gold', '50 gold'])).toBe('2 different messages');
    expect(toldText([null])).toBe('');
  });
});

/** By where they stand in a list that holds each of them itself. */
const byPlace = (items: readonly unknown[]) => (one: unknown, other: unknown) => items.indexOf(one) - items.indexOf(other);

describe('what came since a time line was read', () => {
  it('is looked for from a little before its newest line, because some things are told late, and what is shown is no news', () => {
    const shown = [changed(9), refused('a')];
    expect(newerFrom(shown)).toBe('2026-03-01T11:59:50.000Z');
    expect(newerFrom([])).toBeNull();
    expect(newerAmong([changed(10), refused('b'), ...shown], shown)).toBe(2);
    expect(newerAmong(shown, shown)).toBe(0);
  });
});
