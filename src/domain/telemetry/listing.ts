import type { WrittenContext } from '../../contract/resources/telemetry.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { playerOfKey } from '../document/key.ts';
import { truncateText } from '../document/truncate-text.ts';
import { categoryOf } from './analytics.ts';
import type { AnalyticsTracked, HeartbeatReceived, HeartbeatsFolded, SaveFailed, TelemetryEvent } from './events.ts';
import { isListed, type Player } from './player.ts';

/** An event as operators see it listed. */
export interface ListedEvent {
  readonly platformId: string;
  readonly type: string;
  readonly category: string;
  readonly label: string;
  readonly source: string;
  readonly endpointSlug: string | null;
  readonly collectionId: string | null;
  readonly sessionId: string | null;
  readonly payload: JsonObject;
}

const MAX_SLUG = 96;
const MAX_LABEL = 120;
/** Type under which a report of a failed save is listed. */
export const SAVE_UNCONFIRMED = 'record.save_unconfirmed';

/** How an event is listed; `null`: it is not, as a heartbeat soon after another. `before`: the player before the event. */
export function listedEvent(event: TelemetryEvent, before: Player | null): ListedEvent | null {
  if (event.type === 'telemetry.swept') return null;
  if (event.type === 'save.failed') return listedFailure(event.data);
  if (event.type === 'analytics.tracked') return listedAnalytics(event.data, before);
  if (event.type === 'heartbeats.folded') return event.data.count === 0 ? null : listedMoment('session.heartbeat', event.data);
  return isListed(before, event.data, event.metadata.recordedAt) ? listedHeartbeat(event.data) : null;
}

function listedAnalytics(data: AnalyticsTracked, before: Player | null): ListedEvent {
  const { platformId, type, label, source, sessionId, ...rest } = data;
  const context: WrittenContext = objectOf(data.context);
  const category = categoryOf(type);
  return {
    platformId,
    type,
    category,
    label,
    source,
    endpointSlug: shortText(context.endpointSlug ?? context.slug),
    collectionId: shortText(context.collectionId),
    // An event without a session belongs to the player's current one.
    sessionId: sessionId ?? (category === 'session' ? null : (before?.profile.sessionId ?? null)),
    payload: withoutNulls(rest),
  };
}

function listedHeartbeat({ event, ...heartbeat }: HeartbeatReceived): ListedEvent {
  return listedMoment(`session.${event}`, heartbeat);
}

function listedMoment(
  type: string,
  { platformId, sessionId, source, nextBy: _, ...rest }: Omit<HeartbeatReceived, 'event'> | HeartbeatsFolded,
): ListedEvent {
  return {
    platformId,
    type,
    category: 'session',
    label: type,
    source: source ?? 'manual',
    endpointSlug: null,
    collectionId: null,
    sessionId,
    payload: withoutNulls(rest),
  };
}

function listedFailure({ platformId, collectionId, recordKey, ...numbers }: SaveFailed): ListedEvent {
  const label = recordKey === '' ? SAVE_UNCONFIRMED : recordKey;
  return {
    platformId: platformId ?? playerOfKey(recordKey),
    type: SAVE_UNCONFIRMED,
    category: 'record',
    label: truncateText(label, MAX_LABEL),
    source: 'api',
    endpointSlug: null,
    collectionId: collectionId === '' ? null : collectionId,
    sessionId: null,
    payload: { recordKey, ...numbers },
  };
}

function shortText(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? truncateText(value, MAX_SLUG) : null;
}

function withoutNulls(data: { readonly [name: string]: Json }): JsonObject {
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null));
}
