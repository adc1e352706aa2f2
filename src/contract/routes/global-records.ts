import { z } from 'zod';
import { APPEND_KEYS, VIEW_KEYS } from '../credentials.ts';
import { AS_PLAYER, AT, AT_ERRORS, AT_HEADER, AT_POSITION, READ_HEADERS, STORED_VIEW, TARGET, VERSION_HEADER } from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, anyObject, ok } from '../values.ts';

const GlobalRecord = z
  .object({
    _id: anyJson.optional().meta({ description: 'A text; an imported record has what it had' }),
    _timestamp: anyJson.optional().meta({ description: 'Unix ms' }),
    _writerId: anyJson.optional().meta({ description: 'The player or server that appended it' }),
  })
  .catchall(anyJson)
  .meta({ id: 'GlobalRecord', description: 'What was appended, with its id, its time and its writer' });

const headers = { ...AS_PLAYER, ...TARGET } as const;
const RECORD = { _id: 'g_0191b7a0', _timestamp: 1772366400000, _writerId: 'anonymous', text: 'The gates are open' };

export const globalRecords = {
  append: route({
    id: 'appendRecord',
    method: 'POST',
    path: '/:project/:collection/append',
    family: 'storage',
    also: ['storage-api'],
    tag: 'Global records',
    summary: 'Append a record to a global collection',
    description: 'Takes a secret key; a public one where the collection has `publicAppend: true`.',
    keys: APPEND_KEYS,
    headers,
    body: { schema: anyObject, required: true },
    answers: {
      200: z.strictObject({ ok, record: GlobalRecord }).meta({ id: 'Appended', description: 'The stored record' }),
    },
    answerHeaders: READ_HEADERS,
    errors: [
      ...(['NOT_FOUND', 'ENDPOINT_ONLY', 'SCHEMA_VALIDATION_FAILED', 'UNIQUE_VIOLATION', 'RATE_LIMIT', 'RATE_LIMIT_DAILY'] as const),
      'COLLECTION_TYPE_MISMATCH',
    ],
    writes: true,
    idempotent: true,
    example: { params: { collection: 'feed' }, body: { text: 'The gates are open' }, answer: { ok: true, record: RECORD } },
  }),
} as const;

/** Routes that the aliases do not serve. */
export const globalRecordViews = {
  list: route({
    id: 'listRecords',
    method: 'GET',
    path: '/:project/:collection/list',
    family: 'storage',
    tag: 'Global records',
    summary: 'Records of a global collection, newest first',
    keys: VIEW_KEYS,
    query: {
      limit: z.int().min(1).max(100).default(50),
      after: z.string().meta({ description: '`cursor` of the page before, or a time' }),
      cursor: z.string().meta({ description: 'Another name of `after`' }),
    },
    headers: { ...headers, ...AT_POSITION },
    answers: {
      200: z
        .strictObject({ ok, records: z.array(GlobalRecord), cursor: z.union([z.number(), z.string()]).nullable() })
        .meta({ id: 'GlobalRecords', description: 'A page of records' }),
    },
    answerHeaders: READ_HEADERS,
    errors: ['NOT_FOUND', 'ENDPOINT_ONLY', 'FORBIDDEN', 'INVALID_REQUEST', 'COLLECTION_TYPE_MISMATCH', 'BEHIND', 'BUILDING'],
    idempotent: false,
    example: { params: { collection: 'feed' }, query: { limit: '10' }, answer: { ok: true, records: [RECORD], cursor: null } },
  }),
  read: route({
    id: 'readRecord',
    method: 'GET',
    path: '/:project/:collection/record/:key',
    family: 'storage',
    tag: 'Global records',
    summary: 'One record of a global collection',
    keys: VIEW_KEYS,
    query: { ...AT, ...STORED_VIEW },
    headers: { ...headers, ...AT_POSITION },
    answers: { 200: GlobalRecord },
    answerHeaders: { ...READ_HEADERS, ...AT_HEADER, ...VERSION_HEADER },
    errors: ['NOT_FOUND', 'ENDPOINT_ONLY', ...AT_ERRORS],
    idempotent: false,
    example: { params: { collection: 'feed' }, answer: RECORD },
  }),
} as const;
