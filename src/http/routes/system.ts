import { refusal } from '../../kernel/errors.ts';
import type { Answer } from '../answer.ts';
import type { Context } from '../exchange.ts';
import { type Exposition, METRICS_TYPE } from '../metrics.ts';
import { metricsGuard } from '../metrics-access.ts';
import type { HttpSettings } from '../settings.ts';
import type { Routes } from './services.ts';

/** What `/health` tells (runtime-storage 19). */
export type Health =
  | { readonly status: 'ok'; readonly version: string; readonly database: string; readonly databaseLatencyMs: number }
  | { readonly status: 'database-unavailable'; readonly version: string; readonly database: string };

/** What `/ready` tells: whether requests may be sent here. */
export type Ready =
  | { readonly status: 'ready'; readonly version: string }
  /** `behind`: projects whose read models have not been at the log's end yet; `null`: not counted yet. */
  | { readonly status: 'catching-up'; readonly version: string; readonly behind: number | null }
  | { readonly status: 'database-unavailable'; readonly version: string };

/** What watchers and balancers ask of a process. */
export interface Probes {
  /** Whether it lives: a watcher restarts what does not. */
  health(): Promise<Health>;
  /** Whether it may be sent requests: a balancer waits for what is not. */
  ready(): Promise<Ready>;
}

export const RETRY_AFTER = { health: '30', ready: '2' } as const;

export interface SystemParts {
  readonly settings: HttpSettings;
  readonly probes: Probes;
  /** The text of `/metrics`; `null`: they are on a port of their own. */
  readonly exposition: Exposition | null;
}

const CAPABILITIES = [
  'records',
  'global-records',
  'endpoints',
  'workflows',
  'queries',
  'game-values',
  'rate-limits',
  'analytics',
  'auth-sessions',
  'package-sync',
];
const NO_STORE = { 'Cache-Control': 'no-store' };

/** Routes about the server itself: no key, no project. */
export function systemRoutes(router: Routes, { settings, probes, exposition }: SystemParts): void {
  router.get('/health', async (): Promise<Answer> => {
    const report = await probes.health();
    if (report.status === 'ok') return { body: { ...report }, headers: NO_STORE };
    return { status: 503, body: { ...report }, headers: { ...NO_STORE, 'Retry-After': RETRY_AFTER.health } };
  });

  router.get('/ready', async (): Promise<Answer> => {
    const report = await probes.ready();
    if (report.status === 'ready') return { body: { ...report }, headers: NO_STORE };
    return { status: 503, body: { ...report }, headers: { ...NO_STORE, 'Retry-After': RETRY_AFTER.ready } };
  });

  const guard = metricsGuard(settings.metricsToken);
  if (exposition !== null) {
    router.get('/metrics', async (ctx): Promise<Answer> => {
      guard(ctx.state.exchange.req);
      return { text: await exposition(), contentType: METRICS_TYPE, headers: NO_STORE };
    });
  }

  router.get('/v3/server-info', async (): Promise<Answer> => {
    const { product, version, database } = settings;
    return {
      body: { ok: true, kind: 'self-hosted', product, version, apiVersions: ['v3'], database, capabilities: CAPABILITIES, update: null },
    };
  });
}

const CANARY_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Answers everything under `/v3/storage/deploy-canary`, so that a deployment can be seen to serve (runtime-storage 19). */
export function serveCanary(settings: HttpSettings): (ctx: Context) => Promise<Answer> {
  return async (ctx) => {
    const { exchange } = ctx.state;
    if (!CANARY_METHODS.has(exchange.method)) throw refusal('NOT_FOUND');
    exchange.route = 'ANY /v3/storage/deploy-canary';
    return { body: { ok: true, probe: 'deploy-canary', owner: settings.product }, headers: NO_STORE };
  };
}
