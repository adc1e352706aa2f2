import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ServedRequest } from '../../src/app/app.ts';
import type { Listener } from '../../src/http/call-log/listeners.ts';
import { MemoryCallLog } from '../../src/http/call-log/memory.ts';
import { refusal } from '../../src/kernel/errors.ts';
import { PUBLIC_KEY, SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

const LOGS = '/v3/manage/demo/logs';
const PLAYER = '76561190000000042';

let server: Harness;
const requests: ClientRequest[] = [];
beforeEach(async () => {
  server = await startServer();
});
afterEach(async () => {
  for (const request of requests.splice(0)) request.destroy();
  await server.stop();
});

const asManager = { 'x-api-key': SECRET_KEY };
const logs = async (query = '') => (await server.send('GET', `${LOGS}${query}`, { headers: asManager })).json.requests;
const call = (slug: string) => server.play('POST', `/v3/endpoints/demo/${slug}`, {});

interface Heard {
  readonly id?: string;
  readonly event?: string;
  // biome-ignore lint/suspicious/noExplicitAny: what an event holds is checked by the expectations
  readonly data: any;
}

/** Follows the log: `next` resolves with each event in turn, `null` at the end. */
async function follow(query = '', headers: Record<string, string> = {}) {
  const reply = await new Promise<IncomingMessage>((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path: `${LOGS}${query}`, agent: false };
    requests.push(get({ ...options, headers: { accept: 'text/event-stream', ...asManager, ...headers } }, resolve).on('error', reject));
  });
  reply.setEncoding('utf8');
  const events = eventsOf(reply);
  const next = async (): Promise<Heard | null> => (await events.next()).value ?? null;
  return { reply, next };
}

async function* eventsOf(reply: IncomingMessage): AsyncGenerator<Heard, null> {
  let text = '';
  for await (const chunk of reply) {
    const blocks = `${text}${chunk}`.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s)));
      if (fields.data !== undefined) yield { ...fields, data: JSON.parse(fields.data) };
    }
  }
  return null;
}

describe('the call log', () => {
  it('contains each endpoint call, with its outcome', async () => {
    await call('look');
    server.app.endpoint = { status: 409, body: { ok: false, error: { code: 'TOO_POOR', message: 'No gold' } } };
    const reply = await call('buy');
    const [look, buy] = await logs();
    expect(look).toMatchObject({ slug: 'look', status: 200, code: null, message: null, platformId: PLAYER, target: 'live', revision: 7 });
    expect(buy).toMatchObject({
      slug: 'buy',
      method: 'POST',
      path: '/v3/endpoints/demo/buy',
      status: 409,
      code: 'TOO_POOR',
      message: 'No gold',
      platformId: PLAYER,
      target: 'live',
      requestId: reply.headers['x-correlation-id'],
      revision: 7,
    });
    expect(buy.ms).toBeGreaterThan(0);
  });

  it('contains each other request that was refused or failed, and none that succeeded', async () => {
    await server.play('PUT', '/v3/storage/demo/saves/a', { gold: 1 });
    await server.play('GET', '/v3/storage/demo/saves/none', undefined, { 'x-ns-publish-target': 'next' });
    server.app.failure = new Error('a fault of ours');
    await server.play('GET', '/v3/storage/demo/saves/a');
    expect(await logs()).toMatchObject([
      {
        slug: null,
        path: '/v3/storage/demo/saves/none',
        status: 404,
        code: 'NOT_FOUND',
        platformId: PLAYER,
        target: 'next',
        revision: null,
      },
      { slug: null, path: '/v3/storage/demo/saves/a', status: 500, code: 'INTERNAL_ERROR', message: 'Unexpected error' },
    ]);
  });

  it('does not contain findings of a preflight, which are an answer', async () => {
    server.app.failure = refusal('PREFLIGHT_VALIDATION_FAILED');
    const look = { headers: asManager, body: '{}' };
    expect((await server.send('POST', '/v3/manage/demo/sync/preflight?strict=true', look)).status).toBe(400);
    server.app.failure = refusal('STRICT_FINDINGS');
    await server.send('PUT', '/v3/manage/demo/sync?strict=true', look);
    server.app.failure = null;
    expect(await logs()).toMatchObject([{ code: 'STRICT_FINDINGS' }]);
  });

  it('contains no key, wherever a client put it', async () => {
    server.app.failure = refusal('FORBIDDEN', 'Not with sk_abc123');
    await server.play('GET', '/v3/storage/demo/saves/sk_abc123?secretKey=sk_abc123');
    const told = await logs();
    expect(told).toMatchObject([{ path: '/v3/storage/demo/saves/sk_***', message: 'Not with sk_***' }]);
    expect(JSON.stringify(told)).not.toContain('abc123');
  });

  it('contains no secret of a guest, nor a key in the name of an endpoint, a player or a request', async () => {
    server.app.failure = refusal('FORBIDDEN');
    const headers = { 'x-platform-id': 'ns_guest_a-b_C', 'x-correlation-id': 'sp_sk_abc123' };
    await server.send('GET', '/v3/storage/demo/task_list/ns_guest_a-b_C', { headers: { ...headers, 'x-public-key': PUBLIC_KEY } });
    await server.play('POST', '/v3/endpoints/demo/sk_abc123', {});
    expect(await logs()).toMatchObject([
      { path: '/v3/storage/demo/task_list/ns_guest_***', platformId: 'ns_guest_***', requestId: 'sp_sk_***' },
      { path: '/v3/endpoints/demo/sk_***', slug: 'sk_***' },
    ]);
  });

  it('takes of one address no more than its share of refusals, so what others are refused stays; a server has more', async () => {
    await server.stop();
    server = await startServer({ refusalShare: 3 });
    server.app.failure = refusal('FORBIDDEN');
    const refusedOf = async (address: string, key: Record<string, string>, times: number) => {
      const headers = { ...key, 'x-forwarded-for': address, 'x-platform-id': address };
      for (let n = 0; n < times; n += 1) await server.send('GET', '/v3/storage/demo/saves/1', { headers });
    };
    const asPlayer = { 'x-public-key': PUBLIC_KEY };
    await refusedOf('198.51.100.7', asPlayer, 20);
    await refusedOf('198.51.100.8', asPlayer, 1);
    await refusedOf('198.51.100.9', { 'x-api-key': 'wrong' }, 20);
    await refusedOf('198.51.100.7', asManager, 40);
    server.app.failure = null;
    const told = (await logs('?limit=100')) as readonly { platformId: string; code: string }[];
    const numberOf = (address: string) => told.filter(({ platformId }) => platformId === address).length;
    // Of the server's key ten shares.
    expect(['198.51.100.7', '198.51.100.8', '198.51.100.9'].map(numberOf)).toEqual([3 + 30, 1, 3]);
  });

  it('contains at most ten requests without a valid key in ten seconds, and none of a project that no valid key has proven to exist', async () => {
    const wrong = (project: string) => server.send('POST', `/v3/endpoints/${project}/buy`, { headers: { 'x-api-key': 'wrong' } });
    await wrong('demo');
    expect(await logs()).toEqual([]);
    await call('look');
    for (let n = 0; n < 15; n += 1) await wrong('demo');
    const told = await logs();
    // One call, and nine more of ten: the first came before anybody knew of the project.
    expect(told).toHaveLength(10);
    expect(told.at(-1)).toMatchObject({ slug: null, path: '/v3/endpoints/demo/buy', code: 'UNAUTHORIZED' });
  });

  it('can be filtered by endpoint, player, failures and number', async () => {
    await call('look');
    await server.play('POST', '/v3/endpoints/demo/look', {}, { 'x-platform-id': '7' });
    server.app.endpoint = { status: 400, body: { ok: false, error: 'NO' } };
    await call('buy');
    const slugs = async (query: string) => (await logs(query)).map(({ slug }: { slug: string }) => slug);
    expect(await slugs('?slug=look')).toEqual(['look', 'look']);
    expect(await slugs('?platformId=7')).toEqual(['look']);
    expect(await slugs('?errors=true')).toEqual(['buy']);
    expect(await slugs('?limit=2')).toEqual(['look', 'buy']);
    expect(await slugs('?limit=0')).toEqual([]);
    for (const query of ['?limit=201', '?limit=x', '?errors=yes', '?follow=1', '?status=9', '?from=yesterday', '?player=1&platformId=2']) {
      expect((await server.send('GET', `${LOGS}${query}`, { headers: asManager })).json.error.code).toBe('VALIDATION_FAILED');
    }
  });

  it('needs a secret key', async () => {
    expect((await server.send('GET', LOGS, { headers: { 'x-api-key': PUBLIC_KEY } })).status).toBe(401);
  });
});

describe('following', () => {
  it('begins with the last requests and goes on as they happen', async () => {
    await call('first');
    const { reply, next } = await follow();
    expect(reply.headers['content-type']).toBe('text/event-stream');
    expect(await next()).toMatchObject({ event: 'request', data: { slug: 'first' } });
    await call('second');
    expect(await next()).toMatchObject({ event: 'request', data: { slug: 'second' } });
  });

  it("resumes after the client's last event; requests that are no longer stored are a gap", async () => {
    await call('a');
    const [{ id }] = await logs();
    await call('b');
    await call('c');
    const resumed = await follow('', { 'last-event-id': id });
    expect([await resumed.next(), await resumed.next()]).toMatchObject([{ data: { slug: 'b' } }, { data: { slug: 'c' } }]);
    for (let n = 0; n < 100; n += 1) await call('many');
    const late = await follow('?slug=none', { 'last-event-id': id });
    expect(await late.next()).toEqual({ event: 'gap', data: { missed: 2 } });
    const restarted = await follow('?slug=none', { 'last-event-id': 'other.3' });
    expect(await restarted.next()).toEqual({ event: 'gap', data: { missed: null } });
  });

  it('ends with the reason when the key is no longer valid', async () => {
    const { next } = await follow();
    const { authenticate } = server.app;
    server.app.authenticate = () => {
      throw refusal('UNAUTHORIZED');
    };
    expect(await next()).toMatchObject({ event: 'refused', data: { code: 'UNAUTHORIZED' } });
    expect(await next()).toBeNull();
    server.app.authenticate = authenticate;
  });

  it('is limited to eight at a time; one that leaves makes room', async () => {
    const open = [];
    for (let n = 0; n < 8; n += 1) open.push(await follow());
    const ninth = () => server.send('GET', `${LOGS}?follow=true`, { headers: asManager });
    expect((await ninth()).json.error.code).toBe('BUSY');
    open[0]?.reply.destroy();
    await expect.poll(async () => (await follow()).reply.statusCode).toBe(200);
  });

  it('notices a client that has disconnected, and keeps one that has only ended its side', async () => {
    const connected = () =>
      new Promise<Socket>((resolve, reject) => {
        const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true }).on('error', reject);
        socket.write(`GET ${LOGS}?follow=true&slug=buy HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${SECRET_KEY}\r\n\r\n`);
        socket.once('data', () => resolve(socket));
      });
    const sockets = await Promise.all(Array.from({ length: 8 }, connected));
    const [staying, ...leaving] = sockets;
    staying?.end();
    for (const socket of leaving) socket.destroy();
    await expect.poll(async () => (await follow()).reply.statusCode, { timeout: 60_000 }).toBe(200);
    let text = '';
    staying?.on('data', (chunk) => {
      text += chunk;
    });
    await call('buy');
    await expect.poll(() => text).toContain('buy');
    staying?.destroy();
  });

  it('ends with the server, which does not wait for listeners', async () => {
    const { next } = await follow();
    await server.server.close(60_000);
    expect(await next()).toBeNull();
    expect(server.log.filter(({ level }) => Number(level) >= 40)).toEqual([]);
  });
});

describe('a listener that cannot follow', () => {
  const request = (slug: string): ServedRequest => ({
    at: 0,
    slug,
    method: 'POST',
    path: '/',
    route: 'POST /',
    status: 200,
    code: null,
    message: null,
    step: null,
    ms: 1,
    platformId: null,
    target: 'live',
    requestId: 'r',
    revision: null,
  });
  const filter = { slug: null, platformId: null, errors: false, status: null, code: null, requestId: null, from: null, to: null };
  const page = { limit: 200, cursor: null, after: null };

  it('learns how many requests were left out, and where', async () => {
    const log = new MemoryCallLog();
    const told: (string | number)[] = [];
    let hasRoom = false;
    let refused = 0;
    const listener: Listener = {
      receive(requests) {
        if (hasRoom) told.push(...requests.map(({ slug }) => slug ?? ''));
        else refused += requests.length;
        return hasRoom;
      },
      miss: (missed) => hasRoom && told.push(missed) > 0,
    };
    (await log.follow('p', filter, page)).start(listener);
    for (let n = 0; n < 3; n += 1) log.note('p', request('lost'), true);
    await expect.poll(() => refused).toBe(3);
    hasRoom = true;
    for (let n = 0; n < 150; n += 1) log.note('p', request('x'), true);
    await expect.poll(() => told.length).toBe(102);
    expect([told[0], told[1], told.at(-2), told.at(-1)]).toEqual([3, 'x', 'x', 50]);
  });

  it('displaces no requests of other projects: each keeps its last hundred', () => {
    const log = new MemoryCallLog();
    log.note('quiet', request('kept'), true);
    for (let n = 0; n < 1000; n += 1) log.note('loud', request(String(n)), true);
    expect(log.readNow('quiet', filter, page).requests).toHaveLength(1);
    expect(log.readNow('loud', filter, page).requests.map(({ slug }) => slug)).toEqual(
      Array.from({ length: 100 }, (_, n) => String(900 + n)),
    );
  });
});
