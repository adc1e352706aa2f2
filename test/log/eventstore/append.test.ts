import { setTimeout as pause } from 'node:timers/promises';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { createEventStoreLog, StreamDeleted } from '../../../src/log/eventstore/log.ts';
import { AppendTooLarge, LogUnavailable, type NewEvent, OutcomeUnknown } from '../../../src/log/port.ts';
import { anEvent, events } from '../../contract/log/contract.ts';
import { opened, openedOn, until, untilAnswered, untilKnown } from '../../support/eventstore/opened.ts';
import type { AppendFate } from '../../support/eventstore/server.ts';

const MIB = 1024 * 1024;
const all = { limit: 10_000, direction: 'forwards' } as const;
const idsOf = (list: readonly { readonly id: string }[]) => list.map((event) => event.id);

/** An event that the server counts as `bytes`: its data, its metadata as a JSON string, and twice its type. */
function eventOf(bytes: number): NewEvent {
  const event = anEvent('""', '{}');
  return { ...event, data: JSON.stringify('x'.repeat(bytes - 2 - 2 - 2 * event.type.length)) };
}

describe('size', () => {
  test('an append of exactly the limit is stored; a byte more is refused before anything is sent', async () => {
    const { server, log } = await opened();
    expect(await log.append('a', 'none', [eventOf(MIB / 2), eventOf(MIB / 2)])).toMatchObject({ ok: true, revision: 1 });
    server.faults.appends = ['unknown'];
    await expect(log.append('a', 1, [eventOf(MIB / 2), eventOf(MIB / 2 + 1)])).rejects.toBeInstanceOf(AppendTooLarge);
    expect(server.faults.appends).toHaveLength(1);
  });

  test('a server that takes less says so, and nothing is stored', async () => {
    const { log } = await opened({ maxAppendBytes: 64 * MIB });
    await expect(log.append('a', 'none', [eventOf(2 * MIB)])).rejects.toBeInstanceOf(AppendTooLarge);
    expect(await log.head('a')).toBeNull();
  });

  test('a message that kills the call of all appends leaves them unknown; each sent again gets its answer', async () => {
    const { server, log } = await opened({ maxAppendBytes: 64 * MIB });
    server.faults.appends = ['silentAfter'];
    const list = events(2);
    const other = log.append('a', 'none', list);
    const killer = log.append('b', 'none', [eventOf(17 * MIB)]);
    await expect(killer).rejects.toBeInstanceOf(OutcomeUnknown);
    await expect(other).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(await log.append('a', 'none', list)).toMatchObject({ ok: true, revision: 1 });
    expect(await log.head('b')).toBeNull();
  });
});

describe('an append without an answer', () => {
  test.each<[AppendFate, number]>([
    ['silentBefore', 1],
    ['silentAfter', 2],
    ['cutBefore', 1],
    ['cutAfter', 2],
  ])('%s: unknown; the same append again gets the first answer and is stored once', async (fate, stored) => {
    const { server, log } = await opened({ timeoutMs: 400 });
    // On a busy machine the first answer alone may take longer than the adapter waits here.
    await untilKnown(log, 'a', 'none', events(1));
    server.faults.appends = [fate];
    const list = events(3);
    await expect(log.append('a', 0, list)).rejects.toBeInstanceOf(OutcomeUnknown);
    await expect.poll(async () => (await server.store.stream('a'))?.length).toBe(stored === 1 ? 1 : 4);
    const { result: first } = await untilKnown(log, 'a', 0, list);
    expect(first).toMatchObject({ ok: true, revision: 3 });
    await untilKnown(log, 'a', 3, events(2));
    expect((await untilKnown(log, 'a', 0, list)).result).toEqual(first);
    expect(await log.read('a', all)).toHaveLength(6);
  });

  test('a frozen server: appends are unknown and reads fail after their own time; thawed, it goes on', async () => {
    const { server, log } = await opened({ timeoutMs: 300 });
    await untilKnown(log, 'a', 'none', events(1));
    server.network.freeze();
    const list = events(2);
    await expect(log.append('a', 0, list)).rejects.toBeInstanceOf(OutcomeUnknown);
    await expect(log.read('a', all)).rejects.toBeInstanceOf(LogUnavailable);
    await expect(log.head('a')).rejects.toBeInstanceOf(LogUnavailable);
    await expect(log.end()).rejects.toBeInstanceOf(LogUnavailable);
    server.network.restore();
    expect((await untilKnown(log, 'a', 0, list)).result).toMatchObject({ ok: true, revision: 2 });
    expect(await untilAnswered(() => log.read('a', all))).toHaveLength(3);
  });

  test('answers that are held back leave stored appends unknown, and come as the first answer later', async () => {
    const { server, log } = await opened({ timeoutMs: 300 });
    await untilKnown(log, 'a', 'none', events(1));
    server.network.dropAnswers();
    const list = events(2);
    await expect(log.append('a', 0, list)).rejects.toBeInstanceOf(OutcomeUnknown);
    await expect.poll(() => server.store.stream('a')).toHaveLength(3);
    server.network.restore();
    expect((await untilKnown(log, 'a', 0, list)).result).toMatchObject({ ok: true, revision: 2 });
  });

  test('a dead connection that looks open is replaced after one time-out', async () => {
    const { server, log } = await opened({ timeoutMs: 2000 });
    await log.append('a', 'none', events(1));
    server.network.strand();
    const list = events(1);
    await expect(log.append('a', 0, list)).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(await log.append('a', 0, list)).toMatchObject({ ok: true, revision: 1 });
    expect(server.network.open).toBe(2);
  });

  test('a read that was under way on the dead connection goes over the new one', async () => {
    const { server, log } = await opened({ timeoutMs: 2000 });
    await log.append('a', 'none', events(1));
    server.network.strand();
    const unanswered = expect(log.append('a', 0, events(1))).rejects.toBeInstanceOf(OutcomeUnknown);
    await pause(500);
    const head = log.head('a');
    await unanswered;
    expect(await head).toMatchObject({ revision: 0 });
  });

  test('a single append without an answer does not cost the others their connection', async () => {
    const { server, log } = await opened({ timeoutMs: 2000 });
    await log.append('a', 'none', events(1));
    server.faults.appends = ['silentBefore'];
    const silent = expect(log.append('a', 0, events(1))).rejects.toBeInstanceOf(OutcomeUnknown);
    await log.append('b', 'none', events(1));
    await silent;
    await log.append('b', 0, events(1));
    expect(server.network.open).toBe(1);
  });
});

test('a server whose clock is minutes ahead of ours takes appends', async () => {
  const { server, log } = await opened();
  server.faults.clockAheadMs = 5 * 60_000;
  expect(await log.append('a', 'none', events(1))).toMatchObject({ ok: true, revision: 0 });
});

describe('a server that is no leader', () => {
  test('names the leader, to which the append goes and where it is stored once', async () => {
    const { server, log } = await opened();
    const { server: leader } = await opened();
    await log.append('a', 'none', events(1));
    server.faults.leaderPort = leader.network.port;
    const list = events(2);
    expect((await untilKnown(log, 'b', 'none', list)).result).toMatchObject({ ok: true, revision: 1 });
    expect(await server.store.stream('b')).toBeNull();
    expect(await leader.store.stream('b')).toHaveLength(2);
    expect(await log.append('b', 1, events(1))).toMatchObject({ ok: true, revision: 2 });
  });

  test('names the leader for reads, too', async () => {
    const { server, log } = await opened();
    const { server: leader, log: there } = await opened();
    await there.append('a', 'none', events(3));
    server.faults.leaderPort = leader.network.port;
    await expect(log.head('a')).rejects.toBeInstanceOf(LogUnavailable);
    expect(await log.head('a')).toMatchObject({ revision: 2 });
  });
});

describe("a server's refusal of an append", () => {
  test.each<[AppendFate, unknown]>([
    ['notReady', LogUnavailable],
    ['busy', LogUnavailable],
    ['denied', LogUnavailable],
    ['timedOut', OutcomeUnknown],
    ['unknown', OutcomeUnknown],
  ])('%s', async (fate, kind) => {
    const { server, log } = await opened();
    server.faults.appends = [fate];
    const list = events(1);
    await expect(log.append('a', 'none', list)).rejects.toBeInstanceOf(kind);
    expect(await log.append('a', 'none', list)).toMatchObject({ ok: true, revision: 0 });
  });

  test('a bad request is neither unknown nor tried again', async () => {
    const { server, log } = await opened();
    server.faults.appends = ['badRequest'];
    const error: unknown = await log.append('a', 'none', events(1)).catch((reason: unknown) => reason);
    expect(error instanceof OutcomeUnknown || error instanceof LogUnavailable).toBe(false);
    expect(String(error)).toContain('refused');
  });

  test('an append that a server would refuse for its form is not sent', async () => {
    const { log } = await opened();
    await expect(log.append('', 'none', events(1))).rejects.toThrow(TypeError);
    await expect(log.append('a', 'none', [{ ...anEvent(), id: 'no id' }])).rejects.toThrow(TypeError);
    await expect(log.append('a', 'none', [{ ...anEvent(), type: '' }])).rejects.toThrow(TypeError);
    await expect(log.append('a', -1, events(1))).rejects.toThrow(TypeError);
    await expect(log.append('a', 2 ** 53, events(1))).rejects.toThrow(TypeError);
  });
});

describe('no connection', () => {
  test('an append to a port without a server is certain not to be stored', async () => {
    const { server, log } = await opened();
    server.crash();
    await expect(log.append('a', 'none', events(1))).rejects.toBeInstanceOf(LogUnavailable);
    await expect(log.read('a', all)).rejects.toBeInstanceOf(LogUnavailable);
    await expect(log.head('a')).rejects.toBeInstanceOf(LogUnavailable);
    await expect(log.end()).rejects.toBeInstanceOf(LogUnavailable);
    await server.start();
    expect(await log.append('a', 'none', events(1))).toMatchObject({ ok: true, revision: 0 });
  });

  test('TLS against a server without TLS is certain, too', async () => {
    const { server } = await opened();
    const log = openedOn(server.url.replace('?tls=false', ''));
    await expect(log.append('a', 'none', events(1))).rejects.toBeInstanceOf(LogUnavailable);
  });

  test.each([status.UNAVAILABLE, status.UNKNOWN, status.UNAUTHENTICATED])(
    'a client whose first question failed (code %i) is not stuck with that failure',
    async (code) => {
      const { server, log } = await opened();
      server.faults.featuresFail = code;
      await expect(log.append('a', 'none', events(1))).rejects.toBeInstanceOf(LogUnavailable);
      server.faults.featuresFail = null;
      expect(await log.append('a', 'none', events(1))).toMatchObject({ ok: true, revision: 0 });
    },
  );

  test('reads of a server that is not ready are unavailable', async () => {
    const { server, log } = await opened();
    server.faults.readsNotReady = true;
    await expect(log.read('a', all)).rejects.toBeInstanceOf(LogUnavailable);
    server.faults.readsNotReady = false;
    expect(await log.read('a', all)).toEqual([]);
  });

  test('a connection string that cannot work is refused at once', () => {
    expect(() => createEventStoreLog({ url: 'http://127.0.0.1' })).toThrow();
    expect(() => createEventStoreLog({ url: 'esdb://127.0.0.1:2113?tls=false&throwOnAppendFailure=false' })).toThrow(TypeError);
  });
});

describe('the one table of waiting appends that all clients of a process share', () => {
  test('an error on one server leaves an append to another unknown; its late answer does no harm', async () => {
    const [one, two] = [await opened({ timeoutMs: 5000 }), await opened({ timeoutMs: 5000 })];
    await one.log.append('a', 'none', events(1));
    await two.log.append('a', 'none', events(1));
    two.server.network.dropAnswers();
    const list = events(2);
    const waiting = two.log.append('a', 0, list);
    one.server.faults.appends = ['cutBefore'];
    await expect(one.log.append('a', 0, events(1))).rejects.toBeInstanceOf(OutcomeUnknown);
    await expect(waiting).rejects.toBeInstanceOf(OutcomeUnknown);
    two.server.network.restore();
    expect(await two.log.append('a', 0, list)).toMatchObject({ ok: true, revision: 2 });
  });

  test('appends beyond what a connection takes all get their outcome when it breaks', async () => {
    const { server, log } = await opened();
    await log.append('a', 'none', events(1));
    server.network.freeze();
    const waiting = Array.from({ length: 100 }, (_, n) => log.append(`b${n}`, 'none', [eventOf(50_000)]));
    const outcomes = Promise.allSettled(waiting);
    server.network.disconnect();
    for (const outcome of await outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(OutcomeUnknown) });
    server.network.restore();
    expect(await log.append('a', 0, events(1))).toMatchObject({ ok: true, revision: 1 });
  });

  test('on a fresh connection, too, appends are sent in the order they were asked for', async () => {
    const { log } = await opened();
    const lists = Array.from({ length: 10 }, () => events(2));
    const results = await Promise.all(lists.map((list, n) => log.append('a', n === 0 ? 'none' : 2 * n - 1, list)));
    expect(results.every((result) => result.ok)).toBe(true);
    expect(idsOf(await log.read('a', all))).toEqual(idsOf(lists.flat()));
  });
});

describe('streams deleted in the log itself', () => {
  test('a tombstone is a clear error for ever', async () => {
    const { server, log } = await opened();
    await log.append('a', 'none', events(1));
    server.store.tombstone('a');
    await expect(log.append('a', 0, events(1))).rejects.toBeInstanceOf(StreamDeleted);
    await expect(log.read('a', all)).rejects.toBeInstanceOf(StreamDeleted);
    await expect(log.head('a')).rejects.toBeInstanceOf(StreamDeleted);
  });

  test('a soft delete reads as missing, and writing on with its old numbers is a clear error', async () => {
    const { server, log } = await opened();
    await log.append('a', 'none', events(3));
    server.store.softDelete('a');
    expect(await log.read('a', all)).toEqual([]);
    expect(await log.head('a')).toBeNull();
    await expect(log.append('a', 'none', events(1))).rejects.toBeInstanceOf(StreamDeleted);
  });
});

test('events of other programs are readable, as JSON printed anew', async () => {
  const { server, log } = await opened();
  const client = EventStoreDBClient.connectionString(server.url);
  await client.appendToStream('a', [
    jsonEvent({ type: 'other', data: { b: [1, 'x'] }, metadata: { m: 1 } }),
    jsonEvent({ type: 'bare', data: 'text' }),
  ]);
  await client.dispose();
  expect(await log.read('a', all)).toMatchObject([
    { type: 'other', data: '{"b":[1,"x"]}', metadata: '{"m":1}' },
    { type: 'bare', data: '"text"', metadata: 'null' },
  ]);
});

test('a server without the batched append serves as well', async () => {
  const { server, log } = await opened({ batchAppend: false });
  const list = events(3);
  expect(await log.append('a', 'none', list)).toMatchObject({ ok: true, revision: 2 });
  expect(await log.append('a', 'none', list)).toMatchObject({ ok: true, revision: 2 });
  expect(await log.append('a', 'none', events(1))).toEqual({ ok: false, actual: 2 });
  expect(await log.append('b', 4, [])).toEqual({ ok: false, actual: 'none' });
  expect(idsOf(await log.read('a', all))).toEqual(idsOf(list));
  server.faults.appends = ['notReady', 'cutAfter'];
  await expect(log.append('a', 2, events(1))).rejects.toBeInstanceOf(LogUnavailable);
  const more = events(1);
  await expect(log.append('a', 2, more)).rejects.toBeInstanceOf(OutcomeUnknown);
  expect(await log.append('a', 2, more)).toMatchObject({ ok: true, revision: 3 });
  server.store.tombstone('a');
  await expect(log.append('a', 3, events(1))).rejects.toBeInstanceOf(StreamDeleted);
});

test('closing ends every call on the server, and leaves appends under way unknown', async () => {
  const { server, log } = await opened();
  await log.append('a', 'none', events(1));
  const following = (async () => {
    for await (const _ of log.follow({ prefix: 'a', after: null, signal: new AbortController().signal }));
  })();
  await until(() => server.calls.subscriptions === 1);
  server.faults.appends = ['silentBefore'];
  const waiting = expect(log.append('a', 0, events(1))).rejects.toBeInstanceOf(OutcomeUnknown);
  await until(() => server.faults.appends.length === 0);
  await Promise.all([log.close(), log.close(), waiting, following]);
  await until(() => Object.values(server.calls).every((open) => open === 0));
  await expect(log.append('a', 0, events(1))).rejects.toBeInstanceOf(LogUnavailable);
  await expect(log.read('a', all)).rejects.toBeInstanceOf(LogUnavailable);
});

test('a read that closing interrupts fails; it is not taken for a stream without events', async () => {
  const { server, log } = await opened();
  await log.append('a', 'none', events(3));
  server.faults.readsSilent = true;
  const reads = [log.read('a', all), log.head('a'), log.end()].map((read) => expect(read).rejects.toBeInstanceOf(LogUnavailable));
  await until(() => server.calls.reads === 3);
  await log.close();
  await Promise.all(reads);
});
