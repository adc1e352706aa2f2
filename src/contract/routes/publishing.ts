import { z } from 'zod';
import { ANY_SECRET_KEY, EVERYTHING_READ, EVERYTHING_WRITTEN, managementKeys } from '../credentials.ts';
import { PUBLISH_BASE, PUBLISHED_HEADERS, REPLACE_ALL, STRICT, STRICT_IN_BODY, TARGET, WHY } from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, anyObject, count, ok } from '../values.ts';
import { about, CLAIMING, Diagnostic, PUSHED, SAVES, staged, store } from './managed.ts';

/** Pushes of whole projects, and what tools ask about a project as a whole. */

/** The sections of a push, which the compiler reads. */
const Sections = z.object(STRICT_IN_BODY).catchall(anyJson);

export const publishing = {
  sync: route({
    ...about,
    id: 'sync',
    method: 'PUT',
    path: '/:project/sync',
    summary: 'Push definitions of every kind in one publish; all or none',
    description: [
      'The body holds `endpoints`, `collections`, `workflows`, `libraries` and `queries`, each a list of definitions or source items; `gameValues`',
      '(also `game-values`, `values`) and `rateLimitRules` (also `rate-limit-rules`) as their own routes take them; `tests`; or any of these',
      'absent. Any other member is 400 UNKNOWN_SECTION, `strict` aside. The key needs `rw` on the scope of every section that is there.',
      '400 carries the result of each item. Tests are never staged. With `replaceAll=true` a list that is there replaces all of its kind, also an',
      'empty one. With `x-ns-base` it is 409 PUBLISH_CONFLICT if anything was published since; `error.details.publishes` tells what, when and by whom,',
      'if the key may read `publishes`.',
    ].join('\n'),
    keys: ANY_SECRET_KEY,
    query: { ...STRICT, ...REPLACE_ALL, ...WHY },
    headers: { ...TARGET, ...PUBLISH_BASE },
    body: { schema: Sections, required: true, loose: true },
    unfit: { code: 'VALIDATION_FAILED' },
    answers: {
      200: z
        .object({ ok, ...store, ...staged })
        .catchall(anyJson)
        .meta({ id: 'Synced', description: 'Under each section what became of it' }),
    },
    errors: [...PUSHED, ...CLAIMING, 'UNKNOWN_SECTION', 'APPROVAL_NEEDED', 'PUBLISH_CONFLICT', 'INVALID_REQUEST', 'WRITE_CONFLICT'],
    writes: true,
    idempotent: true,
    answerHeaders: PUBLISHED_HEADERS,
    example: {
      body: { collections: [SAVES] },
      answer: {
        ok: true,
        source: 'store',
        collections: { ok: true, total: 1, results: [{ ok: true, resourceKind: 'collection', resourceId: 'saves', action: 'upsert' }] },
      },
    },
  }),
  preflight: route({
    ...about,
    id: 'preflight',
    method: 'POST',
    path: '/:project/sync/preflight',
    summary: 'What such a push would do, with warnings of the validator. Writes nothing',
    keys: ANY_SECRET_KEY,
    query: { ...STRICT, ...REPLACE_ALL },
    headers: TARGET,
    body: {
      schema: Sections,
      required: true,
      loose: true,
      unreadable: { code: 'INVALID_JSON', message: 'Body must be valid JSON.', facts: { mode: 'preflight' } },
    },
    unfit: { code: 'VALIDATION_FAILED' },
    answers: {
      200: z
        .object({
          ok,
          mode: z.literal('preflight'),
          publishTarget: z.enum(['live', 'next']),
          summary: z.strictObject({ total: count, success: count, failed: count, warnings: count, nextAction: z.string() }),
          message: z.string(),
        })
        .catchall(anyJson)
        .meta({ id: 'Preflighted', description: 'Under each section what would become of it' }),
    },
    errors: [...PUSHED, 'PREFLIGHT_VALIDATION_FAILED', 'APPROVAL_NEEDED', 'UNKNOWN_SECTION', 'INVALID_JSON', 'INVALID_REQUEST'],
    idempotent: false,
    example: {
      body: { collections: [SAVES] },
      answer: {
        ok: true,
        mode: 'preflight',
        publishTarget: 'live',
        collections: {
          ok: true,
          total: 1,
          passed: 1,
          failed: 0,
          warnings: 0,
          results: [{ ok: true, resourceKind: 'collection', resourceId: 'saves', action: 'would_update', diagnostics: [] }],
        },
        summary: { total: 1, success: 1, failed: 0, warnings: 0, nextAction: 'The push can proceed.' },
        message: 'Preflight validation passed. No resources were written.',
      },
    },
  }),
  upgradeSource: route({
    ...about,
    id: 'upgradeSource',
    method: 'POST',
    path: '/:project/source-upgrade',
    summary: 'A source text in the flat layout, where only the layout changes',
    keys: EVERYTHING_WRITTEN,
    body: { schema: anyObject, required: true, loose: true },
    unfit: { code: 'VALIDATION_FAILED' },
    answers: {
      200: z
        .strictObject({
          ok,
          kind: z.string(),
          id: z.string().nullable().optional(),
          canonicalDefinition: anyObject,
          upgradedSourceText: z.string(),
          safeAutoWrite: z.boolean(),
          diagnostics: z.array(Diagnostic),
        })
        .meta({ id: 'UpgradedSource', description: 'The text, and what it says' }),
    },
    errors: ['VALIDATION_FAILED', 'SOURCE_COMPILE_FAILED', 'COMPILE_LIMIT', 'COMPILER_FAILED'],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        kind: 'collection',
        id: 'saves',
        canonicalDefinition: { name: 'saves' },
        upgradedSourceText: 'kind: collection\nid: saves\nname: saves\n',
        safeAutoWrite: true,
        diagnostics: [],
      },
      body: { kind: 'collection', id: 'saves', sourceFormat: 'yaml', sourceText: 'kind: collection\nid: saves\nname: saves\n' },
    },
  }),
  manifest: route({
    ...about,
    id: 'readManifest',
    method: 'GET',
    path: '/:project/agent-manifest',
    summary: 'Everything that the project holds, by name and hash, without steps and texts',
    keys: EVERYTHING_READ,
    headers: TARGET,
    answers: {
      200: z
        .strictObject({
          ok,
          manifestVersion: z.literal(1),
          project: z.strictObject({ id: z.string(), name: z.string() }),
          target: z.enum(['live', 'next']),
          hash: z.string(),
          collections: z.array(anyObject),
          endpoints: z.array(anyObject),
          workflows: z.array(anyObject),
          libraries: z.array(anyObject),
          queries: z.array(anyObject),
          gameValues: z.array(z.string()),
          rateLimitRules: z.array(anyObject),
        })
        .meta({ id: 'Manifest', description: 'What a target holds' }),
    },
    errors: [],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        manifestVersion: 1,
        project: { id: 'demo', name: 'Demo' },
        target: 'live',
        hash: '0123456789abcdef',
        collections: [{ id: 'saves', name: 'saves' }],
        endpoints: [],
        workflows: [],
        libraries: [],
        queries: [],
        gameValues: ['shop'],
        rateLimitRules: [],
      },
    },
  }),
  job: route({
    ...about,
    id: 'readSyncJob',
    method: 'GET',
    path: '/:project/sync-jobs/:job',
    summary: 'The `jobId` that a push with `async=true` is answered with; such a push is done when it is answered, and so is its job',
    keys: managementKeys('r', 'settings'),
    answers: {
      200: z
        .strictObject({
          ok,
          jobId: z.string(),
          status: z.literal('completed'),
          completed: ok,
          progress: z.literal(1),
          error: z.null(),
          position: count,
        })
        .meta({ id: 'SyncJob', description: 'A push that is done' }),
    },
    errors: ['NOT_FOUND'],
    idempotent: false,
    example: {
      params: { job: '1' },
      answer: { ok: true, jobId: '1', status: 'completed', completed: true, progress: 1, error: null, position: 1 },
    },
  }),
} as const;
