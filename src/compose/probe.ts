import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Config } from '../config/config.ts';
import { Buckets } from '../http/buckets.ts';
import { clientAddresses } from '../http/client-address.ts';
import { factsOf } from '../http/errors.ts';
import { type Exposition, METRICS_TYPE } from '../http/metrics.ts';
import { type MetricsGuard, metricsGuard, metricsPortGuard } from '../http/metrics-access.ts';
import { type Probes, RETRY_AFTER } from '../http/routes/system.ts';
import { Refusal, refusal } from '../kernel/errors.ts';
import { VERSION } from '../version.ts';
import { requestBuckets } from './serving.ts';
import type { Shutdown } from './shutdown.ts';

export interface ProbeServer {
  /** Resolves with the port. 0 asks for a free one. */
  listen(port: number, host: string): Promise<number>;
  close(): Promise<void>;
}

export interface ProbeParts {
  readonly config: Config;
  readonly probes: Probes;
  /** `null`: `/metrics` is on a port of its own. */
  readonly exposition: Exposition | null;
  readonly guard: MetricsGuard;
}

/**
 * Serves only `/health`, `/ready` and `/metrics`: on the main port of a node without the role `api`, and on METRICS_PORT.
 */
export function createProbeServer({ config, probes, exposition, guard }: ProbeParts): ProbeServer {
  const buckets = new Buckets(requestBuckets(config), clientAddresses(config.trustedProxies));

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    buckets.take(request, 'system');
    const path = (request.url ?? '').split('?')[0];
    if (path === '/alive') return answer(response, 200, JSON.stringify({ status: 'alive', version: VERSION }));
    if (path === '/health') {
      const report = await probes.health();
      return answer(response, report.status === 'ok' ? 200 : 503, JSON.stringify(report));
    }
    if (path === '/ready') {
      const report = await probes.ready();
      if (report.status === 'ready') return answer(response, 200, JSON.stringify(report));
      return answer(response, 503, JSON.stringify(report), { 'Retry-After': RETRY_AFTER.ready });
    }
    if (path !== '/metrics' || exposition === null)
      throw refusal(
        'NOT_FOUND',
        `Here are ${exposition === null ? '/alive, /health and /ready' : '/alive, /health, /ready and /metrics'} alone`,
      );
    guard(request);
    answer(response, 200, await exposition(), { 'Content-Type': METRICS_TYPE });
  };
  const server = createServer((request, response) => {
    request.resume();
    serve(request, response).catch((error: unknown) => {
      if (!(error instanceof Refusal)) return void response.destroy();
      const { status, code, message } = error;
      answer(response, status, JSON.stringify({ ok: false, error: { code, message }, message }), factsOf(error));
    });
  });

  return {
    async listen(port, host) {
      await once(server.listen(port, host), 'listening');
      const address = server.address();
      return typeof address === 'object' && address ? address.port : port;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const HEADERS = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store' };

function answer(response: ServerResponse, status: number, text: string | Buffer, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, { ...HEADERS, ...headers }).end(text);
}

/** The probe server on the main port of a node without the role `api`. */
export function probeOf(config: Config, probes: Probes, exposition: Exposition): ProbeServer {
  const shown = config.metricsPort === null ? exposition : null;
  return createProbeServer({ config, probes, exposition: shown, guard: metricsGuard(config.metricsToken) });
}

/** Listens on METRICS_PORT, if it is set. */
export async function openMetricsPort(
  { config, shutdown }: { readonly config: Config; readonly shutdown: Shutdown },
  probes: Probes,
  exposition: Exposition,
): Promise<void> {
  if (config.metricsPort === null) return;
  const server = createProbeServer({ config, probes, exposition, guard: metricsPortGuard(config.metricsToken) });
  await server.listen(config.metricsPort, config.host);
  shutdown.add(() => server.close());
}
