import { z } from 'zod';
import { EVERYTHING_READ, managementKeys } from '../credentials.ts';
import { PLAYER } from '../parameters.ts';
import { route } from '../route.ts';
import { count, instant, ok } from '../values.ts';
import { about } from './managed.ts';

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
    step: z
      .string()
      .nullable()
      .meta({ description: 'Where a call was refused or failed: ids of steps, and what they called, as `pay > charge > enough`' }),
    ms: z.number().meta({ description: 'From the request to its answer' }),
    platformId: z.string().nullable().meta({ description: 'The player that the request named' }),
    target: z.enum(['live', 'next']),
    requestId: z.string(),
    revision: z.int().nullable().meta({ description: "Of the project's log, as the answer of a call named it" }),
  })
  .meta({ id: 'LoggedRequest', description: 'An endpoint call, or another request that was refused or failed' });

const times = { p50: z.number(), p95: z.number() } as const;
const perMinute = z.number().meta({ description: 'In the time that is counted' });
const last = instant.meta({ description: 'The last one' });
const counted = z.strictObject({
  requests: count,
  from: instant.meta({
    description: 'Everything since is counted: the beginning of the window, or later where there is more than can be counted at once',
  }),
});

const CallsByCode = z
  .strictObject({
    code: z.string().nullable().meta({ description: 'Null: they succeeded' }),
    status: z.int(),
    requests: count,
    perMinute,
    ...times,
    last,
  })
  .meta({ id: 'CallsByCode', description: 'Requests with one outcome; half took at most `p50` ms, and 95 of 100 `p95`' });

const CallsByEndpoint = z
  .strictObject({
    slug: z.string().nullable().meta({ description: 'The endpoint; null: other requests that were refused or failed' }),
    route: z.string().nullable().meta({ description: 'Of other requests: the pattern of their route' }),
    requests: count,
    perMinute,
    refused: count.meta({ description: 'By the game or a rule: statuses below 500' }),
    failed: count.meta({ description: 'By a fault: statuses from 500 on' }),
    p50: z.number().nullable().meta({ description: 'ms, of calls that succeeded; null: none did' }),
    p95: z.number().nullable(),
    last,
    codes: z.array(CallsByCode).meta({ description: 'The most frequent first' }),
  })
  .meta({ id: 'CallsByEndpoint' });

export const logs = {
  summary: route({
    ...about,
    id: 'summarizeLogs',
    tag: 'Project',
    method: 'GET',
    path: '/:project/logs/summary',
    summary: 'Endpoint calls by endpoint and outcome: how many, how often, how long they took',
    description: [
      'Of the call log, in a window of time that ends now. Of calls that succeeded, and of what was refused or failed, the newest 10 000 at most are counted, so it costs little however much is called;',
      '`counted` says back to when that reaches. Rates are of the time that is counted, and times are those that the node measured, exact to a tenth of a ms.',
      'The 200 endpoints and routes with the most requests are told.',
    ].join('\n'),
    keys: EVERYTHING_READ,
    query: {
      from: instant.meta({
        description: 'Begin of the window: ISO 8601 with a zone, a date, or unix milliseconds; left out: an hour before `to`',
      }),
      to: instant.meta({ description: 'Its end; left out: now' }),
      target: z.enum(['live', 'next']).default('live').meta({ description: 'Only requests to these definitions' }),
    },
    answers: {
      200: z
        .strictObject({
          ok,
          from: instant,
          to: instant,
          counted: z.strictObject({ succeeded: counted, failed: counted }),
          endpoints: z.array(CallsByEndpoint),
          more: count.meta({ description: 'How many endpoints and routes are left out' }),
          missed: z.int().nullable().meta({ description: 'Requests of the window that were not stored; `null`: unknown' }),
          partial: z.literal(true).optional().meta({ description: 'Only what this node has served: the database does not answer' }),
        })
        .meta({ id: 'CallSummary', description: 'Requests of a window of time by endpoint and outcome, the most frequent first' }),
    },
    errors: ['VALIDATION_FAILED', 'BUSY'],
    idempotent: false,
    example: {
      query: { from: '2026-03-01T12:00:00Z', to: '2026-03-01T13:00:00Z' },
      answer: {
        ok: true,
        from: '2026-03-01T12:00:00.000Z',
        to: '2026-03-01T13:00:00.000Z',
        counted: {
          succeeded: { requests: 50, from: '2026-03-01T12:00:00.000Z' },
          failed: { requests: 10, from: '2026-03-01T12:00:00.000Z' },
        },
        endpoints: [
          {
            ...{
              slug: 'buy',
              route: null,
              requests: 60,
              perMinute: 1,
              refused: 10,
              failed: 0,
              p50: 2.1,
              p95: 8.4,
              last: '2026-03-01T12:59:00.000Z',
            },
            codes: [
              { code: null, status: 200, requests: 50, perMinute: 0.83, p50: 2.1, p95: 8.4, last: '2026-03-01T12:58:00.000Z' },
              { code: 'TOO_POOR', status: 409, requests: 10, perMinute: 0.17, p50: 1.2, p95: 3, last: '2026-03-01T12:59:00.000Z' },
            ],
          },
        ],
        more: 0,
        missed: 0,
      },
    },
  }),
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
            step: 'enough',
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
