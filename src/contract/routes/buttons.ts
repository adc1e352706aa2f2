import { z } from 'zod';
import { BUTTON_KEYS } from '../credentials.ts';
import { PLAYER, READ_HEADERS, TARGET } from '../parameters.ts';
import { CONSOLE_PAGES } from '../resources/logic.ts';
import { type Route, route } from '../route.ts';
import { anyJson, anyObject, count, lineOf, ok, playerId, ticketAsked } from '../values.ts';
import { Corrected } from './corrections.ts';

/** Buttons of the game's own: endpoints that a person runs from the console. */

/** Buttons of a project that are listed. */
export const MAX_BUTTONS = 100;

const Button = z
  .strictObject({
    endpoint: z.string().meta({ description: 'Slug of the endpoint that it runs' }),
    page: z.enum(CONSOLE_PAGES).meta({ description: '`player`: pressed for one player. `home`: for nobody' }),
    label: z.string(),
    confirm: z.string().nullable().meta({ description: 'What is asked before it runs; whoever presses sends it back' }),
    description: z.string().nullable().meta({ description: 'Of the endpoint' }),
    input: anyJson.meta({ description: 'What it is pressed with, as the endpoint declares it; `null`: nothing is declared' }),
  })
  .meta({ id: 'Button', description: 'A button of the console' });

const about = { family: 'manage', answerHeaders: READ_HEADERS, keys: BUTTON_KEYS, headers: TARGET } as const;
const { documents, coins, more } = Corrected.shape;

export const buttons = {
  list: route({
    ...about,
    id: 'listButtons',
    method: 'GET',
    path: '/:project/buttons',
    tag: 'Definitions',
    summary: 'Endpoints that have a button in the console, by page and label',
    query: { page: z.enum(CONSOLE_PAGES).meta({ description: 'Only those of this page' }) },
    answers: {
      200: z
        .strictObject({
          ok,
          buttons: z.array(Button).meta({ description: `${MAX_BUTTONS} at most` }),
          more: count.meta({ description: 'Buttons that are left out' }),
        })
        .meta({ id: 'Buttons', description: 'The buttons of a project' }),
    },
    errors: ['INVALID_REQUEST'],
    idempotent: false,
    example: {
      query: { page: 'player' },
      answer: {
        ok: true,
        buttons: [{ endpoint: 'gift', page: 'player', label: 'Give a gift', confirm: null, description: null, input: null }],
        more: 0,
      },
    },
  }),
  press: route({
    ...about,
    id: 'pressButton',
    method: 'POST',
    path: '/:project/buttons/:slug',
    tag: 'Endpoints',
    summary: "Press a button: run its endpoint in the caller's name, with a reason",
    description: [
      'The endpoint runs as for a game server that calls it for `player`: its limits and the rate limits of documents apply as to everybody. The commit',
      'names who pressed, and keeps the reason in `button.pressed`; ledgers name it where a step gives none. With `dryRun` nothing is stored, no limit',
      'counts it and no webhook is sent: the answer says what would come of it. A refusal stores nothing.',
    ].join('\n'),
    body: {
      schema: z.strictObject({
        player: playerId.exactOptional().meta({ description: 'For whom, on the page of a player' }),
        input: anyObject.default({}).meta({ description: 'The input of the endpoint' }),
        reason: lineOf(256).meta({ description: 'Why, for whoever reads the log and the ledger later', examples: ['lost by a crash'] }),
        ticket: ticketAsked,
        confirm: z.string().max(400).exactOptional().meta({ description: 'The text that the button asks, where it asks one' }),
        dryRun: z.boolean().default(false).meta({ description: 'Look only: the answer says what would be done' }),
      }),
      required: true,
    },
    unfit: { code: 'VALIDATION_FAILED', facts: { resourceKind: 'buttons' } },
    answers: {
      200: z
        .strictObject({
          ok,
          dryRun: ok.optional(),
          revision: count
            .nullable()
            .meta({ description: 'Of the new commit, by which it can be undone. null: it was a look, or a kept answer' }),
          endpoint: z.string(),
          player: z.string().nullable(),
          result: z
            .strictObject({ ok: z.boolean(), status: z.int(), body: anyJson })
            .meta({ description: 'What the endpoint answers; of a look also how it would be refused' }),
          documents: documents
            .optional()
            .meta({ description: 'Of a look: what would change, by dotted path; left out where the caller reads no documents' }),
          coins: coins.optional().meta({ description: 'Of a look: what ledgers would say' }),
          more: more.optional().meta({ description: 'Of a look: lines that are left out' }),
        })
        .meta({ id: 'Pressed', description: 'What came of a button' }),
    },
    errors: [
      ...(['VALIDATION_FAILED', 'NOT_FOUND', 'CONFIRM_NEEDED', 'INVALID_PLATFORMID', 'ENDPOINT_NOT_FOUND', 'ENDPOINT_DISABLED'] as const),
      ...(['ENDPOINT_DEPRECATED', 'ENDPOINT_NOT_SUPPORTED', 'ENDPOINT_EXECUTION_FAILED', 'INVALID_INPUT', 'LIMIT_EXCEEDED'] as const),
      ...([
        'RESULT_TOO_LARGE',
        'SCAN_TOO_LARGE',
        'RATE_LIMIT',
        'RATE_LIMIT_DAILY',
        'SCHEMA_VALIDATION_FAILED',
        'UNIQUE_VIOLATION',
      ] as const),
      ...(['PAYLOAD_TOO_LARGE', 'RECORD_LIMIT_REACHED', 'INVALID_OPERATION'] as const),
    ],
    authored: true,
    writes: true,
    idempotent: true,
    example: {
      params: { slug: 'gift' },
      body: { player: PLAYER, reason: 'lost by a crash', ticket: 'T-77' },
      answer: { ok: true, revision: 57, endpoint: 'gift', player: PLAYER, result: { ok: true, status: 200, body: { ok: true, gold: 12 } } },
    },
  }),
} as const satisfies Readonly<Record<string, Route>>;
