import { afterEach, expect, test } from 'vitest';
import { createProbeServer, type ProbeServer, probeOf } from '../../src/compose/probe.ts';
import { readConfig } from '../../src/config/config.ts';
import { metricsPortGuard } from '../../src/http/metrics-access.ts';
import type { Health, Probes, Ready } from '../../src/http/routes/system.ts';

const WELL: Health = { status: 'ok', version: 'test', database: 'memory', databaseLatencyMs: 0 };
const ready: { is: Ready } = { is: { status: 'ready', version: 'test' } };
const probes: Probes = { health: async () => WELL, ready: async () => ready.is };
const exposition = async () => Buffer.from('up 1\n');
const open: ProbeServer[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

async function asker(server: ProbeServer) {
  open.push(server);
  const port = await server.listen(0, '127.0.0.1');
  return (path: string, headers: Readonly<Record<string, string>> = {}) => fetch(`http://127.0.0.1:${port}${path}`, { headers });
}

test('the main port has no metrics if they have a port of their own', async () => {
  const ask = await asker(probeOf(readConfig({ METRICS_PORT: '9464' }), probes, exposition));
  expect([(await ask('/health')).status, (await ask('/metrics')).status]).toEqual([200, 404]);
});

test('the metrics port serves health and metrics to everybody who reaches it, and counts requests', async () => {
  const config = readConfig({ METRICS_PORT: '9464', LIMIT_SYSTEM_BURST: '3', LIMIT_SYSTEM_REFILL: '1' });
  const ask = await asker(createProbeServer({ config, probes, exposition, guard: metricsPortGuard(null) }));
  const from = { 'X-Forwarded-For': '10.0.0.1' };
  const metrics = await ask('/metrics', from);
  expect([metrics.status, metrics.headers.get('content-type'), await metrics.text()]).toEqual([
    200,
    expect.stringContaining('text/plain'),
    'up 1\n',
  ]);
  expect([(await ask('/health', from)).status, (await ask('/v3/manage', from)).status]).toEqual([200, 404]);
  const refused = await ask('/health', from);
  expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([429, 1]);
});

test('without a port of their own metrics are for this machine, or with the token', async () => {
  const token = 'a token of the watchers';
  const ask = await asker(probeOf(readConfig({ METRICS_TOKEN: token }), probes, exposition));
  const from = { 'X-Forwarded-For': '10.0.0.1' };
  expect((await ask('/metrics')).status).toBe(200);
  expect((await ask('/metrics', from)).status).toBe(401);
  expect((await ask('/metrics', { ...from, Authorization: `Bearer ${token}` })).status).toBe(200);
});

test('readiness and health are separate probes', async () => {
  const ask = await asker(probeOf(readConfig({}), probes, exposition));
  expect([(await ask('/ready')).status, await (await ask('/ready')).json()]).toEqual([200, ready.is]);
  ready.is = { status: 'catching-up', version: 'test', behind: 3 };
  const answer = await ask('/ready');
  expect([answer.status, answer.headers.get('retry-after'), await answer.json()]).toEqual([503, '2', ready.is]);
  expect((await ask('/health')).status).toBe(200);
});
