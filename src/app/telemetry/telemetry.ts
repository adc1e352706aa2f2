import { LRUCache } from 'lru-cache';
import type * as contract from '../../contract/answers.ts';
import type { AnalyticsSetting } from '../../contract/resources/analytics.ts';
import { spaceOf } from '../../domain/access/context.ts';
import { closedNext } from '../../domain/access/next.ts';
import { DOCUMENT_KEY } from '../../domain/document/key.ts';
import type { PublishTarget, Space } from '../../domain/events.ts';
import { projectSettings } from '../../domain/project/settings.ts';
import { analyticsEvent } from '../../domain/telemetry/analytics.ts';
import type { HeartbeatReceived, TelemetryReport } from '../../domain/telemetry/events.ts';
import { heartbeatEvent } from '../../domain/telemetry/heartbeat.ts';
import { type PlayerProfile, type PlayerStats, withHeartbeat } from '../../domain/telemetry/player.ts';
import { saveFailure } from '../../domain/telemetry/save-failure.ts';
import { playerIn } from '../../domain/telemetry/space.ts';
import { analyticsSetting, asKept, isCaptured } from '../../domain/telemetry/switches.ts';
import { accepted, notFound, refusal } from '../../kernel/errors.ts';
import { isObject, type Json, type JsonObject, stringifyJson } from '../../kernel/json.ts';
import { actorOfKey } from '../access.ts';
import type { Caller } from '../caller.ts';
import { type AppContext, projectOf } from '../context.ts';
import type { MinuteQuota } from '../project/minute-quota.ts';

/** What players report. Bodies come with neutral names; `claimed` is the player's id from the query. */
export interface Telemetry {
  /** `isLocal`: an editor reports it. */
  track(
    caller: Caller,
    body: Json | undefined,
    claimed: string | null,
    target: PublishTarget,
    isLocal: boolean,
  ): Promise<Omit<contract.Tracked, 'ok'>>;
  /** `body`: null if there was none that could be read, which is not refused. */
  heartbeat(caller: Caller, body: JsonObject | null, claimed: string | null, target: PublishTarget): Promise<contract.HeartbeatCounted>;
  saveFailed(caller: Caller, body: Json | undefined): Promise<{ readonly recorded: boolean }>;
  /** Stats of what was reported to this target. */
  stats(caller: Caller, platformId: string, target: PublishTarget): Promise<StatsAnswer>;
}

interface StatsAnswer {
  readonly body: contract.PlayerStats;
  /** Whether a heartbeat that this node stored is not in it yet. */
  readonly stale: boolean;
}

/** Telemetry must never make a game fail or wait: whatever the log or the tables do, the answer is 200 and says what was stored. */

/** Longest analytics event, in characters. */
const MAX_EVENT = 32_768;
/** How long a request waits for the log, ms. */
const TRACK_MS = 1_000;
const HEARTBEAT_MS = 4_000;
const MAX_REMEMBERED = 10_000;
const POLL_MS = 25;

/** What this node stored of a player and the tables may not show yet. */
interface RememberedStats {
  readonly revision: number;
  readonly stats: PlayerStats;
}

type RememberedPlayers = LRUCache<string, RememberedStats>;

export function createTelemetry(context: AppContext): Telemetry {
  const remembered: RememberedPlayers = new LRUCache({ max: MAX_REMEMBERED });
  return {
    track: (...report) => track(context, ...report),
    heartbeat: (...report) => heartbeat(context, remembered, ...report),
    saveFailed: (...report) => saveFailed(context, ...report),
    stats: (...args) => readStats(context, remembered, ...args),
  };
}

async function track(
  context: AppContext,
  caller: Caller,
  body: Json | undefined,
  claimed: string | null,
  target: PublishTarget,
  isLocal: boolean,
): Promise<Omit<contract.Tracked, 'ok'>> {
  // Measured as it is stored: clients send characters outside ASCII as longer escapes.
  if (body !== undefined && stringifyJson(body).length > MAX_EVENT) {
    throw refusal('PAYLOAD_TOO_LARGE', `An analytics event has at most ${MAX_EVENT} characters`);
  }
  if (!isObject(body)) throw refusal('INVALID_JSON', 'The body must be a JSON object');
  const event = accepted(analyticsEvent(body, claimed, context.platformId));
  const { setting, space, reports } = await recordingRules(context, { ...caller, platformId: event.platformId }, target);
  const fact: TelemetryReport = { type: 'analytics.tracked', data: { ...event, platformId: playerIn(space, event.platformId) } };
  if (!isCaptured(setting, fact, isLocal)) return { stored: false, reason: 'capture_disabled' };
  const now = context.scheduler.now();
  if (reports !== null && !reports.tryTake(now)) return { stored: false, reason: 'quota_exceeded' };
  const revision = await record(context, caller, asKept(setting, fact), now, TRACK_MS);
  return revision === null ? { stored: false, reason: 'storage_unavailable' } : { stored: true, reason: null };
}

async function heartbeat(
  context: AppContext,
  remembered: RememberedPlayers,
  caller: Caller,
  body: JsonObject | null,
  claimed: string | null,
  target: PublishTarget,
): Promise<contract.HeartbeatCounted> {
  const event = accepted(heartbeatEvent(body, claimed));
  const answered = (persisted: boolean, stats: PlayerStats | null) => heartbeatAnswer(caller, event.platformId, persisted, stats);
  const { setting, space, reports } = await recordingRules(context, { ...caller, platformId: event.platformId }, target);
  const data = { ...event, platformId: playerIn(space, event.platformId) };
  const at = context.scheduler.now();
  const notStored = async () => {
    const known = await inTime(context, statsOf(context, remembered, caller.projectId, data.platformId));
    return answered(false, known?.stats ?? null);
  };
  if (!isCaptured(setting, { type: 'heartbeat.received', data })) return notStored();
  const { heartbeats } = context.telemetry;
  const gathered = heartbeats.fold(caller.projectId, data, at);
  if (gathered !== null) return answered(true, gathered.stats);
  if (reports !== null && !reports.tryTake(at)) return notStored();
  const { persisted, stats } = await storeHeartbeat(context, remembered, caller, data, at);
  return answered(persisted, stats);
}

/** Stores a heartbeat that says something new, such as the first of a play session. Later ones are gathered. */
async function storeHeartbeat(
  context: AppContext,
  remembered: RememberedPlayers,
  caller: Caller,
  data: HeartbeatReceived,
  at: number,
): Promise<{ readonly persisted: boolean; readonly stats: PlayerStats | null }> {
  const { heartbeats } = context.telemetry;
  const nextBy = heartbeats.nextBy(caller.projectId, data, at);
  const fact: TelemetryReport = { type: 'heartbeat.received', data: nextBy === undefined ? data : { ...data, nextBy } };
  const [revision, before] = await Promise.all([
    record(context, caller, fact, at, HEARTBEAT_MS),
    inTime(context, statsOf(context, remembered, caller.projectId, data.platformId)),
  ]);
  if (revision === null) return { persisted: false, stats: before?.stats ?? null };
  const stats = before !== null && before.revision >= revision ? before.stats : withHeartbeat(before?.stats ?? null, at);
  if (stats) remembered.set(playerKey(caller.projectId, data.platformId), { revision, stats });
  if (nextBy !== undefined) heartbeats.begin(caller.projectId, actorOfKey(caller.key), data, at, before === null ? null : stats);
  return { persisted: true, stats };
}

async function saveFailed(context: AppContext, caller: Caller, body: Json | undefined): Promise<{ readonly recorded: boolean }> {
  if (!isObject(body)) throw refusal('INVALID_BODY');
  const data = saveFailure(body, caller.platformId);
  context.telemetry.onSaveFailed(caller.projectId, data);
  const now = context.scheduler.now();
  const { reports } = (await projectOf(context, caller)).quotas;
  if (reports !== null && !reports.tryTake(now)) return { recorded: false };
  const revision = await record(context, caller, { type: 'save.failed', data }, now, TRACK_MS);
  return { recorded: revision !== null };
}

/** What a project records, and the space where telemetry of a target counts. Throws if the target is closed to the caller. */
async function recordingRules(
  context: AppContext,
  caller: Caller,
  target: PublishTarget,
): Promise<{ readonly setting: AnalyticsSetting; readonly space: Space; readonly reports: MinuteQuota | null }> {
  const project = await projectOf(context, caller);
  const settings = projectSettings(project.authority?.settings ?? {});
  const closed = closedNext(settings, caller.key, caller, target);
  if (closed !== null) throw closed;
  return {
    setting: analyticsSetting(settings.analytics),
    space: spaceOf(settings, project.definitions, target),
    reports: project.quotas.reports,
  };
}

function record(context: AppContext, caller: Caller, fact: TelemetryReport, recordedAt: number, waitMs: number): Promise<number | null> {
  return context.telemetry.recorder.record(caller.projectId, fact, { recordedAt, actor: actorOfKey(caller.key) }, waitMs);
}

interface KnownPlayer {
  readonly revision: number;
  readonly stats: PlayerStats | null;
  readonly profile: PlayerProfile | null;
}

/** Stats from the tables, or from this node's memory if the tables lag. */
async function statsOf(context: AppContext, remembered: RememberedPlayers, projectId: string, platformId: string): Promise<KnownPlayer> {
  const found = await context.telemetry.reader.player(projectId, platformId);
  const own = remembered.get(playerKey(projectId, platformId));
  return own !== undefined && own.revision > found.revision ? { ...found, ...own } : found;
}

/** What the tables say, or `null` if they take too long or fail: a heartbeat is answered without them. */
function inTime(context: AppContext, reading: Promise<KnownPlayer>): Promise<KnownPlayer | null> {
  return new Promise((resolve) => {
    const cancel = context.scheduler.after(HEARTBEAT_MS, () => resolve(null));
    reading
      .catch(() => null)
      .then((known) => {
        cancel();
        resolve(known);
      });
  });
}

function heartbeatAnswer(caller: Caller, platformId: string, persisted: boolean, stats: PlayerStats | null): contract.HeartbeatCounted {
  const lastHeartbeat = stats === null ? null : isoTime(stats.lastHeartbeat);
  return { ok: true, persisted, platformId, projectId: caller.projectId, totalSeconds: stats?.totalSeconds ?? 0, lastHeartbeat };
}

/** A player's stats. Waits a little for the tables to show what this node stored. */
async function readStats(
  context: AppContext,
  remembered: RememberedPlayers,
  caller: Caller,
  platformId: string,
  target: PublishTarget,
): Promise<StatsAnswer> {
  if (!DOCUMENT_KEY.test(platformId)) throw refusal('INVALID_KEY');
  const { space } = await recordingRules(context, caller, target);
  context.projects.freshness(await projectOf(context, caller));
  const player = playerIn(space, platformId);
  const own = remembered.get(playerKey(caller.projectId, player))?.revision ?? -1;
  const until = context.scheduler.monotonic() + context.limits.viewWaitMs;
  let found = await context.telemetry.reader.player(caller.projectId, player);
  while (found.revision < own && context.scheduler.monotonic() < until) {
    await context.scheduler.sleep(POLL_MS);
    found = await context.telemetry.reader.player(caller.projectId, player);
  }
  const known = found.revision >= own ? found : await statsOf(context, remembered, caller.projectId, player);
  const { heartbeats } = context.telemetry;
  const stats = newer(known.stats, heartbeats.statsOf(caller.projectId, player));
  if (stats === null) throw notFound('player', 'No heartbeat of this player was ever received');
  const profile = known.profile === null ? null : heartbeats.profileWith(caller.projectId, player, known.profile);
  return { body: statsBody(platformId, stats, profile), stale: found.revision < own };
}

/** The newer of the tables' stats and those gathered by this node. */
function newer(shown: PlayerStats | null, gathered: PlayerStats | null): PlayerStats | null {
  if (shown === null || gathered === null) return shown ?? gathered;
  return gathered.lastHeartbeat > shown.lastHeartbeat ? gathered : shown;
}

function statsBody(
  platformId: string,
  { firstSeen, lastHeartbeat, totalSeconds }: PlayerStats,
  profile: PlayerProfile | null,
): contract.PlayerStats {
  return {
    ok: true,
    platformId,
    lastHeartbeat: isoTime(lastHeartbeat),
    lastHeartbeatUnixMs: lastHeartbeat,
    firstSeen: isoTime(firstSeen),
    totalSeconds,
    ...(profile === null ? {} : { sessionCount: profile.sessionCount, currentSessionSeconds: Math.floor(profile.sessionSeconds) }),
  };
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function playerKey(projectId: string, platformId: string): string {
  return `${projectId}/${platformId}`;
}
