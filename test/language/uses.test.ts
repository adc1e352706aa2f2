import { expect, test } from 'vitest';
import type { Json } from '../../src/kernel/json.ts';
import { usesOf } from '../../src/language/uses.ts';

/** What an endpoint may read, found without running it. */

const values = { prices: { axe: 7, axes: 9 }, props: { tree: 1 }, loot: [] };
const definitions = {
  collection: () => undefined,
  endpoint: () => undefined,
  library: () => undefined,
  workflow: () => undefined,
  values: { values },
};
const usedBy = (value: Json) =>
  usesOf({ slug: 'buy', steps: [{ id: 'set', type: 'set', value }] }, definitions as never).values.map(({ id, entry }) =>
    entry === null ? id : `${id}.${entry}`,
  );

test('an entry is told where its name is written whole, else its group', () => {
  expect(usedBy('{{values.prices.axe}}')).toEqual(['prices.axe']);
  expect(usedBy('{{values . prices . axe * 2}}')).toEqual(['prices.axe']);
  expect(usedBy('{{values.prices.axes{{input.n}}}}')).toEqual(['prices']);
  expect(usedBy('{{values.prices.axe.{{input.n}}}}')).toEqual(['prices']);
});

test('a group whose name is calculated, even in part, may be any', () => {
  expect(usedBy('{{values[input.group].axe}}')).toEqual(['prices', 'props', 'loot']);
  expect(usedBy('{{values.{{input.group}}.axe}}')).toEqual(['prices', 'props', 'loot']);
  expect(usedBy('{{values.pr{{input.group}}.axe}}')).toEqual(['prices', 'props', 'loot']);
  expect(usedBy(['{{values[input.a]}}', '{{values[input.b]}}'])).toEqual(['prices', 'props', 'loot']);
});

test('whoever publishes a text of blanks does not hold up those who ask', () => {
  const blanks = ' '.repeat(1_000_000);
  expect(usedBy(`{{values.prices.axe${blanks}}}`)).toEqual(['prices.axe']);
  expect(usedBy(`{{values.prices.axe${blanks}.${blanks}{{input.n}}}}`)).toEqual(['prices']);
});
