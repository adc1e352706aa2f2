import { expect, it } from 'vitest';
import { permissionLines, unusedText } from '../../../src/console/words/key.ts';
import { keyUseState, keyUseText } from '../../../src/domain/project/key-use.ts';

const DAY = 86_400_000;
const SINCE = Date.parse('2026-01-01T00:00:00Z');
const at = (days: number) => SINCE + days * DAY;
const state = (createdAt: number, usedAt: number | null, now: number) => keyUseState({ createdAt }, usedAt, SINCE, now);

it('a key is called unused after 90 days, never used only if its whole life was watched', () => {
  expect(state(at(-400), at(5), at(94))).toBe('used');
  expect(state(at(-400), at(5), at(95))).toBe('unused');
  expect(state(at(1), null, at(200))).toBe('never');
  expect(state(at(-400), null, at(89))).toBe('unknown');
  expect(state(at(-400), null, at(90))).toBe('unused');
});

it('it is said in words', () => {
  expect(keyUseText('used', at(1), SINCE)).toBe('2026-01-02T00:00Z');
  expect(keyUseText('unused', at(1), SINCE)).toBe('unused for 90 days, last on 2026-01-02');
  expect([keyUseText('never', null, SINCE), keyUseText('unused', null, SINCE)]).toEqual(['never used', 'unused for 90 days']);
  expect(keyUseText('unknown', null, SINCE)).toBe('not since 2026-01-01, when uses began to be noted');
  const since = new Date(SINCE).toISOString();
  expect((['used', 'unused', 'never', 'unknown'] as const).map((use) => unusedText(use, since))).toEqual([
    null,
    'unused for 90 days',
    'never used',
    'not since 2026-01-01, when uses began to be noted',
  ]);
  expect(permissionLines('secret', { endpoints: 'x', game_values: 'rw', queries: 'none' })).toEqual(['endpoints: x', 'game values: rw']);
  expect([permissionLines('secret', {}), permissionLines('public', null)]).toEqual([['nothing'], ['what games may do']]);
});
