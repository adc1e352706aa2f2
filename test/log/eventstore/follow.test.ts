import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FollowStep, type Log, LogUnavailable, type NewEvent, type RecordedEvent } from '../../../src/log/port.ts';
import { events, followUntil } from '../../contract/log/contract.ts';
import { opened, openedOn, until, untilAnswered, untilKnown } from '../../support/eventstore/opened.ts';
import type { AppendFate, StandIn } from '../../support/eventstore/server.ts';

const idsOf = (list: readonly { readonly id: string }[]) => list.map((event) => event.id);
const all = { limit: 100_000, direction: 'forwards' } as const;

/** Appends lists one after the other, like a writer, and calls `between` before each. */
async function write(log: Log, stream: string, lists: readonly (readonly NewEvent[])[], between: (n: number) => void = () => undefined) {
  let last = (await untilAnswered(() => log.head(stream)))?.revision ?? -1;
  let failures = 0;
  for (const [n, list] of lists.entries()) {
    between(n);
    const known = await untilKnown(log, stream, last === -1 ? 'none' : last, list);
    last += list.length;
    failures += known.failures.length;
    expect(known.result).toMatchObject({ ok: true, revision: last });
  }
  return failures;
}

/** The rule behind every test here: each event comes once, in order, with none missing in between. */
function complete(seen: readonly RecordedEvent[], lists: readonly (readonly NewEvent[])[]): void {
  expect(idsOf(seen)).toEqual(idsOf(lists.flat()));
  seen.reduce((before, event) => {
    expect(event.position > before).toBe(true);
    return event.position;
  }, -1n);
}

const lists = (count: number, each = 3) => Array.from({ length: count }, () => events(each));

test('subscriptions that end as too slow again and again: no gap, no duplicate, no disorder', async () => {
  const { server, log } = await opened();
  server.faults.tooSlowAfter = 7;
  const sent = lists(60);
  const following = followUntil(log, { prefix: 'a', after: null }, (seen) => seen.length >= 180);
  await write(log, 'a', sent, (n) => void log.append(`b${n}`, 'none', events(1)));
  complete((await following).events, sent);
});

test('connections that break under writers and followers: nothing acknowledged is lost or doubled, followers see each event once', async () => {
  const fates = fc.array(fc.constantFrom<AppendFate>('answered', 'cutBefore', 'cutAfter', 'silentBefore', 'silentAfter', 'notReady'), {
    minLength: 20,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(fates, async (planned) => {
      const { server, log } = await opened({ timeoutMs: 300 });
      server.faults.appends = [...planned];
      const sent = [lists(10), lists(10)];
      const following = [0, 1].map((n) => followUntil(log, { prefix: `s${n}`, after: null }, (seen) => seen.length >= 30));
      await Promise.all(sent.map((list, n) => write(log, `s${n}`, list)));
      for (const [n, { events: seen }] of (await Promise.all(following)).entries()) {
        complete(seen, sent[n] ?? []);
        expect(idsOf(await untilAnswered(() => log.read(`s${n}`, all)))).toEqual(idsOf((sent[n] ?? []).flat()));
      }
    }),
    { numRuns: 4 },
  );
});

test('a server that crashes four times lets writer and follower resume', async () => {
  const { server, log } = await opened({ timeoutMs: 500 });
  const sent = lists(80);
  const following = followUntil(log, { prefix: 'a', after: null }, (seen) => seen.length >= 240);
  const failures = await write(log, 'a', sent, (n) => {
    if (n % 20 !== 10) return;
    server.crash();
    setTimeout(() => void server.start(), 50);
  });
  expect(failures).toBeGreaterThan(0);
  complete((await following).events, sent);
  expect(idsOf(await untilAnswered(() => log.read('a', all)))).toEqual(idsOf(sent.flat()));
});

test('a silent subscription is bridged by reads and replaced', async () => {
  const { server, log } = await opened();
  server.faults.subscriptionsSilent = true;
  const sent = lists(20);
  let muted = 0;
  const following = followUntil(log, { prefix: 'a', after: null }, (seen) => {
    muted = Math.max(muted, seen.length);
    return seen.length >= 60;
  });
  await until(() => server.calls.subscriptions === 1);
  await write(log, 'a', sent.slice(0, 10));
  await until(() => muted === 30);
  server.faults.subscriptionsSilent = false;
  await write(log, 'a', sent.slice(10));
  complete((await following).events, sent);
});

test('no follower is caught up while the server is frozen; afterwards every event arrives', async () => {
  const { server, log } = await opened({ timeoutMs: 300 });
  await untilKnown(log, 'a', 'none', events(1));
  const steps: FollowStep[] = [];
  const sent = lists(1);
  const following = followUntil(log, { prefix: 'a', after: await untilAnswered(() => log.end()) }, (seen, step) => {
    steps.push(step);
    return seen.length >= 3;
  });
  await until(() => steps.some((step) => step.caughtUp));
  server.network.freeze();
  await expect(log.end()).rejects.toBeInstanceOf(LogUnavailable);
  const before = steps.length;
  await expect(log.end()).rejects.toBeInstanceOf(LogUnavailable);
  expect(steps.slice(before)).toEqual([]);
  server.network.restore();
  await untilKnown(log, 'a', 0, sent[0] ?? []);
  complete((await following).events, sent);
});

test('reads that are not ready or silent stop no follower for good', async () => {
  const { server, log } = await opened({ timeoutMs: 200 });
  const sent = lists(3);
  const following = followUntil(log, { prefix: 'a', after: null }, (seen) => seen.length >= 9);
  await write(log, 'a', sent.slice(0, 1));
  server.faults.readsNotReady = true;
  await expect(log.end()).rejects.toBeInstanceOf(LogUnavailable);
  await untilKnown(log, 'a', 2, sent[1] ?? []);
  server.faults.readsSilent = true;
  server.faults.readsNotReady = false;
  await expect(log.end()).rejects.toBeInstanceOf(LogUnavailable);
  server.faults.readsSilent = false;
  await write(log, 'a', sent.slice(2));
  complete((await following).events, sent);
});

test('a follower that resumes at a scavenged event does not skip the next one', async () => {
  const { server, log } = await opened();
  await log.append('telemetry', 'none', events(5));
  const after = await log.end();
  const sent = lists(3);
  await write(log, 'a', sent);
  server.store.scavenge('telemetry');
  const { events: seen } = await followUntil(log, { prefix: 'a', after }, (list) => list.length >= 9);
  complete(seen, sent);
});

test('a position moves on over many events of other streams, and can be resumed from at every step', async () => {
  const { log } = await opened();
  for (let n = 0; n < 10; n++) await log.append('other', n === 0 ? 'none' : n * 100 - 1, events(100));
  const sent = lists(1);
  await write(log, 'a', sent);
  const seen: RecordedEvent[] = [];
  let after: bigint | null = null;
  while (seen.length < 3) {
    const once = await followUntil(log, { prefix: 'a', after }, () => true);
    const at: bigint | undefined = once.steps.at(-1)?.position;
    if (at === undefined || at === after) throw new Error(`stuck at ${after}`);
    after = at;
    seen.push(...once.events);
  }
  complete(seen, sent);
});

test('a slow follower gets a backlog larger than its queue, in order', async () => {
  const { log } = await opened();
  const sent = lists(8, 1000);
  await write(log, 'a', sent);
  const seen: RecordedEvent[] = [];
  const stop = new AbortController();
  for await (const step of log.follow({ prefix: 'a', after: null, signal: stop.signal })) {
    seen.push(...step.events);
    // Long enough at first that more events arrive than are held.
    for (let n = 0; seen.length < 500 && n < 20; n++) await log.head('a');
    if (step.caughtUp && seen.length >= 8000) stop.abort();
  }
  complete(seen, sent);
});

test('a follower beyond the end of the log is never caught up', async () => {
  const { server, log } = await opened();
  await log.append('a', 'none', events(3));
  const stop = new AbortController();
  const first = log
    .follow({ prefix: 'a', after: ((await log.end()) ?? 0n) + 1000n, signal: stop.signal })
    [Symbol.asyncIterator]()
    .next();
  await retried(server);
  stop.abort();
  expect((await first).done).toBe(true);
});

/** Resolves after a few reads have been made. */
async function retried(server: StandIn): Promise<void> {
  const before = server.started.reads;
  await until(() => server.started.reads >= before + 3);
}

test('an empty prefix follows all streams but those of the server itself', async () => {
  const { log } = await opened();
  await log.append('$settings', 'none', events(1));
  const sent = lists(2, 1);
  await log.append('a', 'none', sent[0] ?? []);
  await log.append('b', 'none', sent[1] ?? []);
  complete((await followUntil(log, { prefix: '', after: null }, (_, step) => step.caughtUp)).events, sent);
});

test('a follower that ends leaves no call open on the server', async () => {
  const { server, log } = await opened();
  await log.append('a', 'none', events(3));
  const following = followUntil(log, { prefix: 'a', after: null }, (_, step) => step.caughtUp && step.events.length === 0);
  await until(() => server.calls.subscriptions === 1);
  await following;
  for await (const step of log.follow({ prefix: 'a', after: null, signal: new AbortController().signal })) {
    if (step.caughtUp && step.events.length === 0) break;
  }
  await until(() => server.calls.subscriptions === 0 && server.calls.reads === 0);
});

test('followers of two processes see one order', async () => {
  const { server, log } = await opened();
  const other = openedOn(server.url);
  const following = [log, other].map((one) => followUntil(one, { prefix: 'a', after: null }, (seen) => seen.length >= 120));
  await Promise.all([write(log, 'a1', lists(20)), write(other, 'a2', lists(20))]);
  const [mine, theirs] = await Promise.all(following);
  expect(mine?.events).toEqual(theirs?.events);
});
