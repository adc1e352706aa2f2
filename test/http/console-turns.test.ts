import { expect, test } from 'vitest';
import { PersonTurns } from '../../src/http/console/turns.ts';

/** How much one person has a node work on at a time. */

const never = () => new AbortController().signal;

function begin(turns: PersonTurns, person: string, left: () => AbortSignal = never) {
  const state = { hasBegun: false, hasWaited: false, end: (() => undefined) as () => void };
  const ended = new Promise<void>((resolve) => {
    state.end = resolve;
  });
  const done = turns.run(person, left, async (hasWaited) => {
    Object.assign(state, { hasBegun: true, hasWaited });
    await ended;
  });
  return { state, done };
}

test('six requests of a person are worked on at a time, others in their order, and those of somebody else at once', async () => {
  const turns = new PersonTurns();
  const [first, ...others] = Array.from({ length: 8 }, () => begin(turns, 'ada'));
  const other = begin(turns, 'bo');
  const begun = () => [first, ...others].map((each) => each?.state.hasBegun);
  expect([begun(), other.state.hasBegun]).toEqual([[true, true, true, true, true, true, false, false], true]);
  first?.state.end();
  await first?.done;
  await expect.poll(begun).toEqual([true, true, true, true, true, true, true, false]);
  expect(others[5]?.state.hasWaited).toBe(true);
  for (const { state } of [...others, other]) state.end();
  await Promise.all([...others, other].map(({ done }) => done));
});

test('what waits for somebody who left is never begun, and keeps nobody waiting', async () => {
  const turns = new PersonTurns();
  const six = Array.from({ length: 6 }, () => begin(turns, 'ada'));
  const client = new AbortController();
  const gone = begin(turns, 'ada', () => client.signal);
  const next = begin(turns, 'ada');
  client.abort(new Error('left'));
  await expect(gone.done).rejects.toThrow('left');
  six[0]?.state.end();
  await expect.poll(() => next.state.hasBegun).toBe(true);
  expect(gone.state.hasBegun).toBe(false);
  for (const { state } of [...six, next]) state.end();
  await Promise.all([...six, next].map(({ done }) => done));
});
