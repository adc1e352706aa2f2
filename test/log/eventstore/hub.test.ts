import { expect, test } from 'vitest';
import { createAppender } from '../../../src/log/eventstore/append.ts';
import { openConnection } from '../../../src/log/eventstore/connection.ts';
import { createHub } from '../../../src/log/eventstore/hub.ts';
import { createReader } from '../../../src/log/eventstore/read.ts';
import { createNotifier } from '../../../src/log/notifier.ts';
import type { FollowStep, Log } from '../../../src/log/port.ts';
import { events } from '../../contract/log/contract.ts';
import { opened, until } from '../../support/eventstore/opened.ts';

/** The followers of one process share what comes over the wire. */

function following(log: Log, prefix: string): { readonly ids: string[]; readonly steps: FollowStep[]; stop(): Promise<void> } {
  const abort = new AbortController();
  const found = { ids: [] as string[], steps: [] as FollowStep[] };
  const ended = (async () => {
    for await (const step of log.follow({ prefix, after: null, signal: abort.signal })) {
      found.steps.push(step);
      found.ids.push(...step.events.map(({ id }) => id));
    }
  })();
  const stop = async () => {
    abort.abort();
    await ended;
  };
  return { ...found, stop };
}

test('all followers share one subscription, and each gets its own events', async () => {
  const { server, log } = await opened();
  await log.append('a-1', 'none', events(2));
  const [first, second, other] = [following(log, 'a-'), following(log, 'a-'), following(log, 'b-')];
  await until(() => [first, second, other].every(({ steps }) => steps.some((step) => step.caughtUp)));
  await log.append('a-1', 1, events(30));
  const last = await log.append('b-1', 'none', events(3));
  const all = (await log.read('a-1', { limit: 100, direction: 'forwards' })).map(({ id }) => id);
  await until(() => first.ids.length >= 32 && second.ids.length >= 32 && other.ids.length >= 3);
  expect([first.ids, second.ids]).toEqual([all, all]);
  expect([server.calls.subscriptions, server.started.subscriptions]).toEqual([1, 1]);
  // Events of other streams move a follower on without a read.
  await until(() => last.ok && (first.steps.at(-1)?.position ?? 0n) >= last.position);
  await Promise.all([first, second, other].map((one) => one.stop()));
  await until(() => server.calls.subscriptions === 0);
});

test('a subscription that is ended as too slow gives way to reads that all followers share, and then to a subscription', async () => {
  const { server, log } = await opened();
  const followers = ['a-', 'a-', 'b-'].map((prefix) => following(log, prefix));
  await until(() => followers.every(({ steps }) => steps.some(({ caughtUp }) => caughtUp)));
  const beganAt = performance.now();
  server.faults.tooSlowAfter = 5;
  const rounds = 100;
  for (let n = 0; n < rounds; n++) {
    await log.append('a-1', n === 0 ? 'none' : n * 10 - 1, events(10));
    await log.append('b-1', n === 0 ? 'none' : n * 10 - 1, events(10));
  }
  const stored = await Promise.all(['a-1', 'a-1', 'b-1'].map((stream) => log.read(stream, { limit: rounds * 10, direction: 'forwards' })));
  await until(() => followers.every(({ ids }) => ids.length >= rounds * 10));
  expect(followers.map(({ ids }) => ids)).toEqual(stored.map((all) => all.map(({ id }) => id)));
  // Reading goes on for a second at least before the next subscription.
  expect(server.started.subscriptions).toBeLessThanOrEqual(2 + (performance.now() - beganAt) / 1000);
  server.faults.tooSlowAfter = Number.POSITIVE_INFINITY;
  await until(() => server.calls.subscriptions === 1);
  await log.append('a-1', rounds * 10 - 1, events(3));
  await until(() => followers[1]?.ids.length === rounds * 10 + 3);
  await Promise.all(followers.map((one) => one.stop()));
  await until(() => server.calls.subscriptions === 0);
});

test('a slow follower holds up no other, and misses nothing', async () => {
  const { log } = await opened();
  const abort = new AbortController();
  const slow = log.follow({ prefix: 'a-', after: null, signal: abort.signal })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await slow.next();
    if (done) throw new Error('it ended');
    return value;
  };
  // The first time it has only read what lay there. The second time it has joined the others.
  for (let caughtUp = 0; caughtUp < 2; ) if ((await next()).caughtUp) caughtUp += 1;
  const quick = following(log, 'a-');
  const count = 5_000;
  for (let n = 0; n < count; n += 500) await log.append('a-1', n === 0 ? 'none' : n - 1, events(500));
  await until(() => quick.ids.length === count);
  const ids: string[] = [];
  while (ids.length < count) ids.push(...(await next()).events.map(({ id }) => id));
  expect(ids).toEqual(quick.ids);
  abort.abort();
  await quick.stop();
});

test('own events are remembered until they come back or are refused, and the oldest are forgotten if there are too many', async () => {
  const { server } = await opened();
  const connection = openConnection(server.url);
  const reader = createReader(connection, 5_000);
  const [hub, notifier] = [createHub(connection, reader), createNotifier()];
  const append = createAppender({ connection, hub, reader, timeoutMs: 5_000, maxAppendBytes: 1024 * 1024 });
  const member = hub.join({ prefix: 'a-', after: null, notifier });
  try {
    const given = events(3);
    await append('a-1', 'none', given);
    const taken: unknown[] = [];
    await until(() => taken.push(...member.take(10)) === 3);
    expect([taken, hub.awaited]).toMatchObject([given, 0]);
    expect(await append('a-1', 'none', events(5))).toMatchObject({ ok: false });
    expect(hub.awaited).toBe(0);
    for (let n = 0; n < 60; n++) hub.appending(events(1_000));
    expect(hub.awaited).toBeLessThanOrEqual(20_000);
    const later = events(2);
    await append('a-1', 2, later);
    await until(() => taken.push(...member.take(10)) === 5);
    expect(taken.slice(3)).toMatchObject(later);
  } finally {
    member.close();
    await connection.close();
  }
});
