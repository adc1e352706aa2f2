import { z } from 'zod';
import { EVERYTHING_READ, EVERYTHING_WRITTEN, RUN_KEYS } from '../credentials.ts';
import { PLAYER, PUBLISH_BASE, PUBLISHED_HEADERS, STRICT, STRICT_IN_BODY, TARGET, WHY } from '../parameters.ts';
import { resources } from '../resources/index.ts';
import { route } from '../route.ts';
import { anyJson, anyObject, count, ok } from '../values.ts';
import { about, CLAIMING, diagnostics, ON_BASE, SourceItem, store } from './managed.ts';

/** Saved tests, and dry runs of endpoints. */

const timing = z.strictObject({ total: z.number() }).meta({ description: 'Milliseconds' });

const Expectation = z.strictObject({
  outcome: z.enum(['pass', 'fail', 'any']),
  status: z.int().nullable(),
  passed: z.boolean(),
  reason: z.string(),
});

const TestReport = z
  .object({
    ok: ok.optional(),
    dryRun: ok.optional(),
    id: z.string(),
    name: z.string(),
    endpoint: z.string(),
    method: z.string().optional(),
    platformId: z.string().optional(),
    passed: z.boolean(),
    reason: z.string().nullable(),
    timing: timing.optional(),
    result: z.strictObject({ ok: z.boolean(), status: z.int(), body: anyJson, timing }).optional(),
    steps: z.array(anyObject).optional(),
    pendingWrites: z
      .array(z.strictObject({ collection: z.string(), key: z.string(), op: z.enum(['write', 'delete']), data: anyJson }))
      .optional()
      .meta({ description: 'What a call would have written' }),
    warnings: z.array(z.string()),
    expectation: Expectation.optional(),
    input: anyJson.optional(),
    expect: anyObject.optional(),
  })
  .catchall(anyJson)
  .meta({ id: 'TestReport', description: 'How a dry run of an endpoint came out' });

const AutoTest = z
  .strictObject({
    ok,
    name: z.string(),
    endpoint: z.string(),
    method: z.string(),
    passed: z.boolean(),
    deprecated: z.boolean(),
    errors: z.array(z.string()),
    warnings: z.array(z.string()),
    result: z.strictObject({ status: z.int(), body: anyJson, timing }).nullable(),
  })
  .meta({ id: 'AutoTest', description: 'How an endpoint took made-up input' });

const REPORT = {
  ok: true,
  dryRun: true,
  id: 'buys',
  name: 'buys',
  endpoint: 'buy',
  method: 'POST',
  platformId: PLAYER,
  passed: true,
  reason: null,
  timing: { total: 1 },
  steps: [],
  pendingWrites: [],
  warnings: [],
  result: { ok: true, status: 200, body: { ok: true, item: 'axe' }, timing: { total: 1 } },
  expectation: { outcome: 'pass', status: 200, passed: true, reason: '' },
  input: { item: 'axe' },
  expect: { status: 200 },
};
const AUTO = {
  ok: true,
  name: 'Auto-test buy',
  endpoint: 'buy',
  method: 'POST',
  passed: true,
  deprecated: false,
  errors: [],
  warnings: [],
  result: { status: 200, body: { ok: true, item: 'test' }, timing: { total: 1 } },
};

const summary = z.strictObject({ total: count, passed: count, failed: count });
const unfit = { code: 'VALIDATION_FAILED', facts: { resourceKind: 'tests' } } as const;
const dryRun = { ...about, tag: 'Tests', unfit, idempotent: false } as const;
const Test = anyObject.meta({ id: 'StoredTest', description: 'A test as it was put' });
const PutTest = z.union([resources.test, SourceItem]);
const A_SLUG = 'the slug of an endpoint; without it all endpoints are meant';
const Slug = z.strictObject({
  slug: z.string(A_SLUG).regex(/\S/, A_SLUG).nullable().optional().meta({ description: 'Of one endpoint; left out: all of them' }),
});

export const tests = {
  list: route({
    ...dryRun,
    id: 'listTests',
    method: 'GET',
    path: '/:project/tests',
    summary: 'The saved tests of the project',
    keys: EVERYTHING_READ,
    answers: { 200: z.strictObject({ ok, data: z.array(Test) }).meta({ id: 'Tests', description: 'The tests as they were put' }) },
    errors: [],
    example: {
      answer: { ok: true, data: [{ id: 'buys', name: 'buys', endpoint: 'buy', input: { item: 'axe' }, expect: { status: 200 } }] },
    },
  }),
  replace: route({
    ...dryRun,
    id: 'putTests',
    method: 'PUT',
    path: '/:project/tests',
    summary: 'Replace the saved tests (500 at most), as tests or as source items',
    keys: EVERYTHING_WRITTEN,
    headers: PUBLISH_BASE,
    query: { ...STRICT, ...WHY },
    body: {
      schema: z.union([z.array(PutTest), z.object({ tests: z.array(PutTest), ...STRICT_IN_BODY }).catchall(anyJson)]),
      required: true,
      loose: true,
    },
    answers: {
      200: z
        .strictObject({ ok, ...store, resourceKind: z.literal('tests'), action: z.literal('replace'), total: count, diagnostics })
        .meta({ id: 'TestsReplaced', description: 'How many there are now' }),
    },
    errors: ['VALIDATION_FAILED', 'SOURCE_COMPILE_FAILED', 'STRICT_FINDINGS', 'COMPILE_LIMIT', 'COMPILER_FAILED', ...CLAIMING, ...ON_BASE],
    writes: true,
    idempotent: true,
    answerHeaders: PUBLISHED_HEADERS,
    example: {
      body: [{ id: 'buys', name: 'buys', endpoint: 'buy', input: { item: 'axe' }, expect: { status: 200 } }],
      answer: { ok: true, source: 'store', resourceKind: 'tests', action: 'replace', total: 1 },
    },
  }),
  testEndpoint: route({
    ...dryRun,
    id: 'testEndpoint',
    method: 'POST',
    path: '/:project/test-endpoint',
    summary: 'Run an endpoint as a test; nothing of it is stored',
    description: '`{testId}` of a saved test, or `{slug, input, platformId, asServer, expect}`.',
    keys: RUN_KEYS,
    headers: TARGET,
    query: STRICT,
    body: { schema: anyObject, required: false },
    answers: { 200: TestReport },
    errors: ['VALIDATION_FAILED', 'STRICT_FINDINGS', 'TEST_NOT_FOUND', 'ENDPOINT_NOT_FOUND', 'LIMIT_EXCEEDED', 'SCAN_TOO_LARGE'],
    example: { body: { slug: 'buy', input: { item: 'axe' } }, answer: REPORT },
  }),
  autoTest: route({
    ...dryRun,
    id: 'autoTest',
    method: 'POST',
    path: '/:project/auto-test',
    summary: 'Run one endpoint (`{slug}`) or all of them with made-up input; nothing of it is stored',
    keys: RUN_KEYS,
    headers: TARGET,
    body: { schema: Slug, required: false },
    answers: {
      200: z.union([
        AutoTest,
        z.strictObject({ ok, results: z.array(AutoTest), summary }).meta({ id: 'AutoTests', description: 'Of all endpoints' }),
      ]),
    },
    errors: ['VALIDATION_FAILED', 'ENDPOINT_NOT_FOUND'],
    example: { body: { slug: 'buy' }, answer: AUTO },
  }),
  suggestTests: route({
    ...dryRun,
    id: 'suggestTests',
    method: 'POST',
    path: '/:project/suggest-tests',
    summary: 'Tests of one endpoint (`{slug}`) or of all, made up; nothing is stored',
    keys: EVERYTHING_WRITTEN,
    headers: TARGET,
    body: { schema: Slug, required: false },
    answers: { 200: z.strictObject({ ok, suggestions: z.array(Test) }).meta({ id: 'SuggestedTests', description: 'Tests to save' }) },
    errors: ['VALIDATION_FAILED', 'ENDPOINT_NOT_FOUND'],
    example: {
      body: { slug: 'buy' },
      answer: { ok: true, suggestions: [{ name: 'buy answers', endpoint: 'buy', input: { item: 'test' }, expect: { outcome: 'pass' } }] },
    },
  }),
  runTests: route({
    ...dryRun,
    id: 'runTests',
    method: 'POST',
    path: '/:project/run-tests',
    summary: 'Run every saved test; nothing of it is stored',
    keys: RUN_KEYS,
    headers: TARGET,
    body: { schema: z.strictObject({}), required: false },
    answers: {
      200: z
        .strictObject({ ok, dryRun: ok, total: count, passed: count, failed: count, results: z.array(TestReport), summary })
        .meta({ id: 'TestRun', description: 'How the tests came out' }),
    },
    errors: ['VALIDATION_FAILED'],
    example: {
      body: {},
      answer: {
        ok: true,
        dryRun: true,
        total: 1,
        passed: 1,
        failed: 0,
        results: [REPORT],
        summary: { total: 1, passed: 1, failed: 0 },
      },
    },
  }),
} as const;
