import { describe, expect, it } from 'vitest';
import { HeartbeatFolds } from '../../../src/app/telemetry/heartbeat-folds.ts';
import { TelemetryRecorder } from '../../../src/app/telemetry/telemetry-recorder.ts';
import type { HeartbeatReceived } from '../../../src/domain/telemetry/events.ts';
import { evolvePlayer } from '../../../src/domain/telemetry/player.ts';
import { createMemoryLog } from '../../../src/log/memory/log.ts';
import { isOurs, readTelemetryEvent } from '../../../src/log/telemetry.ts';
import { heartbeat } from '../../domain/telemetry/given.ts';
import { Clock, NodeClock } from '../simulation/clock.ts';

const WHO = { kind: 'public' } as const;

function setup(limits = { foldMs: 300_000, players: 3 }) {
  const clock = new Clock();
  const scheduler = new NodeClock(clock, 1_700_000_000_000);
  const log = createMemoryLog();
  const observer = { stored: () => undefined, lost: () => undefined };
  const recorder = new TelemetryRecorder({ log, scheduler, observer, onError: () => undefined });
  const folds = new HeartbeatFolds(recorder, scheduler, limits);
  const receive = (platformId: string, more: Partial<HeartbeatReceived> = {}): 'gathered' | 'to be stored' => {
    const data = heartbeat(0, { platformId, ...more }).data;
    const at = scheduler.now();
    if (folds.fold('a', data, at) !== null) return 'gathered';
    if (folds.nextBy('a', data, at) !== undefined) folds.begin('a', WHO, data, at, { firstSeen: at, lastHeartbeat: at, totalSeconds: 2 });
    return 'to be stored';
  };
  const pass = (ms: number) => clock.run(clock.now + ms);
  const events = async (limit = 100) =>
    (await log.read('telemetry-a', { limit, direction: 'forwards' }))
      .map(readTelemetryEvent)
      .filter(isOurs)
      .map(({ type, data }) => ({ type, data }));
  return { folds, receive, pass, events };
}

describe('a player who stays online', () => {
  it('has one event stored in each fold time, however many heartbeats come', async () => {
    const { receive, pass, events, folds } = setup();
    expect(receive('p')).toBe('to be stored');
    for (let beat = 0; beat < 21; beat += 1) {
      await pass(30_000);
      expect(receive('p')).toBe('gathered');
    }
    await pass(1_000);
    const told = await events();
    expect(told.map(({ type }) => type)).toEqual(['heartbeats.folded', 'heartbeats.folded']);
    expect(folds.statsOf('a', 'p')?.totalSeconds).toBe(2 + 21 * 30);
    expect(folds.folded).toBe(21);
  });

  it('has the seconds of the play session shown while they are gathered', async () => {
    const { receive, pass, folds } = setup();
    receive('p', { sessionId: 's', sessionSeconds: null });
    const stored = evolvePlayer(null, heartbeat(1_700_000_000_000, { platformId: 'p', sessionId: 's', sessionSeconds: null }))?.profile;
    if (stored === undefined) throw new Error('a heartbeat makes a player');
    for (let beat = 1; beat <= 3; beat += 1) {
      await pass(30_000);
      receive('p', { sessionId: 's', sessionSeconds: null });
      expect(folds.profileWith('a', 'p', stored)).toMatchObject({ sessionSeconds: beat * 30, totalSeconds: beat * 30, sessionCount: 1 });
    }
    expect(folds.profileWith('a', 'q', stored)).toBe(stored);
  });

  it('who falls silent has one last event stored', async () => {
    const { receive, pass, events, folds } = setup();
    receive('p');
    await pass(30_000);
    receive('p');
    await pass(90_000);
    expect(await events()).toMatchObject([{ type: 'heartbeats.folded', data: { platformId: 'p', count: 1 } }]);
    expect(folds.size).toBe(0);
    await pass(600_000);
    expect(await events()).toHaveLength(1);
  });
});

it('each of very many players has an event stored in the fold time, also the last to come', async () => {
  const { receive, pass, events } = setup({ foldMs: 60_000, players: 10_000 });
  const players = Array.from({ length: 10_000 }, (_, at) => `p${at}`);
  for (const player of players) receive(player);
  for (let beat = 0; beat < 6; beat += 1) {
    await pass(30_000);
    for (const player of players) receive(player);
  }
  const told = (await events(20_000)).map(({ data }) => Reflect.get(data, 'platformId'));
  expect(new Set(told).size).toBe(10_000);
});

describe('gathered heartbeats are stored before', () => {
  it.each<[string, Partial<HeartbeatReceived>]>([
    ['a leave', { event: 'leave' }],
    ['another session', { sessionId: 's2' }],
    ['another name', { playerName: 'Bo' }],
  ])('%s', async (_, more) => {
    const { receive, pass, events } = setup();
    receive('p', { playerName: 'Ada' });
    await pass(30_000);
    receive('p');
    expect(receive('p', more)).toBe('to be stored');
    await pass(1_000);
    expect(await events()).toMatchObject([{ type: 'heartbeats.folded', data: { count: 1, playerName: 'Ada' } }]);
  });

  it('the node stops', async () => {
    const { folds, receive, pass, events } = setup();
    receive('p');
    await pass(30_000);
    receive('p');
    const closing = folds.close();
    await pass(1_000);
    await closing;
    expect(await events()).toMatchObject([{ type: 'heartbeats.folded', data: { count: 1 } }]);
  });
});

it('each heartbeat is stored of players beyond the bound of a node', () => {
  const { receive } = setup();
  const all = () => ['a', 'b', 'c', 'd'].map((player) => receive(player));
  all();
  expect(all()).toEqual(['gathered', 'gathered', 'gathered', 'to be stored']);
});

it('each heartbeat is stored where folding is switched off', () => {
  const { receive } = setup({ foldMs: 0, players: 3 });
  receive('p');
  expect(receive('p')).toBe('to be stored');
});
