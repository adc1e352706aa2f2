import { describe, expect, test } from 'vitest';
import { dayThreshold, medianOf, windowNamed, windowsOf } from '../../../src/domain/economy/alarms.ts';
import { SETTING_RULES } from '../../../src/domain/project/settings.ts';
import type { Json } from '../../../src/kernel/json.ts';

const AT = Date.UTC(2026, 2, 1, 10, 30);

test('a day and an hour are judged while they last, and once more after', () => {
  const names = (alarm: object) => windowsOf({ name: 'a', currency: 'gold', ...alarm }, AT).map(({ name }) => name);
  expect(names({ overMedian: 2 })).toEqual(['2026-02-28', '2026-03-01']);
  expect(names({ perPlayerHour: 2 })).toEqual(['2026-03-01T09', '2026-03-01T10']);
  expect(windowNamed('2026-03-01')).toMatchObject({ from: Date.UTC(2026, 2, 1), to: Date.UTC(2026, 2, 2) });
  expect(windowNamed('2026-03-01T10')).toMatchObject({ from: Date.UTC(2026, 2, 1, 10), to: Date.UTC(2026, 2, 1, 11) });
});

test('the median of fourteen days counts days without entries, and of nothing there is no threshold', () => {
  expect([medianOf([3, 1, 2]), medianOf([4, 1, 2, 3]), medianOf([])]).toEqual([2, 2.5, 0]);
  expect(
    dayThreshold(
      3,
      Array.from({ length: 14 }, () => 100),
    ),
  ).toBe(300);
  expect(dayThreshold(3, [1000, 1000])).toBeNull();
  expect(dayThreshold(2, [10, 10, 10, 10, 10, 10, 10, 10])).toBe(20);
});

describe('the setting', () => {
  const alarm = { name: 'flood', currency: 'gold', overMedian: 3 };
  const accepts = (value: Json) => SETTING_RULES['economyAlarms']?.accept(value) !== undefined;

  test('takes alarms with one threshold each', () => {
    expect(accepts([alarm, { name: 'greed', currency: 'gold', source: 'quest', perPlayerHour: 5 }])).toBe(true);
  });

  test.each<[string, Json]>([
    ['no list', { flood: alarm }],
    ['two of one name', [alarm, alarm]],
    ['no threshold', [{ name: 'a', currency: 'gold' }]],
    ['two thresholds', [{ ...alarm, perPlayerHour: 5 }]],
    ['a threshold that is always exceeded', [{ ...alarm, overMedian: 1 }]],
    ['a member that is misspelt', [{ ...alarm, sources: 'quest' }]],
    ['a name with blanks', [{ ...alarm, name: 'a b' }]],
    ['too many', Array.from({ length: 51 }, (_, at) => ({ ...alarm, name: `a${at}` }))],
  ])('refuses %s', (_, value) => {
    expect(accepts(value)).toBe(false);
  });
});
