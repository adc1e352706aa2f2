import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Refusal, refusal } from '../../src/kernel/errors.ts';
import { PUBLIC_KEY, SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
beforeEach(() => {
  server.log.length = 0;
  server.app.failure = null;
  server.app.endpoint = { status: 200, body: { ok: true } };
});
afterAll(() => server.stop());

const call = (slug: string) => server.send('POST', `/v3/endpoints/demo/${slug}?apiKey=${PUBLIC_KEY}`, { body: '{}' });
const lines = () => server.log.filter(({ msg }) => String(msg).startsWith('endpoint call'));
const counted = async () => (await server.send('GET', '/metrics')).text;

describe('an endpoint call that was refused or failed', () => {
  it('is logged with slug, code, project and request, and counted by slug and code', async () => {
    server.app.endpoint = { status: 409, body: { ok: false, error: { code: 'TOO_POOR', message: 'No gold' } } };
    const reply = await call('buy-sword');
    expect(lines()).toMatchObject([
      {
        msg: 'endpoint call refused',
        level: 30,
        project: 'demo',
        slug: 'buy-sword',
        code: 'TOO_POOR',
        status: 409,
        requestId: reply.headers['x-correlation-id'],
      },
    ]);
    expect(await counted()).toContain('savepoint_endpoint_refusals_total{slug="buy-sword",code="TOO_POOR"} 1');
  });

  it('is also logged if the server itself refuses or fails', async () => {
    server.app.failure = refusal('RATE_LIMIT', 'Too much gold');
    await call('buy-sword');
    server.app.failure = new Error('a fault');
    await call('buy-sword');
    expect(lines().map(({ msg, code }) => [msg, code])).toEqual([
      ['endpoint call refused', 'RATE_LIMIT'],
      ['endpoint call failed', 'INTERNAL_ERROR'],
    ]);
  });

  it('is logged, also for managers, with the failed step if that is in a block that the endpoint calls', async () => {
    const error = { step: { id: 'enough', type: 'assert' }, within: [{ step: 'pay', called: 'charge' }] };
    server.app.failure = new Refusal(402, 'POOR', 'Not enough', { error });
    await call('buy-boots');
    expect(lines()).toMatchObject([{ slug: 'buy-boots', code: 'POOR', step: 'pay > charge > enough' }]);
    const logs = await server.send('GET', '/v3/manage/demo/logs?slug=buy-boots', { headers: { 'X-Api-Key': SECRET_KEY } });
    expect(logs.json.requests[0].message).toBe('Not enough (at pay > charge > enough)');
  });

  it('is logged at most ten times for one slug and code, and for all made-up slugs together', async () => {
    server.app.endpoint = { status: 409, body: { ok: false, error: { code: 'SOLD_OUT' } } };
    for (let n = 0; n < 15; n += 1) await call('buy-shield');
    expect(lines()).toHaveLength(10);
    server.log.length = 0;
    server.app.failure = refusal('ENDPOINT_NOT_FOUND');
    for (let n = 0; n < 15; n += 1) await call(`made-up-${n}`);
    expect(lines()).toHaveLength(10);
    expect(await counted()).toContain('savepoint_endpoint_refusals_total{slug="other",code="ENDPOINT_NOT_FOUND"} 15');
  });

  it('is not logged if it succeeds', async () => {
    await call('buy-sword');
    expect(lines()).toEqual([]);
  });

  it('is counted under a bounded number of codes, whatever codes an author makes', async () => {
    for (let n = 0; n < 40; n += 1) {
      server.app.endpoint = { status: 400, body: { ok: false, error: `CODE_${n}` } };
      await call('echo');
    }
    const codes = (await counted()).split('\n').filter((line) => line.startsWith('savepoint_endpoint_refusals_total{slug="echo"'));
    expect(codes).toHaveLength(21);
  });
});
