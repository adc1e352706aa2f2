import { describe, expect, test } from 'vitest';
import { calledEvent, type EndpointCalled, recordsCalls } from '../../../src/domain/telemetry/endpoint-call.ts';
import type { SessionMoment, TelemetryEvent } from '../../../src/domain/telemetry/events.ts';
import { listedEvent } from '../../../src/domain/telemetry/listing.ts';
import { evolvePlayer, type Player } from '../../../src/domain/telemetry/player.ts';
import { analyticsSetting } from '../../../src/domain/telemetry/switches.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';
import { analytics, heartbeat } from './given.ts';

const START = 1_000_000;
const beat = (seconds: number, sessionSeconds: number | null, event: SessionMoment = 'heartbeat', sessionId = 's1') =>
  heartbeat(START + seconds * 1000, { event, sessionId, sessionSeconds });

function fold(...events: readonly TelemetryEvent[]): Player {
  const player = events.reduce<Player | null>(evolvePlayer, null);
  if (player === null) throw new Error('no event told of the player');
  return player;
}

describe('stats', () => {
  const totals = (...seconds: readonly number[]) => fold(...seconds.map((at) => beat(at, null))).stats?.totalSeconds;

  test('the first heartbeat adds 2 seconds, and a later one the whole seconds since the last', () => {
    expect(totals(0)).toBe(2);
    expect(totals(0, 30.9)).toBe(32);
    expect(totals(0, 30, 60)).toBe(62);
  });

  test('a pause adds 120 seconds at most, and a clock that was set back adds none', () => {
    expect(totals(0, 500)).toBe(122);
    expect(totals(0, -40)).toBe(2);
    expect(totals(0, -40, 10)).toBe(12);
  });

  test('do not depend on the session length that the game reports', () => {
    expect(fold(beat(0, 5000), beat(10, 9000)).stats).toEqual({ firstSeen: START, lastHeartbeat: START + 10_000, totalSeconds: 12 });
  });

  test('an event that is not a heartbeat makes no stats', () => {
    expect(fold(analytics(START, { type: 'custom.x' })).stats).toBe(null);
  });
});

describe('an endpoint call', () => {
  const call = { slug: 'buy', method: 'POST', status: 409, durationMs: 1.2345, input: {}, body: null } as const;
  const called = (platformId: string, more: Partial<EndpointCalled> = {}) => calledEvent({ platformId, ...call, ...more })?.data;

  test('is an event of the player, and its slug the last one of the profile', () => {
    const data = called('7656');
    expect(data).toMatchObject({
      platformId: '7656',
      type: 'endpoint.call',
      label: 'buy',
      source: 'server',
      playerName: null,
      context: { endpointSlug: 'buy', method: 'POST', status: 409, ok: false, durationMs: 1.2 },
    });
    const event = analytics(START, Object(data));
    expect(fold(event, analytics(START + 1, { type: 'custom.x', context: { endpointSlug: 'other' } })).profile).toMatchObject({
      lastEndpointSlug: 'buy',
      online: true,
    });
    expect(listedEvent(event, null)).toMatchObject({ category: 'endpoint', endpointSlug: 'buy', source: 'server' });
  });

  test('of a caller who is not a player is not recorded', () => {
    expect([called('anonymous'), called('0'), called('a b')]).toEqual([undefined, undefined, undefined]);
  });

  test('with a slug that no endpoint can have is not recorded', () => {
    const slugs = ['a\0b', 'a b', '😀', 'x'.repeat(129), '__proto__', ''];
    expect(slugs.filter((slug) => called('7656', { slug }))).toEqual([]);
    expect(called('7656', { slug: 'not-there.2' })).toMatchObject({ label: 'not-there.2' });
  });

  test('names the player as the game does: in the input, the answer, or the answer’s response', () => {
    expect(called('1', { input: { playerName: 'Ada' }, body: { playerName: 'Bo' } })).toMatchObject({ playerName: 'Ada' });
    expect(called('1', { body: { playerName: 'Bo' } })).toMatchObject({ playerName: 'Bo' });
    expect(called('1', { body: { response: { playerName: 'Cy' }, playerName: ' ' } })).toMatchObject({ playerName: 'Cy' });
    expect(called('1', { body: ['Di'] })).toMatchObject({ playerName: null });
  });

  test('is recorded only if the project captures calls and endpoint diagnostics', () => {
    const on = { captureEndpointCalls: true };
    const recorded = (stored: JsonObject) => recordsCalls(analyticsSetting(stored));
    expect([{}, { captureEndpointCalls: 'yes' }, { enabled: true }].map(recorded)).toEqual([false, false, false]);
    expect([on, { ...on, enabled: false }, { ...on, captureEndpointDiagnostics: false }].map(recorded)).toEqual([true, false, false]);
  });

  test('is not recognised in a report of a player that looks like one', () => {
    const event = analytics(START, { type: 'endpoint.call', context: { endpointSlug: 'buy' } });
    expect(fold(event).profile.lastEndpointSlug).toBe(null);
  });
});

describe('the profile', () => {
  const profile = (...events: readonly TelemetryEvent[]) => fold(...events).profile;

  test('a join begins a session, a leave ends it', () => {
    const joined = [beat(0, 0, 'join'), beat(30, 30)];
    expect(profile(...joined)).toMatchObject({ online: true, onlineSince: START, sessionCount: 1, sessionSeconds: 30, totalSeconds: 30 });
    expect(profile(...joined, beat(40, 40, 'leave'))).toMatchObject({
      online: false,
      onlineSince: null,
      sessionId: null,
      sessionSeconds: 0,
      totalSeconds: 40,
      sessionCount: 1,
    });
  });

  test('a heartbeat of a new session counts as its start', () => {
    expect(profile(beat(0, 10), beat(100, 5, 'heartbeat', 's2'))).toMatchObject({ sessionCount: 2, sessionSeconds: 5, totalSeconds: 15 });
  });

  test('without a reported length, elapsed time counts, up to ten minutes', () => {
    expect(profile(beat(0, null), beat(30, null))).toMatchObject({ totalSeconds: 30 });
    expect(profile(beat(0, null), beat(9_000, null))).toMatchObject({ totalSeconds: 600 });
  });

  test('if a game reports the same length again and again, the clock counts instead', () => {
    expect(profile(beat(0, 5), beat(30, 5), beat(60, 5))).toMatchObject({ totalSeconds: 65, sessionSeconds: 65 });
  });

  test('time that another event added is not added again by the next heartbeat', () => {
    const events = [beat(0, 0, 'join'), analytics(START + 10_000, { type: 'custom.x' }), beat(30, 30)];
    expect(profile(...events)).toMatchObject({ totalSeconds: 30, sessionSeconds: 30, lastType: 'session.heartbeat', events: 3 });
  });

  test('the last name that is not empty stays', () => {
    const named = heartbeat(START, { playerName: 'Ada' });
    expect(profile(named, beat(1, 1))).toMatchObject({ playerName: 'Ada' });
  });
});

describe('the list', () => {
  test('has a heartbeat at most every 10 seconds, every join and every leave', () => {
    const events = [beat(0, 0, 'join'), beat(2, 2), beat(9.9, 9), beat(10, 10), beat(15, 15), beat(16, 16, 'leave')];
    let player: Player | null = null;
    const listed = events.map((event) => {
      const shown = listedEvent(event, player);
      player = evolvePlayer(player, event);
      return shown?.type ?? null;
    });
    expect(listed).toEqual(['session.join', null, null, 'session.heartbeat', null, 'session.leave']);
  });

  test('gives an event without a session the player’s current one', () => {
    const player = fold(beat(0, 0, 'join', 's9'));
    expect(listedEvent(analytics(START, { type: 'custom.x' }), player)).toMatchObject({ sessionId: 's9', category: 'custom' });
    expect(listedEvent(analytics(START, { type: 'custom.x', sessionId: 'own' }), player)).toMatchObject({ sessionId: 'own' });
  });
});
