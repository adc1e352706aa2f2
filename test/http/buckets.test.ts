import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  const rule = { burst: 3, perSecond: 0.001 };
  server = await startServer({ buckets: { game: rule, management: rule, session: rule, guest: rule, system: rule } });
});
afterAll(() => server.stop());

const from = async (address: string, path = '/v3/values/demo'): Promise<number> =>
  (await server.send('GET', path, { headers: { 'X-Forwarded-For': address } })).status;

describe('request buckets', () => {
  it('let a burst through and refuse the next with Retry-After', async () => {
    for (const _ of [1, 2, 3]) expect(await from('10.0.0.1')).toBe(401);
    const refused = await server.send('GET', '/v3/values/demo', { headers: { 'X-Forwarded-For': '10.0.0.1' } });
    expect([refused.status, refused.json.error.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
  });

  it('are separate per address and per group of routes', async () => {
    for (const _ of [1, 2, 3]) await from('10.0.0.2');
    expect(await from('10.0.0.2')).toBe(429);
    expect(await from('10.0.0.3')).toBe(401);
    expect(await from('10.0.0.2', '/v3/manage/demo/validate')).toBe(401);
    // A call of games, although its path is a management path.
    expect(await from('10.0.0.2', '/v3/manage/demo/revision-init')).toBe(429);
  });

  it('count the last hop of X-Forwarded-For only', async () => {
    for (const _ of [1, 2, 3]) await from('1.1.1.1, 10.0.0.4');
    expect(await from('2.2.2.2, 10.0.0.4')).toBe(429);
  });

  it('do not count what a balancer on this machine forwards for this machine', async () => {
    for (const _ of [1, 2, 3, 4, 5]) expect(await from('127.0.0.1')).toBe(401);
  });

  it('do not count peers on this machine', async () => {
    for (const _ of [1, 2, 3, 4, 5]) expect((await server.send('GET', '/v3/values/demo')).status).toBe(401);
    for (const _ of [1, 2, 3, 4, 5]) expect((await server.send('GET', '/health')).status).toBe(200);
  });

  it('count health and metrics separately from the game', async () => {
    for (const _ of [1, 2]) expect(await from('10.0.0.5', '/health')).toBe(200);
    expect(await from('10.0.0.5', '/metrics')).toBe(403);
    expect(await from('10.0.0.5', '/health')).toBe(429);
    expect(await from('10.0.0.5')).toBe(401);
  });
});
