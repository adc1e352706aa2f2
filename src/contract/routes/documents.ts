import { z } from 'zod';
import { DOCUMENT_KEYS, READ_DOCUMENTS, VIEW_KEYS } from '../credentials.ts';
import {
  AS_PLAYER,
  AT,
  AT_ERRORS,
  AT_HEADER,
  AT_POSITION,
  flag,
  PLAYER,
  POSITION_HEADER,
  READ_HEADERS,
  SAVE_VERSION,
  STALE_HEADER,
  STORED_VIEW,
  TARGET,
  VERSION_HEADER,
} from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, anyNumber, anyObject, asOf, count, instant, ok } from '../values.ts';

const ALSO = ['storage-api'] as const;

const Document = anyJson.meta({
  id: 'Document',
  description: 'The stored document without any wrapper, defaults of its schema filled in; nearly always an object',
});

const Operation = z
  .object({
    op: z.enum(['set', 'inc', 'push', 'pull', 'remove', 'delete', 'merge', 'set_if_null']),
    path: z.string().meta({ description: 'Dotted path of the field; `$` is the whole document', examples: ['stats.gold'] }),
    value: anyJson.optional(),
    match: anyJson.optional().meta({ description: 'Of `pull`: which items of the list' }),
    source: z.string().optional().meta({
      description:
        "Told by the ledger; an endpoint's slug or `direct` where it is left out. `correction`, of all operations of a request, with the secret key and a `reason`: meets no rate-limit rule and counts in none",
    }),
    reason: z.string().optional().meta({ description: 'Told by the ledger' }),
  })
  .catchall(anyJson)
  .meta({ id: 'DocumentOperation', description: 'One change of a document' });

const Operations = z
  .object({ ops: z.array(Operation).max(100) })
  .catchall(anyJson)
  .meta({ id: 'Operations', description: 'Changes of a document, all of them or none' });

const Written = z
  .strictObject({ ok, version: count.meta({ description: 'Number of accepted writes to the document' }) })
  .meta({ id: 'Written', description: 'The document is stored' });

export const Done = z.strictObject({ ok }).meta({ id: 'Done', description: 'It is done' });

const LedgerEntry = z
  .strictObject({
    field: z.string(),
    collectionId: z.string(),
    collection_id: z.string().meta({ description: 'As `collectionId`; so are the other names of two words' }),
    before: anyNumber.meta({ description: 'As a reader saw it, defaults included' }),
    after: anyNumber,
    delta: anyNumber,
    source: z.string().meta({
      description:
        "An operation's own, an endpoint's slug, `direct` or `import`; `default`: a default came into being; `definition`: a publish had changed what the field reads as",
    }),
    reason: z.string().optional(),
    platformId: z.string(),
    platform_id: z.string(),
    ts: instant,
    eventId: z.string(),
    event_id: z.string(),
    actor: z
      .object({
        kind: z.enum(['public', 'secret', 'operator', 'person']),
        keyId: z.string().optional(),
        person: z.string().optional().meta({ description: 'Id of the person' }),
        label: z.string().optional().meta({ description: 'Of the key, also of one that was revoked' }),
        player: z.string().optional().meta({ description: 'For whom the request was made' }),
        endpoint: z.string().optional(),
      })
      .optional()
      .meta({ description: 'Who changed it; with `who=true`' }),
  })
  .meta({ id: 'LedgerEntry', description: 'One change of a number that the ledger follows' });

const Summed = z.strictObject({ count, total: anyNumber });

const Ledger = z
  .strictObject({
    ok,
    platformId: z.string(),
    field: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    entries: z.array(LedgerEntry),
    summary: z
      .strictObject({
        totalIncrease: anyNumber,
        totalDecrease: anyNumber,
        netChange: anyNumber,
        entryCount: count,
        truncated: ok
          .optional()
          .meta({ description: 'Of a range or of staged data with more than 50 000 entries: the first of them alone are summed' }),
        sources: z.record(z.string(), Summed).meta({ description: 'By source: its count and total' }),
      })
      .meta({ description: 'Over everything that is selected, not the page' }),
    cursor: z.string().nullable().meta({ description: 'Of the next page; `null` at the end' }),
    at: asOf,
  })
  .meta({ id: 'Ledger', description: 'A page of a ledger, in the order that was asked for' });

const headers = { ...AS_PLAYER, ...TARGET } as const;
const written = { ...headers, ...SAVE_VERSION } as const;
const VERSIONED = { ...POSITION_HEADER, ...STALE_HEADER, ...VERSION_HEADER } as const;
export const ACCESS = ['NOT_FOUND', 'ENDPOINT_ONLY'] as const;
const STORED = [
  'ADDRESS_TAKEN',
  'SCHEMA_VALIDATION_FAILED',
  'UNIQUE_VIOLATION',
  'RATE_LIMIT',
  'RATE_LIMIT_DAILY',
  'COLLECTION_TYPE_MISMATCH',
] as const;

/** Reads of what is and of what was: a key that may do the one alone gets through to it. */
const READ_KEYS = { ...DOCUMENT_KEYS, needs: READ_DOCUMENTS } as const;

export const documents = {
  read: route({
    id: 'readDocument',
    method: 'GET',
    path: '/:project/:collection/:key',
    family: 'storage',
    also: ALSO,
    tag: 'Documents',
    summary: 'Read a document',
    keys: READ_KEYS,
    query: { ...AT, ...STORED_VIEW },
    headers: { ...headers, ...AT_POSITION },
    answers: { 200: Document },
    answerHeaders: { ...VERSIONED, ...AT_HEADER },
    errors: [...ACCESS, ...AT_ERRORS],
    idempotent: false,
    example: { answer: { name: 'Ada', gold: 12 } },
  }),
  write: route({
    id: 'writeDocument',
    method: 'POST',
    path: '/:project/:collection/:key',
    family: 'storage',
    also: ALSO,
    tag: 'Documents',
    summary: 'Replace a document, or apply operations to it',
    description:
      'A body with a list `ops` changes the document; any other body becomes it. A body may say `_saveVersion` in place of the header.',
    keys: DOCUMENT_KEYS,
    query: { saveVersion: count.meta({ description: 'As the header `x-ns-save-version`' }) },
    headers: written,
    body: { schema: z.union([Operations, anyObject]), required: true },
    answers: { 200: Written },
    answerHeaders: VERSIONED,
    errors: [...ACCESS, ...STORED, 'RECORD_LIMIT_REACHED', 'INVALID_OPERATION', 'STALE_SAVE', 'SAVE_VERSION_REQUIRED', 'INVALID_REQUEST'],
    writes: true,
    idempotent: true,
    example: { body: { ops: [{ op: 'inc', path: 'gold', value: 2, reason: 'found' }] }, answer: { ok: true, version: 2 } },
  }),
  remove: route({
    id: 'deleteDocument',
    method: 'DELETE',
    path: '/:project/:collection/:key',
    family: 'storage',
    also: ALSO,
    tag: 'Documents',
    summary: 'Delete a document; 200 also when there was none',
    keys: DOCUMENT_KEYS,
    query: { saveVersion: count.meta({ description: 'As the header `x-ns-save-version`' }) },
    headers: written,
    answers: { 200: Done },
    answerHeaders: READ_HEADERS,
    errors: [
      ...ACCESS,
      'RECORD_DELETE_DISABLED',
      'STALE_SAVE',
      'SAVE_VERSION_REQUIRED',
      'INVALID_REQUEST',
      'RATE_LIMIT',
      'RATE_LIMIT_DAILY',
    ],
    writes: true,
    idempotent: true,
    example: { answer: { ok: true } },
  }),
} as const;

/** Routes that the aliases do not serve. */
export const documentViews = {
  exists: route({
    id: 'probeDocument',
    method: 'GET',
    path: '/:project/:collection/:key/probe',
    family: 'storage',
    tag: 'Documents',
    summary: 'Whether a document exists',
    keys: READ_KEYS,
    query: AT,
    headers: { ...headers, ...AT_POSITION },
    answers: { 200: z.strictObject({ ok, exists: z.boolean(), at: asOf }).meta({ id: 'Probe', description: 'Whether there is one' }) },
    answerHeaders: AT_HEADER,
    errors: [...ACCESS, ...AT_ERRORS],
    idempotent: false,
    example: { answer: { ok: true, exists: true } },
  }),
  ledger: route({
    id: 'readLedger',
    method: 'GET',
    path: '/:project/:collection/:key/ledger',
    family: 'storage',
    tag: 'Documents',
    summary: "Every change of a player's ledger fields, oldest first, or newest first with `order=desc`",
    keys: VIEW_KEYS,
    query: {
      field: z.string().default('all').meta({ description: 'The path of a field' }),
      from: z.string().meta({ description: 'An ISO time with its zone, a date (UTC) or unix ms, inclusive' }),
      to: z.string().meta({ description: 'As `from`, exclusive' }),
      limit: z.int().min(1).max(500),
      cursor: z.string().meta({ description: '`cursor` of the page before, in the same order' }),
      ...AT,
      order: z.enum(['asc', 'desc']).default('asc').meta({ description: '`asc`: oldest first; `desc`: newest first' }),
      who: flag('Each entry says who changed it. Needs a secret key'),
    },
    headers: { ...headers, ...AT_POSITION },
    answers: { 200: Ledger },
    answerHeaders: { ...READ_HEADERS, ...AT_HEADER },
    errors: [...ACCESS, ...AT_ERRORS, 'INVALID_KEY', 'INVALID_BODY', 'INVALID_REQUEST', 'LEDGER_RANGE_TOO_LARGE'],
    idempotent: false,
    example: {
      query: { field: 'gold', limit: '10' },
      answer: {
        ok: true,
        platformId: PLAYER,
        field: 'gold',
        from: null,
        to: null,
        entries: [
          {
            field: 'gold',
            collectionId: 'saves',
            collection_id: 'saves',
            before: 10,
            after: 12,
            delta: 2,
            source: 'direct',
            reason: 'found',
            platformId: PLAYER,
            platform_id: PLAYER,
            ts: '2026-03-01T12:00:00.000Z',
            eventId: '0191b7a0-0000-7000-8000-000000000000',
            event_id: '0191b7a0-0000-7000-8000-000000000000',
          },
        ],
        summary: { totalIncrease: 2, totalDecrease: 0, netChange: 2, entryCount: 1, sources: { direct: { count: 1, total: 2 } } },
        cursor: null,
      },
    },
  }),
} as const;
