import { expect, test } from 'vitest';
import { followToEnd, followWithTimeout } from '../../src/log/follow.ts';
import { LogUnavailable } from '../../src/log/port.ts';
import { events } from '../contract/log/contract.ts';
import { opened, untilKnown } from '../support/eventstore/opened.ts';

test('the log is followed to its end, and no further', async () => {
  const { log } = await opened();
  await log.append('a', 'none', events(250));
  await log.append('b', 'none', events(1));
  let seen = 0;
  for await (const step of followToEnd(log, 'a')) seen += step.events.length;
  expect(seen).toBe(250);
});

test('work that waits for an unreachable log ends and says why', async () => {
  const { server, log } = await opened({ timeoutMs: 200 });
  await untilKnown(log, 'a', 'none', events(1));
  const troubles: unknown[] = [];
  const following = async () => {
    const { signal } = new AbortController();
    for await (const _ of followWithTimeout(log, { prefix: 'a', after: null, signal, onError: (error) => troubles.push(error) }, 1500)) {
      server.crash();
    }
  };
  const failure = await following().catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(LogUnavailable);
  expect(String(failure)).toMatch(/not answered for 1.5 s: the log cannot be reached/);
  expect(troubles.length).toBeGreaterThan(0);
});
