import { z } from 'zod';
import { DOCUMENT_KEYS, type KeyRules } from '../credentials.ts';
import { AS_PLAYER, AT, AT_ERRORS, AT_HEADER, AT_POSITION, READ_HEADERS, TARGET } from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, anyNumber, asOf, count, instant, ok } from '../values.ts';
import { DifferingField, paged } from './managed.ts';

/** What happened to one document, and what differs between two moments. */

export const changedFields = z
  .array(DifferingField)
  .meta({ description: 'Where it differs, as `diff` says it: `path` is a JSON pointer, a side without a value is left out; 200 at most' });
export const moreFields = count.optional().meta({ description: 'How many differences lie beyond these' });

/** What every change says of itself. */
export const when = { revision: count, at: instant } as const;
export const by = {
  actor: z.object({ kind: z.string() }).catchall(anyJson).meta({ description: 'Who: kind of key, its id and label, player, endpoint' }),
  cause: z.string().meta({ description: 'The use case that did it' }),
  commandId: z.string().meta({ description: 'Of the commit: the request that made it' }),
} as const;
const publish = z.int().nullable().meta({ description: 'The publish in force, as `publishes` lists it; null: none' });
const hiddenFields = changedFields.optional().meta({ description: 'What was stored before and after; missing where a redaction hides it' });
/** Members of every page of changes. */
export const pageOfChanges = {
  before: z.int().nullable().meta({ description: '`before` of the next page; null at the end' }),
  redacted: count.optional().meta({ description: 'The list ends at this revision, whose data were redacted; `before` goes on behind it' }),
  at: asOf,
} as const;
/** The moments of a comparison. */
export const betweenMoments = {
  from: z.string().min(1).default('0').meta({ description: 'As `at`; left out: the beginning' }),
  to: z.string().min(1).meta({ description: 'As `at`; left out: now' }),
} as const;

const Change = z
  .strictObject({
    ...when,
    commit: count.meta({ description: 'Revision of the last event of its commit, by which that is named' }),
    action: z.enum(['written', 'deleted', 'appended']),
    version: count,
    ...by,
    publish,
    fields: hiddenFields,
    more: moreFields,
    ledger: z.array(
      z.strictObject({
        field: z.string(),
        before: anyNumber,
        after: anyNumber,
        delta: anyNumber,
        source: z.string(),
        reason: z.string().optional(),
        currency: z.string().optional().meta({ description: 'Where the schema names one' }),
        eventId: z.string(),
      }),
    ),
  })
  .meta({ id: 'DocumentChange', description: 'One change of a document' });

const side = z.strictObject({
  revision: count,
  time: instant,
  version: count.nullable().meta({ description: 'null: there was no document' }),
});

const headers = { ...AS_PLAYER, ...TARGET, ...AT_POSITION } as const;
const HISTORY_KEYS: KeyRules = { ...DOCUMENT_KEYS, needs: { scopes: ['history'], level: 'r' }, guard: 'history' };
const about = { method: 'GET', family: 'storage', tag: 'Documents', keys: HISTORY_KEYS, headers, idempotent: false } as const;
const slotKeys: KeyRules = { ...HISTORY_KEYS, disabledKey: 'UNAUTHORIZED' };
const CHANGED = [{ path: '/gold', label: 'gold', before: 10, after: 12 }];

export const documentHistory = {
  history: route({
    ...about,
    id: 'readDocumentHistory',
    path: '/:project/:collection/:key/history',
    summary: 'Every change of a document, newest first: when, who, by which call under which publish, what, and what the ledger says',
    query: { ...AT, ...paged },
    answers: {
      200: z
        .strictObject({
          ok,
          changes: z.array(Change),
          ...pageOfChanges,
        })
        .meta({ id: 'DocumentHistory', description: 'A page of changes' }),
    },
    answerHeaders: { ...READ_HEADERS, ...AT_HEADER },
    errors: ['ENDPOINT_ONLY', 'INVALID_REQUEST', ...AT_ERRORS],
    example: {
      query: { limit: '10' },
      answer: {
        ok: true,
        changes: [
          {
            revision: 12,
            at: '2026-03-01T12:00:00.000Z',
            commit: 13,
            action: 'written',
            version: 2,
            actor: { kind: 'secret', keyId: 'k1', label: 'first' },
            cause: 'document.write',
            commandId: 'req_1',
            publish: 5,
            fields: CHANGED,
            ledger: [{ field: 'gold', before: 10, after: 12, delta: 2, source: 'direct', reason: 'found', eventId: '0191b7a0' }],
          },
        ],
        before: null,
        at: { revision: 12, time: '2026-03-01T12:00:00.000Z' },
      },
    },
  }),
  compare: route({
    ...about,
    id: 'compareDocument',
    path: '/:project/:collection/:key/compare',
    summary: 'What differs in a document between two moments, as readers saw it at each',
    query: betweenMoments,
    answers: {
      200: z
        .strictObject({ ok, from: side, to: side, fields: changedFields, more: moreFields })
        .meta({ id: 'DocumentComparison', description: 'What differs' }),
    },
    answerHeaders: READ_HEADERS,
    errors: ['ENDPOINT_ONLY', 'INVALID_REQUEST', ...AT_ERRORS],
    example: {
      query: { from: '8', to: '12' },
      answer: {
        ok: true,
        from: { revision: 8, time: '2026-03-01T11:00:00.000Z', version: 1 },
        to: { revision: 12, time: '2026-03-01T12:00:00.000Z', version: 2 },
        fields: CHANGED,
      },
    },
  }),
} as const;

const SlotChange = z
  .strictObject({
    ...when,
    action: z.enum(['created', 'renamed', 'deleted']),
    recordId: z.string().meta({ description: 'Of the save record' }),
    ...by,
    publish,
    fields: hiddenFields,
  })
  .meta({ id: 'SaveRecordChange', description: 'One change of the list of a player’s save records' });

const slotSide = z.strictObject({ revision: count, time: instant, records: count.meta({ description: 'How many there were' }) });
const aboutSlots = { ...about, tag: 'Save records', keys: slotKeys } as const;

/** The same for the list of a player's save records; the data of each are a document. */
export const saveRecordHistory = {
  changes: route({
    ...aboutSlots,
    id: 'readSaveRecordHistory',
    path: '/:project/:collection/:key/records/history',
    summary:
      'Save records of a player that were created, renamed and deleted, newest first. Their data are documents with a history of their own',
    query: { ...AT, ...paged },
    answers: {
      200: z
        .strictObject({ ok, changes: z.array(SlotChange), ...pageOfChanges })
        .meta({ id: 'SaveRecordHistory', description: 'A page of changes' }),
    },
    answerHeaders: { ...READ_HEADERS, ...AT_HEADER },
    errors: ['ENDPOINT_ONLY', 'INVALID_REQUEST', 'INVALID_KEY', ...AT_ERRORS],
    example: {
      query: { limit: '10' },
      answer: {
        ok: true,
        changes: [
          {
            revision: 14,
            at: '2026-03-01T12:00:00.000Z',
            action: 'renamed',
            recordId: 'a1b2c3',
            actor: { kind: 'public' },
            cause: 'slot.rename',
            commandId: 'req_1',
            publish: 5,
            fields: [{ path: '/a1b2c3/recordName', label: 'a1b2c3 › recordName', before: 'Camp', after: 'Old camp' }],
          },
        ],
        before: null,
        at: { revision: 14, time: '2026-03-01T12:00:00.000Z' },
      },
    },
  }),
  compare: route({
    ...aboutSlots,
    id: 'compareSaveRecords',
    path: '/:project/:collection/:key/records/compare',
    summary: "What differs in the list of a player's save records between two moments",
    query: betweenMoments,
    answers: {
      200: z
        .strictObject({ ok, from: slotSide, to: slotSide, fields: changedFields, more: moreFields })
        .meta({ id: 'SaveRecordComparison', description: 'What differs' }),
    },
    answerHeaders: READ_HEADERS,
    errors: ['ENDPOINT_ONLY', 'INVALID_REQUEST', 'INVALID_KEY', ...AT_ERRORS],
    example: {
      query: { from: '8', to: '12' },
      answer: {
        ok: true,
        from: { revision: 8, time: '2026-03-01T11:00:00.000Z', records: 0 },
        to: { revision: 12, time: '2026-03-01T12:00:00.000Z', records: 1 },
        fields: [{ path: '/a1b2c3', label: 'a1b2c3', after: { recordName: 'Camp', createdAt: '2026-03-01T12:00:00.000Z' } }],
      },
    },
  }),
} as const;
