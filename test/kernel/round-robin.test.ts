import { expect, it } from 'vitest';
import { RoundRobin } from '../../src/kernel/round-robin.ts';

/** Turns of an event loop, taken by hand. */
function given() {
  const due: (() => void)[] = [];
  const done: string[] = [];
  let now = 0;
  const turns = new RoundRobin({ defer: (task) => void due.push(task), monotonic: () => now });
  const compute = (project: string, ms: number) => () => {
    done.push(project);
    now += ms;
  };
  const work = async (project: string, ms: number) => {
    const turn = turns.wait(project);
    if (turn !== null) await turn;
    turns.count(project, compute(project, ms));
  };
  const turn = async () => {
    for (const task of due.splice(0)) task();
    await new Promise((resolve) => setImmediate(resolve));
    return done.splice(0).join('');
  };
  return { turns, work, compute, turn, done };
}

it('a project that computes for long runs one piece per turn, and others run in between', async () => {
  const { work, turn, done } = given();
  const all = ['A', 'A', 'A', 'A', 'B', 'B'].map((project) => work(project, project === 'A' ? 11 : 0.1));
  expect(done.splice(0).join('')).toBe('ABB');
  expect([await turn(), await turn(), await turn()]).toEqual(['A', 'A', 'A']);
  await Promise.all(all);
});

it('several that compute for long take turns', async () => {
  const { work, turn, done } = given();
  const all = ['A', 'A', 'A', 'B', 'B', 'B'].map((project) => work(project, 11));
  expect(done.splice(0).join('')).toBe('AB');
  expect([await turn(), await turn()]).toEqual(['AB', 'AB']);
  await Promise.all(all);
});

it('any number of cheap pieces run at once', async () => {
  const { work, done } = given();
  await Promise.all(Array.from({ length: 1_000 }, () => work('A', 0.9)));
  expect(done).toHaveLength(1_000);
});

it('a full queue refuses its own project, and no other', async () => {
  const { turns, work } = given();
  await work('A', 11);
  for (let waiting = 0; waiting < 256; waiting += 1) void turns.wait('A');
  expect(() => turns.wait('A')).toThrow(expect.objectContaining({ code: 'BUSY' }));
  expect(turns.wait('B')).toBeNull();
});

it('work that fails also counts, and waits for its turn', async () => {
  const { turns, turn, compute, done } = given();
  const fails = () => {
    compute('A', 11)();
    throw new Error('broken');
  };
  await expect(turns.run('A', fails)).rejects.toThrow('broken');
  const second = turns.run('A', compute('A', 11));
  expect(done.splice(0)).toEqual(['A']);
  expect(await turn()).toBe('A');
  await second;
});

it('long work in small pieces gives way to other work, and is never refused in the middle', async () => {
  const { turns, turn, compute, done } = given();
  const work = async (project: string) => {
    const pause = turns.pauses(project);
    for (let piece = 0; piece < 8; piece += 1) {
      const turn = pause();
      if (turn !== null) await turn;
      compute(project, 1)();
    }
  };
  const all = [work('A'), work('A'), work('B')];
  // Four milliseconds of each project, then one piece a turn of the one that has more waiting.
  expect(done.splice(0).join('')).toBe('AAAABBBB');
  const second = await turn();
  expect(second.replaceAll('B', '')).toBe('A');
  for (let waiting = 0; waiting < 256; waiting += 1) void turns.resume('A');
  expect(() => turns.wait('A')).toThrow(expect.objectContaining({ code: 'BUSY' }));
  let left = 16 - second.length;
  for (let rounds = 0; rounds < 2_000 && left > 0; rounds += 1) left -= (await turn()).length;
  expect(left).toBe(0);
  await Promise.all(all);
});
