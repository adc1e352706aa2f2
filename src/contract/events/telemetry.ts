import { z } from 'zod';
import { absent, count, event, json, list, members, object, personalText, plainText, playerText, time } from './shape.ts';

/** Telemetry, in a stream of its own without a hash chain, and the totals that are kept when its beginning is truncated. */

const text = personalText.nullable();
const plain = plainText.nullable();
const number = z.number().nullable();

export const sessionMoment = z.enum(['join', 'heartbeat', 'leave']);

const player = playerText.meta({ description: '`0` is a dedicated server' });

export const TELEMETRY_EVENTS = {
  'analytics.tracked': event(
    'Something that a game, or its client library, tells of a player.',
    members({
      platformId: player,
      type: plainText.meta({ description: 'A category, a dot, and the rest' }),
      sentType: plain,
      severity: plain,
      label: plainText,
      code: plain,
      message: text,
      stack: text,
      context: json,
      playerName: text,
      sessionId: text,
      source: plainText,
      libraryVersion: plain,
      packageIdent: plain,
      sessionSeconds: number,
      durationSeconds: number,
      fps: json,
      requestPayload: json,
      responsePayload: json,
    }),
  ),
  'heartbeat.received': event(
    'A game says that a player is there, comes or goes.',
    members({
      platformId: player,
      event: sessionMoment,
      sessionId: personalText,
      sessionSeconds: number,
      playerName: text,
      source: plain,
      libraryVersion: plain,
      packageIdent: plain,
      context: json,
      fps: json,
      performance: object.nullable(),
      nextBy: absent(time, 'Where the node that took it gathers those that follow'),
    }),
  ),
  'heartbeats.folded': event(
    'Heartbeats of one session that said nothing new, as one event.',
    members({
      platformId: player,
      sessionId: personalText,
      sessionSeconds: number,
      playerName: text,
      source: plain,
      fps: json,
      count: count.meta({ description: '0: it only moves `nextBy`' }),
      firstAt: time,
      lastAt: time,
      seconds: z.number(),
      nextBy: time,
    }),
  ),
  'save.failed': event(
    'A save was answered with 200, and reading it back did not show it.',
    members({
      collectionId: plainText,
      recordKey: playerText,
      reason: personalText,
      expectedSeq: z.int().meta({ description: '−1: not said' }),
      observedSeq: z.int(),
      attempts: z.int(),
      platformId: playerText.nullable(),
    }),
  ),
  'telemetry.swept': event(
    'What lies before a revision is no longer shown.',
    members({
      before: count,
      forgotten: z.boolean(),
      totals: members({
        players: z.number(),
        totalSeconds: z.number(),
        playSeconds: z.number(),
        sessionCount: z.number(),
        swept: z.record(plainText, z.number()).readonly(),
      }),
    }),
  ),
} as const;

export const sessionKept = members({
  platformId: playerText,
  sessionId: personalText,
  revision: z.int(),
  startedAt: number,
  lastHeartbeatAt: number,
  endedAt: number,
  seconds: z.number(),
  fps: json,
});

export const TOTALS_EVENTS = {
  'totals.kept': event(
    'A part of what every player had come to.',
    members({ players: list(z.object({ platformId: playerText }).catchall(json).readonly()), sessions: list(sessionKept) }),
  ),
  'totals.completed': event(
    'The parts before it are whole.',
    members({
      through: members({ revision: z.int(), eventId: plainText }),
      parts: count,
      players: count,
      sessions: count,
    }),
  ),
} as const;
