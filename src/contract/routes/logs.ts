import { z } from 'zod';
import { EVERYTHING_READ } from '../credentials.ts';
import { PLAYER } from '../parameters.ts';
import { route } from '../route.ts';
import { instant } from '../values.ts';
import { about, ok } from './managed.ts';

/** What a node remembers of the requests of a project. It is in the node's memory alone. */

export const LoggedRequest = z
  .strictObject({
    id: z.string().meta({ description: 'A stream that begins after it: `Last-Event-ID`' }),
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
      'With `Accept: text/event-stream` (or `follow=true`) the last ones come first, and then each one as it happens: events `request`. Bodies and',
      'keys are not told. An event `gap` with `{"missed": 12}` says that some were left out because they were too many, or taken too slowly; `null`',
      'is an unknown number. An event `refused` ends a stream whose key has lost its permission.',
      '',
      'A node tells what it has served itself, and keeps the last 100 of a project in memory. Behind a balancer that sends a project to one node',
      'that is everything; otherwise ask each node.',
    ].join('\n'),
    keys: EVERYTHING_READ,
    query: {
      slug: z.string().meta({ description: 'Calls of one endpoint only', examples: ['buy'] }),
      platformId: z.string().meta({ description: 'Of one player only', examples: [PLAYER] }),
      errors: z.enum(['true', 'false']).default('false').meta({ description: 'Only what was refused or failed' }),
      limit: z.int().min(0).max(100).default(50).meta({ description: 'How many of the last ones' }),
      follow: z.enum(['true', 'false']).default('false').meta({ description: 'Goes on with what happens' }),
    },
    headers: { 'Last-Event-ID': z.string().meta({ description: 'Begins after this event, instead of with the last ones' }) },
    answers: {
      200: z
        .strictObject({ ok, requests: z.array(LoggedRequest) })
        .meta({ id: 'Logs', description: 'The last requests, the oldest first' }),
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
            id: '8f2c01.7',
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
      },
    },
  }),
} as const;
