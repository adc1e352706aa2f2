import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCallTimes } from '../../src/http/call-times.ts';
import { metricsGuard, metricsPortGuard } from '../../src/http/metrics-access.ts';
import { type Harness, startServer } from './harness.ts';

const TOKEN = 'a token of the watchers';
const peer = (remoteAddress: string, headers: Readonly<Record<string, string>> = {}) => ({ headers, socket: { remoteAddress } });
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('/metrics may be read', () => {
  it('by this machine, if nothing was forwarded, and by nobody else without a token', () => {
    const guard = metricsGuard(null);
    for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) expect(() => guard(peer(address))).not.toThrow();
    expect(() => guard(peer('10.0.0.1'))).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
    expect(() => guard(peer(''))).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
    for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'])
      expect(() => guard(peer('127.0.0.1', { [name]: '127.0.0.1' }))).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
  });

  it('by everybody with the token, from anywhere', () => {
    const guard = metricsGuard(TOKEN);
    expect(() => guard(peer('10.0.0.1', bearer(TOKEN)))).not.toThrow();
    expect(() => guard(peer('127.0.0.1', { ...bearer(TOKEN), 'x-forwarded-for': '10.0.0.1' }))).not.toThrow();
    for (const headers of [{}, bearer(`${TOKEN}x`), bearer(''), { authorization: TOKEN }])
      expect(() => guard(peer('10.0.0.1', headers))).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
  });

  it('on a port of their own by everybody who reaches it, unless there is a token', () => {
    expect(() => metricsPortGuard(null)(peer('10.0.0.1'))).not.toThrow();
    expect(() => metricsPortGuard(TOKEN)(peer('10.0.0.1'))).toThrow(expect.objectContaining({ code: 'UNAUTHORIZED' }));
    expect(() => metricsPortGuard(TOKEN)(peer('10.0.0.1', bearer(TOKEN)))).not.toThrow();
  });
});

describe('the route', () => {
  let server: Harness;
  beforeAll(async () => {
    server = await startServer({ metricsToken: TOKEN });
  });
  afterAll(() => server.stop());
  const asked = (headers: Readonly<Record<string, string>>) => server.send('GET', '/metrics', { headers });

  it('refuses a request that a balancer on this machine forwards, says what to do, and accepts a token', async () => {
    const refused = await asked({ 'X-Forwarded-For': '10.0.0.1' });
    expect([refused.status, refused.json.error.code, refused.headers['www-authenticate']]).toEqual([401, 'UNAUTHORIZED', 'Bearer']);
    expect(refused.json.message).toContain('METRICS_TOKEN');
    expect((await asked({ 'X-Forwarded-For': '10.0.0.1', Authorization: `Bearer ${TOKEN}` })).status).toBe(200);
  });

  it('shows metrics of the process, and of endpoint calls by slug and outcome', async () => {
    await server.play('POST', '/v3/endpoints/demo/buy', {});
    const { text } = await asked({});
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_heap_size_used_bytes',
      'nodejs_eventloop_lag_seconds',
    ])
      expect(text).toMatch(new RegExp(`^${name} `, 'm'));
    expect(text).toMatch(/^savepoint_endpoint_call_seconds_count\{slug="[^"]+",outcome="\w+"\} 1$/m);
  });
});

describe('endpoint calls', () => {
  it('have series for a bounded number of slugs, and only for endpoints that exist', async () => {
    const registry = new Registry();
    const calls = createCallTimes(registry, 2);
    for (let n = 0; n < 50; n += 1) calls.observe(`guess-${n}`, 404, false, 0.001);
    for (const slug of ['buy', 'sell', 'trade', 'gift']) calls.observe(slug, 200, true, 0.001);
    calls.observe('buy', 429, false, 0.001);
    calls.observe('sell', 500, false, 9);
    const counts = (await registry.metrics()).split('\n').filter((line) => line.includes('_count'));
    expect(counts.sort()).toEqual([
      'savepoint_endpoint_call_seconds_count{slug="buy",outcome="ok"} 1',
      'savepoint_endpoint_call_seconds_count{slug="buy",outcome="refused"} 1',
      'savepoint_endpoint_call_seconds_count{slug="other",outcome="ok"} 2',
      'savepoint_endpoint_call_seconds_count{slug="other",outcome="refused"} 50',
      'savepoint_endpoint_call_seconds_count{slug="sell",outcome="failed"} 1',
      'savepoint_endpoint_call_seconds_count{slug="sell",outcome="ok"} 1',
    ]);
  });
});
