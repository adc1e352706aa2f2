import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { Metrics } from '../http/metrics.ts';
import type { Health } from '../http/routes/system.ts';

export interface ProbeServer {
  /** Resolves with the port, which is a free one when 0 was asked for. */
  listen(port: number, host: string): Promise<number>;
  close(): Promise<void>;
}

/** What a node without the role `api` serves: `/health` and `/metrics`, for whoever watches it. */
export function createProbeServer(parts: { readonly metrics: Metrics; health(): Promise<Health> }): ProbeServer {
  const { registry } = parts.metrics;
  const json = 'application/json; charset=utf-8';
  const answer = (response: ServerResponse, status: number, contentType: string, text: string) =>
    response.writeHead(status, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(text);

  const serve = async (path: string, response: ServerResponse) => {
    if (path === '/metrics') return answer(response, 200, registry.contentType, await registry.metrics());
    if (path === '/health') {
      const report = await parts.health();
      return answer(response, report.status === 'ok' ? 200 : 503, json, JSON.stringify(report));
    }
    const message = 'This node serves /health and /metrics alone: its ROLES have no api';
    return answer(response, 404, json, JSON.stringify({ ok: false, error: { code: 'NOT_FOUND', message }, message }));
  };
  const server = createServer((request, response) => {
    request.resume();
    serve((request.url ?? '').split('?')[0] ?? '', response).catch(() => response.destroy());
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
