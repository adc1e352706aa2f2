import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { wireNames } from '../../src/domain/wire-names.ts';
import { Refusal, refusal } from '../../src/kernel/errors.ts';
import { AppendTooLarge, LogUnavailable, OutcomeUnknown } from '../../src/log/port.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer({}, { anything: true });
});
afterEach(() => {
  server.app.failure = null;
});
afterAll(() => server.stop());

const failing = (failure: unknown) => {
  server.app.failure = failure;
  return server.play('GET', '/v3/storage/demo/c/k');
};

describe('a refusal', () => {
  it('becomes the envelope with its status, its facts and a copy of its message', async () => {
    const reply = await failing(
      refusal('RATE_LIMIT', 'Too much gold', { error: { rule: 'gold' }, body: { severity: 'high' }, retryAfter: 9 }),
    );
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '9']);
    expect(reply.json).toEqual({
      ok: false,
      error: { code: 'RATE_LIMIT', message: 'Too much gold', rule: 'gold', requestId: reply.headers['x-correlation-id'] },
      message: 'Too much gold',
      severity: 'high',
    });
  });

  it('that the game client must read is 200 with the logical status inside', async () => {
    const reply = await failing(new Refusal(401, 'AUTH_SESSION_EXPIRED', 'Expired', { forGame: true }));
    expect([reply.status, reply.json.status, reply.json.ok]).toEqual([200, 401, false]);
  });

  it.each([
    [() => refusal('BUSY'), 503, 'BUSY', true],
    [() => new LogUnavailable('no route to the log'), 503, 'STORAGE_UNAVAILABLE', true],
    [() => Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }), 503, 'STORAGE_UNAVAILABLE', true],
    [() => Object.assign(new Error('terminating connection'), { code: '57P01' }), 503, 'STORAGE_UNAVAILABLE', true],
    [() => new Error('Connection terminated unexpectedly'), 503, 'STORAGE_UNAVAILABLE', true],
    [() => new OutcomeUnknown('sent'), 504, 'OUTCOME_UNKNOWN', false],
    [() => new AppendTooLarge('2 MiB'), 413, 'APPEND_TOO_LARGE', false],
    [() => Object.assign(new Error('duplicate key'), { code: '23505' }), 500, 'INTERNAL_ERROR', false],
  ])('%s', async (make, status, code, retries) => {
    const reply = await failing(make());
    expect([reply.status, reply.json.error.code, 'retry-after' in reply.headers]).toEqual([status, code, retries]);
  });

  it.each([204, 205, 304])('with the status %i, which an author may name, still has its body', async (status) => {
    const reply = await failing(new Refusal(status, 'TOO_POOR', 'No gold'));
    expect([reply.status, reply.json.ok, reply.json.error.code]).toEqual([200, false, 'TOO_POOR']);
  });

  it('is not cacheable: a missing document may be saved the next moment', async () => {
    for (const failure of [refusal('NOT_FOUND'), new Refusal(426, 'REVISION_OUTDATED', 'Old', { forGame: true })]) {
      expect((await failing(failure)).headers['cache-control']).toBe('no-store');
    }
    expect((await server.send('GET', '/v3/nowhere')).headers['cache-control']).toBe('no-store');
  });

  it('uses the published spelling of a code if the installation is configured so', async () => {
    const published = await startServer({ wireNames: 'published' });
    published.app.failure = refusal('PLATFORM_AUTH_FAILED');
    expect((await published.play('GET', '/v3/storage/demo/c/k')).json.error.code).toBe(wireNames('published').code('PLATFORM_AUTH_FAILED'));
    await published.stop();
  });
});

describe('a fault', () => {
  it('shows the client only the request id, and is logged with everything except keys', async () => {
    server.log.length = 0;
    const reply = await failing(new TypeError('cannot read the moon'));
    expect([reply.status, reply.json.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(reply.text).not.toMatch(/moon|TypeError|\.ts|at /);
    const line = server.log.find((entry) => entry['msg'] === 'request failed');
    expect(line).toMatchObject({ requestId: reply.json.error.requestId, status: 500, path: '/v3/storage/demo/c/k' });
    expect(JSON.stringify(line)).toContain('moon');
    expect(JSON.stringify(server.log)).not.toContain('platform_ns_public');
    await server.send('GET', '/v3/values/sp_sk_0123456789abcdefABCDEF/x?apiKey=sp_sk_0123456789abcdefABCDEF');
    expect(server.log.at(-1)).toMatchObject({ status: 404, path: '/v3/values/sp_sk_***/x' });
  });

  it('may be anything that was thrown', async () => {
    for (const thrown of ['text', undefined, 7, { code: 'ECONNREFUSED' }]) expect((await failing(thrown)).status).toBe(500);
  });
});

describe('an answer that cannot be written', () => {
  it('becomes a fault, still with the envelope', async () => {
    const reply = await failing(refusal('BUSY', 'later', { publish: '1\r\nX: y' }));
    expect([reply.status, reply.json.error.code]).toEqual([500, 'INTERNAL_ERROR']);
  });
});

describe('the request id', () => {
  it('is the one that was sent, if it is printable', async () => {
    const id = async (sent: string) =>
      (await server.send('GET', '/health', { headers: { 'X-Correlation-ID': sent } })).headers['x-correlation-id'];
    expect(await id('my id 1')).toBe('my id 1');
    expect(await id('x'.repeat(128))).toBe('x'.repeat(128));
    expect(await id('x'.repeat(129))).toMatch(/^req_[0-9a-f]{32}$/);
    expect(await id('a\tb')).toMatch(/^req_[0-9a-f]{32}$/);
  });

  it('is new for every request otherwise', async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await server.send('GET', '/nowhere')).headers['x-correlation-id']));
    expect(new Set(ids).size).toBe(3);
  });
});

describe('CORS', () => {
  it('is off unless origins are named', async () => {
    const reply = await server.send('GET', '/health', { headers: { Origin: 'https://game.example' } });
    expect([reply.headers['access-control-allow-origin'], reply.headers['vary']]).toEqual([undefined, undefined]);
  });

  it('allows the origins on the list, and answers their preflights', async () => {
    const open = await startServer({ corsOrigins: ['https://game.example'] });
    const ask = (origin: string) =>
      open.send('OPTIONS', '/v3/values/demo', { headers: { Origin: origin, 'Access-Control-Request-Method': 'GET' } });
    const allowed = await ask('https://game.example');
    expect([allowed.status, allowed.headers['access-control-allow-origin']]).toEqual([200, 'https://game.example']);
    expect((await ask('https://other.example')).status).toBe(404);
    // Nor may a cache give a browser an answer made for a caller without an origin.
    expect((await open.send('GET', '/health')).headers['vary']).toBe('Origin');
    await open.stop();
  });
});
