import fc from 'fast-check';
import { expect, test } from 'vitest';
import { analyticsEvent } from '../../../src/domain/telemetry/analytics.ts';
import type { TelemetryEvent, TelemetryFact } from '../../../src/domain/telemetry/events.ts';
import { heartbeatEvent } from '../../../src/domain/telemetry/heartbeat.ts';
import { listedEvent } from '../../../src/domain/telemetry/listing.ts';
import { evolvePlayer, type Player } from '../../../src/domain/telemetry/player.ts';
import { saveFailure } from '../../../src/domain/telemetry/save-failure.ts';
import { sessionReport } from '../../../src/domain/telemetry/session.ts';
import { analyticsSetting, asKept, isCaptured } from '../../../src/domain/telemetry/switches.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { encodeEvent, isObject, type Json, type JsonObject, parseJson, stringifyJson } from '../../../src/kernel/json.ts';
import { readTelemetryEvent } from '../../../src/log/telemetry.ts';
import { anyBody, NAMES } from './arbitraries.ts';

const claim = fc.option(fc.oneof(fc.constantFrom('76561198000000001', '0', 'p', '\0', 'a/b', ''), fc.string()), { nil: null });

function factsOf(body: Json, claimed: string | null): readonly TelemetryFact[] {
  const object = isObject(body) ? body : {};
  const analytics = analyticsEvent(object, claimed);
  const heartbeat = heartbeatEvent(isObject(body) ? body : null, claimed);
  return [
    ...(analytics instanceof Refusal ? [] : [{ type: 'analytics.tracked', data: analytics } as const]),
    ...(heartbeat instanceof Refusal ? [] : [{ type: 'heartbeat.received', data: heartbeat } as const]),
    { type: 'save.failed', data: saveFailure(object, claimed) } as const,
  ];
}

/** The event as it comes out of the log. */
function throughLog({ type, data }: TelemetryFact, recordedAt: number): TelemetryEvent {
  const metadata = JSON.stringify({ schemaVersion: 1, recordedAt, actor: { kind: 'public' } });
  const stored = { id: 'e', type, data: encodeEvent(data), metadata, stream: 'telemetry-p', revision: 0, position: 0n };
  return readTelemetryEvent(stored) as TelemetryEvent;
}

test('any body is refused with 400 or becomes an event that comes out of the log as it went in', () => {
  const property = fc.property(anyBody, claim, (text, claimed) => {
    const body = parseJson(text);
    for (const fact of factsOf(body, claimed)) {
      const event = throughLog(fact, 1);
      expect(stringifyJson(event.data as unknown as JsonObject)).toBe(stringifyJson(fact.data as unknown as JsonObject));
    }
    const refused = analyticsEvent(isObject(body) ? body : {}, claimed);
    if (refused instanceof Refusal) expect(refused.status).toBe(400);
  });
  fc.assert(property, { numRuns: 1_000 });
});

test('any run of events adds up to finite numbers that never go down', () => {
  const times = fc.integer({ min: 0, max: 5_000_000 });
  const property = fc.property(fc.array(fc.tuple(anyBody, times), { maxLength: 20 }), (sent) => {
    let player: Player | null = null;
    for (const [text, at] of sent) {
      for (const fact of factsOf(parseJson(text), '76561198000000001')) {
        const event = throughLog(fact, at);
        listedEvent(event, player);
        sessionReport(event, player?.profile.sessionId ?? null);
        const before: Player | null = player;
        player = evolvePlayer(before, event);
        if (player === null) continue;
        const { stats, profile } = player;
        expect(Number.isFinite(profile.totalSeconds) && Number.isFinite(profile.sessionSeconds)).toBe(true);
        expect(profile.totalSeconds).toBeGreaterThanOrEqual(before?.profile.totalSeconds ?? 0);
        expect(stats?.totalSeconds ?? 0).toBeGreaterThanOrEqual(before?.stats?.totalSeconds ?? 0);
      }
    }
  });
  fc.assert(property, { numRuns: 200 });
});

test('any setting of analytics can be read', () => {
  const settings = fc.dictionary(fc.constantFrom(...NAMES, 'enabled', 'captureSessions', 'retentionDays', '__proto__'), fc.jsonValue());
  const property = fc.property(settings, anyBody, (setting, text) => {
    const stored = parseJson(JSON.stringify(setting).replaceAll('__proto__', 'proto'));
    if (!isObject(stored)) return;
    const read = analyticsSetting(stored);
    expect(read.retentionDays).toBeGreaterThanOrEqual(0);
    for (const fact of factsOf(parseJson(text), 'p')) {
      if (fact.type === 'telemetry.swept') continue;
      expect(typeof isCaptured(read, fact)).toBe('boolean');
      asKept(read, fact);
    }
  });
  fc.assert(property, { numRuns: 300 });
});
