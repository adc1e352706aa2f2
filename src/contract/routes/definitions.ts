import { z } from 'zod';
import { managementKeys, type Scope } from '../credentials.ts';
import { PUBLISHED_HEADERS, READ_HEADERS, STRICT, TARGET } from '../parameters.ts';
import { resources } from '../resources/index.ts';
import { type Described, route } from '../route.ts';
import { anyJson, anyObject, count } from '../values.ts';
import { CLAIMING, diagnostics, INVALID, ok, PUSHED, SAVES, SourceItem, staged, store } from './managed.ts';

/** Definitions of each kind: pushed, listed, removed. */

const Pushed = z
  .object({ ok: z.boolean(), resourceKind: z.string(), resourceId: z.string(), action: z.string(), diagnostics })
  .catchall(anyJson)
  .meta({ id: 'PushedDefinition', description: 'What became of one definition of a push' });

const PushedMany = z
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

const PushedOne = z
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

const Removed = z
  .strictObject({ ok, ...store, resourceKind: z.string(), action: z.literal('delete'), resourceId: z.string().optional(), ...staged })
  .meta({ id: 'RemovedDefinition', description: 'It is gone, or there was none' });

const Put = z
  .strictObject({ ok, ...store, resourceKind: z.string(), action: z.literal('upsert'), diagnostics, ...staged })
  .meta({ id: 'PutDefinition', description: 'It is replaced' });

const Listed = z
  .object({ id: z.string(), name: z.string().optional(), revisionTarget: z.literal('next').optional(), stagedRemoval: ok.optional() })
  .catchall(anyJson)
  .meta({ id: 'ListedDefinition', description: 'A definition as it was pushed; `revisionTarget` marks one that is staged' });

const Listing = z
  .strictObject({
    ok,
    data: z.array(Listed),
    building: z
      .array(z.strictObject({ id: z.string(), fraction: z.number() }))
      .optional()
      .meta({ description: 'Queries that answer `BUILDING`, and how far they are' }),
  })
  .meta({ id: 'Listing', description: 'Definitions of a kind' });

const inLayer = {
  includeStaged: z.string().meta({ description: '`true` or `1`: the staged ones follow the live ones' }),
  revisionTarget: z.enum(['live', 'next']).meta({ description: 'As the header `x-ns-publish-target`' }),
} as const;
/** The routes of a kind of definition that is listed by id. */
function listed(
  path: string,
  names: { readonly many: string; readonly one: string; readonly words: string },
  scope: Scope,
  resource: z.ZodType,
  examples: { readonly definition: Readonly<Record<string, unknown>>; readonly id: string },
  more: Described = {},
) {
  const pushed = z.union([resource, SourceItem]);
  const reads = managementKeys('r', scope);
  const writes = managementKeys('rw', scope);
  const about = { family: 'manage', tag: 'Definitions', answerHeaders: READ_HEADERS } as const;
  const many = {
    ...about,
    path: `/:project/${path}`,
    description: 'All of them or none. What the validator finds is answered as `diagnostics` of each result.',
    keys: writes,
    query: {
      ...STRICT,
      ...more,
      async: z.enum(['true', 'false']).meta({ description: 'Answers a `jobId`; the push is done nevertheless' }),
    },
    headers: TARGET,
    body: { schema: z.array(pushed), required: true },
    answers: { 200: PushedMany },
    errors: [...PUSHED, ...CLAIMING],
    writes: true,
    idempotent: true,
    answerHeaders: PUBLISHED_HEADERS,
    example: {
      body: [examples.definition],
      answer: {
        ...{ ok: true, source: 'store', resourceKind: names.one.toLowerCase(), action: 'upsert' },
        results: [{ ok: true, resourceKind: names.one.toLowerCase(), resourceId: examples.id, action: 'upsert' }],
        ...{ createdCount: 1, updatedCount: 0, unchangedCount: 0, deletedCount: 0 },
      },
    },
  } as const;
  return {
    list: route({
      ...about,
      id: `list${names.many}`,
      method: 'GET',
      path: `/:project/${path}`,
      summary: `The ${names.words} of the project`,
      description: [
        'With `includeStaged=true` the staged ones follow the live ones, each with `revisionTarget: next`; one that the promotion removes',
        'as live holds it, with `stagedRemoval: true` beside it. Workflows without a target are listed as they were pushed last.',
      ].join('\n'),
      keys: reads,
      query: inLayer,
      headers: TARGET,
      answers: { 200: Listing },
      errors: [],
      idempotent: false,
      example: { answer: { ok: true, data: [examples.definition] } },
    }),
    put: route({ ...many, id: `put${names.many}`, method: 'PUT', summary: `Create or replace ${names.words} by id` }),
    post: route({ ...many, id: `post${names.many}`, method: 'POST', summary: `The same as PUT: create or replace ${names.words} by id` }),
    patch: route({
      ...about,
      id: `patch${names.one}`,
      method: 'PATCH',
      path: `/:project/${path}`,
      summary: `Create or change one of the ${names.words}`,
      description: 'A plain definition is laid over what is stored, a source item replaces it.',
      keys: writes,
      query: STRICT,
      headers: TARGET,
      body: { schema: pushed, required: true },
      answers: { 200: PushedOne },
      errors: [...PUSHED, ...CLAIMING],
      writes: true,
      idempotent: true,
      answerHeaders: PUBLISHED_HEADERS,
      example: {
        body: examples.definition,
        answer: {
          ...{ ok: true, source: 'store', resourceKind: names.one.toLowerCase(), resourceId: examples.id, id: examples.id },
          ...{ action: 'unchanged', skipped: true },
        },
      },
    }),
    remove: route({
      ...about,
      id: `delete${names.one}`,
      method: 'DELETE',
      path: `/:project/${path}/:id`,
      summary: `Delete one of the ${names.words}; 200 also when there was none`,
      description: 'With the target `next` the promotion does it.',
      keys: writes,
      headers: TARGET,
      answers: { 200: Removed },
      errors: [...INVALID, ...CLAIMING],
      writes: true,
      idempotent: true,
      answerHeaders: PUBLISHED_HEADERS,
      example: {
        params: { id: 'old' },
        answer: { ok: true, source: 'store', resourceKind: names.one.toLowerCase(), action: 'delete', resourceId: 'old' },
      },
    }),
  } as const;
}

const BUY = {
  ...{ id: 'buy', slug: 'buy', name: 'buy', method: 'POST', input: { type: 'object', properties: { item: { type: 'string' } } } },
  steps: [{ id: 'item', type: 'transform', value: '{{input.item}}' }],
  response: { status: 200, body: { ok: true, item: '{{item}}' } },
};
const WORKFLOW = { id: 'can-pay', name: 'can-pay', params: { gold: { type: 'number' } }, steps: [] };
const LIBRARY = { id: 'camp', name: 'camp', blocks: { greet: { params: {}, steps: [] } } };
const RICHEST = { id: 'richest', name: 'richest', type: 'leaderboard', sources: [{ collectionId: 'saves' }], config: { field: 'gold' } };

export const collections = listed(
  'collections',
  { many: 'Collections', one: 'Collection', words: 'collections' },
  'collections',
  resources.collection,
  { definition: SAVES, id: 'saves' },
);
export const endpointDefinitions = listed(
  'endpoints',
  { many: 'Endpoints', one: 'Endpoint', words: 'endpoints' },
  'endpoints',
  resources.endpoint,
  { definition: BUY, id: 'buy' },
  {
    replaceAll: z.enum(['true', 'false']).meta({ description: 'Removes what is not in the list' }),
  },
);
export const workflows = listed('workflows', { many: 'Workflows', one: 'Workflow', words: 'workflows' }, 'workflows', resources.workflow, {
  definition: WORKFLOW,
  id: 'can-pay',
});
export const libraries = listed('libraries', { many: 'Libraries', one: 'Library', words: 'libraries' }, 'workflows', resources.library, {
  definition: LIBRARY,
  id: 'camp',
});
const {
  put: _put,
  patch: _patch,
  ...postOnly
} = listed('queries', { many: 'Queries', one: 'Query', words: 'queries' }, 'queries', resources.query, {
  definition: RICHEST,
  id: 'richest',
});
/** Queries have no PUT and no PATCH. */
export const queryDefinitions = postOnly;

const single = { stagedRemoval: ok.optional().meta({ description: 'The promotion removes them' }) };

const StoredValues = z
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

const StoredRules = z
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

/** The routes of a document that exists once per project. */
function singleOf<const Answer extends z.ZodType>(
  path: string,
  name: string,
  words: string,
  scope: Scope,
  answer: Answer,
  resource: z.ZodType,
  examples: { readonly body: unknown; readonly answer: unknown },
) {
  const about = { family: 'manage', tag: 'Definitions', path: `/:project/${path}`, headers: TARGET, answerHeaders: READ_HEADERS } as const;
  const put = {
    ...about,
    description: 'What the validator finds in them is answered as `diagnostics`.',
    keys: managementKeys('rw', scope),
    query: STRICT,
    body: { schema: resource, required: true },
    answers: { 200: Put },
    errors: [...INVALID, 'STRICT_FINDINGS', ...CLAIMING],
    writes: true,
    idempotent: true,
    answerHeaders: PUBLISHED_HEADERS,
    example: { body: examples.body, answer: { ok: true, source: 'store', resourceKind: path, action: 'upsert' } },
  } as const;
  return {
    list: route({
      ...about,
      id: `list${name}`,
      method: 'GET',
      summary: `The ${words} as they were put`,
      keys: managementKeys('r', scope),
      query: inLayer,
      answers: { 200: answer },
      errors: [],
      idempotent: false,
      example: { answer: examples.answer },
    }),
    put: route({ ...put, id: `put${name}`, method: 'PUT', summary: `Replace the ${words}` }),
    post: route({ ...put, id: `post${name}`, method: 'POST', summary: `The same as PUT: replace the ${words}` }),
    remove: route({
      ...about,
      id: `delete${name}`,
      method: 'DELETE',
      summary: `Remove the ${words}`,
      keys: managementKeys('rw', scope),
      answers: { 200: Removed },
      errors: [...CLAIMING],
      writes: true,
      idempotent: true,
      answerHeaders: PUBLISHED_HEADERS,
      example: { answer: { ok: true, source: 'store', resourceKind: path, action: 'delete' } },
    }),
  } as const;
}

const SHOP = { items: [{ id: 'shop', type: 'group', name: 'Shop', entries: { axe: 5 } }] };
const RULE = {
  id: 'gold_day',
  name: 'gold_day',
  collection: 'saves',
  field: 'gold',
  scope: 'per_player',
  window: 'perDay',
  limit: 100000,
  action: 'reject',
};

export const gameValues = singleOf('game-values', 'GameValues', 'game values', 'game_values', StoredValues, resources.gameValues, {
  body: SHOP,
  answer: { ok: true, data: SHOP },
});
export const rateLimitRules = singleOf(
  'rate-limit-rules',
  'RateLimitRules',
  'rate-limit rules',
  'rate_limits',
  StoredRules,
  resources.rateLimitRules,
  {
    body: { rules: [RULE] },
    answer: {
      ...{ ok: true, projectId: 'demo', source: 'configuration', endpointRateLimits: null },
      rules: [
        {
          ...{ ...RULE, maxPerMinute: null, maxPerHour: null, maxPerDay: 100000, maxPerWeek: null, maxPerMonth: null, maxPerYear: null },
          enabled: true,
        },
      ],
    },
  },
);
