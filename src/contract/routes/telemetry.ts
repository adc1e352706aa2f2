import { z } from 'zod';
import { REPORT_KEYS, VIEW_KEYS } from '../credentials.ts';
import { AS_PLAYER, PLAYER, STALE_HEADER, TARGET } from '../parameters.ts';
import { resources } from '../resources/index.ts';
import { route } from '../route.ts';
import { anyObject, count, instant, ok } from '../values.ts';

const ALSO = ['storage-api'] as const;
const headers = { ...AS_PLAYER, ...TARGET } as const;
const claim = { platformId: z.string().meta({ description: 'The player, where the body names none' }) } as const;

const Tracked = z
  .strictObject({
    ok,
    stored: z.boolean(),
    reason: z.enum(['storage_unavailable', 'capture_disabled', 'quota_exceeded']).nullable().meta({ description: 'Why it was not' }),
  })
  .meta({ id: 'Tracked', description: 'What became of an event' });

const Counted = z
  .strictObject({
    ok,
    persisted: z.boolean(),
    platformId: z.string(),
    projectId: z.string(),
    totalSeconds: z.number(),
    lastHeartbeat: instant.nullable(),
  })
  .meta({ id: 'HeartbeatCounted', description: "The player's time after it" });

const Stats = z
  .strictObject({
    ok,
    platformId: z.string(),
    lastHeartbeat: instant,
    lastHeartbeatUnixMs: count,
    firstSeen: instant,
    totalSeconds: z.number(),
    sessionCount: count.optional(),
    currentSessionSeconds: count.optional(),
  })
  .meta({ id: 'PlayerStats', description: "What a player's heartbeats add up to" });

export const telemetry = {
  track: route({
    id: 'trackEvent',
    method: 'POST',
    path: '/:project/analytics/events',
    family: 'storage',
    also: ALSO,
    tag: 'Telemetry',
    summary: 'Report an analytics event; 200 also when it could not be stored, which `stored` and `reason` tell',
    keys: REPORT_KEYS,
    query: claim,
    headers: { ...headers, 'x-ns-client-type': z.string().meta({ description: '`editor`: not a game, but where it is made' }) },
    body: { schema: resources.analyticsEvent, required: true, loose: true },
    unfit: { code: 'INVALID_JSON' },
    answers: { 200: Tracked },
    errors: ['INVALID_JSON', 'INVALID_ANALYTICS_EVENT', 'INVALID_KEY'],
    idempotent: false,
    refusesKey: true,
    example: { body: { type: 'level_done', platformId: PLAYER, context: { level: 3 } }, answer: { ok: true, stored: true, reason: null } },
  }),
  heartbeat: route({
    id: 'sendHeartbeat',
    method: 'POST',
    path: '/:project/stats/heartbeat',
    family: 'storage',
    also: ALSO,
    tag: 'Telemetry',
    summary: 'A player is there, comes or goes; 200 also when it could not be stored',
    description: 'A body that cannot be read is ignored when the query names the player.',
    keys: VIEW_KEYS,
    query: claim,
    headers,
    body: { schema: resources.heartbeat, required: false, loose: true, unreadable: null },
    answers: { 200: Counted },
    errors: ['INVALID_KEY'],
    idempotent: false,
    refusesKey: true,
    example: {
      body: { platformId: PLAYER, event: 'join' },
      answer: {
        ok: true,
        persisted: true,
        platformId: PLAYER,
        projectId: 'demo',
        totalSeconds: 2,
        lastHeartbeat: '2026-03-01T12:00:00.000Z',
      },
    },
  }),
} as const;

/** Routes that the aliases do not serve. */
export const playerStats = {
  read: route({
    id: 'readPlayerStats',
    method: 'GET',
    path: '/:project/stats/:player',
    family: 'storage',
    tag: 'Telemetry',
    summary: "What a player's heartbeats add up to; 404 when there was none",
    keys: VIEW_KEYS,
    headers: TARGET,
    answers: { 200: Stats },
    answerHeaders: STALE_HEADER,
    errors: ['NOT_FOUND', 'INVALID_KEY'],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        platformId: PLAYER,
        lastHeartbeat: '2026-03-01T12:00:00.000Z',
        lastHeartbeatUnixMs: 1772366400000,
        firstSeen: '2026-03-01T12:00:00.000Z',
        totalSeconds: 2,
        sessionCount: 1,
        currentSessionSeconds: 0,
      },
    },
  }),
} as const;

/** These paths never reach a collection, even where they are not served. */
export const reservedStats = {
  read: route({
    id: 'reservedStats',
    method: 'GET',
    path: '/:project/stats/:player',
    family: 'storage-api',
    hidden: true,
    tag: 'Telemetry',
    summary: 'Not served here',
    keys: null,
    answers: {},
    errors: ['NOT_FOUND'],
    idempotent: false,
  }),
} as const;

export const saveFailures = {
  report: route({
    id: 'reportSaveFailure',
    method: 'POST',
    path: '/:project/save-failure',
    family: 'save-failure',
    tag: 'Telemetry',
    summary: 'A game did not find what it had saved; recorded, and told to the operators',
    keys: REPORT_KEYS,
    headers,
    body: { schema: anyObject, required: true, loose: true },
    answers: {
      200: z.strictObject({ ok, recorded: z.boolean() }).meta({ id: 'SaveFailureRecorded', description: 'Whether it could be recorded' }),
    },
    errors: [],
    idempotent: false,
    refusesKey: true,
    example: { body: { collection: 'saves', key: PLAYER, reason: 'gold is missing' }, answer: { ok: true, recorded: true } },
  }),
} as const;
