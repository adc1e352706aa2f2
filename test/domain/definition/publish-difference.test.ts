import { expect, it } from 'vitest';
import { decideUpsertMany } from '../../../src/domain/definition/push/decide-kind.ts';
import { decidePromote } from '../../../src/domain/definition/release/promote.ts';
import { isPublish, publishDifferences } from '../../../src/domain/definition/release/publish-difference.ts';
import type { DefinitionsState } from '../../../src/domain/states.ts';
import type { Json } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, fold, recorded } from './given.ts';

function push(state: DefinitionsState, target: 'live' | 'next', items: Json) {
  return publish(state, accepted(decideUpsertMany(state, 'endpoint', items, { target, replaceAll: target === 'live' })).events);
}

/** The state after the events, and the differences of the publish among them. */
function publish(state: DefinitionsState, events: Parameters<typeof fold>[1]) {
  let before = state;
  for (const event of events) {
    const placed = recorded(event, 1000, 0);
    if (isPublish(placed)) return { state: fold(state, events), differences: publishDifferences(before, placed) };
    before = fold(before, [event]);
  }
  throw new Error('there is no publish');
}

const endpoint = (id: string, more: object = {}) => ({ id, method: 'POST', ...more }) as Json;

it('a publish is compared with what it met: what was staged, else live', () => {
  const first = push(EMPTY, 'live', [endpoint('buy'), endpoint('sell')]);
  expect(first.differences).toEqual([{ action: 'add' }, { action: 'add' }]);
  const staged = push(first.state, 'next', [endpoint('buy', { description: 'once' })]);
  expect(staged.differences).toMatchObject([{ action: 'change', fields: [{ path: '/description', after: 'once' }] }]);
  const again = push(staged.state, 'next', [endpoint('buy', { description: 'twice' })]);
  expect(again.differences).toMatchObject([{ fields: [{ label: 'description', before: 'once', after: 'twice' }] }]);
  const promoted = publish(again.state, decidePromote(again.state, { dryRun: false }).events);
  expect(promoted.differences).toMatchObject([{ action: 'change', fields: [{ path: '/description', after: 'twice' }] }]);
  expect(push(promoted.state, 'live', [endpoint('buy', { description: 'twice' })]).differences).toEqual([
    { action: 'change', fields: [] },
    { action: 'delete' },
  ]);
});

it('what is kept of a publish is bounded: fields, long values and the texts that are compared', () => {
  const many = (value: string) => Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`x${index}`, value]));
  const [small, large] = [push(EMPTY, 'live', [endpoint('buy', many('a'))]), push(EMPTY, 'live', [endpoint('buy', { x: 'a' })])];
  const [told] = push(small.state, 'live', [endpoint('buy', many('b'))]).differences;
  expect([told?.fields?.length, told?.more]).toEqual([30, 10]);
  const [long] = push(large.state, 'live', [endpoint('buy', { x: 'b'.repeat(5_000) })]).differences;
  expect(long?.fields?.find(({ path }) => path === '/x')?.after).toBe(`"${'b'.repeat(99)}…`);
  const [beyond] = push(large.state, 'live', [endpoint('buy', { x: 'b'.repeat(1_000_000) })]).differences;
  expect(beyond).toEqual({ action: 'change' });
});
