import { z } from 'zod';
import { READ_HEADERS } from '../parameters.ts';
import { SCHEMA_FILES } from '../resources/files.ts';
import { route } from '../route.ts';
import { anyJson, anyObject, count, instant } from '../values.ts';

const ok = z.literal(true);

const page = {
  ok,
  slug: z.string(),
  title: z.string(),
  statusLevel: z.string().nullable(),
  updatedAt: instant,
  html: z.literal('').optional(),
};

const Page = z
  .union([
    z.strictObject({ ...page, type: z.literal('markdown'), markdown: z.string() }),
    z.strictObject({ ...page, type: z.literal('keyvalue'), data: anyObject }),
  ])
  .meta({ id: 'Page', description: 'A page of the project' });

export const pages = {
  read: route({
    id: 'readPage',
    method: 'GET',
    path: '/:project/:page',
    family: 'pages',
    tag: 'Pages',
    summary: 'A page of the project, for anybody; a browser gets it as a document',
    keys: null,
    query: { format: z.string().meta({ description: 'Any other than `json` leaves out `html`; with any, a browser gets JSON, too' }) },
    answers: { 200: Page },
    texts: { 'text/html; charset=utf-8': 'The page as a document' },
    answerHeaders: READ_HEADERS,
    errors: ['NOT_FOUND'],
    idempotent: false,
    example: {
      answer: {
        ok: true,
        slug: 'news',
        title: 'News',
        type: 'markdown',
        statusLevel: null,
        updatedAt: '2026-03-01T12:00:00.000Z',
        markdown: '# News',
        html: '',
      },
    },
  }),
} as const;

const version = z.string();
const unavailable = z
  .enum(['database-unavailable', 'log-unavailable'])
  .meta({ description: '`log-unavailable`: the log alone is away, which is in an EventStoreDB' });
const away = z
  .array(z.enum(['log', 'database']))
  .min(1)
  .meta({ description: 'The parts that do not answer. A log that is in the database is away with it' });

export const Healthy = z
  .strictObject({ status: z.literal('ok'), version, database: z.string(), databaseLatencyMs: z.number() })
  .meta({ id: 'Healthy', description: 'Process and database answer' });
export const Unhealthy = z
  .strictObject({ status: unavailable, away, version, database: z.string() })
  .meta({ id: 'Unhealthy', description: 'Database or log do not answer' });
const Alive = z.strictObject({ status: z.literal('alive'), version }).meta({ id: 'Alive', description: 'The process answers' });
export const Serving = z
  .strictObject({ status: z.literal('ready'), version })
  .meta({ id: 'Ready', description: 'Requests may be sent here' });
export const NotServing = z
  .union([
    z.strictObject({
      status: z.literal('catching-up'),
      version,
      behind: count
        .nullable()
        .meta({ description: "Projects whose read models have not been at the log's end yet; `null`: not counted yet" }),
    }),
    z.strictObject({ status: unavailable, away, version }),
  ])
  .meta({ id: 'NotReady', description: 'Requests may not be sent here yet' });

const about = { family: 'system', tag: 'System', keys: null, errors: [], idempotent: false } as const;
const RETRY = { 'Retry-After': z.int().optional().meta({ description: 'Seconds, with 503' }) } as const;

export const system = {
  health: route({
    ...about,
    id: 'readHealth',
    method: 'GET',
    path: '/health',
    summary: 'Whether the process, its database and its log answer',
    description: 'For people and alerts: `away` names what does not answer. A node is not to be restarted for it; see `/alive`.',
    answers: { 200: Healthy, 503: Unhealthy },
    answerHeaders: RETRY,
    example: { answer: { status: 'ok', version: '0.1.0', database: 'postgres', databaseLatencyMs: 1 } },
  }),
  alive: route({
    ...about,
    id: 'readAlive',
    method: 'GET',
    path: '/alive',
    summary: 'Whether the process answers',
    description: 'For whoever restarts nodes. It asks neither database nor log: a restart brings neither back.',
    answers: { 200: Alive },
    example: { answer: { status: 'alive', version: '0.1.0' } },
  }),
  ready: route({
    ...about,
    id: 'readReadiness',
    method: 'GET',
    path: '/ready',
    summary: 'Whether requests may be sent to this process',
    description: [
      '200 once the read models have been where the log ended when the process began, and while database and log answer. 503 `catching-up`',
      'until then: `behind` counts the projects that are left, `null` while they are not known.',
    ].join('\n'),
    answers: { 200: Serving, 503: NotServing },
    answerHeaders: RETRY,
    example: { answer: { status: 'ready', version: '0.1.0' } },
  }),
  serverInfo: route({
    ...about,
    id: 'readServerInfo',
    method: 'GET',
    path: '/v3/server-info',
    summary: 'What this server is and can do',
    answers: {
      200: z
        .strictObject({
          ok,
          kind: z.literal('self-hosted'),
          product: z.string(),
          version,
          apiVersions: z.array(z.string()),
          database: z.string(),
          capabilities: z.array(z.string()),
          update: anyJson,
        })
        .meta({ id: 'ServerInfo', description: 'The server' }),
    },
    example: {
      answer: {
        ok: true,
        kind: 'self-hosted',
        product: 'savepoint',
        version: '0.1.0',
        apiVersions: ['v3'],
        database: 'postgres',
        capabilities: ['records', 'endpoints'],
        update: null,
      },
    },
  }),
} as const;

/** Not served here if metrics have a port of their own. */
export const metrics = {
  read: route({
    ...about,
    id: 'readMetrics',
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics in the Prometheus text format',
    description:
      'To this machine, or with `METRICS_TOKEN` as a bearer token; on a port of its own where `METRICS_PORT` is set (docs/operations.md, "Watching").',
    answers: { 200: z.string() },
    texts: { 'text/plain; version=0.0.4; charset=utf-8': 'The metrics' },
    noJson: true,
    errors: ['UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  }),
} as const;

export const schemas = {
  read: route({
    ...about,
    id: 'readSchema',
    method: 'GET',
    path: '/schemas/:file',
    summary: 'The JSON Schema of a kind of source file, for editors',
    params: { file: z.enum(SCHEMA_FILES).meta({ description: 'The kind, and `.json`' }) },
    answers: { 200: anyObject.meta({ description: 'A JSON Schema of draft 2020-12' }) },
    errors: ['NOT_FOUND'],
    example: { params: { file: 'collection.json' }, answer: { $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object' } },
  }),
} as const;

/** What browsers are told of a page that the server makes. */
const PAGE_HEADERS = {
  'Content-Security-Policy': z.string().meta({ description: 'The page loads nothing but what this server serves' }),
  'X-Content-Type-Options': z.literal('nosniff').meta({ description: 'The type is the one that is said' }),
  'Referrer-Policy': z.literal('no-referrer').meta({ description: 'Links do not say where they were followed' }),
} as const;
const CACHE = { 'Cache-Control': z.string().meta({ description: 'How long the answer may be kept' }) } as const;
const path = z.string().meta({ description: 'A path, relative to this one' });

export const home = {
  read: route({
    ...about,
    id: 'readHome',
    method: 'GET',
    path: '/',
    summary: 'What this server is, and where its reference and its probes are; a browser gets it as a page',
    answers: {
      200: z
        .strictObject({
          ok,
          product: z.string(),
          version,
          docs: path.optional(),
          manual: path.optional(),
          openapi: path.optional(),
          health: path,
          ready: path,
        })
        .meta({ id: 'Home', description: 'Where things are. `docs`, `manual` and `openapi` are left out where `API_DOCS` is off' }),
    },
    texts: { 'text/html; charset=utf-8': 'The same as a page, with whether the server is ready' },
    answerHeaders: CACHE,
    example: {
      answer: {
        ok: true,
        product: 'savepoint',
        version: '0.1.0',
        docs: 'docs',
        manual: 'manual',
        openapi: 'openapi.json',
        health: 'health',
        ready: 'ready',
      },
    },
  }),
  icon: route({
    ...about,
    id: 'readIcon',
    method: 'GET',
    path: '/favicon.svg',
    hidden: true,
    summary: "The icon of the server's pages",
    answers: { 200: z.string() },
    texts: { 'image/svg+xml': 'The icon' },
    noJson: true,
    answerHeaders: CACHE,
  }),
} as const;

/** The setting `API_DOCS` switches them off. */
export const reference = {
  openApi: route({
    ...about,
    id: 'readOpenApi',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description of the API',
    answers: { 200: anyObject.meta({ description: 'An OpenAPI 3.1 document' }) },
    answerHeaders: CACHE,
    errors: ['NOT_FOUND'],
    example: { answer: { openapi: '3.1.0', info: { title: 'Savepoint', version: '0.1.0' } } },
  }),
  page: route({
    ...about,
    id: 'readReference',
    method: 'GET',
    path: '/docs',
    summary: 'The same as a page for people',
    answers: { 200: z.string() },
    texts: { 'text/html; charset=utf-8': 'The page' },
    noJson: true,
    answerHeaders: { ...PAGE_HEADERS, ...CACHE },
    errors: ['NOT_FOUND'],
  }),
  slash: route({
    ...about,
    id: 'readReferenceWithSlash',
    method: 'GET',
    path: '/docs/',
    hidden: true,
    summary: 'Leads to the page',
    answers: { 308: z.strictObject({ ok }) },
    answerHeaders: { Location: z.literal('../docs').meta({ description: 'Where the page is, relative to this path' }) },
    errors: ['NOT_FOUND'],
  }),
  manual: route({
    ...about,
    id: 'readManual',
    method: 'GET',
    path: '/manual',
    summary: 'The pages of the manual',
    answers: { 200: z.string() },
    texts: { 'text/html; charset=utf-8': 'Links to the pages' },
    noJson: true,
    answerHeaders: { ...PAGE_HEADERS, ...CACHE },
    errors: ['NOT_FOUND'],
  }),
  manualSlash: route({
    ...about,
    id: 'readManualWithSlash',
    method: 'GET',
    path: '/manual/',
    hidden: true,
    summary: 'Leads to the pages',
    answers: { 308: z.strictObject({ ok }) },
    answerHeaders: { Location: z.literal('../manual').meta({ description: 'Where the pages are, relative to this path' }) },
    errors: ['NOT_FOUND'],
  }),
  manualPage: route({
    ...about,
    id: 'readManualPage',
    method: 'GET',
    path: '/manual/:page',
    summary: 'A page of the manual',
    params: { page: z.string().meta({ description: 'Its name, such as `security`' }) },
    answers: { 200: z.string() },
    texts: { 'text/html; charset=utf-8': 'The page' },
    noJson: true,
    answerHeaders: { ...PAGE_HEADERS, ...CACHE },
    errors: ['NOT_FOUND'],
  }),
  asset: route({
    ...about,
    id: 'readReferenceAsset',
    method: 'GET',
    path: '/docs/:asset',
    hidden: true,
    summary: 'What the page is made of',
    params: { asset: z.string() },
    answers: { 200: z.string() },
    texts: { 'text/javascript; charset=utf-8': 'A script', 'text/css; charset=utf-8': 'A style sheet' },
    noJson: true,
    answerHeaders: { 'X-Content-Type-Options': PAGE_HEADERS['X-Content-Type-Options'], ...CACHE },
    errors: ['NOT_FOUND'],
  }),
} as const;

/** It has no router: it answers every path under its prefix, for any method. */
export const canary = {
  read: route({
    ...about,
    family: 'canary',
    id: 'readCanary',
    method: 'GET',
    path: '/deploy-canary',
    summary: 'Always answers, under any method and any path below: a deployment serves',
    answers: {
      200: z.strictObject({ ok, probe: z.literal('deploy-canary'), owner: z.string() }).meta({ id: 'Canary', description: 'It serves' }),
    },
    example: { answer: { ok: true, probe: 'deploy-canary', owner: 'savepoint' } },
  }),
} as const;
