import { expect, test } from 'vitest';
import { eventsAfter, LARGE_PAGE, SMALL_PAGE } from '../../projections/event-pages.ts';

const page = (events: number, characters: number) => Array.from({ length: events }, () => ({ data: 'x'.repeat(characters) }));

test('a page of events holds as many as fit into a megabyte by the size of those before, within bounds', () => {
  expect(eventsAfter(page(500, 700), LARGE_PAGE)).toBe(LARGE_PAGE);
  expect(eventsAfter(page(500, 700), SMALL_PAGE)).toBe(SMALL_PAGE);
  expect(eventsAfter(page(100, 10_000), LARGE_PAGE)).toBe(104);
  expect(eventsAfter(page(16, 500_000), LARGE_PAGE)).toBe(16);
  expect(eventsAfter(page(16, 100), LARGE_PAGE)).toBe(LARGE_PAGE);
});
