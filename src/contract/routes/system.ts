import { z } from 'zod';
import { route } from '../route.ts';
import { anyJson, count, ok } from '../values.ts';

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

export const about = { family: 'system', tag: 'System', keys: null, errors: [], idempotent: false } as const;
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
