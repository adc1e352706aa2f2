import type { AnalyticsSetting } from '../../contract/resources/analytics.ts';
import { MAX_LENGTH, type WrittenContext } from '../../contract/resources/telemetry.ts';
import type { Json, JsonObject } from '../../kernel/json.ts';
import { objectOf } from '../../kernel/json-read.ts';
import { getPath } from '../../kernel/path.ts';
import { DOCUMENT_KEY, isNobody } from '../document/key.ts';
import { truncateText } from '../document/truncate-text.ts';
import { isDefinitionId } from '../kinds.ts';
import { stringIn } from './body.ts';
import type { AnalyticsTracked, TelemetryReport } from './events.ts';
import { isCaptured } from './switches.ts';

/** Records endpoint calls, in projects that ask for it. */

const TYPE = 'endpoint.call';
/** The server's own source, which no player's report can have. */
const SOURCE = 'server';
const MAX_SLUG = 96;

export interface EndpointCalled {
  readonly platformId: string;
  readonly slug: string;
  readonly method: 'GET' | 'POST';
  readonly status: number;
  readonly durationMs: number;
  readonly input: JsonObject;
  /** The answer; `null` if the call was refused. */
  readonly body: Json;
}

/** Whether a project wants its calls recorded: `captureEndpointCalls`, off by default, because it costs an event per call. */
export function recordsCalls(setting: AnalyticsSetting): boolean {
  return setting.captureEndpointCalls && isCaptured(setting, { type: 'analytics.tracked', data: BLANK });
}

/**
 * The event of a call; `null` for a caller who is not a player, and for a slug that no endpoint can have: a slug is part of the address,
 * and may hold characters that no table stores.
 */
export function calledEvent({ platformId, slug, method, status, durationMs, input, body }: EndpointCalled): TelemetryReport | null {
  if (isNobody(platformId) || !DOCUMENT_KEY.test(platformId) || !isDefinitionId('endpoint', slug)) return null;
  const endpointSlug = truncateText(slug, MAX_SLUG);
  const context = { endpointSlug, method, status, ok: status < 400, durationMs: Math.round(durationMs * 10) / 10 };
  return {
    type: 'analytics.tracked',
    data: { ...BLANK, platformId, label: truncateText(slug, MAX_LENGTH.label), context, playerName: nameIn(input, body) },
  };
}

/** The endpoint of a call that this server recorded; `null` for any other event. */
export function calledSlug({ type, source, context }: AnalyticsTracked): string | null {
  if (type !== TYPE || source !== SOURCE) return null;
  const { endpointSlug }: WrittenContext = objectOf(context);
  return typeof endpointSlug === 'string' ? endpointSlug : null;
}

/** The game's own name for the player: in its input, in the answer, or in the answer's `response`. */
function nameIn(input: JsonObject, body: Json): string | null {
  for (const source of [input, body, getPath(body, 'response')]) {
    const name = stringIn(objectOf(source), ['playerName'], MAX_LENGTH.name);
    if (name !== null) return name;
  }
  return null;
}

const BLANK: AnalyticsTracked = {
  platformId: '',
  type: TYPE,
  sentType: null,
  severity: null,
  label: TYPE,
  code: null,
  message: null,
  stack: null,
  context: null,
  playerName: null,
  sessionId: null,
  source: SOURCE,
  libraryVersion: null,
  packageIdent: null,
  sessionSeconds: null,
  durationSeconds: null,
  fps: null,
  requestPayload: null,
  responsePayload: null,
};
