import { expect, it } from 'vitest';
import { WorkBudget } from '../../src/kernel/work-budget.ts';

/** A clock that a test moves. Work that takes `ms` moves it, too. */
function given(share: number) {
  let now = 0;
  let computed = 0;
  const due: { readonly at: number; readonly task: () => void }[] = [];
  const after = (ms: number, task: () => void) => {
    due.push({ at: now + ms, task });
    return () => undefined;
  };
  const budget = new WorkBudget({ monotonic: () => now, computed: () => computed, after, defer: (task) => void after(0, task) }, share);
  const began: number[] = [];
  const work = async (ms: number) => {
    const turn = budget.wait();
    if (turn !== null) await turn;
    await budget.count(async () => {
      began.push(now);
      now += ms;
      computed += ms;
    });
  };
  const rest = async (ms: number) => {
    const until = now + ms;
    for (let at = now; at <= until; ) {
      now = Math.max(now, at);
      const ready = due.filter((one) => one.at <= now);
      for (const one of ready) due.splice(due.indexOf(one), 1);
      for (const { task } of ready) task();
      await new Promise((resolve) => setImmediate(resolve));
      at = Math.min(...due.map((one) => one.at));
    }
    now = Math.max(now, until);
  };
  return { budget, work, rest, began };
}

it('pieces of any number, however cheap, take no more than their share once the burst is used', async () => {
  const { work, rest, began } = given(0.25);
  const some = async () => {
    for (let piece = 0; piece < 250; piece += 1) await work(0.5);
  };
  const all = Promise.all([some(), some(), some(), some()]);
  await rest(1_000);
  // 20 ms at once, and a quarter of a second in the second that follows.
  expect(began.length * 0.5).toBeGreaterThan(230);
  expect(began.length * 0.5).toBeLessThan(290);
  await rest(2_000);
  await all;
});

it('what is within the share never waits', async () => {
  const { budget, work, rest } = given(0.25);
  for (let piece = 0; piece < 100; piece += 1) {
    expect(budget.wait()).toBeNull();
    await work(1);
    await rest(4);
  }
});

it('a piece that took long is paid for by a bounded rest', async () => {
  const { budget, work, rest } = given(0.25);
  await work(5_000);
  let isLetOn = false;
  void budget.wait()?.then(() => {
    isLetOn = true;
  });
  await rest(190);
  expect(isLetOn).toBe(false);
  await rest(20);
  expect(isLetOn).toBe(true);
});
