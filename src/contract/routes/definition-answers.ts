import { z } from 'zod';
import { anyJson, anyObject, asOf, count, ok } from '../values.ts';
import { diagnostics, staged, store } from './managed.ts';

/** Answers of the routes of definitions. */

const Pushed = z
  .object({ ok: z.boolean(), resourceKind: z.string(), resourceId: z.string(), action: z.string(), diagnostics })
  .catchall(anyJson)
  .meta({ id: 'PushedDefinition', description: 'What became of one definition of a push' });

export const PushedMany = z
  .strictObject({
    ok,
    ...store,
    resourceKind: z.string(),
    action: z.literal('upsert'),
    results: z.array(Pushed),
    createdCount: count,
    updatedCount: count,
    unchangedCount: count,
    deletedCount: count,
    jobId: z.string().optional().meta({ description: 'With `async=true`: a job that is done' }),
    ...staged,
  })
  .meta({ id: 'PushedMany', description: 'What became of a push' });

export const PushedOne = z
  .strictObject({
    ok,
    ...store,
    resourceKind: z.string(),
    resourceId: z.string(),
    id: z.string(),
    action: z.enum(['created', 'updated', 'unchanged']),
    skipped: ok.optional(),
    diagnostics,
    ...staged,
  })
  .meta({ id: 'PushedOne', description: 'What became of a definition' });

export const Removed = z
  .strictObject({
    ok,
    ...store,
    resourceKind: z.string(),
    action: z.literal('delete'),
    resourceId: z.string().optional(),
    diagnostics,
    ...staged,
  })
  .meta({ id: 'RemovedDefinition', description: 'It is gone, or there was none' });

export const Put = z
  .strictObject({ ok, ...store, resourceKind: z.string(), action: z.literal('upsert'), diagnostics, ...staged })
  .meta({ id: 'PutDefinition', description: 'It is replaced' });

const Listed = z
  .object({ id: z.string(), name: z.string().optional(), revisionTarget: z.literal('next').optional(), stagedRemoval: ok.optional() })
  .catchall(anyJson)
  .meta({ id: 'ListedDefinition', description: 'A definition as it was pushed; `revisionTarget` marks one that is staged' });

export const Listing = z
  .strictObject({
    ok,
    data: z.array(Listed),
    building: z
      .array(z.strictObject({ id: z.string(), fraction: z.number() }))
      .optional()
      .meta({ description: 'Queries that answer `BUILDING`, and how far they are' }),
    at: asOf,
  })
  .meta({ id: 'Listing', description: 'Definitions of a kind' });

const single = { at: asOf, stagedRemoval: ok.optional().meta({ description: 'The promotion removes them' }) };

export const StoredValues = z
  .strictObject({ ok, data: anyJson.meta({ description: 'As they were put; an empty list where there are none' }), ...single })
  .meta({ id: 'StoredGameValues', description: 'The game values as they were put' });

const Rule = z
  .object({
    id: z.string(),
    collection: z.string(),
    field: z.string(),
    action: z.string(),
    maxPerMinute: z.number().nullable(),
    maxPerHour: z.number().nullable(),
    maxPerDay: z.number().nullable(),
    maxPerWeek: z.number().nullable(),
    maxPerMonth: z.number().nullable(),
    maxPerYear: z.number().nullable(),
    enabled: z.boolean(),
    scope: z.string(),
  })
  .catchall(anyJson)
  .meta({ id: 'ListedRule', description: 'A rule as it was put, with an id and its windows as `maxPer…`' });

export const StoredRules = z
  .strictObject({
    ok,
    projectId: z.string(),
    source: z.string(),
    endpointRateLimits: anyObject.nullable(),
    rules: z.array(Rule),
    sourceFormat: z.string().optional(),
    sourcePath: z.string().optional(),
    sourceText: z.string().optional().meta({ description: 'The text of the file, where they were put with it' }),
    ...single,
  })
  .meta({ id: 'StoredRateLimitRules', description: 'The rate-limit rules' });
