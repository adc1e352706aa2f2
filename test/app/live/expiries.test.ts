import { expect, test } from 'vitest';
import { Expiries } from '../../../src/app/live/expiries.ts';
import { realScheduler, type Scheduler } from '../../../src/kernel/scheduler.ts';

/** Time as the test says, with the timers that are set. */
function newClock() {
  const timers = new Map<number, () => void>();
  let [now, made] = [0, 0];
  const scheduler: Scheduler = {
    ...realScheduler,
    now: () => now,
    after(_, task) {
      const id = made++;
      timers.set(id, task);
      return () => void timers.delete(id);
    },
  };
  return {
    scheduler,
    timers,
    /** The timers fire at this time, and what follows is done. */
    async at(time: number) {
      now = time;
      for (const [id, task] of [...timers]) {
        timers.delete(id);
        task();
      }
      // On a busy machine the work rests between two of its items.
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    },
  };
}

test('a thousand proofs take one timer, each is checked once when it expires, and none that was forgotten', async () => {
  const { scheduler, timers, at } = newClock();
  const expiries = new Expiries(scheduler);
  const looked: number[] = [];
  const watched = Array.from({ length: 1_000 }, (_, n) => ({ recheck: async () => void looked.push(n) }));
  for (const [n, one] of watched.entries()) expiries.watch(one, 10_000 + (n % 2) * 5_000);
  expect(timers.size).toBe(1);
  for (const one of watched.slice(4)) expiries.forget(one);
  await at(9_999);
  expect([looked, timers.size]).toEqual([[], 1]);
  // The clock is set, or the machine slept.
  await at(14_000);
  expect([looked, timers.size]).toEqual([[0, 2], 1]);
  await at(15_000);
  expect([looked, timers.size]).toEqual([[0, 2, 1, 3], 0]);
});

test('proofs that begin and end during a check take no second timer', async () => {
  const { scheduler, timers, at } = newClock();
  const expiries = new Expiries(scheduler);
  const later = { recheck: async () => undefined };
  const one = {
    async recheck() {
      expiries.forget(one);
      expiries.watch(later, 90_000);
    },
  };
  expiries.watch(one, 10_000);
  await at(10_000);
  expect(timers.size).toBe(1);
  expiries.watch(later, Number.POSITIVE_INFINITY);
  expect(timers.size).toBe(0);
});
