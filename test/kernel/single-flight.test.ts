import { expect, test } from 'vitest';
import { SingleFlight } from '../../src/kernel/single-flight.ts';
import { works } from './works.ts';

test('a run is shared by concurrent callers, goes on while one of them waits, and is stopped when the last has left', async () => {
  const runs = new SingleFlight<string>();
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
  // A caller who comes now gets a run of its own.
  const fourth = asked(new AbortController());
  await end('run2');
  await end('run3');
  expect([await fourth, begun]).toEqual(['run3', ['run1', 'run2', 'run3']]);
});
