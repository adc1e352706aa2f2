import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { Middleware } from '../../src/http/exchange.ts';
import { refusal } from '../../src/kernel/errors.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness | null = null;
afterEach(async () => {
  await server?.stop();
  server = null;
});

async function serverWith(...middleware: Middleware[]): Promise<Harness> {
  server = await startServer({ corsOrigins: ['https://game.example'] }, { middleware });
  return server;
}

describe("an installation's own Koa middleware", () => {
  it('sees the request before its route, and the answer after it', async () => {
    const seen: unknown[] = [];
    const { send } = await serverWith(async (ctx, next) => {
      seen.push(ctx.path, ctx.get('x-mine'));
      await next();
      seen.push(ctx.status, ctx.body);
      ctx.set('Server-Timing', 'route');
    });
    const { status, headers, text } = await send('GET', '/health', { headers: { 'X-Mine': 'yes' } });
    expect([status, headers['server-timing'], headers['content-type']]).toEqual([200, 'route', 'application/json; charset=utf-8']);
    expect(seen).toEqual(['/health', 'yes', 200, text]);
  });

  it('runs in the order of the list, and may answer by itself', async () => {
    const { send } = await serverWith(
      async (ctx, next) => {
        await next();
        ctx.body = { ...ctx.body, first: true };
      },
      async (ctx) => {
        await sleep(1);
        ctx.status = 202;
        ctx.body = { second: true };
      },
    );
    const { status, json, headers } = await send('POST', '/v3/storage/demo/c/k', {
      body: '{}',
      headers: { Origin: 'https://game.example' },
    });
    expect([status, json]).toEqual([202, { second: true, first: true }]);
    expect(headers['access-control-allow-origin']).toBe('https://game.example');
    expect(headers['x-correlation-id']).toMatch(/^req_/);
  });

  it('can refuse like a route, and its failure is a fault with the envelope', async () => {
    const { send, log } = await serverWith((ctx) => {
      if (ctx.path === '/health') throw refusal('FORBIDDEN', 'Not from here');
      throw new TypeError('the moon');
    });
    const refused = await send('GET', '/health');
    expect([refused.status, refused.json.error]).toMatchObject([403, { code: 'FORBIDDEN', message: 'Not from here' }]);
    const broken = await send('GET', '/ready');
    expect([broken.status, broken.json.error.code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(JSON.stringify(log)).toContain('the moon');
  });

  it('does not run for requests refused before it: an unknown path, an empty bucket', async () => {
    let asked = 0;
    const { send } = await serverWith((_, next) => {
      asked += 1;
      return next();
    });
    expect((await send('GET', '/nowhere')).status).toBe(404);
    expect(asked).toBe(0);
  });
});
