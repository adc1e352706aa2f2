import { z } from 'zod';
import { EVERYTHING_READ, PACKAGE_KEYS, VIEW_KEYS } from '../credentials.ts';
import { AS_PLAYER, PUBLISH_BASE, PUBLISHED_HEADERS, WHY } from '../parameters.ts';
import { gamePackage as sentPackage } from '../resources/game-package.ts';
import { route } from '../route.ts';
import { anyJson, count, instant, ok } from '../values.ts';
import { CLAIMING, ON_BASE, ofProject } from './managed.ts';

/** A project's package: what its editor told of the game, and what a game that starts is told of its revision. */

const PACKAGE = {
  title: 'Camp',
  currentRevisionId: 7,
  publishStatus: 'published',
  lastSyncedAt: '2026-03-01T12:00:00.000Z',
  revisionPublishedAt: '2026-03-01T12:00:00.000Z',
  revisionFirstSyncedAtUnix: 1772366400,
  lastSyncedAtUnix: 1772366400,
};

const GamePackage = z
  .object({
    publishStatus: z.literal('published'),
    lastSyncedAt: instant,
    revisionPublishedAt: instant,
    revisionFirstSyncedAtUnix: count,
    lastSyncedAtUnix: count,
  })
  .catchall(anyJson)
  .meta({ id: 'GamePackage', description: "The game's package: what its editor told of it, and when" });

export const gamePackage = {
  sync: route({
    ...ofProject,
    id: 'syncPackage',
    method: 'POST',
    path: '/:project/package-sync',
    summary: "Tell of the game's package; another revision than before promotes what is staged",
    description: [
      'Members are laid over those that are known, 256 KiB in all. A `currentRevisionId` of null keeps the known one. When it changes,',
      "the grace period of the project's revision settings starts anew. Needs `rw` of every scope.",
    ].join('\n'),
    keys: PACKAGE_KEYS,
    headers: PUBLISH_BASE,
    query: WHY,
    body: { schema: sentPackage, required: true, loose: true },
    unfit: { code: 'INVALID_JSON' },
    answers: {
      200: z
        .strictObject({
          ok,
          gamePackage: GamePackage,
          previousRevisionId: z.int().nullable(),
          revisionChanged: z.boolean(),
          promotedRevisionOverrides: z.strictObject({
            endpointCount: count,
            collectionCount: count,
            promoted: z.boolean(),
            waits: z.string().optional().meta({
              description:
                'Where a new revision would have promoted and did not, since a second person has to approve what is staged: says so',
            }),
            nextDocuments: count.optional().meta({
              description:
                'Where it promoted: how many documents requests to `next` had written, 10 000 at most. They are not taken over: the data of `next` begins anew',
            }),
          }),
        })
        .meta({ id: 'PackageSynced', description: 'The package as it is known now' }),
    },
    errors: ['INVALID_JSON', 'UNIQUE_VIOLATION', ...CLAIMING, ...ON_BASE],
    writes: true,
    idempotent: true,
    answerHeaders: PUBLISHED_HEADERS,
    example: {
      body: { title: 'Camp', currentRevisionId: 7 },
      answer: {
        ok: true,
        gamePackage: PACKAGE,
        previousRevisionId: null,
        revisionChanged: false,
        promotedRevisionOverrides: { endpointCount: 0, collectionCount: 0, promoted: false },
      },
    },
  }),
  read: route({
    ...ofProject,
    id: 'readPackage',
    method: 'GET',
    path: '/:project/game-package',
    summary: "The game's package as it was told last, or null",
    keys: EVERYTHING_READ,
    answers: {
      200: z.strictObject({ ok, gamePackage: GamePackage.nullable() }).meta({ id: 'KnownPackage', description: 'The package' }),
    },
    errors: [],
    idempotent: false,
    example: { answer: { ok: true, gamePackage: PACKAGE } },
  }),
  init: route({
    ...ofProject,
    id: 'initRevision',
    method: 'POST',
    path: '/:project/revision-init',
    summary: 'What a game that starts is told of its revision; unknown numbers are left out',
    keys: VIEW_KEYS,
    headers: { ...AS_PLAYER },
    body: {
      schema: z.object({ revisionId: anyJson.optional().meta({ description: 'A whole number' }) }).catchall(anyJson),
      required: false,
      loose: true,
    },
    unfit: { code: 'INVALID_JSON' },
    answers: {
      200: z
        .strictObject({
          ok,
          playerRevision: z.int().optional(),
          currentRevisionId: z.int().optional(),
          latestRevisionId: z.int().optional(),
          revisionOutdated: z.boolean(),
          message: z.string(),
        })
        .meta({ id: 'RevisionStatus', description: 'The handshake' }),
    },
    errors: ['INVALID_JSON', 'FORBIDDEN'],
    idempotent: false,
    example: {
      body: { revisionId: 7 },
      answer: {
        ok: true,
        playerRevision: 7,
        currentRevisionId: 7,
        latestRevisionId: 7,
        revisionOutdated: false,
        message: 'Revision 7 is current.',
      },
    },
  }),
} as const;
