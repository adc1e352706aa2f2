import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readForeign } from '../../projections/foreign-events.ts';
import { catchUpTelemetry } from '../../projections/models/telemetry/catch-up.ts';
import { beginTelemetry } from '../../projections/models/telemetry/checkpoint.ts';
import { createTelemetryFollower } from '../../projections/models/telemetry/follower.ts';
import { createTelemetryReader } from '../../projections/models/telemetry/read.ts';
import { rebuildTelemetry } from '../../projections/models/telemetry/rebuild.ts';
import { verifyTelemetry } from '../../projections/models/telemetry/verify.ts';
import { checkHistories } from '../../src/compose/doctor/log.ts';
import { createEventStoreLog } from '../../src/log/eventstore/log.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import type { Log, NewEvent } from '../../src/log/port.ts';
import { telemetryStream, totalsStream } from '../../src/log/streams.ts';
import { analytics, failure, heartbeat } from '../domain/telemetry/given.ts';
import { startStandIn } from '../support/eventstore/server.ts';
import { Feed, fillAll, freshPool, memoryLogger, project } from './support.ts';
import { append, following, report, shows, stored, tablesOf, until } from './telemetry-support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool(12);
});
afterAll(() => pool.end());

describe('telemetry in the tables', () => {
  test('every kind of report has its rows', async () => {
    const log = createMemoryLog();
    await following(pool, log, async () => {
      const last = await report(
        log,
        'kinds',
        heartbeat(1_000, { event: 'join', fps: { avg: 60 }, playerName: 'Ада' }),
        heartbeat(31_000, { sessionSeconds: 30 }),
        analytics(32_000, { type: 'endpoint.client_error', context: { endpointSlug: 'buy', collectionId: 'c', n: 1 } }),
        failure(33_000, { recordKey: 'p_slot', attempts: 3, collectionId: 'saves' }),
        heartbeat(41_000, { event: 'leave', sessionSeconds: 40 }),
      );
      await shows(pool, 'kinds', last);
    });
    const { events, players, sessions } = await tablesOf(pool, 'kinds');
    expect(events.map((row) => [row['type'], row['session_id'], row['endpoint_slug'], row['collection_id'], row['platform_id']])).toEqual([
      ['session.join', 's1', null, null, 'p'],
      ['session.heartbeat', 's1', null, null, 'p'],
      ['endpoint.client_error', 's1', 'buy', 'c', 'p'],
      ['record.save_unconfirmed', null, null, 'saves', 'p'],
      ['session.leave', 's1', null, null, 'p'],
    ]);
    expect(events[3]).toMatchObject({ label: 'p_slot', payload: { attempts: 3, recordKey: 'p_slot', reason: 'r' } });
    expect(players).toMatchObject([
      { player_name: 'Ада', total_seconds: '42', play_seconds: 40, session_count: '1', online: false, events: '4' },
    ]);
    expect(sessions).toMatchObject([{ started_at: '1000', last_heartbeat_at: '31000', ended_at: '41000', seconds: 40, fps: { avg: 60 } }]);
  });

  test('several followers and restarts count every heartbeat once', async () => {
    const log = createMemoryLog();
    let revision = -1;
    const some = async (from: number) => {
      for (let i = from; i < from + 40; i += 1) {
        revision = await report(
          log,
          'once',
          heartbeat(i * 1_000, { sessionId: `s${i % 3}` }),
          heartbeat(i * 1_000, { platformId: `q${i % 5}` }),
        );
        if (i % 10 === 0) await sleep(5);
      }
    };
    await following(pool, log, () => following(pool, log, () => some(0)));
    await following(pool, log, async () => {
      await following(pool, log, async () => {
        await some(40);
        await shows(pool, 'once', revision);
      });
    });
    const { players } = await tablesOf(pool, 'once');
    expect(players.find((row) => row['platform_id'] === 'p')).toMatchObject({ total_seconds: String(2 + 79), events: '80' });
    expect(players.find((row) => row['platform_id'] === 'q0')).toMatchObject({ total_seconds: String(2 + 75), events: '16' });
  });

  test('telemetry that came while nobody followed is found by the list of projects', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'missed');
    await fillAll(feed);
    await project(pool, log, feed);
    const last = await report(log, 'missed', heartbeat(1_000), heartbeat(2_000));
    await following(pool, log, () => shows(pool, 'missed', last));
    expect((await createTelemetryReader(pool).player('missed', 'p')).stats).toEqual({
      firstSeen: 1_000,
      lastHeartbeat: 2_000,
      totalSeconds: 3,
    });
  });

  test('what comes while a follower finds that a stream has nothing new is written, though nothing comes after it', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'late');
    await fillAll(feed);
    await project(pool, log, feed);
    const first = await report(log, 'late', heartbeat(1_000));
    await following(pool, log, () => shows(pool, 'late', first));
    let last = -1;
    const read: Log['read'] = async (stream, range) => {
      const found = await log.read(stream, range);
      if (last >= 0 || stream !== telemetryStream('late') || range.from !== first + 1) return found;
      last = await report(log, 'late', heartbeat(2_000));
      await until(() => follower.lag() === last + 1, 'it heard of the event');
      return found;
    };
    const follower = createTelemetryFollower({ log: { ...log, read }, pool, logger: memoryLogger() });
    follower.start();
    await until(() => last >= 0, 'it looked');
    await shows(pool, 'late', last);
    await follower.stop();
  });

  test('what another program writes to the stream is passed over and told of, also where it is all of a batch', async () => {
    const own = await freshPool(6);
    const log = createMemoryLog();
    const logger = memoryLogger();
    const others = (): NewEvent[] => [
      { id: randomUUID(), type: 'OrderPlaced', data: '{"n":1}', metadata: '{}' },
      { id: randomUUID(), type: 'bytes', data: 'no JSON', metadata: '' },
      { id: randomUUID(), type: 'analytics.tracked', data: '[]', metadata: '{"schemaVersion":"1","recordedAt":5}' },
      { id: randomUUID(), type: 'telemetry.swept', data: '{"before":9}', metadata: '[]' },
    ];
    await following(
      own,
      log,
      async (follower) => {
        await append(log, 'shared', others());
        await until(() => follower.counters.foreign === 4, 'it passed them');
        const last = await append(log, 'shared', [stored(heartbeat(1_000)), ...others(), stored(heartbeat(3_000))]);
        await shows(own, 'shared', last);
        expect(follower.stopped().size).toBe(0);
        expect(follower.counters.foreign).toBe(8);
      },
      logger,
    );
    expect(logger.lines.filter((line) => line.includes('another program wrote to the telemetry'))).not.toHaveLength(0);
    const tables = await tablesOf(own, 'shared');
    expect(tables.players).toMatchObject([{ events: '2' }]);
    await log.append(totalsStream('shared'), 'any', [{ id: randomUUID(), type: 'totals.completed', data: 'no', metadata: 'no' }]);
    await rebuildTelemetry({ log, pool: own });
    expect(await tablesOf(own, 'shared')).toEqual(tables);
    const named = [
      'totals-shared revision 0: another program wrote a totals.completed',
      ...[0, 1, 2, 3, 5, 6, 7, 8].map(
        (at) => `telemetry-shared revision ${at}: another program wrote a ${others()[(at - (at > 4 ? 5 : 0)) % 4]?.type}`,
      ),
    ];
    const { problems } = await verifyTelemetry({ log, pool: own });
    expect(problems.map(({ row, detail }) => `${row}: ${detail.replace(/ \(.*/, '')}`)).toEqual(named);
    const noted = { project: 'shared', stream: 'telemetry-shared', events: 8, first: 0, type: 'OrderPlaced' };
    expect(await readForeign(own)).toEqual([noted]);
    const [finding] = (await checkHistories(own, log)).filter(({ what }) => what === 'foreign events');
    expect(finding?.found).toMatch(
      /8 in telemetry-shared, the first a OrderPlaced at revision 0; 1 in totals-shared, the first a totals.completed at revision 0/,
    );
    await own.end();
  });

  test('an event of a newer build stops the telemetry of its project, and of no other', async () => {
    const log = createMemoryLog();
    const logger = memoryLogger();
    await following(
      pool,
      log,
      async (follower) => {
        const melted = { ...stored(heartbeat(2_000)), type: 'player.melted' };
        await append(log, 'newer', [stored(heartbeat(1_000)), melted, stored(heartbeat(3_000))]);
        await report(log, 'other', heartbeat(1_000));
        await shows(pool, 'other', 0);
        await shows(pool, 'newer', 0);
        await until(() => follower.stopped().size > 0, 'it stopped');
        expect([...follower.stopped().keys()]).toEqual(['newer']);
        expect(follower.lag()).toBe(2);
      },
      logger,
    );
    expect(logger.lines.filter((line) => line.includes('telemetry of this project stopped'))).toHaveLength(1);
    expect((await tablesOf(pool, 'newer')).events).toHaveLength(1);
  });

  test('a stop writes what the log holds by then of every project that can be read, and waits for no other', async () => {
    const log = createMemoryLog();
    const logger = memoryLogger();
    const follower = createTelemetryFollower({ log, pool, logger });
    follower.start();
    await report(log, 'left-a', heartbeat(1_000));
    await shows(pool, 'left-a', 0);
    await append(log, 'left-stuck', [{ ...stored(heartbeat(2_000)), type: 'player.melted' }]);
    await until(() => follower.stopped().size > 0, 'it stopped');
    const last = await report(log, 'left-a', ...Array.from({ length: 1_200 }, (_, second) => heartbeat(2_000 + second * 1_000)));
    await report(log, 'left-b', heartbeat(1_000));
    await follower.stop(60_000);
    const reader = createTelemetryReader(pool);
    expect([(await reader.player('left-a', 'p')).revision, (await reader.player('left-b', 'p')).revision]).toEqual([last, 0]);
    expect(logger.lines.filter((line) => line.includes('stopped before all telemetry was written'))).toHaveLength(1);
  });

  test('a command writes telemetry to its end beside a follower, and names projects that it cannot read', async () => {
    const log = createMemoryLog();
    const beats = Array.from({ length: 1_200 }, (_, second) => heartbeat(second * 1_000));
    const last = await report(log, 'copied', ...beats);
    await append(log, 'cut-off', [stored(heartbeat(1_000)), { ...stored(heartbeat(2_000)), type: 'player.melted' }]);
    await following(pool, log, async () => {
      for (const projectId of ['copied', 'cut-off']) await beginTelemetry(pool, projectId);
      expect([...(await catchUpTelemetry({ log, pool })).keys()]).toEqual(['cut-off']);
    });
    expect((await createTelemetryReader(pool).player('copied', 'p')).revision).toBe(last);
    expect((await tablesOf(pool, 'copied')).players).toMatchObject([{ total_seconds: '1201' }]);
    expect((await tablesOf(pool, 'cut-off')).events).toHaveLength(1);
  });

  test('another history is reported, and nothing is overwritten', async () => {
    const [one, two] = [createMemoryLog(), createMemoryLog()];
    await following(pool, one, async () => shows(pool, 'restored', await report(one, 'restored', heartbeat(1_000), heartbeat(2_000))));
    const before = await tablesOf(pool, 'restored');
    await report(two, 'restored', heartbeat(1_000), heartbeat(2_000));
    await following(pool, two, async (follower) => {
      await report(two, 'restored', heartbeat(3_000));
      await until(() => follower.stopped().size > 0, 'it stopped');
      expect(follower.stopped().get('restored')?.message).toContain('savepoint rebuild');
    });
    expect(await tablesOf(pool, 'restored')).toEqual(before);
  });

  test('an EventStoreDB keeps it as Postgres does, and a reconnect loses nothing', async () => {
    const server = await startStandIn();
    const log = createEventStoreLog({ url: server.url });
    try {
      await report(log, 'stored-elsewhere', heartbeat(1_000));
      const known = new Feed(log, 'stored-elsewhere');
      await fillAll(known);
      await project(pool, log, known);
      await following(pool, log, async () => {
        await shows(pool, 'stored-elsewhere', 0);
        await report(log, 'stored-elsewhere', heartbeat(11_000), analytics(12_000));
        server.network.disconnect();
        await until(
          () =>
            report(log, 'stored-elsewhere', heartbeat(21_000)).then(
              () => true,
              () => false,
            ),
          'the log is there again',
        );
        await shows(pool, 'stored-elsewhere', 3);
      });
      // An append without an answer may have been stored, and the next one, too. Their times are equal, so the seconds are, too.
      expect((await tablesOf(pool, 'stored-elsewhere')).players).toMatchObject([{ total_seconds: '22' }]);
    } finally {
      await log.close();
      await server.close();
    }
  });
});
