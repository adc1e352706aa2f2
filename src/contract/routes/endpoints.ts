import { z } from 'zod';
import { ENDPOINT_KEYS } from '../credentials.ts';
import { AS_PLAYER, POSITION_HEADER, TARGET } from '../parameters.ts';
import { callBody, namedCall } from '../resources/call.ts';
import { route } from '../route.ts';
import { anyJson } from '../values.ts';

const Rendered = anyJson.meta({
  id: 'Rendered',
  description: "What the endpoint's `response` says, with its status; an object, if its author wants a game's client to read it",
});

const headers = { ...AS_PLAYER, ...TARGET } as const;
const ANSWER_HEADERS = {
  ...POSITION_HEADER,
  'x-ns-publish': z.string().meta({
    description: 'The beginning of the `hash` of the publish that the call ran with (`GET …/publishes`); refusals of a call have it, too',
  }),
} as const;
const ERRORS = [
  ...(['ENDPOINT_NOT_FOUND', 'ENDPOINT_DISABLED', 'ENDPOINT_DEPRECATED', 'ENDPOINT_NOT_SUPPORTED', 'ENDPOINT_EXECUTION_FAILED'] as const),
  ...([
    'INVALID_INPUT',
    'INVALID_REQUEST',
    'SECRET_KEY_REQUIRED',
    'LIMIT_EXCEEDED',
    'RESULT_TOO_LARGE',
    'SCAN_TOO_LARGE',
    'RATE_LIMIT',
    'RATE_LIMIT_DAILY',
  ] as const),
  ...([
    'ADDRESS_TAKEN',
    'SCHEMA_VALIDATION_FAILED',
    'UNIQUE_VIOLATION',
    'PAYLOAD_TOO_LARGE',
    'COLLECTION_TYPE_MISMATCH',
    'RECORD_DELETE_DISABLED',
  ] as const),
  ...(['RECORD_LIMIT_REACHED', 'RECORD_NOT_FOUND', 'NOT_FOUND', 'STALE_SAVE', 'SAVE_VERSION_REQUIRED', 'INVALID_OPERATION'] as const),
] as const;
const SEALED = [
  ...(['INVALID_JSON', 'SECURITY_ENCRYPTION_REQUIRED', 'SECURITY_SESSION_DISABLED', 'REQUEST_SIGNATURE_INVALID'] as const),
  ...(['ENCRYPTED_REQUEST_INVALID_ID', 'ENCRYPTED_REQUEST_REPLAY_DETECTED', 'ENCRYPTED_REQUEST_STALE'] as const),
] as const;
const DESCRIPTION = [
  'A sealed body (`encrypted: true` with an `envelope`) is opened first; its input never holds credentials. Answers with `ok: false` and a',
  'code `SECURITY_…` or `REVISION_OUTDATED` have HTTP status 200 and the one that is meant inside, because a game cannot read the body of',
  'any other. An author may answer with any status and code.',
].join('\n');

/** What both ways to call an endpoint share. */
const CALLED = {
  method: 'POST',
  family: 'endpoints',
  tag: 'Endpoints',
  description: DESCRIPTION,
  keys: ENDPOINT_KEYS,
  headers,
  answers: { 200: Rendered },
  answerHeaders: ANSWER_HEADERS,
  errors: [...ERRORS, ...SEALED],
  authored: true,
  writes: true,
  idempotent: true,
} as const;

/** Calls of endpoints. The definition's verb is not checked. */
export const endpoints = {
  call: route({
    ...CALLED,
    id: 'callEndpoint',
    path: '/:project/:slug',
    summary: 'Call an endpoint; its input is the body, or its member `input` or `args`',
    body: { schema: callBody, required: false },
    example: { body: { item: 'axe' }, answer: { ok: true, gold: 7 } },
  }),
  callNamed: route({
    ...CALLED,
    id: 'callNamedEndpoint',
    path: '/:project',
    summary: 'Call an endpoint that the body names',
    body: { schema: namedCall, required: true },
    example: { body: { endpoint: 'buy', item: 'axe' }, answer: { ok: true, gold: 2 } },
  }),
  /** The path that a client calls when the slug is empty. */
  callNothing: route({
    id: 'callNothing',
    method: 'POST',
    path: '/:project/',
    family: 'endpoints',
    hidden: true,
    tag: 'Endpoints',
    summary: 'A call without a slug',
    keys: ENDPOINT_KEYS,
    answers: {},
    errors: ['INVALID_REQUEST'],
    idempotent: false,
  }),
  callByQuery: route({
    id: 'callEndpointByQuery',
    method: 'GET',
    path: '/:project/:slug',
    family: 'endpoints',
    tag: 'Endpoints',
    summary: 'Call an endpoint; its input is the query',
    description:
      'It really runs, whatever the method: HEAD is 404. Texts become the types that the endpoint declares, where that loses nothing.',
    keys: ENDPOINT_KEYS,
    anyQuery: z.record(z.string(), z.string()).meta({ description: 'The input' }),
    headers,
    answers: { 200: Rendered },
    answerHeaders: ANSWER_HEADERS,
    errors: [...ERRORS],
    authored: true,
    writes: true,
    idempotent: true,
    example: { params: { slug: 'price' }, query: { item: 'axe' }, answer: { ok: true, item: 'axe', price: 5 } },
  }),
} as const;
