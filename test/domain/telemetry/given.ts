import type { AnalyticsTracked, HeartbeatReceived, SaveFailed, TelemetryEvent } from '../../../src/domain/telemetry/events.ts';

/** Events as in the log. Everything that a test does not set is empty. */

const at = (recordedAt: number) =>
  ({ revision: 0, id: 'e', metadata: { schemaVersion: 1, recordedAt, actor: { kind: 'public' } } }) as const;

export function heartbeat(recordedAt: number, data: Partial<HeartbeatReceived> = {}): TelemetryEvent & { type: 'heartbeat.received' } {
  const nothing = { sessionSeconds: null, playerName: null, source: null, libraryVersion: null, packageIdent: null };
  return {
    ...at(recordedAt),
    type: 'heartbeat.received',
    data: { platformId: 'p', event: 'heartbeat', sessionId: 's1', ...nothing, context: null, fps: null, performance: null, ...data },
  };
}

export function analytics(recordedAt: number, data: Partial<AnalyticsTracked> = {}): TelemetryEvent & { type: 'analytics.tracked' } {
  const texts = { sentType: null, severity: null, code: null, message: null, stack: null, playerName: null, sessionId: null };
  const versions = { source: 'manual', libraryVersion: null, packageIdent: null, sessionSeconds: null, durationSeconds: null };
  const payloads = { context: null, fps: null, requestPayload: null, responsePayload: null };
  return {
    ...at(recordedAt),
    type: 'analytics.tracked',
    data: { platformId: 'p', type: 'custom.x', label: 'x', ...texts, ...versions, ...payloads, ...data },
  };
}

export function failure(recordedAt: number, data: Partial<SaveFailed> = {}): TelemetryEvent & { type: 'save.failed' } {
  const numbers = { expectedSeq: -1, observedSeq: -1, attempts: -1 };
  return {
    ...at(recordedAt),
    type: 'save.failed',
    data: { collectionId: 'c', recordKey: 'k', reason: 'r', ...numbers, platformId: null, ...data },
  };
}
