import { z } from 'zod';
import { VIEW_KEYS } from '../credentials.ts';
import { AS_PLAYER, AT, AT_ERRORS, AT_HEADER, AT_POSITION, READ_HEADERS, TARGET } from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, anyObject, asOf, instant, ok } from '../values.ts';

/** Game values, and the limits that are in force. */

const GameValues = z
  .object({
    ok,
    version: z.string().nullable(),
    updatedAt: z.string().nullable(),
    groups: z.record(z.string(), anyObject).meta({ description: 'By id: `name`, `description` and `values`' }),
    tables: z.record(z.string(), anyObject).meta({ description: 'By id: `columns` and `rows`' }),
    constants: z.record(z.string(), anyJson).meta({ description: 'The values of the groups, by the ids of these' }),
    at: asOf,
  })
  .catchall(anyJson)
  .meta({ id: 'ServedValues', description: 'Values that the game is tuned by: groups of constants, and tables' });

const Limits = z.object({ rateLimits: anyJson, rateLimitAction: anyJson, fields: anyJson.optional() }).catchall(anyJson);

export const UsedWindow = z
  .object({
    window: z.string(),
    limit: z.number(),
    used: z.number(),
    remaining: z.number(),
    flagged: z.boolean(),
    resetsAt: instant,
  })
  .catchall(anyJson);

const RateLimits = z
  .strictObject({
    ok,
    projectId: z.string(),
    source: z.string(),
    endpointRateLimits: z.record(z.string(), anyJson).meta({ description: 'By endpoint, as their definitions say them' }),
    rules: z.array(anyJson).meta({ description: 'The rate-limit rules as they were put' }),
    collections: z.record(z.string(), Limits).meta({ description: 'By collection; `fields`: what its schema limits, by field and window' }),
    platformId: z.string().optional(),
    used: z.array(UsedWindow).optional().meta({ description: 'What the player has used of each limit' }),
    usedTruncated: ok.optional(),
  })
  .meta({ id: 'RateLimits', description: 'The limits that are in force' });

export const values = {
  read: route({
    id: 'readValues',
    method: 'GET',
    path: '/:project',
    family: 'values',
    tag: 'Queries and values',
    summary: 'Game values',
    keys: VIEW_KEYS,
    query: AT,
    headers: { ...TARGET, ...AT_POSITION },
    answers: { 200: GameValues },
    answerHeaders: { ...READ_HEADERS, ...AT_HEADER },
    errors: AT_ERRORS,
    idempotent: false,
    example: {
      answer: {
        ok: true,
        version: '1',
        updatedAt: null,
        tables: {},
        constants: { shop: { axe: 5 } },
        groups: { shop: { name: 'Shop', description: null, values: { axe: 5 } } },
      },
    },
  }),
} as const;

export const rateLimits = {
  read: route({
    id: 'readRateLimits',
    method: 'GET',
    path: '/:project/rate-limits',
    family: 'storage',
    also: ['storage-v1'],
    tag: 'Queries and values',
    summary: 'The rate limits of the project, and what a player has used of them',
    keys: VIEW_KEYS,
    query: {
      platformId: z
        .string()
        .meta({ description: 'The player whose used amounts are told under `used`: the caller, or anybody with a secret key' }),
    },
    headers: { ...AS_PLAYER, ...TARGET, ...AT_POSITION },
    answers: { 200: RateLimits },
    answerHeaders: READ_HEADERS,
    errors: ['FORBIDDEN', 'INVALID_KEY', 'INVALID_BODY', 'PLATFORM_AUTH_FAILED'],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        projectId: 'demo',
        source: 'store',
        endpointRateLimits: {},
        rules: [],
        collections: { saves: { rateLimits: null, rateLimitAction: null } },
      },
    },
  }),
} as const;
