import { expect, test } from 'vitest';
import { Scans } from '../../../src/app/project/scans.ts';
import { realScheduler, type Scheduler } from '../../../src/kernel/scheduler.ts';

const never = new AbortController().signal;

/** Deadlines pass when told to. */
function stage() {
  const late: (() => void)[] = [];
  const seen = { ended: 0, refused: 0 };
  const scheduler: Scheduler = {
    ...realScheduler,
    after(_, task) {
      late.push(task);
      return () => undefined;
    },
  };
  const observer = {
    ended: () => {
      seen.ended += 1;
    },
    refused: () => {
      seen.refused += 1;
    },
  };
  return { scans: new Scans({ slots: 1, timeoutMs: 5 }, scheduler, observer), late, seen };
}

/** A scan that goes on until it is stopped, as one does between its pages. */
const untilStopped = (stop: AbortSignal) =>
  new Promise<never>((_, reject) => stop.addEventListener('abort', () => reject(stop.reason), { once: true }));

test('a scan beyond its deadline ends with QUERY_TIMEOUT, one that never began with BUSY, and the project can scan again', async () => {
  const { scans, late, seen } = stage();
  const running = scans.run('p', never, untilStopped);
  const waiting = scans.run('p', never, untilStopped);
  expect([scans.running, scans.waiting]).toEqual([1, 1]);
  late[1]?.();
  await expect(waiting).rejects.toMatchObject({ status: 503, code: 'BUSY' });
  late[0]?.();
  await expect(running).rejects.toMatchObject({ status: 503, code: 'QUERY_TIMEOUT' });
  expect([scans.running, scans.waiting, seen]).toEqual([0, 0, { ended: 1, refused: 2 }]);
  expect(await scans.run('p', never, async () => 'next')).toBe('next');
});

test('a scan that nobody waits for is stopped while it runs, and is no refusal', async () => {
  const { scans, seen } = stage();
  const left = new AbortController();
  const running = scans.run('p', left.signal, untilStopped);
  left.abort(new Error('left'));
  await expect(running).rejects.toThrow('left');
  expect([scans.running, seen]).toEqual([0, { ended: 1, refused: 0 }]);
});
