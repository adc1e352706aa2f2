import type { Written } from '../../contract/resources/member.ts';
import { MAX_LENGTH, SEVERITIES, type analyticsEvent as sentEvent } from '../../contract/resources/telemetry.ts';
import { type Refusal, refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../kernel/json.ts';
import { DOCUMENT_KEY } from '../document/key.ts';
import { truncateText } from '../document/truncate-text.ts';
import { anyOf, numberOf, stringIn } from './body.ts';
import type { AnalyticsTracked } from './events.ts';

/** A player id in telemetry: 4 to 32 digits, or `0` for a dedicated server without an id. */
const REPORTED_PLAYER = /^(?:0|\d{4,32})$/;

type Severity = (typeof SEVERITIES)[number];

const MAX_TYPE = 80;
const LIBRARY = 'network-storage-library';

/** Members that may hold an event's type; the first text wins. */
const TYPE_NAMES = ['type', 'event', 'code'];
const LABEL_NAMES = ['label', 'code', 'message'];

/**
 * The event of an analytics body, whose names are neutral already. `ownIds`: the form of ids where a studio has its own login. Refusals, in
 * order: 400 INVALID_KEY for the player's id, 400 INVALID_ANALYTICS_EVENT for an unknown severity, then for a missing type.
 */
export function analyticsEvent(body: JsonObject, claimed: string | null, ownIds: RegExp = REPORTED_PLAYER): AnalyticsTracked | Refusal {
  const sent: Written<typeof sentEvent> = body;
  const platformId = playerOf(sent.platformId, claimed, ownIds);
  if (platformId === null) return refusal('INVALID_KEY', 'platformId must be the id of a player, as a text');
  const severity = severityOf(sent.severity);
  if (severity === undefined) return refusal('INVALID_ANALYTICS_EVENT', `severity must be one of ${SEVERITIES.join(', ')}`);
  const sentType = stringIn(body, TYPE_NAMES, MAX_LENGTH.code);
  const type = storedType(sentType, severity);
  if (type === null) return refusal('INVALID_ANALYTICS_EVENT', 'The event needs a type');
  return {
    platformId,
    type,
    sentType,
    severity,
    label: stringIn(body, LABEL_NAMES, MAX_LENGTH.label) ?? truncateText(type, MAX_LENGTH.label),
    code: stringIn(body, ['code'], MAX_LENGTH.code),
    message: stringIn(body, ['message'], Number.POSITIVE_INFINITY),
    // Only errors and warnings keep a stack: it is long, and of no use elsewhere.
    stack: keepsStacks(type) ? stringIn(body, ['stack', 'stackTrace'], Number.POSITIVE_INFINITY) : null,
    context: contextOf(body, type),
    playerName: stringIn(body, ['playerName', 'player_name'], MAX_LENGTH.name),
    sessionId: stringIn(body, ['sessionId', 'session_id'], MAX_LENGTH.id),
    source: sent.source === LIBRARY ? LIBRARY : 'manual',
    libraryVersion: stringIn(body, ['libraryVersion', 'library_version'], MAX_LENGTH.version),
    packageIdent: stringIn(body, ['packageIdent', 'package_ident'], MAX_LENGTH.name),
    sessionSeconds: numberOf(body, ['sessionSeconds', 'session_seconds']),
    durationSeconds: numberOf(body, ['durationSeconds', 'duration_seconds']),
    fps: anyOf(body, ['fps', 'performance']),
    requestPayload: anyOf(body, ['requestPayload', 'request_payload', 'request']),
    responsePayload: anyOf(body, ['responsePayload', 'response_payload', 'response']),
  };
}

/**
 * The reported player: the text in the body, else the id that the request claims. A number in the body does not count, because it may have
 * lost digits.
 */
function playerOf(sent: Json | undefined, claimed: string | null, ownIds: RegExp): string | null {
  const id = typeof sent === 'string' && sent !== '' ? sent : claimed;
  if (id === null) return null;
  return REPORTED_PLAYER.test(id) || (DOCUMENT_KEY.test(id) && ownIds.test(id)) ? id : null;
}

/** `null`: none was sent; `undefined`: an unknown one. */
function severityOf(sent: Json | undefined): Severity | null | undefined {
  if (sent === undefined || sent === null || sent === '') return null;
  if (typeof sent !== 'string') return undefined;
  return SEVERITIES.find((one) => one === sent.toLowerCase());
}

/** The type under which an event is listed; `null`: none can be found. */
export function storedType(sent: string | null, severity: Severity | null): string | null {
  if (severity === 'warning' || severity === 'error') return `${severity}.reported`;
  const plain = sent?.trim().toLowerCase() ?? '';
  if (severity === 'session') return `session.${sessionMoment(plain)}`;
  if (plain === '') return null;
  if (plain.includes('.')) return truncateText(plain, MAX_TYPE);
  return `custom.${plain.replace(/[^a-z0-9_.-]/gu, '-').slice(0, MAX_TYPE)}`;
}

const JOINS: readonly string[] = ['join', 'start', 'session_start'];
const LEAVES: readonly string[] = ['leave', 'disconnect', 'end', 'session_end'];

function sessionMoment(name: string): 'join' | 'leave' | 'heartbeat' {
  const moment = name.replace(/^session[.:_-]/, '');
  if (JOINS.includes(moment)) return 'join';
  return LEAVES.includes(moment) ? 'leave' : 'heartbeat';
}

/** The part of a type before its first dot. */
export function categoryOf(type: string): string {
  const dot = type.indexOf('.');
  const category = dot < 0 ? 'custom' : type.slice(0, dot);
  return category === 'networkroster' ? 'network' : category || 'custom';
}

function keepsStacks(type: string): boolean {
  const category = categoryOf(type);
  return category === 'error' || category === 'warning';
}

/** An object or a text. */
function contextOf(body: JsonObject, type: string): Json {
  const context = anyOf(body, ['context', 'data']);
  if (typeof context === 'string') return context;
  if (!isObject(context)) return null;
  if (keepsStacks(type)) return context;
  return Object.fromEntries(Object.entries(context).filter(([name]) => name !== 'stack' && name !== 'stackTrace'));
}
