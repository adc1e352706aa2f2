import { z } from 'zod';
import { EVERYTHING_READ, managementKeys } from '../credentials.ts';
import { PLAYER } from '../parameters.ts';
import { route } from '../route.ts';
import { instant } from '../values.ts';
import { about, ok } from './managed.ts';

/** What nodes remember of the requests of a project, for some days. */

export const LoggedRequest = z
  .strictObject({
    id: z.string().meta({ description: 'A stream that begins after it: `Last-Event-ID`. A page before it: `cursor`' }),
    at: instant.meta({ description: 'When it was answered' }),
    slug: z.string().nullable().meta({ description: 'Of an endpoint call; null: another request' }),
    method: z.string(),
    path: z.string().meta({ description: 'Without the query' }),
    route: z.string().meta({ description: 'Its pattern; `unmatched` if there is none' }),
    status: z.int(),
    code: z.string().nullable().meta({ description: 'Null: the call succeeded' }),
    message: z.string().nullable(),
    ms: z.number().meta({ description: 'From the request to its answer' }),
    platformId: z.string().nullable().meta({ description: 'The player that the request named' }),
    target: z.enum(['live', 'next']),
    requestId: z.string(),
    revision: z.int().nullable().meta({ description: "Of the project's log, as the answer of a call named it" }),
  })
  .meta({ id: 'LoggedRequest', description: 'An endpoint call, or another request that was refused or failed' });

export const logs = {
  read: route({
    ...about,
    id: 'readLogs',
    tag: 'Project',
    method: 'GET',
    path: '/:project/logs',
    summary: 'Endpoint calls, and other requests that were refused or failed: the last ones, or as they happen',
    description: [
      'One log over all nodes, kept for `CALL_LOG_DAYS`: also what was refused before it had a player, such as logins. Newest first to be found,',
      'oldest first in an answer; `cursor` goes on to older ones. What a node has served is in it within a second.',
      '',
      'With `Accept: text/event-stream` (or `follow=true`) the last ones come first, and then each one as it happens: events `request`. Bodies and',
      'keys are not told. An event `gap` with `{"missed": 12}` says that some were left out because they were too many, or taken too slowly; `null`',
      'is an unknown number. An event `refused` ends a stream whose key has lost its permission.',
      '',
      'With `CALL_LOG_DAYS=0`, and while the database does not answer (`partial`), a node tells what it has served itself: the last 100 of a project.',
      '',
      'A key that has only `players` may ask for the requests of one player, `?player=`.',
    ].join('\n'),
    keys: EVERYTHING_READ,
    query: {
      slug: z.string().meta({ description: 'Calls of one endpoint only', examples: ['buy'] }),
      player: z.string().meta({ description: 'Of one player only, as the request named it', examples: [PLAYER] }),
      platformId: z.string().meta({ description: 'Another name of `player`' }),
      errors: z.enum(['true', 'false']).default('false').meta({ description: 'Only what was refused or failed' }),
      status: z
        .int()
        .min(100)
        .max(599)
        .meta({ description: 'With this status only', examples: [429] }),
      code: z.string().meta({ description: 'With this code only', examples: ['RATE_LIMIT'] }),
      requestId: z.string().meta({ description: 'The request with this id, as its answer named it (`X-Correlation-ID`)' }),
      from: instant.meta({ description: 'Not before this time: ISO 8601 with a zone, a date, or unix milliseconds' }),
      to: instant.meta({ description: 'Before this time' }),
      limit: z.int().min(0).max(200).default(50).meta({ description: 'How many' }),
      cursor: z.string().meta({ description: '`cursor` of the page before' }),
      follow: z.enum(['true', 'false']).default('false').meta({ description: 'Goes on with what happens' }),
    },
    headers: { 'Last-Event-ID': z.string().meta({ description: 'Begins after this event, instead of with the last ones' }) },
    answers: {
      200: z
        .strictObject({
          ok,
          requests: z.array(LoggedRequest),
          cursor: z.string().nullable().meta({ description: 'Of the next page, which is older; `null` at the end' }),
          missed: z.int().nullable().meta({
            description:
              'Requests of the project in the time of this page that were not stored, because too many came at once; `null`: unknown',
          }),
          partial: z.literal(true).optional().meta({ description: 'Only what this node has served: the database does not answer' }),
        })
        .meta({ id: 'Logs', description: 'Requests, the oldest first' }),
    },
    texts: { 'text/event-stream': 'The same as server-sent events' },
    errors: ['VALIDATION_FAILED', 'BUSY'],
    idempotent: false,
    example: {
      query: { limit: '1' },
      answer: {
        ok: true,
        requests: [
          {
            id: '1772366400000.7',
            at: '2026-03-01T12:00:00.000Z',
            slug: 'buy',
            method: 'POST',
            path: '/v3/endpoints/demo/buy',
            route: 'POST /v3/endpoints/:project/:slug',
            status: 409,
            code: 'TOO_POOR',
            message: 'Not enough gold',
            ms: 3.2,
            platformId: PLAYER,
            target: 'live',
            requestId: 'req_0000',
            revision: 12,
          },
        ],
        cursor: '1772366400000.7',
        missed: 0,
      },
    },
  }),
} as const;

/** Who may ask for the requests of one player: support, too. */
export const PLAYERS_LOGS = {
  ...logs.read,
  keys: { ...EVERYTHING_READ, needs: { ...EVERYTHING_READ.needs, or: managementKeys('r', 'players').needs } },
} as const;
