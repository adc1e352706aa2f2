import { expect, it } from 'vitest';
import { onceNotBehind } from '../../src/console/api/behind.ts';

/** Asks a server whose first answers are behind. */
async function asked(behind: number): Promise<{ readonly times: number; readonly waitedMs: number; readonly isBehind: boolean }> {
  let [times, waitedMs] = [0, 0];
  const ask = async () => {
    times += 1;
    return times <= behind;
  };
  const pause = async (ms: number) => {
    waitedMs += ms;
  };
  const isBehind = await onceNotBehind(ask, (answer) => answer, pause);
  return { times, waitedMs, isBehind };
}

it('a read that is behind what the page has written is asked again until it is not, for ten seconds at most', async () => {
  expect(await asked(0)).toEqual({ times: 1, waitedMs: 0, isBehind: false });
  expect(await asked(3)).toEqual({ times: 4, waitedMs: 750, isBehind: false });
  expect(await asked(Number.POSITIVE_INFINITY)).toEqual({ times: 41, waitedMs: 10_000, isBehind: true });
});
