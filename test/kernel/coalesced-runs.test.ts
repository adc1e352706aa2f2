import { expect, test } from 'vitest';
import { CoalescedRuns } from '../../src/kernel/coalesced-runs.ts';

/** Runs that begin and end when the test says so. */
function given() {
  const runs = new CoalescedRuns<string>();
  const begun: { begin(state: number): void; end(answer: string): void; readonly stop: AbortSignal }[] = [];
  const ask = (state: number, left: AbortSignal | null = null) =>
    runs.run('scan', state, left, (stop, begin) => new Promise((end) => void begun.push({ begin, end, stop })));
  return { ask, begun };
}

test('callers share a waiting run, whatever has changed since', async () => {
  const { ask, begun } = given();
  const asked = [ask(1), ask(2), ask(5)];
  expect(begun).toHaveLength(1);
  begun[0]?.begin(5);
  begun[0]?.end('as of 5');
  expect(await Promise.all(asked)).toEqual(['as of 5', 'as of 5', 'as of 5']);
});

test('a run under way is shared while nothing has changed since it began; after a change callers share the next', async () => {
  const { ask, begun } = given();
  const first = ask(1);
  begun[0]?.begin(1);
  const same = ask(1);
  const later = [ask(2), ask(3)];
  expect(begun).toHaveLength(2);
  begun[0]?.end('as of 1');
  begun[1]?.begin(3);
  begun[1]?.end('as of 3');
  expect(await Promise.all([first, same, ...later])).toEqual(['as of 1', 'as of 1', 'as of 3', 'as of 3']);
  void ask(1);
  expect(begun).toHaveLength(3);
});

test('a run that everybody has left is stopped, and the next caller gets another', async () => {
  const { ask, begun } = given();
  const leaving = new AbortController();
  const left = ask(1, leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect(begun[0]?.stop.aborted).toBe(true);
  const other = ask(1);
  begun[1]?.begin(1);
  // The run that everybody left ends late.
  begun[0]?.end('nobody asked');
  const same = ask(1);
  begun[1]?.end('as of 1');
  expect(await Promise.all([other, same])).toEqual(['as of 1', 'as of 1']);
  expect(begun).toHaveLength(2);
});

test('who comes while a run is ending, after a change, gets a run that shows the change', async () => {
  // Some of these moments lie between the end of the run and the end of its promise.
  for (let moments = 0; moments < 12; moments += 1) {
    const { ask, begun } = given();
    const first = ask(1);
    begun[0]?.begin(1);
    begun[0]?.end('as of 1');
    for (let moment = 0; moment < moments; moment += 1) await null;
    const later = ask(2);
    begun[1]?.begin(2);
    begun[1]?.end('as of 2');
    expect([moments, await first, await later]).toEqual([moments, 'as of 1', 'as of 2']);
  }
});
