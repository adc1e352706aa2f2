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

export interface SystemParts {
  readonly settings: HttpSettings;
  health(): Promise<Health>;
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
export function systemRoutes(router: Routes, { settings, health, exposition }: SystemParts): void {
  router.get('/health', async (): Promise<Answer> => {
    const report = await health();
    if (report.status === 'ok') return { body: { ...report }, headers: NO_STORE };
    return { status: 503, body: { ...report }, headers: { ...NO_STORE, 'Retry-After': '30' } };
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
