import { z } from 'zod';
import { QUERY_KEYS } from '../credentials.ts';
import { AS_PLAYER, AT_POSITION, PLAYER, READ_HEADERS, TARGET } from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, anyObject, count, instant, ok } from '../values.ts';

const Column = z.object({ key: z.string().optional(), label: z.string().optional() }).catchall(anyJson);

const Entry = z
  .strictObject({
    rank: z.int().min(1),
    key: z.string().meta({ description: 'Of the document' }),
    value: z.number(),
    data: anyJson.meta({ description: 'The columns, or the whole document where the query names none' }),
    outputValues: anyObject,
    playerProfile: anyJson.optional(),
  })
  .meta({ id: 'RankedRow', description: 'A row of a leaderboard' });

const Performance = z
  .strictObject({
    at: instant,
    durationMs: z.number(),
    keysScanned: count.meta({ description: 'Documents that were looked at' }),
    sources: z.array(
      z.strictObject({
        collectionId: z.string(),
        name: z.string(),
        alias: z.string(),
        keysScanned: count,
        source: z.enum(['index', 'scan']),
      }),
    ),
    computedFields: z.array(z.object({ name: z.string() }).catchall(anyJson)).nullable(),
    computedErrors: count.nullable(),
  })
  .meta({ id: 'QueryPerformance', description: 'What the run looked at' });

const described = {
  ok,
  query: z.string(),
  queryId: z.string(),
  queryName: z.string(),
  generatedAt: instant,
  lastran: instant,
  updatedAt: instant,
  ttl: z.number().meta({ description: 'Seconds that the result may be given again' }),
  performance: Performance,
  fromCache: ok.optional(),
  cachedAt: instant.optional(),
  expiresAt: instant.optional(),
} as const;
const field = z.string().nullable();

const Leaderboard = z
  .strictObject({
    ...described,
    type: z.literal('leaderboard'),
    field,
    fieldLabel: field,
    outputFields: z.array(z.string()),
    columns: z.array(Column),
    entries: z.array(Entry),
    count: count.meta({ description: 'Of the entries' }),
    total: count.meta({ description: 'Rows that have a rank' }),
    player: Entry.nullable().optional().meta({ description: 'The row that `platformId` asks for' }),
  })
  .meta({ id: 'Leaderboard', description: 'Rows in order of a value' });
const aggregate = { ...described, field, fieldLabel: field, counted: count } as const;
const Counted = z
  .strictObject({ ...described, type: z.literal('count'), count })
  .meta({ id: 'CountResult', description: 'How many rows pass' });
const Sum = z
  .strictObject({ ...aggregate, type: z.literal('sum'), sum: z.number() })
  .meta({ id: 'SumResult', description: 'The sum of a value' });
const Average = z
  .strictObject({ ...aggregate, type: z.literal('average'), average: z.number() })
  .meta({ id: 'AverageResult', description: 'The average of a value; 0 when nothing counted' });
const Extreme = z
  .strictObject({ ...aggregate, type: z.enum(['min', 'max']), value: z.number().optional(), key: z.string().optional() })
  .meta({ id: 'ExtremeResult', description: 'The least or greatest value, and whose it is' });

const QueryResult = z
  .union([Leaderboard, Counted, Sum, Average, Extreme])
  .meta({ id: 'QueryResult', description: 'What a query comes to' });

const ROW = { rank: 1, key: PLAYER, value: 12, data: { name: 'Ada', gold: 12 }, outputValues: {} };
const UPDATED_AT = '2026-03-01T12:00:00.000Z';

const base = {
  method: 'GET',
  tag: 'Queries and values',
  keys: QUERY_KEYS,
  query: {
    limit: z.int().min(1).meta({ description: "Rows of a leaderboard, within the definition's limit" }),
    offset: count.meta({ description: 'Rows before the first' }),
    platformId: z.string().meta({ description: 'Adds `player`, the row of this key with its rank, to a leaderboard' }),
    around: count.meta({ description: 'With `platformId` the entries are that row and so many before and after it' }),
    fresh: z.enum(['1', 'true', 'yes', 'on']).meta({
      description:
        'Asks for a live run. With a secret key only: players share what is kept, which holds no longer than what it was made of',
    }),
  },
  headers: { ...AS_PLAYER, ...TARGET, ...AT_POSITION },
  answers: { 200: QueryResult },
  answerHeaders: READ_HEADERS,
  errors: [
    ...(['NOT_FOUND', 'QUERY_FAILED', 'QUERY_TIMEOUT', 'BUILDING', 'BEHIND', 'RESULT_TOO_LARGE', 'INVALID_PLATFORMID'] as const),
    'INVALID_REQUEST',
    ...(['SECRET_KEY_INVALID', 'SECRET_KEY_REQUIRED', 'FORBIDDEN', 'KEY_DISABLED'] as const),
  ],
  idempotent: false,
  description: [
    'A leaderboard over one stored number is answered out of an index. Every other query passes over all documents of its collections:',
    'one of each project at a time, with a short line behind it (`503 BUSY` beyond that), and for `QUERY_TIMEOUT_MS` at most',
    '(`503 QUERY_TIMEOUT`). Rows of more than `LIMIT_ANSWER` are `413 RESULT_TOO_LARGE`: name columns, or ask with a lower `limit`.',
    '`x-ns-position` is the revision that the rows are of. A leaderboard that was published over many documents is filled first: until it',
    'is complete it answers 503 `BUILDING` with `Retry-After` and, in `error.details.fraction`, how far it is (0 to below 1).',
  ].join('\n'),
  example: {
    query: { limit: '10' },
    answer: {
      ok: true,
      query: 'richest',
      queryId: 'richest',
      queryName: 'richest',
      generatedAt: UPDATED_AT,
      lastran: UPDATED_AT,
      updatedAt: UPDATED_AT,
      ttl: 60,
      type: 'leaderboard',
      field: 'gold',
      fieldLabel: 'gold',
      outputFields: [],
      columns: [],
      entries: [ROW],
      count: 1,
      total: 1,
      performance: {
        at: UPDATED_AT,
        durationMs: 1,
        keysScanned: 1,
        computedFields: null,
        computedErrors: null,
        sources: [{ collectionId: 'saves', name: 'saves', alias: 'saves', keysScanned: 1, source: 'index' }],
      },
    },
  },
} as const;

export const queries = {
  run: route({ ...base, id: 'runQuery', path: '/:project/:query', family: 'queries', summary: 'Run a query, such as a leaderboard' }),
} as const;

/** The same call at its old path. */
export const storageQueries = {
  runOld: route({
    ...base,
    id: 'runQueryByStorage',
    path: '/:project/queries/:query',
    family: 'storage-api',
    hidden: true,
    summary: 'Run a query, under its old address',
  }),
} as const;
