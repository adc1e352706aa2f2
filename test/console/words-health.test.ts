import { expect, test } from 'vitest';
import { bytesText } from '../../src/console/words/bytes.ts';
import { behindText, millisText, rateText, runningFor, shareText, statusText } from '../../src/console/words/health.ts';
import { namedOffer, offersFor } from '../../src/console/words/palette.ts';

test('bytes, times, shares and rates are said as short as one reads them', () => {
  expect([0, 999, 1000, 312_000_000, 1.5e12].map(bytesText)).toEqual(['0 B', '999 B', '1.0 KB', '312 MB', '1.5 TB']);
  expect([0.4, 12.4, 1500].map(millisText)).toEqual(['0.4 ms', '12 ms', '1.5 s']);
  expect([0.256, 0.004, 0].map(shareText)).toEqual(['26 %', '0.4 %', '0 %']);
  expect([rateText(30, 60_000), rateText(6000, 60_000), rateText(0, 0)]).toEqual(['0.5', '100', '0.0']);
  expect([0, 1234].map(behindText)).toEqual(['up to date', '1\u202F234 behind']);
  expect([10_000, 60_000, 3 * 3_600_000, 3 * 86_400_000].map(runningFor)).toEqual(['less than a minute', '1 min', '3 h', '3 days']);
});

test('every status says what it means for players', () => {
  expect(statusText({ status: 'ready', behind: 0 }).isGood).toBe(true);
  expect(statusText({ status: 'catching-up', behind: 1 }).means).toContain('One project is behind');
  expect(statusText({ status: 'log-unavailable', behind: null }).means).toContain('Nothing can be written');
  expect(statusText({ status: 'database-unavailable', behind: null }).title).toBe('The database does not answer');
});

test('the palette offers what begins with each word that was typed, the name before the rest', () => {
  const offers = [
    { name: 'Activity', about: 'what happened' },
    { name: 'Players', about: 'find a player' },
    { name: 'Publishes', about: 'what is staged' },
  ];
  const names = (typed: string) => offersFor(offers, typed).map(({ name }) => name);
  expect(names('')).toEqual(['Activity', 'Players', 'Publishes']);
  expect(names('p')).toEqual(['Players', 'Publishes']);
  expect(names('what st')).toEqual(['Publishes']);
  expect(names('happ')).toEqual(['Activity']);
  expect(names('layers')).toEqual([]);
});

test('what of the game is named so is offered by its name, with where it is', () => {
  expect(namedOffer({ is: 'board', named: { id: 'richest', called: 'Richest players' } })).toEqual({
    kind: 'leaderboard',
    name: 'Richest players',
    about: 'richest',
  });
  expect(namedOffer({ is: 'value', named: { id: 'axes', what: 'row', part: 'Stone axe', target: 'next' } })).toEqual({
    kind: 'row',
    name: 'Stone axe',
    about: 'in axes, staged',
  });
});
