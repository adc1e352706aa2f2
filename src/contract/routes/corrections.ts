import { z } from 'zod';
import { managementKeys } from '../credentials.ts';
import { MOMENT_ERRORS, PLAYER, READ_HEADERS, TARGET } from '../parameters.ts';
import { POLICIES } from '../policies.ts';
import { type Route, route } from '../route.ts';
import { anyJson, anyNumber, anyObject, count, instant, lineOf, ok, ticketAsked } from '../values.ts';

/** What support puts right: one document changed, one commit undone, a player restored. */

export const OBSTACLES = ['schema', 'unique'] as const;

/** Why, and how: what every correction is asked with. */
const why = {
  reason: lineOf(256).meta({ description: 'Why, for whoever reads the log and the ledger later', examples: ['lost by a crash'] }),
  ticket: ticketAsked,
} as const;
const dryRun = z.boolean().default(false).meta({ description: 'Look only: the answer says what would be done' });
const how = {
  ...why,
  despite: z
    .array(z.enum(OBSTACLES))
    .max(OBSTACLES.length)
    .default([])
    .meta({ description: '`schema`: store also what the present schema refuses. `unique`: leave a unique value with who took it since' }),
  dryRun,
} as const;

const Operation = z
  .strictObject({
    op: z.enum(['set', 'inc', 'push', 'pull', 'remove', 'delete', 'merge', 'set_if_null']),
    path: z
      .string()
      .max(512)
      .meta({ description: 'Dotted path of the field', examples: ['stats.gold'] }),
    value: anyJson.exactOptional(),
    match: anyJson.exactOptional().meta({ description: 'Of `pull`: which items of the list' }),
  })
  .meta({ id: 'CorrectingOperation', description: 'One change of a document, as a write takes it' });

/** What a change of one document is asked with, beside what it is. */
const changing = {
  version: z
    .int()
    .min(0)
    .exactOptional()
    .meta({ description: 'The version that was seen, or nothing is done; 0: there must be no document' }),
  ...why,
  dryRun,
} as const;

const at = { collection: z.string(), key: z.string() } as const;
const value = { before: anyJson.optional(), made: anyJson.optional(), now: anyJson.optional() } as const;

const documents = z
  .array(
    z.strictObject({
      ...at,
      version: count.nullable().meta({ description: 'Afterwards; null: it is deleted' }),
      changes: z.array(
        z.strictObject({
          path: z.string(),
          from: anyJson.optional(),
          to: anyJson.optional(),
          lost: ok.optional().meta({ description: 'It is less now than it was, or gone; told where `lines` was given' }),
        }),
      ),
      moreLines: count.optional().meta({ description: 'Changes of it that are left out; told where `lines` was given' }),
      lostLines: count
        .optional()
        .meta({ description: 'Of all its changes: those of what is less now, or gone; told where `lines` was given' }),
    }),
  )
  .meta({ description: 'What changes, by dotted path; an empty path is the whole document' });
const coins = z
  .array(z.strictObject({ player: z.string(), ...at, field: z.string(), before: anyNumber, after: anyNumber, delta: anyNumber }))
  .meta({ description: 'What the ledgers say of it' });

/** What a correction does to data. */
const corrected = {
  documents,
  slots: z
    .array(z.strictObject({ collection: z.string(), player: z.string(), recordId: z.string(), is: z.enum(['made', 'renamed', 'removed']) }))
    .meta({ description: 'Save records that come, go, or get their name back' }),
  coins,
  left: z
    .array(z.strictObject({ ...at, path: z.string(), ...value }))
    .meta({ description: 'What stays as it is: somebody changed it since, or took the item away. `before` and `made`: around the commit' }),
  shortfalls: z
    .array(z.strictObject({ ...at, field: z.string(), asked: anyNumber, moved: anyNumber, short: anyNumber }))
    .meta({ description: 'Numbers that could not go back as far as asked, and how much is missing' }),
  more: count.meta({ description: 'Lines that are left out: the lists hold 500 each at most' }),
} as const;

export const Corrected = z.strictObject(corrected);

const answered = {
  ok,
  dryRun: ok.optional(),
  revision: count
    .nullable()
    .meta({ description: 'Of the new commit: undo this to take it back. null: nothing was to be done, it was a look, or a kept answer' }),
} as const;

const ABOUT = {
  family: 'manage',
  tag: 'Corrections',
  method: 'POST',
  keys: managementKeys('rw', 'restore'),
  unfit: { code: 'VALIDATION_FAILED', facts: { resourceKind: 'corrections' } },
  answerHeaders: READ_HEADERS,
  writes: true,
  idempotent: true,
} as const;
const ERRORS = [
  ...(['VALIDATION_FAILED', 'NOT_FOUND', 'CORRECTION_BLOCKED', 'APPEND_TOO_LARGE', 'BEHIND', 'BUSY', 'REDACTED', 'PAST_TIMEOUT'] as const),
] as const;

const SHOWN = {
  documents: [{ collection: 'saves', key: PLAYER, version: 8, changes: [{ path: 'gold', from: 130, to: 30 }] }],
  slots: [],
  coins: [{ player: PLAYER, collection: 'saves', key: PLAYER, field: 'gold', before: 130, after: 30, delta: -100 }],
  left: [],
  shortfalls: [],
  more: 0,
} as const;

const A_PATH = 'a dotted path of 1 to 256 characters';
const paths = z.array(z.string(A_PATH).min(1, A_PATH).max(256, A_PATH)).max(1000);
const A_COLLECTION = 'the id of a collection';
const collectionIds = z
  .array(z.string(A_COLLECTION).regex(/^[A-Za-z0-9_-]{1,128}$/, A_COLLECTION))
  .max(100)
  .default([]);
const A_SLOT = 'the id of a save record';
const slotIds = z.array(z.string(A_SLOT).min(1, A_SLOT).max(256, A_SLOT)).max(100).default([]);

export const corrections = {
  change: route({
    ...ABOUT,
    keys: managementKeys('rw', 'correction'),
    headers: TARGET,
    id: 'correctDocument',
    path: '/:project/corrections/:collection/:key',
    summary: 'Change, make or delete one document, with a reason',
    description: [
      'For support: no rate limit applies or counts, and the ledger says `correction` with the reason. The schema of the collection holds. Besides',
      '`correction` the caller needs `collections: x`, as for every direct write. The answer names the commit, which can be undone.',
    ].join('\n'),
    body: {
      schema: z.union(
        [
          z.strictObject({ ops: z.array(Operation).min(1).max(100).meta({ description: 'Changes, all of them or none' }), ...changing }),
          z.strictObject({ document: anyObject.meta({ description: 'The document as a whole, in place of what is there' }), ...changing }),
          z.strictObject({ deleted: z.literal(true).meta({ description: 'It is deleted; its ledger fields go down to 0' }), ...changing }),
        ],
        'an object with one of `ops`, `document` and `deleted`, and a `reason`',
      ),
      required: true,
    },
    answers: { 200: z.strictObject({ ...answered, ...corrected }).meta({ id: 'DocumentCorrected', description: 'What was changed' }) },
    errors: [
      ...(['VALIDATION_FAILED', 'INVALID_REQUEST', 'INVALID_PLATFORMID', 'NOT_FOUND', 'ENDPOINT_ONLY', 'INVALID_OPERATION'] as const),
      ...(['SCHEMA_VALIDATION_FAILED', 'STALE_SAVE', 'UNIQUE_VIOLATION', 'ADDRESS_TAKEN', 'COLLECTION_TYPE_MISMATCH'] as const),
      ...(['PAYLOAD_TOO_LARGE', 'APPEND_TOO_LARGE', 'RECORD_LIMIT_REACHED', 'RECORD_DELETE_DISABLED', 'INVALID_BODY'] as const),
    ],
    example: {
      params: { collection: 'saves', key: PLAYER },
      body: { ops: [{ op: 'inc', path: 'gold', value: -100 }], reason: 'paid twice', ticket: 'T-77' },
      answer: { ok: true, revision: 57, ...SHOWN },
    },
  }),
  restore: route({
    ...ABOUT,
    id: 'restorePlayer',
    path: '/:project/players/:player/restore',
    summary: "Restore a player's documents and save records as they were at a moment",
    description: [
      'One commit restores all documents and save records of the player in live, or is refused before anything is written. By the policy `give`',
      'what was lost is made anew; by `reverse` the commits that changed these documents since are undone for everybody else who took part: who got',
      'something gives back what is left of it, and the shortfall is listed. Global collections belong to no player. The answer names the commit:',
      'undoing it leaves exactly what was there before. Times of creation and the order of save records begin anew.',
    ].join('\n'),
    body: {
      schema: z.strictObject({
        to: z
          .union([z.int().min(0), z.string().max(64)], 'a revision, or a time with its zone')
          .meta({ description: 'A revision, or a time with its zone' }),
        only: paths.default([]).meta({ description: 'Only these parts of documents' }),
        keep: paths.default([]).meta({ description: 'These parts stay as they are, such as what was bought since' }),
        keepSlots: slotIds.meta({ description: 'These save records stay as they are, with their data: their `recordId`' }),
        collections: collectionIds.meta({ description: 'Only in these; left out: in all' }),
        lost: z.boolean().default(false).meta({
          description: 'Of all these only what is less now than it was, or gone: what only differs, or came since, stays as it is',
        }),
        also: paths.default([]).meta({ description: 'With `lost`: these parts are restored, too' }),
        alsoCollections: collectionIds.meta({ description: 'With `lost`: of these collections all that differs is restored' }),
        alsoSlots: slotIds.meta({ description: 'With `lost`: these save records, which came since, go with their data' }),
        lines: z.int().min(0).max(100_000).exactOptional().meta({
          description: 'So many changes of each document are listed at most, those of what is less now, or gone, first; left out: all',
        }),
        policy: z
          .enum(POLICIES)
          .default('give')
          .meta({ description: '`give`: nobody pays. `reverse`: who got something gives back what is left of it' }),
        ...how,
      }),
      required: true,
    },
    answers: {
      200: z
        .strictObject({
          ...answered,
          player: z.string(),
          to: count.meta({ description: 'The last revision that counts' }),
          ...corrected,
        })
        .meta({ id: 'Restored', description: 'What was restored' }),
    },
    errors: [...ERRORS, ...MOMENT_ERRORS, 'INVALID_REQUEST', 'INVALID_PLATFORMID'],
    example: {
      params: { player: PLAYER },
      body: { to: '2026-03-01T12:00:00Z', keep: ['skins'], reason: 'lost by a crash' },
      answer: { ok: true, revision: 57, player: PLAYER, to: 42, ...SHOWN },
    },
  }),
  undo: route({
    ...ABOUT,
    id: 'undoCommit',
    path: '/:project/undo',
    summary: 'Undo what one commit did to documents and save records',
    description: [
      'Numbers with a ledger, and those that were changed by `inc`, go back by the opposite amount, whatever happened since; items go back into',
      'lists and out of them; everything else goes back if nobody changed it since. What stays is listed. The answer names the new commit, which',
      'can be undone in its turn. A publish is not undone: roll it back.',
    ].join('\n'),
    body: {
      schema: z.strictObject({
        revision: z.int().min(0).meta({ description: 'Any revision of the commit, as `x-ns-position` and the log name it' }),
        policy: z
          .enum(POLICIES)
          .default('reverse')
          .meta({ description: '`reverse`: who got something gives back what is left of it. `give`: nobody pays' }),
        ...how,
      }),
      required: true,
    },
    answers: {
      200: z
        .strictObject({
          ...answered,
          undone: z
            .strictObject({ revision: count, at: instant, cause: z.string() })
            .meta({ description: 'The commit, by its last revision' }),
          ...corrected,
        })
        .meta({ id: 'Undone', description: 'What was undone' }),
    },
    errors: [...ERRORS, 'NOTHING_TO_UNDO', 'ALREADY_UNDONE'],
    example: {
      body: { revision: 41, reason: 'granted by mistake' },
      answer: { ok: true, revision: 57, undone: { revision: 42, at: '2026-03-01T12:00:00.000Z', cause: 'endpoint.call' }, ...SHOWN },
    },
  }),
} as const satisfies Readonly<Record<string, Route>>;
