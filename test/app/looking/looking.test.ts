import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { verifyLooks } from '../../../projections/maintenance/verify-looks.ts';
import { createLookLog, type LookLog } from '../../../src/app/looking/look-log.ts';
import { retainLooks } from '../../../src/app/looking/retain.ts';
import { realScheduler } from '../../../src/kernel/scheduler.ts';
import { readLookingEvent } from '../../../src/log/looking.ts';
import { createMemoryLog } from '../../../src/log/memory/log.ts';
import { type Log, LogUnavailable, OutcomeUnknown } from '../../../src/log/port.ts';
import { copyLogs } from '../../log/copy/support.ts';

/** Who looked at whose data, as it comes to the log. */

const STREAM = 'access-p1';
const LOOK = { projectId: 'p1', person: 'per_ada', page: 'showPlayer', players: ['42'] };
const MINUTE = 60_000;

let log: Log;
let now: number;
/** Thrown by the next appends. */
let faults: Error[];
let looks: LookLog;

const failing = (inner: Log): Log => ({
  ...inner,
  append: async (...of) => {
    const fault = faults.shift();
    const isStored = fault instanceof OutcomeUnknown;
    if (fault !== undefined && !isStored) throw fault;
    const result = await inner.append(...of);
    if (isStored) throw fault;
    return result;
  },
});

/** Its clock stands still, and goes on by what is slept. */
const clock = () => ({
  ...realScheduler,
  now: () => now,
  monotonic: () => now,
  after: () => () => undefined,
  sleep: async (ms: number) => {
    now += ms;
  },
});

beforeEach(() => {
  log = createMemoryLog();
  now = 1_000 * MINUTE;
  faults = [];
  looks = createLookLog(failing(log), clock());
});

const events = () => log.read(STREAM, { limit: 10_000, direction: 'forwards' });
const said = async () => (await events()).map((event) => readLookingEvent(event)).map((event) => event && 'data' in event && event.data);
const look = (more: Partial<typeof LOOK> = {}) => looks.record({ ...LOOK, ...more });
/** A look at each of these players, a minute apart. */
async function lookAt(...players: readonly string[]): Promise<void> {
  for (const player of players) {
    await look({ players: [player] });
    now += MINUTE;
  }
}

describe('a look', () => {
  it('is stored once for each person, player, page and minute, with the person in its metadata', async () => {
    await Promise.all([look(), look(), look({ page: 'readLedger' }), look({ person: 'per_bo' }), look({ players: ['42', '43'] })]);
    await look();
    expect(await said()).toEqual([
      { player: '42', page: 'showPlayer' },
      { player: '42', page: 'readLedger' },
      { player: '42', page: 'showPlayer' },
      { player: '43', page: 'showPlayer' },
    ]);
    now += MINUTE;
    await look();
    expect(await said()).toHaveLength(5);
    expect(JSON.parse((await events())[0]?.metadata ?? '')).toMatchObject({ cause: 'look', actor: { kind: 'person', person: 'per_ada' } });
  });

  it('of many names those that are asked for, and says beside them how many they were', async () => {
    const many = { ...LOOK, many: 60 };
    await looks.record(many);
    await looks.record(many);
    expect(await said()).toEqual([
      { player: '42', page: 'showPlayer' },
      { players: 60, page: 'showPlayer' },
    ]);
  });

  it('is chained, whoever else writes to the stream', async () => {
    const other = createLookLog(log, clock());
    await look();
    await other.record({ ...LOOK, person: 'per_bo' });
    await log.append(STREAM, 1, [{ id: randomUUID(), type: 'foreign', data: '{}', metadata: '{}' }]);
    await look({ players: ['43'] });
    expect(await verifyLooks(log, STREAM)).toEqual({ events: 4, problems: [] });
  });

  it('is sent again where its outcome is not known, and stored once', async () => {
    faults = [new OutcomeUnknown('lost'), new LogUnavailable('away')];
    await look();
    expect(await said()).toHaveLength(1);
    faults = [new LogUnavailable('away'), new OutcomeUnknown('lost')];
    await look({ players: ['43'] });
    expect(await said()).toHaveLength(2);
  });

  it('is refused where the log does not take it within seconds, and stored by the next try', async () => {
    faults = Array.from({ length: 100 }, () => new LogUnavailable('away'));
    await expect(look()).rejects.toMatchObject({ status: 503, code: 'LOOK_NOT_RECORDED' });
    faults = [];
    await look();
    expect(await said()).toHaveLength(1);
  });
});

describe('what is no longer kept', () => {
  beforeEach(() => lookAt('1', '2', '3', '4', '5'));
  const retain = (minutes: number) => retainLooks(log, looks, 'p1', now - minutes * MINUTE);

  it('is given up behind a checkpoint, by which the rest is proven', async () => {
    expect(await retain(2)).toBe(3);
    expect((await events()).map(({ revision }) => revision)).toEqual([3, 4, 5]);
    expect(await verifyLooks(log, STREAM)).toEqual({ events: 3, problems: [] });
    expect(await retain(2)).toBe(0);
    await lookAt('6');
    expect(await retain(1)).toBe(2);
    expect(await verifyLooks(log, STREAM)).toMatchObject({ problems: [] });
  });

  it('is given up once where two nodes do it at the same time, and the rest is proven all the same', async () => {
    let isOther = true;
    // The other node is through between two reads of this one.
    const overtaken: Log = {
      ...log,
      async read(stream, range) {
        if (range.direction === 'backwards' && isOther) {
          isOther = false;
          expect(await retain(2)).toBe(3);
        }
        return log.read(stream, range);
      },
    };
    expect(await retainLooks(overtaken, looks, 'p1', now - 2 * MINUTE)).toBe(0);
    expect((await events()).map(({ revision }) => revision)).toEqual([3, 4, 5]);
    expect(await verifyLooks(log, STREAM)).toMatchObject({ problems: [] });
  });

  it('is nothing where all is young, or where nobody looked', async () => {
    expect([await retain(60), await retainLooks(log, looks, 'p2', now)]).toEqual([0, 0]);
    expect(await events()).toHaveLength(5);
  });

  it('is told of where somebody else took it away', async () => {
    await log.truncate(STREAM, 2);
    expect((await verifyLooks(log, STREAM)).problems).toEqual([{ revision: 2, detail: expect.stringContaining('no checkpoint') }]);
  });

  it('stays away in a copy and in a copy of that, which are proven all the same', async () => {
    const [first, second] = [createMemoryLog(), createMemoryLog()];
    await copyLogs(log, first);
    await retain(2);
    await lookAt('6');
    const fresh = createMemoryLog();
    expect(await copyLogs(log, fresh)).toMatchObject({ complete: true, broken: [], foreign: 0 });
    expect(await copyLogs(fresh, second)).toMatchObject({ complete: true, broken: [], foreign: 0 });
    expect(await copyLogs(log, first)).toMatchObject({ complete: true, broken: [] });
    for (const each of [fresh, second, first]) expect((await verifyLooks(each, STREAM)).problems).toEqual([]);
    const [begin] = await log.read(STREAM, { limit: 1, direction: 'forwards' });
    expect(begin?.revision).toBe(3);
  });
});

it('an event that was altered, taken out or put in is found', async () => {
  await lookAt('1', '2', '3');
  const all = await events();
  const only = async (kept: typeof all) => {
    const other = createMemoryLog();
    await other.append(STREAM, 'none', kept);
    return (await verifyLooks(other, STREAM)).problems.map(({ revision }) => revision);
  };
  expect(await only(all)).toEqual([]);
  expect(await only(all.map((event) => ({ ...event, data: event.data.replace('"2"', '"9"') })))).toEqual([1]);
  expect(await only(all.filter(({ revision }) => revision !== 1))).toEqual([1]);
});
