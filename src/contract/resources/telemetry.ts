import { z } from 'zod';
import { anyText, json, map, number, optional, type Written } from './member.ts';

/** What games report about players. Names have two spellings: `sessionId` and `session_id`. */

/** The most characters of texts that are stored; longer ones are cut. */
export const MAX_LENGTH = { name: 128, id: 128, version: 64, code: 256, reason: 1024, label: 120 } as const;

export const SEVERITIES = ['info', 'warning', 'error', 'custom', 'session'] as const;

const who = {
  platformId: optional(z.union([anyText, z.number()]), 'The player; the header `x-platform-id` comes before it.'),
  playerName: optional(anyText, `What the player is called; ${MAX_LENGTH.name} characters.`),
  sessionId: optional(anyText, `The session of play; ${MAX_LENGTH.id} characters.`),
  sessionSeconds: optional(number, 'How long it has lasted.'),
  source: optional(anyText, 'What reports it.'),
  libraryVersion: optional(anyText, `Version of the client library; ${MAX_LENGTH.version} characters.`),
  packageIdent: optional(anyText, `The game’s package; ${MAX_LENGTH.name} characters.`),
};

/** The members of a context that the server itself reads. */
const context = z.looseObject({
  endpointSlug: optional(json, 'The endpoint that the event is about.'),
  slug: optional(json, 'The same as `endpointSlug`.'),
  collectionId: optional(json, 'The collection that it is about.'),
});

/** The context of an event, as the reporter wrote it. */
export type WrittenContext = Written<typeof context>;

export const analyticsEvent = z
  .looseObject({
    ...who,
    type: optional(anyText, `What happened; ${MAX_LENGTH.code} characters.`),
    severity: optional(z.enum(SEVERITIES), 'What kind of thing.'),
    label: optional(anyText, `For people; ${MAX_LENGTH.label} characters.`),
    code: optional(anyText, `What went wrong, in a word; ${MAX_LENGTH.code} characters.`),
    message: optional(anyText, 'What went wrong.'),
    stack: optional(anyText, 'Where; kept of warnings and errors alone.'),
    context: optional(z.union([anyText, context]), 'Whatever else is known.'),
    durationSeconds: optional(number, 'How long it took.'),
    fps: optional(json, 'Pictures a second.'),
    requestPayload: optional(json, 'What was asked for.'),
    responsePayload: optional(json, 'What was answered.'),
  })
  .meta({ id: 'AnalyticsEvent', description: 'Something that a game, or its client library, tells of a player.' });

export const heartbeat = z
  .looseObject({
    ...who,
    event: optional(anyText, '`join`, `leave` (also `disconnect`), or anything else: still there.', { default: 'heartbeat' }),
    context: optional(json, 'Whatever else is known.'),
    fps: optional(z.union([number, map]), 'Pictures a second.'),
    performance: optional(map, 'How the game runs.'),
  })
  .meta({ id: 'Heartbeat', description: 'A game says that a player is there, comes or goes.' });
