import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTelemetryFollower, type TelemetryFollower } from '../../projections/telemetry/follower.ts';
import { createTelemetryReader } from '../../projections/telemetry/read.ts';
import { TELEMETRY_VERSIONS, type TelemetryFact } from '../../src/domain/telemetry/events.ts';
import { encodeEvent } from '../../src/kernel/json.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import type { Log, NewEvent } from '../../src/log/port.ts';
import { telemetryStream } from '../../src/log/streams.ts';
import { analytics, failure, heartbeat } from '../domain/telemetry/given.ts';
import { Feed, fillAll, freshPool, memoryLogger, project, rowsOf } from './support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool(12);
});
afterAll(() => pool.end());

type Given = TelemetryFact & { readonly metadata: { readonly recordedAt: number } };

function stored({ type, data, metadata }: Given, schemaVersion: number = TELEMETRY_VERSIONS[type]): NewEvent {
  return { id: randomUUID(), type, data: encodeEvent(data), metadata: JSON.stringify({ ...metadata, schemaVersion }) };
}

async function report(log: Log, projectId: string, ...events: readonly (Given | NewEvent)[]): Promise<number> {
  const result = await log.append(
    telemetryStream(projectId),
    'any',
    events.map((event) => ('id' in event && typeof event.data === 'string' ? (event as NewEvent) : stored(event as Given))),
  );
  if (!result.ok) throw new Error('a conflict');
  return result.revision;
}

async function following<T>(log: Log, work: (follower: TelemetryFollower) => Promise<T>, logger = memoryLogger()): Promise<T> {
  const follower = createTelemetryFollower({ log, pool, logger });
  follower.start();
  try {
    return await work(follower);
  } finally {
    await follower.stop();
  }
}

async function shows(projectId: string, revision: number): Promise<void> {
  const reader = createTelemetryReader(pool);
  for (let tries = 0; tries < 1000; tries += 1) {
    if ((await reader.player(projectId, 'p')).revision >= revision) return;
    await sleep(20);
  }
  throw new Error(`${projectId} did not reach ${revision}`);
}

const tablesOf = async (projectId: string) => ({
  events: await rowsOf(pool, 'SELECT * FROM savepoint.telemetry_events WHERE project = $1 ORDER BY revision', [projectId]),
  players: await rowsOf(pool, 'SELECT * FROM savepoint.telemetry_players WHERE project = $1 ORDER BY platform_id', [projectId]),
  sessions: await rowsOf(pool, 'SELECT * FROM savepoint.telemetry_sessions WHERE project = $1 ORDER BY 2, 3', [projectId]),
});

describe('telemetry in the tables', () => {
  test('every kind of report has its rows', async () => {
    const log = createMemoryLog();
    await following(log, async () => {
      const last = await report(
        log,
        'kinds',
        heartbeat(1_000, { event: 'join', fps: { avg: 60 }, playerName: 'Ада' }),
        heartbeat(31_000, { sessionSeconds: 30 }),
        analytics(32_000, { type: 'endpoint.client_error', context: { endpointSlug: 'buy', collectionId: 'c', n: 1 } }),
        failure(33_000, { recordKey: 'p_slot', attempts: 3, collectionId: 'saves' }),
        heartbeat(41_000, { event: 'leave', sessionSeconds: 40 }),
      );
      await shows('kinds', last);
    });
    const { events, players, sessions } = await tablesOf('kinds');
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
    await following(log, () => following(log, () => some(0)));
    await following(log, async () => {
      await following(log, async () => {
        await some(40);
        await shows('once', revision);
      });
    });
    const { players } = await tablesOf('once');
    expect(players.find((row) => row['platform_id'] === 'p')).toMatchObject({ total_seconds: String(2 + 79), events: '80' });
    expect(players.find((row) => row['platform_id'] === 'q0')).toMatchObject({ total_seconds: String(2 + 75), events: '16' });
  });

  test('what came while nobody followed is found by the projects that there are', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'missed');
    await fillAll(feed);
    await project(pool, log, feed);
    const last = await report(log, 'missed', heartbeat(1_000), heartbeat(2_000));
    await following(log, () => shows('missed', last));
    expect((await createTelemetryReader(pool).player('missed', 'p')).stats).toEqual({
      firstSeen: 1_000,
      lastHeartbeat: 2_000,
      totalSeconds: 3,
    });
  });

  test('an event of a newer build stops the telemetry of its project, and of no other', async () => {
    const log = createMemoryLog();
    const logger = memoryLogger();
    await following(
      log,
      async (follower) => {
        const melted = { ...stored(heartbeat(2_000)), type: 'player.melted' };
        await report(log, 'newer', heartbeat(1_000), melted, heartbeat(3_000));
        await report(log, 'other', heartbeat(1_000));
        await shows('other', 0);
        await shows('newer', 0);
        for (let tries = 0; follower.stopped().size === 0 && tries < 500; tries += 1) await sleep(20);
        expect([...follower.stopped().keys()]).toEqual(['newer']);
        expect(follower.lag()).toBe(2);
      },
      logger,
    );
    expect(logger.lines.filter((line) => line.includes('telemetry of this project stopped'))).toHaveLength(1);
    expect((await tablesOf('newer')).events).toHaveLength(1);
  });

  test('another history is told, and nothing is written over', async () => {
    const [one, two] = [createMemoryLog(), createMemoryLog()];
    await following(one, async () => shows('restored', await report(one, 'restored', heartbeat(1_000), heartbeat(2_000))));
    const before = await tablesOf('restored');
    await report(two, 'restored', heartbeat(1_000), heartbeat(2_000));
    await following(two, async (follower) => {
      await report(two, 'restored', heartbeat(3_000));
      for (let tries = 0; follower.stopped().size === 0 && tries < 500; tries += 1) await sleep(20);
      expect(follower.stopped().get('restored')?.message).toContain('savepoint rebuild');
    });
    expect(await tablesOf('restored')).toEqual(before);
  });
});
