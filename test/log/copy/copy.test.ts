import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { TwoHistories } from '../../../src/log/copy/copy.ts';
import { logSource, logTarget } from '../../../src/log/copy/log-ends.ts';
import { createMemoryLog } from '../../../src/log/memory/log.ts';
import { AppendTooLarge, type Log, LogUnavailable, OutcomeUnknown, type RecordedEvent } from '../../../src/log/port.ts';
import { postgresLog, postgresLogDatabase } from '../../support/postgres-log.ts';
import { allOf, copy, copyLogs, DENSE, EVENTS_OF_A_ROUND, fill, HARD_TEXTS, Writer } from './support.ts';

const open: Log[] = [];
afterEach(async () => {
  for (const log of open.splice(0)) await log.close();
});

async function freshPostgres(): Promise<Log> {
  const log = postgresLog(await postgresLogDatabase());
  open.push(log);
  return log;
}

/** `log`, but appends first go through `change`, which may throw. */
function changed(log: Log, before: (call: number) => void, after: (call: number) => void = () => undefined): Log {
  let call = 0;
  return {
    ...log,
    async append(stream, expected, events) {
      const now = call++;
      before(now);
      const result = await log.append(stream, expected, events);
      after(now);
      return result;
    },
  };
}

test('Postgres → memory → Postgres gives the same events at the same places, byte for byte', async () => {
  const [first, memory, last] = [await freshPostgres(), createMemoryLog(), await freshPostgres()];
  await fill(first, 5);
  expect(await copyLogs(first, memory)).toMatchObject({ copied: 40, skipped: 0, events: 40, streams: 6, complete: true });
  expect(await copyLogs(memory, last)).toMatchObject({ copied: 40, complete: true });
  const events = await allOf(last);
  expect(events).toEqual(await allOf(first));
  expect(events.slice(0, 4).map(({ data }) => data)).toEqual(HARD_TEXTS);
});

test('a second run copies only new events', async () => {
  const [from, to] = [createMemoryLog(), createMemoryLog()];
  const writer = await fill(from);
  await copyLogs(from, to);
  expect(await copyLogs(from, to)).toMatchObject({ copied: 0, skipped: 10 * EVENTS_OF_A_ROUND, complete: true });
  await writer.write('project-b', '{"new":1}', '{"new":2}');
  await writer.write('project-new', '{}');
  expect(await copyLogs(from, to)).toMatchObject({ copied: 3, skipped: 80, events: 83, streams: 2 });
  expect(await allOf(to)).toEqual(await allOf(from));
});

test('where positions do not count events, a second run compares stream by stream and copies the same', async () => {
  const [from, to] = [createMemoryLog(), createMemoryLog()];
  const writer = await fill(from);
  const options = { target: logTarget(to, { hasDensePositions: false }) };
  await copyLogs(from, to, options);
  await writer.write('project-b', '{"new":1}');
  expect(await copyLogs(from, to, options)).toMatchObject({ copied: 1, skipped: 80, streams: 6 });
  expect(await allOf(to)).toEqual(await allOf(from));
});

test('other programs’ streams stay where they are', async () => {
  const [from, to] = [createMemoryLog(), createMemoryLog()];
  await from.append('orders-7', 'none', [{ id: randomUUID(), type: 'ordered', data: '{}', metadata: '{}' }]);
  await fill(from, 2);
  for (const copied of [16, 0]) expect(await copyLogs(from, to)).toMatchObject({ copied, complete: true });
  expect(await to.head('orders-7')).toBeNull();
});

test('a target with events of another source gets the missing events, whatever its last event is', async () => {
  const [one, other, to] = [createMemoryLog(), createMemoryLog(), createMemoryLog()];
  await new Writer(one).write('project-one', '{"a":1}', '{"a":2}');
  await new Writer(other).write('project-other', '{"b":1}');
  await copyLogs(other, to);
  expect(await copyLogs(one, to)).toMatchObject({ copied: 2, complete: true });
  // Now `one` ends with the events that `to` begins with, and holds all that `to` holds. The shortcut must not take `to` for a beginning of
  // it.
  await copyLogs(to, one);
  await new Writer(other).write('project-more', '{}');
  await copyLogs(other, one);
  expect(await copyLogs(one, to)).toMatchObject({ copied: 1, skipped: 3 });
});

describe('an interruption', () => {
  test('in the middle leaves a beginning of the source, and the next run goes on from it', async () => {
    const [from, to] = [createMemoryLog(), await freshPostgres()];
    await fill(from);
    for (const appends of [7, 1, 12]) {
      const stop = new AbortController();
      const target = changed(
        to,
        () => undefined,
        (call) => call === appends - 1 && stop.abort(),
      );
      expect(await copyLogs(from, target, { signal: stop.signal })).toMatchObject({ complete: false });
      const there = await allOf(to);
      expect(there).toEqual((await allOf(from)).slice(0, there.length));
    }
    const result = await copyLogs(from, to);
    expect(result).toMatchObject({ events: 80, complete: true });
    expect(result.skipped).toBeGreaterThan(20);
    expect(await allOf(to)).toEqual(await allOf(from));
  });

  test('ends the repetition of an append, too', async () => {
    const [from, to, stop] = [createMemoryLog(), createMemoryLog(), new AbortController()];
    await fill(from);
    const target = changed(to, (call) => {
      if (call === 5) stop.abort();
      if (call >= 3) throw new LogUnavailable('gone');
    });
    expect(await copyLogs(from, target, { signal: stop.signal })).toMatchObject({ complete: false });
    expect(await copyLogs(from, to)).toMatchObject({ complete: true, events: 80 });
  });
});

test('an unknown outcome is resolved by the identical append, stored or not', async () => {
  const [from, to] = [createMemoryLog(), createMemoryLog()];
  await fill(from);
  const lost = () => {
    throw new OutcomeUnknown('no answer');
  };
  const target = changed(
    to,
    (call) => call % 5 === 1 && lost(),
    (call) => call % 5 === 3 && lost(),
  );
  expect(await copyLogs(from, target)).toMatchObject({ copied: 80, skipped: 0 });
  expect(await allOf(to)).toEqual(await allOf(from));
});

describe('appends that are sent at once', () => {
  test('keep the order of the source', async () => {
    const [from, to] = [createMemoryLog(), await freshPostgres()];
    await fill(from, 20);
    expect(await copyLogs(from, to, { target: logTarget(to, { hasDensePositions: true, maxConcurrentAppends: 64 }) })).toMatchObject({
      copied: 160,
    });
    expect(await allOf(to)).toEqual(await allOf(from));
  });

  test('are sent again one by one when their outcome is unknown, and are stored once', async () => {
    const [from, to] = [createMemoryLog(), await freshPostgres()];
    await fill(from, 20);
    const lost = () => {
      throw new OutcomeUnknown('no answer');
    };
    const flaky = changed(
      to,
      (call) => call % 7 === 1 && lost(),
      (call) => call % 7 === 4 && lost(),
    );
    expect(await copyLogs(from, to, { target: logTarget(flaky, { hasDensePositions: true, maxConcurrentAppends: 64 }) })).toMatchObject({
      copied: 160,
    });
    const places = async (log: Log) => (await allOf(log)).map(({ stream, revision, id }) => `${stream}@${revision} ${id}`).sort();
    expect(await places(to)).toEqual(await places(from));
  });

  test('fill a gap that a killed copy left among them', async () => {
    const [from, to] = [createMemoryLog(), createMemoryLog()];
    await fill(from, 2);
    const events = await allOf(from);
    const [lost] = events.filter(({ stream }) => stream === 'access-a');
    for (const event of events.slice(0, 8)) {
      if (event !== lost) await to.append(event.stream, event.revision === 0 ? 'none' : event.revision - 1, [event]);
    }
    expect(await copyLogs(from, to)).toMatchObject({ copied: 9, skipped: 7, complete: true });
    expect(await to.head('access-a')).toMatchObject({ revision: 1 });
  });
});

test('a target that stays unreachable ends the copy', async () => {
  const [from, to] = [createMemoryLog(), createMemoryLog()];
  await fill(from);
  const target = changed(to, (call) => {
    if (call > 2) throw new LogUnavailable('gone');
  });
  await expect(copyLogs(from, target, { retry: { pauseMs: 1, timeoutMs: 0 } })).rejects.toThrow(LogUnavailable);
  expect(await copyLogs(from, to)).toMatchObject({ events: 80, complete: true });
});

test('a silent source ends the copy', async () => {
  const silent: Log = {
    ...createMemoryLog(),
    follow: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) }),
  };
  const source = logSource(silent, { hasDensePositions: true, silenceMs: 20 });
  await expect(copy({ source, target: logTarget(createMemoryLog(), DENSE) })).rejects.toThrow('has not answered');
});

test('two copies at once end with one history', async () => {
  const [from, to] = [createMemoryLog(), await freshPostgres()];
  await fill(from);
  const limits = { events: 2, bytes: 1000 };
  const results = await Promise.all([copyLogs(from, to, { limits }), copyLogs(from, to), copyLogs(from, to, { limits })]);
  for (const result of results) expect(result).toMatchObject({ events: 80, complete: true });
  const places = (await allOf(to)).map(({ stream, revision, id }) => `${stream}@${revision} ${id}`);
  expect(places.sort()).toEqual((await allOf(from)).map(({ stream, revision, id }) => `${stream}@${revision} ${id}`).sort());
});

test('an append that is too large is split; a single event that is too large is named', async () => {
  const [from, small, smaller] = [createMemoryLog(), createMemoryLog({ maxAppendBytes: 1000 }), createMemoryLog({ maxAppendBytes: 400 })];
  await new Writer(from).write(
    'project-a',
    ...Array.from({ length: 9 }, (_, i) => JSON.stringify({ i, text: 'x'.repeat(i === 5 ? 600 : 50) })),
  );
  await copyLogs(from, small);
  expect(await allOf(small)).toEqual(await allOf(from));
  const failed = copyLogs(from, smaller);
  await expect(failed).rejects.toThrow(AppendTooLarge);
  await expect(failed).rejects.toThrow('project-a@5 (document.written)');
});

test('a following copy copies new events until it is stopped', async () => {
  const [from, to, stop] = [createMemoryLog(), createMemoryLog(), new AbortController()];
  const writer = await fill(from, 2);
  let writes = 0;
  const onProgress = ({ fraction }: { fraction: number | null }) => {
    if (fraction !== 1) return;
    writes += 1;
    if (writes < 4) void writer.write('project-a', `{"late":${writes}}`);
    else stop.abort();
  };
  expect(await copyLogs(from, to, { follow: true, signal: stop.signal, onProgress })).toMatchObject({ copied: 19, complete: true });
  expect(await allOf(to)).toEqual(await allOf(from));
});

describe('two histories are refused and nothing is overwritten', () => {
  test('when the target has another last event', async () => {
    const [from, to] = [createMemoryLog(), createMemoryLog()];
    await new Writer(from).write('project-a', '{"i":1}', '{"i":2}', '{"i":3}');
    await new Writer(to).write('project-a', '{"i":1}', '{"i":2}');
    const before = await allOf(to);
    await expect(copyLogs(from, to)).rejects.toThrow(TwoHistories);
    expect(await allOf(to)).toEqual(before);
  });

  test('when the target went on from another event than the source’s last', async () => {
    const [from, to] = [createMemoryLog(), createMemoryLog()];
    await new Writer(from).write('project-a', '{"i":1}');
    await new Writer(to).write('project-a', '{"i":1}', '{"i":2}');
    await expect(copyLogs(from, to)).rejects.toThrow('project-a@0 is one event in the source and another in the target');
  });

  test('when a stream without a chain differs in its last text alone', async () => {
    const [from, to] = [createMemoryLog(), createMemoryLog()];
    const event = { id: randomUUID(), type: 'heartbeat.received', metadata: '{}', data: '{"n":1}' };
    await from.append('telemetry-a', 'none', [event]);
    await to.append('telemetry-a', 'none', [{ ...event, data: '{"n":1.0}' }]);
    await expect(copyLogs(from, to)).rejects.toThrow(TwoHistories);
  });

  test('when somebody writes to the target during the copy', async () => {
    const [from, to] = [createMemoryLog(), createMemoryLog()];
    const writer = new Writer(from);
    for (let i = 0; i < 3; i++) {
      await writer.write('project-a', `{"i":${i}}`);
      await writer.write('project-b', `{"i":${i}}`);
    }
    const target: Log = {
      ...to,
      async append(stream, expected, events) {
        if (stream === 'project-b' && expected === 0)
          await new Writer({ ...to, append: (s, _, e) => to.append(s, 0, e) }).write(stream, '{}');
        return to.append(stream, expected, events);
      },
    };
    await expect(copyLogs(from, target)).rejects.toThrow('project-b@1');
  });

  test('but a target that only goes on from the same events is left as it is', async () => {
    const [from, to] = [createMemoryLog(), createMemoryLog()];
    await fill(from, 2);
    await copyLogs(from, to);
    const { hash, ...last } = (await logTarget(to, DENSE).last('project-a')) ?? { hash: '', revision: -1 };
    await to.append('project-a', last.revision, [{ id: randomUUID(), type: 'x', data: '{}', metadata: `{"seal":"${hash}"}` }]);
    expect(await copyLogs(from, to)).toMatchObject({ copied: 0, skipped: 16, complete: true });
  });
});

/** The source with some of its events replaced as they are followed. */
function altered(log: Log, replace: (event: RecordedEvent) => RecordedEvent): Log {
  return {
    ...log,
    async *follow(options) {
      for await (const step of log.follow(options)) yield { ...step, events: step.events.map(replace) };
    },
  };
}

test('a stream whose event does not match its hash is copied up to it, others whole, and what was left behind is told', async () => {
  const [from, to] = [createMemoryLog(), createMemoryLog()];
  const writer = new Writer(from);
  await writer.write('project-a', '{"i":0}', '{"i":1}', '{"i":2}');
  await writer.write('project-b', '{"i":0}');
  const source = altered(from, (event) => (event.stream === 'project-a' && event.revision === 1 ? { ...event, data: '{"i": 1}' } : event));
  for (const copied of [2, 0]) {
    const broken = [{ stream: 'project-a', revision: 1, left: 2, detail: expect.stringContaining('project-a@1 does not match its hash') }];
    expect(await copyLogs(source, to)).toMatchObject({ copied, complete: true, broken });
  }
  expect((await allOf(to)).map(({ stream, revision }) => `${stream}@${revision}`)).toEqual(['project-a@0', 'project-b@0']);
});

test('a filler stands in the place of what another program wrote, the chain passes over it, and a later run knows it again', async () => {
  const [from, to] = [createMemoryLog(), createMemoryLog()];
  const writer = new Writer(from);
  await writer.write('project-a', '{"i":0}');
  await from.append('project-a', 0, [{ id: randomUUID(), type: 'Theirs', data: '[1]', metadata: '{"theirs":1}' }]);
  writer.passOver('project-a');
  await writer.write('project-a', '{"i":2}');
  expect(await copyLogs(from, to)).toMatchObject({ copied: 3, complete: true, broken: [], foreign: 1 });
  expect(await copyLogs(from, to)).toMatchObject({ copied: 0, skipped: 3, complete: true });
  await writer.write('project-a', '{"i":3}');
  expect(await copyLogs(from, to)).toMatchObject({ copied: 1, complete: true, broken: [] });
  const events = await allOf(to);
  expect(events.map(({ type, revision }) => `${revision} ${type}`)).toEqual([
    '0 document.written',
    '1 log.foreign',
    '2 document.written',
    '3 document.written',
  ]);
  expect(events[1]).toMatchObject({ data: '{}', metadata: '{"schemaVersion":1}' });
});
