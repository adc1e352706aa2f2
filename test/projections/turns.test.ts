import { expect, test } from 'vitest';
import { OF_REBUILDS, pauseAfter, takeTurn } from '../../projections/projector/turns.ts';
import { Neighbours } from '../../src/kernel/neighbours.ts';

test('after a page a fill pauses a quarter as long, as long while another project is in use, four times as long while batches fall behind', () => {
  let now = 5_000;
  const neighbours = new Neighbours({ monotonic: () => now });
  const pause = (projectId: string, isBehind = false, heldMs = 80) =>
    pauseAfter(heldMs, { isBehind, isAlone: neighbours.isAlone(projectId) });
  expect(pause('filled')).toBe(20);
  neighbours.used('filled');
  expect(pause('filled')).toBe(20);
  neighbours.used('other');
  neighbours.used('filled');
  expect([pause('filled'), pause('other'), pause('third')]).toEqual([80, 80, 80]);
  expect(pause('filled', true)).toBe(320);
  now += 1_001;
  neighbours.used('filled');
  expect([pause('filled'), pause('other')]).toEqual([20, 80]);
  expect(pause('filled', true)).toBe(320);
});

test('a page on a slow machine makes no longer pause than one of 100 ms', () => {
  const pause = (isBehind: boolean) => pauseAfter(30_000, { isBehind, isAlone: false });
  expect([pause(false), pause(true)]).toEqual([100, 400]);
});

test('a rebuild does not pause where nobody writes, half as long as a page while others do, four times as long while batches fall behind', () => {
  const pause = (isAlone: boolean, isBehind: boolean) => pauseAfter(80, { isAlone, isBehind }, OF_REBUILDS);
  expect([pause(true, false), pause(false, false), pause(false, true)]).toEqual([0, 40, 320]);
});

/** What a view that is behind does in one turn: pages of `pageMs` each, `pages` of them. */
async function turn(pages: number, pageMs: number) {
  let now = 0;
  let left = pages;
  const step = async () => {
    if (left === 0) return false;
    left -= 1;
    now += pageMs;
    return true;
  };
  const goesOn = await takeTurn(step, () => now);
  return { done: pages - left, goesOn };
}

test('a view that is behind catches up for 300 ms or one page, then other work of its project has its turn', async () => {
  expect(await turn(100, 50)).toEqual({ done: 7, goesOn: true });
  expect(await turn(100, 2_000)).toEqual({ done: 1, goesOn: true });
  expect(await turn(3, 50)).toEqual({ done: 3, goesOn: false });
  expect(await turn(0, 50)).toEqual({ done: 0, goesOn: false });
});
