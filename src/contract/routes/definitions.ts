import { z } from 'zod';
import { managementKeys, type Scope } from '../credentials.ts';
import { AT, AT_ERRORS, AT_HEADER, flag, PUBLISH_BASE, PUBLISHED_HEADERS, READ_HEADERS, STRICT, TARGET, WHY } from '../parameters.ts';
import { resources } from '../resources/index.ts';
import { route } from '../route.ts';
import { Listing, PushedMany, PushedOne, Put, Removed, StoredRules, StoredValues } from './definition-answers.ts';
import { CLAIMING, INVALID, ON_BASE, PUSHED, SAVES, SourceItem } from './managed.ts';

/** Definitions of each kind: pushed, listed, removed. */

const inLayer = {
  ...AT,
  includeStaged: z.string().meta({ description: '`true` or `1`: the staged ones follow the live ones' }),
  revisionTarget: z.enum(['live', 'next']).meta({ description: 'As the header `x-ns-publish-target`' }),
} as const;
/** A kind of definition that is listed by id. */
interface ListedKind {
  readonly path: string;
  readonly names: { readonly many: string; readonly one: string; readonly words: string };
  readonly scope: Scope;
  readonly resource: z.ZodType;
  readonly examples: { readonly definition: Readonly<Record<string, unknown>>; readonly id: string };
  /** Whether a push may remove what is not in it. */
  readonly isReplaced?: boolean;
}

const NOT_REPLACED = z
  .enum(['false'], 'false: `true` is there for endpoints only; delete the others by their ids')
  .default('false')
  .meta({ description: 'For endpoints only' });

const about = { family: 'manage', tag: 'Definitions', answerHeaders: READ_HEADERS } as const;

/** The common members of all routes that change definitions. */
function writing(scope: Scope, resourceKind: string) {
  return {
    ...about,
    keys: managementKeys('rw', scope),
    headers: { ...TARGET, ...PUBLISH_BASE },
    query: WHY,
    unfit: { code: 'VALIDATION_FAILED', facts: { resourceKind } },
    writes: true,
    idempotent: true,
    answerHeaders: PUBLISHED_HEADERS,
  } as const;
}

function listRoute({ path, names, scope, examples }: ListedKind) {
  return route({
    ...about,
    id: `list${names.many}`,
    method: 'GET',
    path: `/:project/${path}`,
    summary: `The ${names.words} of the project`,
    description: [
      'With `includeStaged=true` the staged ones follow the live ones, each with `revisionTarget: next`; one that the promotion removes',
      'as live holds it, with `stagedRemoval: true` beside it. Workflows without a target are listed as they were pushed last.',
    ].join('\n'),
    keys: managementKeys('r', scope),
    query: inLayer,
    headers: TARGET,
    answers: { 200: Listing },
    answerHeaders: { ...READ_HEADERS, ...AT_HEADER },
    errors: AT_ERRORS,
    idempotent: false,
    example: { answer: { ok: true, data: [examples.definition] } },
  });
}

/** PUT and POST do the same. */
function upsertRoutes({ path, names, scope, resource, examples, isReplaced = false }: ListedKind) {
  const kind = names.one.toLowerCase();
  const upsert = {
    ...writing(scope, kind),
    path: `/:project/${path}`,
    description: 'All of them or none. What the validator finds is answered as `diagnostics` of each result.',
    query: {
      ...STRICT,
      ...WHY,
      replaceAll: isReplaced ? flag('Removes what is not in the list') : NOT_REPLACED,
      async: flag('Answers a `jobId`; the push is done nevertheless'),
    },
    body: { schema: z.array(z.union([resource, SourceItem])), required: true, loose: true },
    answers: { 200: PushedMany },
    errors: [...PUSHED, ...CLAIMING, ...ON_BASE, 'APPROVAL_NEEDED'],
    example: {
      body: [examples.definition],
      answer: {
        ok: true,
        source: 'store',
        resourceKind: kind,
        action: 'upsert',
        results: [{ ok: true, resourceKind: kind, resourceId: examples.id, action: 'upsert' }],
        createdCount: 1,
        updatedCount: 0,
        unchangedCount: 0,
        deletedCount: 0,
      },
    },
  } as const;
  return {
    put: route({ ...upsert, id: `put${names.many}`, method: 'PUT', summary: `Create or replace ${names.words} by id` }),
    post: route({ ...upsert, id: `post${names.many}`, method: 'POST', summary: `The same as PUT: create or replace ${names.words} by id` }),
  } as const;
}

function patchRoute({ path, names, scope, resource, examples }: ListedKind) {
  return route({
    ...writing(scope, names.one.toLowerCase()),
    id: `patch${names.one}`,
    method: 'PATCH',
    path: `/:project/${path}`,
    summary: `Create or change one of the ${names.words}`,
    description: 'A plain definition is laid over what is stored, a source item replaces it.',
    query: { ...STRICT, ...WHY },
    body: { schema: z.union([resource, SourceItem]), required: true, loose: true },
    answers: { 200: PushedOne },
    errors: [...PUSHED, ...CLAIMING, ...ON_BASE, 'APPROVAL_NEEDED'],
    example: {
      body: examples.definition,
      answer: {
        ok: true,
        source: 'store',
        resourceKind: names.one.toLowerCase(),
        resourceId: examples.id,
        id: examples.id,
        action: 'unchanged',
        skipped: true,
      },
    },
  });
}

function removeRoute({ path, names, scope }: ListedKind) {
  return route({
    ...writing(scope, names.one.toLowerCase()),
    id: `delete${names.one}`,
    method: 'DELETE',
    path: `/:project/${path}/:id`,
    summary: `Delete one of the ${names.words}; 200 also when there was none`,
    description: 'With the target `next` the promotion does it.',
    params: { id: z.string().regex(/\S/, 'the id of a definition').meta({ description: 'Id of the definition, or its slug or name' }) },
    answers: { 200: Removed },
    errors: [...INVALID, ...CLAIMING, ...ON_BASE, 'APPROVAL_NEEDED'],
    example: {
      params: { id: 'old' },
      answer: { ok: true, source: 'store', resourceKind: names.one.toLowerCase(), action: 'delete', resourceId: 'old' },
    },
  });
}

/** All routes of a kind of definition that is listed by id. */
function listed(kind: ListedKind) {
  return { list: listRoute(kind), ...upsertRoutes(kind), patch: patchRoute(kind), remove: removeRoute(kind) } as const;
}

const BUY = {
  id: 'buy',
  slug: 'buy',
  name: 'buy',
  method: 'POST',
  input: { type: 'object', properties: { item: { type: 'string' } } },
  steps: [{ id: 'item', type: 'transform', value: '{{input.item}}' }],
  response: { status: 200, body: { ok: true, item: '{{item}}' } },
};
const WORKFLOW = { id: 'can-pay', name: 'can-pay', params: { gold: { type: 'number' } }, steps: [] };
const LIBRARY = { id: 'camp', name: 'camp', blocks: { greet: { params: {}, steps: [] } } };
const RICHEST = { id: 'richest', name: 'richest', type: 'leaderboard', sources: [{ collectionId: 'saves' }], config: { field: 'gold' } };

export const collections = listed({
  path: 'collections',
  names: { many: 'Collections', one: 'Collection', words: 'collections' },
  scope: 'collections',
  resource: resources.collection,
  examples: { definition: SAVES, id: 'saves' },
});
export const endpointDefinitions = listed({
  path: 'endpoints',
  names: { many: 'Endpoints', one: 'Endpoint', words: 'endpoints' },
  scope: 'endpoints',
  resource: resources.endpoint,
  examples: { definition: BUY, id: 'buy' },
  isReplaced: true,
});
export const workflows = listed({
  path: 'workflows',
  names: { many: 'Workflows', one: 'Workflow', words: 'workflows' },
  scope: 'workflows',
  resource: resources.workflow,
  examples: { definition: WORKFLOW, id: 'can-pay' },
});
export const libraries = listed({
  path: 'libraries',
  names: { many: 'Libraries', one: 'Library', words: 'libraries' },
  scope: 'workflows',
  resource: resources.library,
  examples: { definition: LIBRARY, id: 'camp' },
});
const queries = listed({
  path: 'queries',
  names: { many: 'Queries', one: 'Query', words: 'queries' },
  scope: 'queries',
  resource: resources.query,
  examples: { definition: RICHEST, id: 'richest' },
});
/** Queries have no PUT and no PATCH. */
export const queryDefinitions = { list: queries.list, post: queries.post, remove: queries.remove } as const;

/** The routes of a definition that exists once per project. */
function singleOf<const Answer extends z.ZodType>(
  path: string,
  name: string,
  words: string,
  scope: Scope,
  answer: Answer,
  resource: z.ZodType,
  examples: { readonly body: unknown; readonly answer: unknown },
) {
  const writes = { ...writing(scope, path), path: `/:project/${path}` } as const;
  const put = {
    ...writes,
    description: 'What the validator finds in them is answered as `diagnostics`.',
    query: { ...STRICT, ...WHY },
    body: { schema: resource, required: true, loose: true },
    answers: { 200: Put },
    errors: [...INVALID, 'STRICT_FINDINGS', ...CLAIMING, ...ON_BASE, 'APPROVAL_NEEDED'],
    example: { body: examples.body, answer: { ok: true, source: 'store', resourceKind: path, action: 'upsert' } },
  } as const;
  return {
    list: route({
      ...about,
      id: `list${name}`,
      method: 'GET',
      path: `/:project/${path}`,
      headers: TARGET,
      summary: `The ${words} as they were put`,
      keys: managementKeys('r', scope),
      query: inLayer,
      answers: { 200: answer },
      answerHeaders: { ...READ_HEADERS, ...AT_HEADER },
      errors: AT_ERRORS,
      idempotent: false,
      example: { answer: examples.answer },
    }),
    put: route({ ...put, id: `put${name}`, method: 'PUT', summary: `Replace the ${words}` }),
    post: route({ ...put, id: `post${name}`, method: 'POST', summary: `The same as PUT: replace the ${words}` }),
    remove: route({
      ...writes,
      id: `delete${name}`,
      method: 'DELETE',
      summary: `Remove the ${words}`,
      answers: { 200: Removed },
      errors: [...CLAIMING, ...ON_BASE, 'APPROVAL_NEEDED'],
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
      ok: true,
      projectId: 'demo',
      source: 'configuration',
      endpointRateLimits: null,
      rules: [
        {
          ...RULE,
          maxPerMinute: null,
          maxPerHour: null,
          maxPerDay: 100000,
          maxPerWeek: null,
          maxPerMonth: null,
          maxPerYear: null,
          enabled: true,
        },
      ],
    },
  },
);
