import { z } from 'zod';
import { ANY_SECRET_KEY, EVERYTHING_READ, managementKeys, PACKAGE_KEYS, VIEW_KEYS } from '../credentials.ts';
import {
  AS_PLAYER,
  AT,
  AT_ERRORS,
  AT_HEADER,
  MESSAGE,
  PLAYER,
  PUBLISH_BASE,
  PUBLISHED_HEADERS,
  READ_HEADERS,
  STRICT,
  STRICT_IN_BODY,
  TARGET,
} from '../parameters.ts';
import { gamePackage as sentPackage } from '../resources/game-package.ts';
import { route } from '../route.ts';
import { anyJson, anyObject, asOf, count, instant } from '../values.ts';
import { about, CLAIMING, diagnostics, ON_BASE, ok, paged } from './managed.ts';

/** A project's settings and keys, its package, and facts about it. */

const Settings = z
  .object({
    ok,
    projectId: z.string(),
    settings: anyObject,
    config: anyObject.meta({ description: 'The same once more' }),
    enableAuthSessions: z.boolean().meta({ description: 'As among the settings: editors look for it here' }),
    enableEncryptedRequests: z.boolean(),
    at: asOf,
    diagnostics,
  })
  .strict()
  .meta({ id: 'Settings', description: 'All settings, with defaults' });

const SETTINGS = {
  ok: true,
  projectId: 'demo',
  settings: { name: 'Demo', fillDefaults: true },
  config: { name: 'Demo', fillDefaults: true },
  enableAuthSessions: false,
  enableEncryptedRequests: false,
};

const project = { ...about, tag: 'Project' } as const;
const READS_SETTINGS = managementKeys('r', 'settings');
const read = {
  ...project,
  method: 'GET',
  keys: READS_SETTINGS,
  query: AT,
  answers: { 200: Settings },
  answerHeaders: { ...READ_HEADERS, ...AT_HEADER },
  errors: AT_ERRORS,
  idempotent: false,
  example: { answer: SETTINGS },
} as const;

export const Flag = z
  .strictObject({
    revision: count,
    collection: z.string(),
    key: z.string(),
    rule: z.string(),
    window: z.string(),
    start: instant.meta({ description: 'Of the window' }),
    platformId: z.string().meta({ description: 'Whose limit it was; `*`: of all together' }),
    amount: z.number().meta({ description: 'What the write asked for' }),
    limit: z.number(),
    at: instant,
    eventId: z.string(),
  })
  .meta({ id: 'Flag', description: 'A write that went over a rule' });

const Key = z
  .strictObject({
    keyId: z.string(),
    type: z.enum(['public', 'secret']),
    label: z.string().meta({ description: 'What it is for' }),
    key: z.string().meta({ description: 'A public key as it is, of a secret one its beginning and end' }),
    enabled: z.boolean(),
    permissions: z
      .record(z.string(), z.string())
      .nullable()
      .meta({ description: 'By scope; `null`: everything that keys have by themselves' }),
    createdAt: instant,
    usedAt: instant.nullable().meta({ description: 'The last use that is known, to the minute' }),
    use: z.enum(['used', 'unused', 'never', 'unknown']),
  })
  .meta({ id: 'Key', description: 'A key of the project' });

export const settings = {
  read: route({ ...read, id: 'readSettings', path: '/:project/settings', summary: 'The settings of the project, with defaults' }),
  readConfig: route({ ...read, id: 'readConfig', path: '/:project/config', summary: 'The same as `settings`' }),
  change: route({
    ...project,
    id: 'changeSettings',
    method: 'PUT',
    path: '/:project/settings',
    summary: "Change settings, the project's `name` among them; flat, or under `settings` or `config`",
    description: [
      'Names that are no settings are ignored, and told as `diagnostics`. One value that cannot be refuses the whole change. A setting is in force',
      "on every node within a second. After `enabled: false` every key is refused, this route's too: `savepoint project settings ID --set",
      'enabled=true` brings it back.',
    ].join('\n'),
    keys: managementKeys('rw', 'settings'),
    headers: PUBLISH_BASE,
    query: STRICT,
    body: { schema: z.object(STRICT_IN_BODY).catchall(anyJson), required: false, loose: true },
    unfit: { code: 'VALIDATION_FAILED', facts: { resourceKind: 'project-settings' } },
    answers: { 200: Settings },
    errors: ['VALIDATION_FAILED', 'STRICT_FINDINGS', 'BEHIND', ...ON_BASE],
    writes: true,
    idempotent: true,
    example: { body: { fillDefaults: true }, answer: SETTINGS },
  }),
  listKeys: route({
    ...project,
    id: 'listKeys',
    method: 'GET',
    path: '/:project/keys',
    summary: 'The keys of the project, secrets masked, with when each was used last, to the minute',
    description: [
      'Each process writes once a minute which keys it was shown, so a use may show a minute later. `use` says it in a word: `used`, `unused` for 90 days,',
      '`never` since it was made, or `unknown`: not since `notedSince`, when uses began to be noted, and the key is older.',
    ].join('\n'),
    keys: READS_SETTINGS,
    answers: {
      200: z
        .strictObject({
          ok,
          keys: z.array(Key),
          revoked: z
            .array(z.strictObject({ keyId: z.string(), label: z.string(), usedAt: instant }))
            .meta({ description: 'Keys that are none any more, if a use was noted; the last used first' }),
          notedSince: instant,
        })
        .meta({ id: 'Keys', description: 'All keys' }),
    },
    errors: ['STORAGE_UNAVAILABLE'],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        keys: [
          {
            keyId: 'key_0000000000000001',
            type: 'secret',
            label: 'dedicated server',
            key: 'sp_sk_…0001',
            enabled: true,
            permissions: { endpoints: 'x' },
            createdAt: '2026-03-01T12:00:00.000Z',
            usedAt: '2026-03-02T12:00:00.000Z',
            use: 'used',
          },
        ],
        revoked: [{ keyId: 'key_0000000000000002', label: 'old server', usedAt: '2026-02-01T12:00:00.000Z' }],
        notedSince: '2026-01-01T12:00:00.000Z',
      },
    },
  }),
  revokePublicKey: route({
    ...project,
    id: 'revokePublicKey',
    method: 'DELETE',
    path: '/:project/keys',
    summary: 'Revoke a public key of the project; 200 also when there is none',
    keys: managementKeys('rw', 'settings'),
    query: { publicKey: z.string().meta({ description: 'The key; its place is the body' }) },
    body: { schema: z.strictObject({ publicKey: z.string().nullable().optional() }), required: false },
    unfit: { code: 'VALIDATION_FAILED', facts: { resourceKind: 'api-keys' } },
    answers: {
      200: z
        .strictObject({ ok, projectId: z.string(), revoked: z.boolean() })
        .meta({ id: 'KeyRevoked', description: 'Whether a key was revoked' }),
    },
    errors: ['VALIDATION_FAILED'],
    writes: true,
    idempotent: true,
    example: { body: { publicKey: 'sp_ns_0000' }, answer: { ok: true, projectId: 'demo', revoked: false } },
  }),
} as const;

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
    ...project,
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
    query: MESSAGE,
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
    ...project,
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
    ...project,
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
    errors: ['INVALID_JSON'],
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

const check = z.strictObject({ ok: z.boolean(), message: z.string() });

const Validated = z
  .strictObject({
    ok: z.boolean(),
    project: z.strictObject({ id: z.string(), title: z.string(), name: z.string(), settings: z.strictObject({ enabled: z.boolean() }) }),
    checks: z.strictObject({ projectId: check, secretKey: check, publicKey: check }),
    permissions: z.record(z.string(), z.string()).optional().meta({ description: 'Of a key that is not permitted everything' }),
  })
  .meta({ id: 'Validated', description: 'What the keys are good for' });

/** Facts about a project, besides its definitions. */
export const projectFacts = {
  validate: route({
    ...project,
    id: 'validateKeys',
    method: 'GET',
    path: '/:project/validate',
    summary: 'Check the keys of a project',
    keys: ANY_SECRET_KEY,
    headers: { 'x-public-key': z.string().meta({ description: 'A public key to check beside the secret one' }) },
    answers: { 200: Validated },
    errors: [],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        project: { id: 'demo', title: 'Demo', name: 'Demo', settings: { enabled: true } },
        checks: {
          projectId: { ok: true, message: 'Found' },
          secretKey: { ok: true, message: 'Valid' },
          publicKey: { ok: false, message: 'Not provided' },
        },
      },
    },
  }),
  flags: route({
    ...project,
    id: 'listFlags',
    method: 'GET',
    path: '/:project/flags',
    summary: 'Writes that went over rate-limit rules with the action `flag`, the first of each window, newest first',
    keys: managementKeys('r', 'rate_limits'),
    query: { ...paged, platformId: z.string().meta({ description: 'Of one player only', examples: [PLAYER] }) },
    headers: TARGET,
    answers: {
      200: z
        .strictObject({
          ok,
          flags: z.array(Flag),
          before: z.int().nullable(),
        })
        .meta({ id: 'Flags', description: 'A page of flagged writes' }),
    },
    errors: ['INVALID_REQUEST', 'INVALID_PLATFORMID', 'BEHIND'],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        flags: [
          {
            revision: 12,
            collection: 'saves',
            key: PLAYER,
            rule: 'gold_day',
            window: 'perDay',
            start: '2026-03-01T00:00:00.000Z',
            platformId: PLAYER,
            amount: 500,
            limit: 400,
            at: '2026-03-01T12:00:00.000Z',
            eventId: '0191b7a0-0000-7000-8000-000000000000',
          },
        ],
        before: null,
      },
    },
  }),
} as const;
