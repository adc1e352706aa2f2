import type { Written } from '../../contract/resources/member.ts';
import { type heartbeat, MAX_LENGTH } from '../../contract/resources/telemetry.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { ExactNumber, isNumber, isObject, type Json, type JsonObject, toDouble } from '../../kernel/json.ts';
import { objectOrNull } from '../../kernel/json-read.ts';
import { DOCUMENT_KEY } from '../document/key.ts';
import { anyOf, nullIfLonger, numberOf, stringIn } from './body.ts';
import type { HeartbeatReceived, SessionMoment } from './events.ts';

/** Most characters of each of a heartbeat's free members. A longer one is left out, because a heartbeat is never refused for its length. */
const MAX_MEMBER = 16_384;

/**
 * The event of a heartbeat. `body` is null if there was none, or it could not be read: the id in the query is enough. Refuses with 400
 * MISSING_PLATFORM_ID, and 400 INVALID_KEY for an id that no key could hold.
 */
export function heartbeatEvent(body: JsonObject | null, claimed: string | null): HeartbeatReceived | Refusal {
  const sent: JsonObject & Written<typeof heartbeat> = body ?? {};
  const platformId = claimed ?? idText(sent.platformId);
  if (platformId === null) return refusal('MISSING_PLATFORM_ID', 'A heartbeat names the player: in its body, as platformId');
  if (!DOCUMENT_KEY.test(platformId)) return refusal('INVALID_KEY');
  return {
    platformId,
    event: momentOf(sent.event),
    sessionId: stringIn(sent, ['sessionId', 'session_id'], MAX_LENGTH.id) ?? `hb:${platformId}`,
    sessionSeconds: numberOf(sent, ['sessionSeconds', 'session_seconds']),
    playerName: stringIn(sent, ['playerName', 'player_name'], MAX_LENGTH.name),
    source: stringIn(sent, ['source'], MAX_LENGTH.name),
    libraryVersion: stringIn(sent, ['libraryVersion', 'library_version'], MAX_LENGTH.version),
    packageIdent: stringIn(sent, ['packageIdent', 'package_ident'], MAX_LENGTH.name),
    context: nullIfLonger(anyOf(sent, ['context']), MAX_MEMBER),
    fps: nullIfLonger(fpsOf(sent.fps), MAX_MEMBER),
    performance: objectOrNull(nullIfLonger(anyOf(sent, ['performance']), MAX_MEMBER)),
  };
}

/** An id as text, or a number by its exact digits: ids exceed what a double holds. */
function idText(value: Json | undefined): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  if (value instanceof ExactNumber) return value.text;
  return typeof value === 'number' ? String(value) : null;
}

function momentOf(value: Json | undefined): SessionMoment {
  const name = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (name === 'join') return 'join';
  return name === 'leave' || name === 'disconnect' ? 'leave' : 'heartbeat';
}

/** An object as it is; a positive number is an average. */
function fpsOf(value: Json | undefined): Json {
  if (isObject(value)) return value;
  return isNumber(value) && toDouble(value) > 0 ? { average: value } : null;
}
