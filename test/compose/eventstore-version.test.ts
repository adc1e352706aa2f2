import { expect, it } from 'vitest';
import { isTooOld } from '../../src/compose/log.ts';

it.each([
  ['21.10.11', true],
  ['22.6.0', true],
  ['22.10.0.0', false],
  ['23.10.6.0', false],
  ['25.1.0', false],
  ['unknown', false],
  ['1.0.0.0', false],
  ['0.0.0', false],
  ['5.0.11', true],
])('EventStoreDB %s is too old: %s', (version, tooOld) => {
  expect(isTooOld(version)).toBe(tooOld);
});
