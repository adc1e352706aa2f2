import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DISABLED_KEY, PUBLIC_KEY, SECRET_KEY } from './fake-app.ts';
import { escapedJson, type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
beforeEach(() => {
  server.app.calls.length = 0;
});
afterAll(() => server.stop());

const EVENTS = '/v3/storage/demo/analytics/events';
const HEARTBEAT = '/v3/storage/demo/stats/heartbeat';
const FAILURE = '/api/network-storage/demo/save-failure';
const ROUTES = [EVENTS, HEARTBEAT, FAILURE, EVENTS.replace('/v3', '/api'), HEARTBEAT.replace('/v3', '/api')];
const last = () => server.app.calls.at(-1);
const raw = (path: string, body: string) => server.send('POST', `${path}?apiKey=${PUBLIC_KEY}`, { body });

describe('telemetry', () => {
  it('is accepted as the client sends it: chunked, escaped, with the id in the published spelling', async () => {
    const body = { steamId: '76561198000000001', type: 'quest_done', label: 'Łukasz & <b>', context: { questId: 1 } };
    const { steamId, ...rest } = body;
    expect((await server.play('POST', EVENTS, body)).json).toEqual({ ok: true, stored: true, reason: null });
    expect(last()).toMatchObject({ name: 'telemetry.track', arguments: [{ ...rest, platformId: steamId }, null, 'live', false] });
    expect((await server.play('POST', HEARTBEAT, body)).json).toMatchObject({ ok: true, persisted: true, platformId: '76561198000000001' });
    expect(last()).toMatchObject({ name: 'telemetry.heartbeat', arguments: [{ ...rest, platformId: steamId }, null, 'live'] });
    expect((await server.play('POST', FAILURE, { collectionId: 'c' })).json).toEqual({ ok: true, recorded: true });
    expect((await server.play('GET', '/v3/storage/demo/stats/p')).json).toMatchObject({ ok: true, platformId: '76561198000000001' });
  });

  it('is served under the old prefix, except the stats of a player', async () => {
    for (const path of ROUTES) expect((await server.play('POST', path, {})).status).toBe(200);
    expect((await server.play('GET', '/api/storage/demo/stats/p')).status).toBe(404);
    expect((await server.play('POST', '/v1/storage/demo/stats/heartbeat', {})).status).toBe(404);
    expect((await server.play('GET', EVENTS)).status).toBe(404);
  });

  it('takes the id from the query in either spelling, and never from the headers', async () => {
    await server.play('POST', `${EVENTS}?steamId=12345`, {});
    expect(last()?.arguments).toEqual([{}, '12345', 'live', false]);
    await server.play('POST', `${HEARTBEAT}?platformId=p%3A1`, {});
    expect(last()?.arguments).toEqual([{}, 'p:1', 'live']);
    await server.play('POST', HEARTBEAT, {}, { 'X-Platform-Id': '999999' });
    expect(last()?.arguments).toEqual([{}, null, 'live']);
  });

  it('passes the target on, from the header or the query', async () => {
    const next = { 'x-ns-publish-target': 'next' };
    for (const path of [EVENTS, HEARTBEAT]) {
      await server.play('POST', path, {}, next);
      expect(last()?.arguments.slice(0, 3)).toEqual([{}, null, 'next']);
    }
    await server.play('GET', '/v3/storage/demo/stats/p?revisionTarget=next&includeStaged=true');
    expect(last()?.arguments).toEqual(['p', 'next']);
  });

  it('needs any valid key before a byte of the body is read', async () => {
    for (const path of ROUTES) {
      expect((await server.send('POST', path, { body: '[' })).json).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
      expect((await server.send('POST', path, { headers: { 'x-api-key': SECRET_KEY }, body: '{}' })).status).toBe(200);
      const disabled = await server.send('POST', path, { headers: { 'x-api-key': DISABLED_KEY }, body: '{}' });
      const code = path.endsWith('heartbeat') ? '401 UNAUTHORIZED' : '403 KEY_DISABLED';
      expect(`${disabled.status} ${disabled.json.error.code}`).toBe(code);
    }
  });

  it('with an invalid key is limited per client and project; with a valid key it is not', async () => {
    const beat = (address: string, key: string, path = HEARTBEAT) =>
      server.send('POST', path, { headers: { 'X-Forwarded-For': address, 'x-api-key': key }, body: '{}' });
    for (let count = 0; count < 30; count += 1) expect((await beat('10.1.0.1', 'wrong')).status).toBe(401);
    for (const path of [HEARTBEAT, HEARTBEAT.replace('/v3', '/api')]) {
      const refused = await beat('10.1.0.1', 'wrong', path);
      expect([refused.status, refused.json.error.code, refused.headers['retry-after']]).toEqual([429, 'RATE_LIMITED', '60']);
    }
    expect((await beat('10.1.0.1', PUBLIC_KEY)).status).toBe(200);
    expect((await beat('10.1.0.2', 'wrong')).status).toBe(401);
    expect((await beat('10.1.0.1', 'wrong', HEARTBEAT.replace('demo', 'other'))).status).toBe(401);
    for (let count = 0; count < 31; count += 1) expect((await beat('127.0.0.1', 'wrong')).status).toBe(401);
  });

  it('that is not JSON is refused as the route says, except a heartbeat', async () => {
    expect((await raw(EVENTS, '{"a":')).json).toMatchObject({ error: { code: 'INVALID_JSON' } });
    expect((await raw(FAILURE, '{"a":')).json).toMatchObject({ error: { code: 'INVALID_BODY' } });
    expect((await raw(`${HEARTBEAT}`, '{"a":')).status).toBe(200);
    expect(last()?.arguments).toEqual([null, null, 'live']);
    expect((await server.play('POST', HEARTBEAT)).status).toBe(200);
  });

  it('that exceeds the size of a game body is refused on every route', async () => {
    for (const path of ROUTES) expect((await raw(path, `{"a":"${'x'.repeat(270_000)}"}`)).status).toBe(413);
  });

  it('keeps ids beyond doubles exact', async () => {
    await raw(HEARTBEAT, '{"platformId":76561198000000001}');
    expect(JSON.stringify(last()?.arguments[0])).toContain('76561198');
    expect(last()?.arguments[0]).toMatchObject({ platformId: { text: '76561198000000001' } });
  });

  it('shows published names if the installation is configured so', async () => {
    const published = await startServer({ wireNames: 'published' });
    try {
      expect((await published.play('POST', HEARTBEAT, {})).json).toMatchObject({ steamId: '76561198000000001' });
      expect((await published.play('GET', '/v3/storage/demo/stats/p')).json).toMatchObject({ ok: true, steamId: '76561198000000001' });
    } finally {
      await published.stop();
    }
  });

  it('answers any body with an object, and never with a fault of the server', async () => {
    const body = fc.oneof(
      fc.json({ maxDepth: 5 }),
      fc.string(),
      fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
      fc.object({ key: fc.constantFrom('platformId', 'steamId', 'type', 'severity', 'fps', 'event', '__proto__') }).map(escapedJson),
    );
    const property = fc.asyncProperty(fc.constantFrom(...ROUTES), body, async (path, sent) => {
      const reply = await server.send('POST', `${path}?apiKey=${PUBLIC_KEY}`, { body: sent });
      expect(reply.status).toBeLessThan(500);
      expect(reply.json).toMatchObject({ ok: reply.status === 200 });
    });
    await fc.assert(property, { numRuns: 200 });
  });
});
