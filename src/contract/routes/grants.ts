import { z } from 'zod';
import { managementKeys } from '../credentials.ts';
import { grantPhase } from '../events/document.ts';
import { PLAYER, READ_HEADERS } from '../parameters.ts';
import { POLICIES } from '../policies.ts';
import { type Route, route } from '../route.ts';
import { anyJson, anyNumber, count, instant, lineOf, ok, ticketAsked } from '../values.ts';
import { paged, pageSize } from './managed.ts';

/** What support gives to many players, each once. */

/** Players of one grant. */
export const MAX_GRANT_PLAYERS = 100_000;
/** What may have become last of a player of a grant. */
export const GRANT_OUTCOMES = ['listed', 'given', 'refused', 'taken', 'kept'] as const;

const A_PLAYER = 'the key of a document: the id of a player, also with a save record';
const A_COLLECTION = 'the id of a collection';
const A_QUERY = 'the id of a query';

const why = {
  reason: lineOf(256).meta({ description: 'Why: log and ledger keep it' }),
  ticket: ticketAsked,
} as const;
const dryRun = z.boolean().default(false).meta({ description: 'Look only: nothing is stored' });

const Grant = z
  .strictObject({
    id: z.string(),
    collection: z.string(),
    reason: z.string(),
    ticket: z.string().nullable(),
    phase: grantPhase.meta({ description: '`listing`: its list is not whole, and nothing was given' }),
    begunAt: instant,
    players: count.meta({ description: 'In its list, which never changes' }),
    listed: count.meta({ description: 'Not served yet' }),
    given: count.meta({ description: 'Have it now' }),
    refused: count.meta({ description: 'Could not get it' }),
    taken: count.meta({ description: 'Gave it back, as far as it went' }),
    kept: count.meta({ description: 'Got it, and it could not be taken back' }),
    short: z
      .array(z.strictObject({ field: z.string(), players: count, short: z.string().meta({ description: 'Exact, as a decimal' }) }))
      .meta({ description: 'How much did not come back, by field' }),
  })
  .meta({ id: 'Grant', description: 'A grant, and how far it is' });

const Preview = z
  .strictObject({
    tried: count.meta({ description: 'Players who were looked at: evenly over the list, or the first of those who have it, for an undo' }),
    documents: z
      .array(
        z.strictObject({
          key: z.string(),
          changes: z.array(z.strictObject({ path: z.string(), from: anyJson.optional(), to: anyJson.optional() })),
        }),
      )
      .meta({ description: 'What changes for the first ten of them' }),
    sums: z
      .array(z.strictObject({ path: z.string(), players: count, sum: anyNumber }))
      .meta({ description: 'How much each number of theirs moves altogether' }),
    refused: count.meta({ description: 'How many of them it would not reach' }),
    refusals: z
      .array(z.strictObject({ player: z.string(), code: z.string(), message: z.string() }))
      .meta({ description: 'Twenty of these, and why' }),
    short: z
      .array(z.strictObject({ field: z.string(), players: count, sum: anyNumber }))
      .meta({ description: 'How much would not come back from them' }),
  })
  .meta({ id: 'GrantPreview', description: 'What a grant, or undoing it, would do to some of its players' });

const GrantPlayer = z
  .strictObject({
    player: z.string().meta({ description: 'Key of the document' }),
    is: z.enum(GRANT_OUTCOMES),
    revision: count.meta({ description: 'Of the last event about the player' }),
    given: count.nullable().meta({ description: 'Revision at which the player got it' }),
    code: z.string().nullable().meta({ description: 'Why not' }),
    why: z.string().nullable(),
    shortfalls: z.array(z.strictObject({ field: z.string(), asked: anyNumber, moved: anyNumber, short: anyNumber })),
    left: z.array(z.string()).meta({ description: 'Paths that stay, because somebody changed them since' }),
  })
  .meta({ id: 'GrantPlayer', description: 'What became of a player of a grant' });

const about = { family: 'manage', tag: 'Corrections', answerHeaders: READ_HEADERS } as const;
const READ = { ...about, method: 'GET', keys: managementKeys('r', 'grant'), idempotent: false } as const;
const CHANGE = {
  ...about,
  method: 'POST',
  keys: managementKeys('rw', 'grant'),
  writes: true,
  idempotent: true,
  unfit: { code: 'VALIDATION_FAILED', facts: { resourceKind: 'grants' } },
} as const;

const ID = '2f6c1a9be0d34c57';
const GRANT = {
  ...{ id: ID, collection: 'saves', reason: 'sorry for the outage', ticket: null, phase: 'giving', begunAt: '2026-03-01T12:00:00.000Z' },
  ...{ players: 2, listed: 2, given: 0, refused: 0, taken: 0, kept: 0, short: [] },
} as const;
const One = z.strictObject({ ok, grant: Grant }).meta({ id: 'GrantShown', description: 'A grant' });
/** What stopping a grant and going on with it share. */
const MOVE = {
  ...CHANGE,
  body: { schema: z.strictObject(why), required: true },
  answers: { 200: One },
  errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'GRANT_PHASE'],
} as const;

export const grants = {
  begin: route({
    ...CHANGE,
    id: 'beginGrant',
    path: '/:project/grants',
    summary: 'Give something to many players, each once, in the background',
    description: [
      'The list of players is stored first, and never changes. Then each player gets it in a commit of his own, which meets no rate limit and',
      'counts in none; whoever has no document, or whose document would not fit its schema, is refused and listed. It goes on after a crash, on',
      'whichever node with jobs is left, and nobody gets it twice. It can be stopped, and undone as a whole.',
    ].join('\n'),
    body: {
      schema: z.strictObject({
        collection: z.string(A_COLLECTION).regex(/^[A-Za-z0-9_-]{1,128}$/, A_COLLECTION),
        ops: z.array(anyJson).min(1).max(100).meta({ description: 'Operations on the document of each player' }),
        players: z
          .array(z.string(A_PLAYER).regex(/^[A-Za-z0-9_:-]{1,256}$/, A_PLAYER))
          .min(1)
          .max(MAX_GRANT_PLAYERS)
          .exactOptional()
          .meta({ description: 'Keys of their documents. One of `players`, `query` and `everybody` says who gets it' }),
        query: z
          .string(A_QUERY)
          .min(1, A_QUERY)
          .max(128, A_QUERY)
          .exactOptional()
          .meta({ description: 'A leaderboard: the players whom it shows' }),
        everybody: z.literal(true).exactOptional().meta({ description: 'Whoever has a document in the collection' }),
        ...why,
        dryRun,
      }),
      required: true,
    },
    answers: {
      200: z
        .strictObject({
          ok,
          dryRun: ok.optional(),
          players: count.meta({ description: 'Who are to get it, each once' }),
          grant: Grant.nullable().meta({ description: 'null: it was a look' }),
          preview: Preview.nullable().meta({ description: 'null: it was begun' }),
        })
        .meta({ id: 'GrantBegun', description: 'What was begun, or would be' }),
    },
    errors: [
      'VALIDATION_FAILED',
      'NOT_FOUND',
      'INVALID_REQUEST',
      'INVALID_OPERATION',
      'COLLECTION_TOO_LARGE',
      'BEHIND',
      'BUSY',
      'FORBIDDEN',
    ],
    example: {
      body: {
        collection: 'saves',
        ops: [{ op: 'inc', path: 'gold', value: 100 }],
        players: [PLAYER, '76561198000000002'],
        reason: 'sorry for the outage',
      },
      answer: { ok: true, players: 2, grant: GRANT, preview: null },
    },
  }),
  list: route({
    ...READ,
    id: 'listGrants',
    path: '/:project/grants',
    summary: 'Grants, and how far they are, the newest first',
    query: paged,
    answers: {
      200: z
        .strictObject({ ok, grants: z.array(Grant), before: z.int().nullable() })
        .meta({ id: 'Grants', description: 'A page of grants' }),
    },
    errors: ['INVALID_REQUEST'],
    example: { answer: { ok: true, grants: [GRANT], before: null } },
  }),
  read: route({
    ...READ,
    id: 'readGrant',
    path: '/:project/grants/:grant',
    summary: 'A grant, and how far it is',
    answers: { 200: One },
    errors: ['NOT_FOUND'],
    example: { params: { grant: ID }, answer: { ok: true, grant: GRANT } },
  }),
  players: route({
    ...READ,
    id: 'listGrantPlayers',
    path: '/:project/grants/:grant/players',
    summary: 'What became of the players of a grant, in the order of its list',
    query: {
      is: z.enum(GRANT_OUTCOMES).default('refused').meta({ description: 'Those of whom this became last' }),
      limit: pageSize,
      after: count.meta({ description: '`after` of the page before' }),
    },
    answers: {
      200: z
        .strictObject({ ok, players: z.array(GrantPlayer), after: count.nullable() })
        .meta({ id: 'GrantPlayers', description: 'A page of players' }),
    },
    errors: ['NOT_FOUND', 'INVALID_REQUEST'],
    example: {
      params: { grant: ID },
      answer: {
        ok: true,
        players: [
          {
            ...{ player: PLAYER, is: 'refused', revision: 60, given: null, code: 'NOT_FOUND', why: 'There is no such document' },
            ...{ shortfalls: [], left: [] },
          },
        ],
        after: null,
      },
    },
  }),
  stop: route({
    ...MOVE,
    id: 'stopGrant',
    path: '/:project/grants/:grant/stop',
    summary: 'Stop a grant, or its undoing, where it is',
    description: 'Whoever is served stays served, nobody else is. It can be resumed, or undone.',
    example: {
      params: { grant: ID },
      body: { reason: 'to the wrong players' },
      answer: { ok: true, grant: { ...GRANT, phase: 'stopped' } },
    },
  }),
  resume: route({
    ...MOVE,
    id: 'resumeGrant',
    path: '/:project/grants/:grant/resume',
    summary: 'Go on with a grant that was stopped',
    description: 'Whoever was not served yet gets it. Whoever gave it back does not get it again.',
    example: { params: { grant: ID }, body: { reason: 'it was right' }, answer: { ok: true, grant: GRANT } },
  }),
  undo: route({
    ...CHANGE,
    id: 'undoGrant',
    path: '/:project/grants/:grant/undo',
    summary: 'Take a grant back from everybody who got it, in the background',
    description: [
      'The commit of each player is undone by the rules of `undo`: money goes back by the opposite amount, whatever the player earned and spent',
      'since, and what a balance no longer covers is listed. Whoever was not served yet gets nothing.',
    ].join('\n'),
    body: {
      schema: z.strictObject({
        ...why,
        policy: z
          .enum(POLICIES)
          .default('reverse')
          .meta({ description: '`reverse`: who got something gives back what is left of it. `give`: nobody pays' }),
        dryRun,
      }),
      required: true,
    },
    answers: {
      200: z
        .strictObject({ ok, dryRun: ok.optional(), grant: Grant, preview: Preview.nullable().meta({ description: 'null: it was begun' }) })
        .meta({ id: 'GrantUndone', description: 'The grant that is taken back, or would be' }),
    },
    errors: ['VALIDATION_FAILED', 'NOT_FOUND', 'NOTHING_TO_UNDO', 'ALREADY_UNDONE', 'BEHIND', 'BUSY', 'PAST_TIMEOUT'],
    example: {
      params: { grant: ID },
      body: { reason: 'to the wrong players' },
      answer: { ok: true, grant: { ...GRANT, phase: 'taking' }, preview: null },
    },
  }),
} as const satisfies Readonly<Record<string, Route>>;

export type GrantSchema = typeof Grant;
export type PreviewSchema = typeof Preview;
