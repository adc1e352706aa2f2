import { z } from 'zod';
import { ANY_SECRET_KEY, READ_DOCUMENTS } from '../credentials.ts';
import { PLAYER, READ_HEADERS, TARGET } from '../parameters.ts';
import { route } from '../route.ts';
import { anyNumber, count, instant, ok } from '../values.ts';
import { about } from './managed.ts';

/** Documents of a collection, as a table. */

/** Rows of a page. Whom a page shows is recorded, player by player, so there are not more. */
const LIST_ROWS = 50;
/** Columns of a page. */
export const LIST_COLUMNS = 20;
/** Characters of a cell. */
export const CELL_LENGTH = 200;

const Cell = z
  .union([
    z.null(),
    z.boolean(),
    anyNumber,
    z.string(),
    z.strictObject({
      text: z.string().meta({ description: 'Its first characters; of a list or an object those of its JSON' }),
      of: z.enum(['text', 'list', 'object']),
      whole: z.boolean().meta({ description: 'false: it goes on' }),
    }),
  ])
  .meta({ id: 'Cell', description: `A value of a document; a list, an object and a long text as their first ${CELL_LENGTH} characters` });

const Order = z
  .strictObject({
    by: z.string().meta({ description: '`_key`, `_time`, or the path of a field' }),
    kind: z.enum(['key', 'time', 'number', 'unique']).meta({
      description:
        '`number`: a leaderboard keeps it in order; `unique`: `is` finds the one document that has a value, and there is no order by it',
    }),
    query: z.string().optional().meta({ description: 'Id of the leaderboard' }),
    personal: z.literal(true).optional().meta({ description: 'People use it only with `x-ns-reveal`' }),
  })
  .meta({ id: 'ListOrder', description: 'By what documents are ordered or found, because an index keeps it' });

const ListedDocument = z
  .strictObject({
    key: z.string(),
    player: z.string().optional().meta({ description: 'Whose it is; of a record who wrote it' }),
    version: count,
    updatedAt: instant,
    revision: count.meta({ description: 'Of its last change' }),
    cells: z.record(z.string(), Cell).meta({ description: 'By column; one that the document does not have is left out' }),
  })
  .meta({ id: 'ListedDocument', description: 'A document as a row' });

const text = (description: string, ...examples: readonly string[]) => z.string().meta({ description, examples });

/** Which documents, and in which order. */
const WHICH = {
  by: text('`_key`, `_time` of a global collection, or a field of `orders`', 'gold').default('_key'),
  from: text('Not before this: a number, a time, a key', '100'),
  to: text('Not behind this', '5000'),
  begins: text('Of keys: those that begin so', PLAYER),
} as const;

const KEYS = { ...ANY_SECRET_KEY, needs: READ_DOCUMENTS };
const REFUSED = ['NOT_FOUND', 'INVALID_REQUEST', 'BEHIND'] as const;

export const documentLists = {
  list: route({
    ...about,
    id: 'listDocuments',
    tag: 'Documents',
    method: 'GET',
    path: '/:project/documents/:collection',
    summary: 'Documents of a collection as rows, in an order that an index keeps',
    description: [
      'Ordered and chosen by what is indexed alone, so that a page costs the same in a collection of any size: by key; a global collection by time; by a',
      'stored number that a leaderboard of one collection is of (`orders` names them); and a unique field finds the one document that has a value. Any other',
      'field is shown, and orders nothing: it would take a scan. Nothing is counted. Documents without the number are not in its order.',
      '',
      `Cells are cut to ${CELL_LENGTH} characters. A page looks at 1 000 rows of the index and at about a megabyte of stored documents, so it may hold fewer than`,
      '`limit`, or none, and `cursor` go on all the same. It is of now; `readDocument` with `at` shows what a document was.',
    ].join('\n'),
    keys: KEYS,
    headers: TARGET,
    query: {
      ...WHICH,
      is: text('Of a unique field: the document that has this value'),
      order: z
        .enum(['asc', 'desc'])
        .meta({ description: 'Left out: keys from the first on, times and numbers from the last or highest on' }),
      columns: text(
        `Dotted paths of fields, separated by commas, at most ${LIST_COLUMNS}. Left out: the first ones of the schema`,
        'name,gold',
      ),
      limit: z.int().min(1).max(LIST_ROWS).default(LIST_ROWS),
      cursor: z.string().meta({ description: '`cursor` of the page before, with the same parameters' }),
    },
    answers: {
      200: z
        .strictObject({
          ok,
          collection: z.string().meta({ description: 'Its id' }),
          name: z.string(),
          type: z.enum(['per-platformid', 'global']),
          by: z.string(),
          order: z.enum(['asc', 'desc']),
          orders: z.array(Order),
          others: z
            .array(z.string())
            .meta({ description: 'Fields of the schema by which nothing is ordered: no index keeps them. 200 at most' }),
          columns: z.array(z.string()),
          documents: z.array(ListedDocument),
          cursor: z.string().nullable().meta({ description: 'Of the next page; `null` at the end' }),
        })
        .meta({ id: 'DocumentList', description: 'A page of the documents of a collection' }),
    },
    errors: [...REFUSED, 'BUILDING'],
    idempotent: false,
    example: {
      params: { collection: 'saves' },
      query: { by: 'gold', from: '10', limit: '2' },
      answer: {
        ok: true,
        collection: 'saves',
        name: 'saves',
        type: 'per-platformid',
        by: 'gold',
        order: 'desc',
        orders: [
          { by: '_key', kind: 'key' },
          { by: 'gold', kind: 'number', query: 'richest' },
        ],
        others: ['name'],
        columns: ['name', 'gold'],
        documents: [
          {
            key: PLAYER,
            player: PLAYER,
            version: 3,
            updatedAt: '2026-03-01T12:00:00.000Z',
            revision: 14,
            cells: { name: 'Ada', gold: 12 },
          },
        ],
        cursor: null,
      },
    },
  }),
  export: route({
    ...about,
    id: 'exportDocuments',
    tag: 'Documents',
    method: 'GET',
    path: '/:project/documents/:collection/export',
    summary: 'All documents of a collection as one file, as of one revision',
    description: [
      'NDJSON has a document on each line, with `key`, `player`, `version`, `updatedAt` and `revision`; CSV a column for each field, lists and objects as JSON,',
      'and an apostrophe before a text that a spreadsheet would run as a formula. The order is that of the keys. `from` and `to` are bounds of what `by`',
      'names, as in `listDocuments`. Every document is as it was at the revision that `x-ns-position` and the name of the file tell, whatever is written',
      'meanwhile. It is read as it is sent, in small pages with pauses; a project has one export at a time (else `BUSY`), and one of which a client takes nothing',
      'for ten seconds ends. An answer that broke off is not whole: its last chunk is missing. Who exported what, the call log tells of keys, and the look log of people.',
    ].join('\n'),
    keys: KEYS,
    headers: TARGET,
    query: {
      ...WHICH,
      format: z.enum(['ndjson', 'csv']).default('ndjson').meta({ description: 'Of the file' }),
      columns: text('Of CSV: dotted paths of fields, separated by commas, at most 200. Left out: all fields of the schema', 'name,gold'),
    },
    answers: { 200: z.string() },
    texts: {
      'application/x-ndjson': 'A JSON object on each line',
      'text/csv; charset=utf-8': 'A line for each document behind the names of the columns',
    },
    noJson: true,
    answerHeaders: { ...READ_HEADERS, 'Content-Disposition': text('Names the file', 'attachment; filename="demo-saves-r14.ndjson"') },
    errors: [...REFUSED, 'BUSY'],
    idempotent: false,
    example: { params: { collection: 'saves' }, query: { format: 'csv' } },
  }),
} as const;
