import { expect, test } from 'vitest';
import { FairGate } from '../../src/kernel/fair-gate.ts';
import { SharedRuns } from '../../src/kernel/shared-runs.ts';

const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Work that is under way until it is told to end. */
function works() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const work = (name: string) => () =>
    new Promise<string>((resolve) => {
      begun.push(name);
      ends.set(name, () => resolve(name));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await turn();
  };
  return { begun, work, end };
}

test('one of each name at a time, names in turn, however many one of them asks for', async () => {
  const gate = new FairGate({ places: 2, line: 8 });
  const { begun, work, end } = works();
  const all = ['a1', 'a2', 'a3', 'b1', 'c1', 'c2'].map((name) => gate.run(name.slice(0, 1), never, work(name)));
  expect([begun, gate.running, gate.waiting]).toEqual([['a1', 'b1'], 2, 4]);
  await end('a1');
  await end('b1');
  await end('a2');
  await end('c1');
  await end('a3');
  await end('c2');
  expect(begun).toEqual(['a1', 'b1', 'a2', 'c1', 'a3', 'c2']);
  expect(await Promise.all(all)).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'c2']);
  expect([gate.running, gate.waiting]).toEqual([0, 0]);
});

test('a full line refuses, and what leaves it gives its place in it to the next', async () => {
  const gate = new FairGate({ places: 1, line: 1 });
  const { begun, work, end } = works();
  const first = gate.run('a', never, work('first'));
  const stop = new AbortController();
  const left = gate.run('a', stop.signal, work('left'));
  await expect(gate.run('a', never, work('refused'))).rejects.toMatchObject({ status: 503, code: 'BUSY' });
  // Another name has a line of its own.
  const other = gate.run('b', never, work('other'));
  stop.abort(new Error('left'));
  await expect(left).rejects.toThrow('left');
  const second = gate.run('a', never, work('second'));
  for (const name of ['first', 'other', 'second']) await end(name);
  await Promise.all([first, other, second]);
  expect(begun).toEqual(['first', 'other', 'second']);
});

test('work that fails leaves its place', async () => {
  const gate = new FairGate({ places: 1, line: 1 });
  await expect(gate.run('a', never, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await gate.run('a', never, async () => 1)).toBe(1);
});

test('a run is shared by all who ask meanwhile, goes on while one of them waits, and is stopped when the last has left', async () => {
  const runs = new SharedRuns<string>();
  const { begun, work, end } = works();
  const stops: AbortSignal[] = [];
  const asked = (left: AbortController) =>
    runs.run('q', left.signal, (stop) => {
      stops.push(stop);
      return work(`run${stops.length}`)();
    });
  const [one, two, three] = [new AbortController(), new AbortController(), new AbortController()];
  const [first, second] = [asked(one), asked(two)];
  one.abort(new Error('one left'));
  await expect(first).rejects.toThrow('one left');
  expect([begun, stops[0]?.aborted]).toEqual([['run1'], false]);
  await end('run1');
  expect(await second).toBe('run1');

  const third = asked(three);
  three.abort(new Error('the last left'));
  await expect(third).rejects.toThrow('the last left');
  expect(stops[1]?.aborted).toBe(true);
  // Whoever comes now has a run of his own.
  const fourth = asked(new AbortController());
  await end('run2');
  await end('run3');
  expect([await fourth, begun]).toEqual(['run3', ['run1', 'run2', 'run3']]);
});
