import { z } from 'zod';
import { managementKeys } from '../credentials.ts';
import { AT, AT_ERRORS, AT_HEADER, PUBLISH_BASE, READ_HEADERS, STRICT, STRICT_IN_BODY, WHY } from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, anyObject, asOf, instant, ok } from '../values.ts';
import { diagnostics, ON_BASE, ofProject } from './managed.ts';

/** A project's settings and keys. */

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

const READS_SETTINGS = managementKeys('r', 'settings');
const read = {
  ...ofProject,
  method: 'GET',
  keys: READS_SETTINGS,
  query: AT,
  answers: { 200: Settings },
  answerHeaders: { ...READ_HEADERS, ...AT_HEADER },
  errors: AT_ERRORS,
  idempotent: false,
  example: { answer: SETTINGS },
} as const;

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
    ...ofProject,
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
    query: { ...STRICT, ...WHY },
    body: { schema: z.object(STRICT_IN_BODY).catchall(anyJson), required: false, loose: true },
    unfit: { code: 'VALIDATION_FAILED', facts: { resourceKind: 'project-settings' } },
    answers: { 200: Settings },
    errors: ['VALIDATION_FAILED', 'STRICT_FINDINGS', 'BEHIND', ...ON_BASE],
    writes: true,
    idempotent: true,
    example: { body: { fillDefaults: true }, answer: SETTINGS },
  }),
  listKeys: route({
    ...ofProject,
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
    ...ofProject,
    id: 'revokePublicKey',
    method: 'DELETE',
    path: '/:project/keys',
    summary: 'Revoke a public key of the project; 200 also when there is none',
    keys: managementKeys('rw', 'settings'),
    query: { publicKey: z.string().meta({ description: 'The key; its place is the body' }), ...WHY },
    body: { schema: z.strictObject({ publicKey: z.string().nullable().optional() }), required: false },
    unfit: { code: 'VALIDATION_FAILED', facts: { resourceKind: 'api-keys' } },
    answers: {
      200: z
        .strictObject({ ok, projectId: z.string(), revoked: z.boolean() })
        .meta({ id: 'KeyRevoked', description: 'Whether a key was revoked' }),
    },
    errors: ['VALIDATION_FAILED', 'INVALID_REQUEST'],
    writes: true,
    idempotent: true,
    example: { body: { publicKey: 'sp_ns_0000' }, answer: { ok: true, projectId: 'demo', revoked: false } },
  }),
} as const;
