import { describe, expect, test } from 'vitest';
import { type LossReason, TelemetryRecorder } from '../../../src/app/telemetry/telemetry-recorder.ts';
import type { TelemetryFact } from '../../../src/domain/telemetry/events.ts';
import { createMemoryLog } from '../../../src/log/memory/log.ts';
import { type Log, LogUnavailable, OutcomeUnknown } from '../../../src/log/port.ts';
import { heartbeat } from '../../domain/telemetry/given.ts';
import { Clock, NodeClock } from '../simulation/clock.ts';

const METADATA = { recordedAt: 5, actor: { kind: 'public' } } as const;
const fact: TelemetryFact = heartbeat(0);

/** A log whose appends take 10 ms, or do what `fate` says. */
function setup(limits = { queueEvents: 100, queueBytes: 1e6, groupEvents: 10, groupBytes: 1e5 }) {
  const clock = new Clock();
  const scheduler = new NodeClock(clock, 0);
  const inner = createMemoryLog();
  const appends: { readonly stream: string; readonly events: number }[] = [];
  const state: { fate: 'fine' | 'refused' | 'lost' | 'never' } = { fate: 'fine' };
  const log: Log = {
    ...inner,
    async append(stream, expected, events) {
      appends.push({ stream, events: events.length });
      if (state.fate === 'never') await new Promise(() => undefined);
      await clock.wait(10);
      if (state.fate === 'refused') throw new LogUnavailable('away');
      const result = await inner.append(stream, expected, events);
      if (state.fate === 'lost') throw new OutcomeUnknown('no answer');
      return result;
    },
  };
  const lost: Partial<Record<LossReason, number>> = {};
  const observer = {
    stored: () => undefined,
    lost: (count: number, reason: LossReason) => {
      lost[reason] = (lost[reason] ?? 0) + count;
    },
  };
  const recorder = new TelemetryRecorder({ log, scheduler, observer, limits, onError: () => undefined });
  const record = (projectId = 'a', waitMs = 1000) => recorder.record(projectId, fact, METADATA, waitMs);
  const passing = async <T>(promise: Promise<T>): Promise<T> => {
    let done = false;
    promise.then(() => {
      done = true;
    });
    for (let at = 0; !done && at < 1000; at += 1) await clock.run(clock.now + 50);
    return promise;
  };
  return { recorder, record, passing, clock, appends, state, lost, inner };
}

describe('telemetry on its way to the log', () => {
  test('events of one turn are appended in groups, and every caller learns the revision', async () => {
    const { record, passing, appends } = setup();
    expect(await passing(Promise.all(Array.from({ length: 25 }, () => record())))).toEqual(Array.from({ length: 25 }, (_, n) => n));
    expect(appends.map(({ events }) => events)).toEqual([10, 10, 5]);
  });

  test('projects take turns', async () => {
    const { record, passing, appends } = setup();
    await passing(Promise.all([...Array.from({ length: 30 }, () => record('loud')), record('quiet')]));
    expect(appends.map(({ stream }) => stream)).toEqual(['telemetry-loud', 'telemetry-quiet', 'telemetry-loud', 'telemetry-loud']);
  });

  test('events beyond the bound of the queue are refused', async () => {
    const { record, passing, lost } = setup({ queueEvents: 5, queueBytes: 1e6, groupEvents: 10, groupBytes: 1e5 });
    const answers = await passing(Promise.all(Array.from({ length: 8 }, () => record())));
    expect(answers).toEqual([0, 1, 2, 3, 4, null, null, null]);
    expect(lost).toEqual({ full: 3 });
  });

  test('a log that cannot be reached is reported at once, and tried again by the next event', async () => {
    const { record, passing, state, lost } = setup();
    state.fate = 'refused';
    expect(await passing(record())).toBe(null);
    state.fate = 'fine';
    expect(await passing(record())).toBe(0);
    expect(lost).toEqual({ failed: 1 });
  });

  test('an append without an answer is not repeated: it could be stored twice', async () => {
    const { record, passing, state, inner } = setup();
    state.fate = 'lost';
    expect(await passing(record())).toBe(null);
    expect(await inner.read('telemetry-a', { limit: 10, direction: 'forwards' })).toHaveLength(1);
  });

  test('no caller waits longer than it said, and an event that nobody waits for is not stored', async () => {
    const { record, passing, state, appends, lost } = setup();
    state.fate = 'never';
    const first = record('a', 100);
    await passing(first);
    expect(await passing(Promise.all([record('a', 100), record('b', 100)]))).toEqual([null, null]);
    expect([await first, appends.length, lost]).toEqual([null, 1, {}]);
  });

  test('a close stores the waiting events and accepts no more', async () => {
    const { recorder, record, passing } = setup();
    const waiting = record();
    await passing(recorder.close());
    expect([await waiting, await record()]).toEqual([0, null]);
  });
});
