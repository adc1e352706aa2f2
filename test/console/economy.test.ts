import { describe, expect, it } from 'vitest';
import { alarmOf, countedBy, thresholdText } from '../../src/console/words/alarms.ts';
import { addsUp, amountText, sizeOf } from '../../src/console/words/amount.ts';
import { csvOf, fileName, titleInFiles } from '../../src/console/words/csv.ts';
import { dayAfter, lastDays, periodOf } from '../../src/console/words/economy.ts';
import { entriesTitle } from '../../src/console/words/entries.ts';
import { lonePlaces, plotText, plotTick, plotTime } from '../../src/console/words/plot.ts';
import { aroundSaid, checkOf, comeTo } from '../../src/console/words/sums.ts';

const EXACT = (digits: string) => `\uE000${digits}`;
const NOW = Date.parse('2026-03-31T18:00:00Z');

describe('a day of a currency', () => {
  it('adds up to the last digit, also beyond what a page can hold', () => {
    expect(addsUp(0.1, 0.2, 0, 0.3)).toBe(true);
    expect(addsUp(EXACT('18446744073709551615'), 1, EXACT('0.25'), EXACT('18446744073709551615.75'))).toBe(true);
    expect(addsUp(EXACT('18446744073709551615'), 1, 0, EXACT('18446744073709551615'))).toBe(false);
    expect(addsUp(1e21, 0, 0, EXACT('1000000000000000000000'))).toBe(true);
    expect(addsUp(1, 'much', 0, 1)).toBeNull();
    expect(addsUp(1, '1e999999999', 0, 1)).toBeNull();
  });

  it('is believed only with the day before it', () => {
    const day = (name: string, opening: number, inflow: number, outflow: number, closing: number) => ({
      day: name,
      opening,
      inflow,
      outflow,
      closing,
    });
    expect(checkOf([day('2026-03-02', 10, 5, 1, 14), day('2026-03-01', 0, 10, 0, 10)])).toEqual({ isRight: true, wrong: null });
    expect(checkOf([day('2026-03-02', 11, 5, 2, 14), day('2026-03-01', 0, 10, 0, 10)])).toEqual({ isRight: false, wrong: '2026-03-02' });
    expect(checkOf([day('2026-03-01', 0, 10, 0, 11)])).toEqual({ isRight: false, wrong: '2026-03-01' });
  });

  it('is told with its thousands apart, and drawn as the nearest number', () => {
    expect(amountText(EXACT('18446744073709551615.5'))).toBe('18\u202F446\u202F744\u202F073\u202F709\u202F551\u202F615.5');
    expect([amountText(-1234), amountText(0.1), amountText(999)]).toEqual(['−1\u202F234', '0.1', '999']);
    expect([sizeOf(EXACT('18446744073709551615')), sizeOf('much')]).toEqual([2 ** 64, 0]);
  });
});

describe('the days that an address asks for', () => {
  it('are the last 30, up to today or up to the moment that is looked at', () => {
    expect(periodOf({}, undefined, NOW)).toEqual({ from: '2026-03-02', to: '2026-03-31' });
    expect(periodOf({}, '2026-03-10T12:00:00Z', NOW)).toEqual({ from: '2026-02-09', to: '2026-03-10' });
    expect(periodOf({ to: '2026-03-20' }, '2026-03-10T12:00:00Z', NOW).to).toBe('2026-03-10');
    expect(periodOf({}, 'soon', NOW).to).toBe('2026-03-31');
  });

  it('are those that were chosen, at most a year and the right way round', () => {
    expect(periodOf({ from: '2026-03-01', to: '2026-03-05' }, undefined, NOW)).toEqual({ from: '2026-03-01', to: '2026-03-05' });
    expect(periodOf({ from: '1999-01-01' }, undefined, NOW).from).toBe(lastDays(366, '2026-03-31').from);
    expect(periodOf({ from: '2026-04-01', to: 'soon' }, undefined, NOW)).toEqual({ from: '2026-03-02', to: '2026-03-31' });
    expect(dayAfter('2026-02-28')).toBe('2026-03-01');
  });
});

describe('a publish among the days', () => {
  it('is told with what flowed on a day before it and since, where there are days on both sides', () => {
    const day = (date: string, inflow: unknown, outflow: unknown) => ({ day: date, inflow, outflow });
    const days = [day('2026-03-05', 90, 110), day('2026-03-04', 110, 130), day('2026-03-03', 5, 5), day('2026-03-02', 200, '40')];
    expect(aroundSaid(days, '2026-03-03', String)).toBe('in 200 → 100, out 40 → 120');
    expect([aroundSaid(days, '2026-03-05', String), aroundSaid(days, '2026-03-02', String), aroundSaid([], '2026-03-02', String)]).toEqual([
      null,
      null,
      null,
    ]);
  });
});

describe('a list of entries', () => {
  it('comes to what came in and what went out, to the last digit, or of a class to its parts', () => {
    expect(comeTo([{ delta: 0.1 }, { delta: 0.2 }, { delta: -0.25 }, { delta: EXACT('18446744073709551615') }])).toEqual({
      inflow: '18446744073709551615.3',
      outflow: '0.25',
    });
    expect(
      comeTo([
        { delta: -30, part: 5 },
        { delta: 25, part: 25 },
      ]),
    ).toEqual({ inflow: '25', outflow: '5' });
    expect(comeTo([])).toEqual({ inflow: '0', outflow: '0' });
    expect(comeTo([{ delta: 'much' }])).toBeNull();
  });

  it('is called by what it is narrowed to', () => {
    expect(entriesTitle({ currency: 'gold', direction: 'out', source: 'shop' })).toBe('entries of gold that went out from shop');
    expect(entriesTitle({ currency: 'gold', class: 'faucet' })).toBe('entries of gold that came from nowhere');
    expect(entriesTitle({ currency: 'gold', class: 'correction', direction: 'in' })).toBe(
      'entries of gold that put something right and that came in',
    );
  });
});

describe('an alarm', () => {
  it('opens what it counted when it was raised: what came from nowhere in its day, or for a player in its hour', () => {
    const raised = { revision: 12, currency: 'gold', source: null, player: null };
    expect(countedBy({ ...raised, window: '2026-03-01' })).toEqual({
      ...{ currency: 'gold', from: '2026-03-01', to: '2026-03-01', class: 'faucet', alarm: '12' },
    });
    const greed = countedBy({ ...raised, window: '2026-03-01T10', source: 'quest', player: '7' });
    expect(greed).toMatchObject({ from: '2026-03-01', source: 'quest', player: '7', direction: 'in', alarm: '12' });
    expect(entriesTitle(greed)).toBe('entries of gold that came in from quest of 7 that raised an alarm');
  });

  const typed = { name: 'flood', currency: 'gold', source: '', threshold: 'overMedian', amount: '5' } as const;

  it('is what was typed, or what is wrong with that', () => {
    expect(alarmOf(typed, [])).toEqual({ name: 'flood', currency: 'gold', overMedian: 5 });
    expect(alarmOf({ ...typed, source: 'quest', threshold: 'perPlayerHour', amount: '0,5' }, [])).toEqual({
      name: 'flood',
      currency: 'gold',
      source: 'quest',
      perPlayerHour: 0.5,
    });
    expect(alarmOf({ ...typed, amount: '1' }, [])).toMatch(/above 1/);
    expect(alarmOf({ ...typed, name: 'a b' }, [])).toMatch(/letters/);
    expect(alarmOf(typed, [{ name: 'flood', currency: 'x', overMedian: 2 }])).toMatch(/already/);
  });

  it('says when it is raised', () => {
    expect(thresholdText({ name: 'a', currency: 'gold', overMedian: 5 })).toBe('more than 5 times the usual day');
    expect(thresholdText({ name: 'a', currency: 'gold', perPlayerHour: 100 })).toBe('more than 100 for one player within an hour');
  });
});

describe('a plot', () => {
  it('names days in UTC, and only whole ones', () => {
    const day = Date.parse('2026-03-01') / 1000;
    expect(plotTime(day, 'days')).toBe('1 Mar 2026');
    expect([plotTick(day, 86_400, 'days'), plotTick(day + 43_200, 43_200, 'days')]).toEqual(['1 Mar', '']);
    // A line has nothing to show of a single value, so it is drawn as a point.
    expect([lonePlaces([null, 0, null, 1, 2, undefined, 3]), lonePlaces([])]).toEqual([[1, 6], []]);
    expect([plotText(1234), plotText(-3_000_000), plotText(0)]).toEqual(['1.2K', '−3M', '0']);
  });
});

describe('a table as a file', () => {
  it('keeps digits, and runs nothing in a spreadsheet', () => {
    const rows = [
      ['ada', EXACT('18446744073709551615'), -3],
      ['=cmd|x', 'a,"b"', { gold: 1 }],
      ['', null, undefined],
    ];
    expect(csvOf(['player', 'a', 'b'], rows)).toBe(
      'player,a,b\r\nada,18446744073709551615,-3\r\n\'=cmd|x,"a,""b""","{""gold"":1}"\r\n,,\r\n',
    );
  });

  it('runs nowhere, also where a semicolon parts cells', () => {
    expect(csvOf(['a'], [['x;=1'], ['a\n=1'], ['＝1'], ['a;b = c']])).toBe(`a\r\nx;'=1\r\n"a\n'=1"\r\n'＝1\r\na;b = c\r\n`);
  });

  it('is called by what it is and the revision that it shows', () => {
    expect(fileName(['p1', 'economy', 'gold / next', 'days'], 42, 'csv')).toBe('p1-economy-gold_next-days-r42.csv');
    // A game is told by its name, where that has letters.
    const called = (title: string) => fileName([titleInFiles(title), 'p1', 'days'], 42, 'csv');
    expect(called('Example game')).toBe('Example_game-p1-days-r42.csv');
    expect(called('../Ödland: “II”?')).toBe('Ödland_II-p1-days-r42.csv');
    expect(called('…')).toBe('p1-days-r42.csv');
    expect(titleInFiles('x'.repeat(200))).toHaveLength(40);
  });
});
