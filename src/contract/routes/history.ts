import { z } from 'zod';
import { DOCUMENT_KEYS, type KeyRules } from '../credentials.ts';
import { AS_PLAYER, AT, AT_ERRORS, AT_HEADER, AT_POSITION, READ_HEADERS, TARGET } from '../parameters.ts';
import { route } from '../route.ts';
import { anyJson, anyNumber, asOf, count, instant } from '../values.ts';
import { paged } from './managed.ts';

/** What happened to one document, and what differs between two moments. */

const ok = z.literal(true);

const fields = z
  .array(z.strictObject({ path: z.string(), label: z.string(), before: anyJson.optional(), after: anyJson.optional() }))
  .meta({ description: 'Where it differs, as `diff` says it: `path` is a JSON pointer, a side without a value is left out; 200 at most' });
const more = count.optional().meta({ description: 'How many differences lie beyond these' });

const Change = z
  .strictObject({
    revision: count,
    at: instant,
    action: z.enum(['written', 'deleted', 'appended']),
    version: count,
    actor: z.object({ kind: z.string() }).catchall(anyJson).meta({ description: 'Who: kind of key, its id and label, player, endpoint' }),
    cause: z.string().meta({ description: 'The use case that did it' }),
    commandId: z.string().meta({ description: 'Of the commit: the request that made it' }),
    publish: z.int().nullable().meta({ description: 'The publish in force, as `publishes` lists it; null: none' }),
    fields: fields.optional().meta({ description: 'What was stored before and after; missing where a redaction hides it' }),
    more,
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
          before: z.int().nullable().meta({ description: '`before` of the next page; null at the end' }),
          redacted: count
            .optional()
            .meta({ description: 'The list ends at this revision, whose data were redacted; `before` goes on behind it' }),
          at: asOf,
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
    query: {
      from: z.string().min(1).default('0').meta({ description: 'As `at`; left out: the beginning' }),
      to: z.string().min(1).meta({ description: 'As `at`; left out: now' }),
    },
    answers: {
      200: z.strictObject({ ok, from: side, to: side, fields, more }).meta({ id: 'DocumentComparison', description: 'What differs' }),
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
