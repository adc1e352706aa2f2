import type { canary, Healthy, metrics, NotServing, Serving, system, Unhealthy } from '../../contract/routes/system.ts';
import type { ShownBy } from '../../contract/values.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Handler, Handlers } from '../handlers.ts';
import { type Exposition, METRICS_TYPE } from '../metrics.ts';
import { metricsGuard } from '../metrics-access.ts';
import type { HttpSettings } from '../settings.ts';

/** Body of `/health`. */
export type Health = ShownBy<typeof Healthy | typeof Unhealthy>;
/** Body of `/ready`: whether requests may be sent here. */
export type Ready = ShownBy<typeof Serving | typeof NotServing>;

/** The probes of a process, for supervisors and load balancers. */
export interface Probes {
  /** Whether database and log answer. */
  health(): Promise<Health>;
  /** Whether it may be sent requests: a load balancer waits until it may. */
  ready(): Promise<Ready>;
}

export const RETRY_AFTER = { health: '30', ready: '2' } as const;

export interface SystemParts {
  readonly settings: HttpSettings;
  readonly probes: Probes;
  /** The text of `/metrics`; `null`: they have a port of their own. */
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
  'encrypted-requests',
  'guests',
  'idempotency-keys',
  'ledger',
  'live',
  'pages',
];
const NO_STORE = { 'Cache-Control': 'no-store' };

/** Routes about the server itself. They need no key and no project. */
export function systemHandlers({ settings, probes }: SystemParts): Handlers<typeof system> {
  return {
    async health() {
      const report = await probes.health();
      if (report.status === 'ok') return { body: report, headers: NO_STORE };
      return { status: 503, body: report, headers: { ...NO_STORE, 'Retry-After': RETRY_AFTER.health } };
    },

    async alive() {
      return { body: { status: 'alive', version: settings.version }, headers: NO_STORE };
    },

    async ready() {
      const report = await probes.ready();
      if (report.status === 'ready') return { body: report, headers: NO_STORE };
      return { status: 503, body: report, headers: { ...NO_STORE, 'Retry-After': RETRY_AFTER.ready } };
    },

    async serverInfo() {
      const { product, version, database } = settings;
      return {
        body: { ok: true, kind: 'self-hosted', product, version, apiVersions: ['v3'], database, capabilities: CAPABILITIES, update: null },
      };
    },
  };
}

export function metricsHandlers(settings: HttpSettings, exposition: Exposition): Handlers<typeof metrics> {
  const guard = metricsGuard(settings.metricsToken);
  return {
    async read(ctx) {
      guard(ctx.state.exchange.req);
      return { text: await exposition(), contentType: METRICS_TYPE, headers: NO_STORE };
    },
  };
}

const CANARY_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Answers every path under `/v3/storage/deploy-canary`, so that a deployment can show that it serves requests. */
export function serveCanary(settings: HttpSettings): Handler<typeof canary.read> {
  return async (ctx) => {
    const { exchange } = ctx.state;
    if (!CANARY_METHODS.has(exchange.method)) throw notFound('route');
    exchange.route = 'ANY /v3/storage/deploy-canary';
    return { body: { ok: true, probe: 'deploy-canary', owner: settings.product }, headers: NO_STORE };
  };
}
