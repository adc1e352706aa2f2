import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PLAYER } from '../../src/contract/parameters.ts';
import { asTextOf } from '../../src/contract/values.ts';
import { PUBLIC_KEY, SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
beforeEach(() => {
  server.app.calls.length = 0;
  server.app.presented.length = 0;
});
afterAll(() => server.stop());

const lastCall = () => server.app.calls.at(-1);
const manage = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  server.send(method, `/v3/manage/demo${path}`, {
    headers: { 'X-Api-Key': SECRET_KEY, 'X-Public-Key': PUBLIC_KEY, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

describe('documents', () => {
  it('are read back as they were written, and carry position, version and no-store', async () => {
    const saved = await server.play('POST', '/v3/storage/demo/players/p1', { name: "Łukasz & <b> '日本'", gold: 3 });
    expect(saved.json).toEqual({ ok: true, version: 4 });
    expect(saved.headers['x-ns-position']).toBe('7');
    const read = await server.play('GET', '/v3/storage/demo/players/p1');
    expect(read.json).toEqual({ name: "Łukasz & <b> '日本'", gold: 3 });
    expect(read.headers).toMatchObject({ 'x-ns-position': '7', 'x-ns-save-version': '3', 'cache-control': 'no-store' });
    expect(read.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(Number(read.headers['content-length'])).toBe(Buffer.byteLength(read.text));
  });

  it('keep the exact value of a number beyond doubles', async () => {
    await server.send('POST', '/v3/storage/demo/players/big', { headers: { 'x-api-key': PUBLIC_KEY }, body: '{"id":76561198000000001}' });
    expect((await server.play('GET', '/v3/storage/demo/players/big')).text).toBe('{"id":76561198000000001}');
  });

  it('answer HEAD as GET without the body', async () => {
    await server.play('POST', '/v3/storage/demo/players/head', { a: 1 });
    const head = await server.play('HEAD', '/v3/storage/demo/players/head');
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '7']);
  });

  it('can be deleted and probed, and have a ledger', async () => {
    expect((await server.play('GET', '/v3/storage/demo/players/none/probe')).json).toEqual({ ok: true, exists: false });
    expect((await server.play('DELETE', '/v3/storage/demo/players/none')).json).toEqual({ ok: true });
    await server.play('GET', '/v3/storage/demo/players/p1/ledger?field=gold&limit=5');
    expect(lastCall()).toMatchObject({
      name: 'documents.ledger',
      arguments: [
        { collection: 'players', key: 'p1', target: 'live' },
        { field: 'gold', from: null, to: null, limit: '5', cursor: null },
      ],
    });
  });

  it('decode their key once', async () => {
    await server.play('GET', '/v3/storage/demo/players/a%3Ab%252F');
    expect(lastCall()).toMatchObject({ arguments: [{ key: 'a:b%2F' }] });
  });

  it.each([
    ['header', { 'x-ns-save-version': '3' }, '', { gold: 1 }, 3],
    ['If-Match', { 'If-Match': 'W/"5"' }, '', { gold: 1 }, 5],
    ['query', {}, '?saveVersion=0', { gold: 1 }, 0],
    ['header before query', { 'x-ns-save-version': '3' }, '?saveVersion=0', { gold: 1 }, 3],
    ['nothing', {}, '', { gold: 1 }, null],
  ])('take the save version from %s', async (_, headers, query, body, version) => {
    await server.play('POST', `/v3/storage/demo/players/p1${query}`, body, headers);
    expect(lastCall()?.arguments.slice(1)).toEqual([{ gold: 1 }, version]);
  });

  it('refuse a save version that is not a number, instead of writing without the check', async () => {
    expect((await server.play('POST', '/v3/storage/demo/players/p1', {}, { 'If-Match': '*' })).status).toBe(400);
    expect((await server.play('POST', '/v3/storage/demo/players/p1?saveVersion=x', {})).status).toBe(400);
    expect(server.app.calls).toEqual([]);
  });

  it('belong to the publish target that header or query name, in any letter case', async () => {
    for (const [query, headers] of [
      ['?revisionTarget=next&includeStaged=true', {}] as const,
      ['', { 'X-Ns-Publish-Target': ' Next ' }] as const,
    ]) {
      await server.play('GET', `/v3/storage/demo/players/p1${query}`, undefined, headers);
      expect(lastCall()).toMatchObject({ arguments: [{ target: 'next' }] });
    }
  });
});

describe('global records', () => {
  it('are appended by the player that the call names', async () => {
    await server.play('POST', '/v3/storage/demo/feed/append', { text: 'hi' }, { 'Idempotency-Key': 'k1' });
    expect(lastCall()).toMatchObject({
      name: 'records.append',
      arguments: [{ collection: 'feed', target: 'live' }, { text: 'hi' }, '76561190000000042'],
    });
    await server.send('POST', '/v3/storage/demo/feed/append', { headers: { 'x-api-key': SECRET_KEY }, body: '{"a":1}' });
    expect(lastCall()?.arguments.slice(2)).toEqual(['anonymous']);
  });

  it('are listed and read', async () => {
    expect((await server.play('GET', '/v3/storage/demo/feed/list?limit=5&after=12')).json).toMatchObject({ ok: true, cursor: null });
    expect(lastCall()?.name).toBe('records.list');
    expect(lastCall()?.arguments[1]).toEqual({ limit: '5', after: '12' });
    expect((await server.play('GET', '/v3/storage/demo/feed/record/r1')).json).toMatchObject({ _id: 'g_0191b7a0' });
  });
});

describe('save slots', () => {
  it('are also spelled with a capital if the installation uses the published names', async () => {
    const path = '/v3/storage/demo/saves/p1/records';
    const { records, ...answer } = (await server.play('GET', path)).json;
    expect(records).toMatchObject([{ recordId: 'a1b2c3', recordName: 'Camp', isLegacy: false }]);
    const published = await startServer({ wireNames: 'published' });
    const { json } = await published.play('GET', path);
    await published.stop();
    const { createdAt: CreatedAt, updatedAt: UpdatedAt } = records[0];
    const both = { ...records[0], RecordId: 'a1b2c3', RecordName: 'Camp', CreatedAt, UpdatedAt, IsLegacy: false };
    expect(json).toEqual({ ...answer, records: [both] });
  });
});

describe('a ledger', () => {
  it('has the published names if the installation uses them, also if its text existed already', async () => {
    const published = await startServer({ wireNames: 'published' });
    const { ledger } = published.app.documents;
    const path = '/v3/storage/demo/saves/p1/ledger';
    const { json } = await published.play('GET', path);
    expect([json.steamId, json.entries[0].steam_id, json.entries[0].platformId]).toEqual([PLAYER, PLAYER, undefined]);
    published.app.documents.ledger = async (...asked) => {
      const answer = await ledger(...asked);
      return { ...answer, result: asTextOf(JSON.stringify(answer.result)) };
    };
    expect((await published.play('GET', path)).json).toEqual(json);
    await published.stop();
  });
});

describe('literal segments', () => {
  it('take precedence over parameters', async () => {
    await server.play('GET', '/v3/storage/demo/feed/LIST');
    expect(lastCall()?.name).toBe('records.list');
    await server.play('DELETE', '/v3/storage/demo/feed/append');
    expect(lastCall()?.name).toBe('documents.remove');
    await server.play('POST', '/v3/storage/demo/feed/list', {});
    expect(lastCall()?.name).toBe('documents.write');
  });

  it('never let the reserved pairs reach a collection', async () => {
    const before = server.app.calls.length;
    await server.play('POST', '/v3/storage/demo/analytics/events', {});
    await server.play('POST', '/v3/storage/demo/stats/heartbeat', {});
    await server.play('GET', '/v3/storage/demo/stats/append');
    await server.play('GET', '/v3/storage/demo/stats/list');
    await server.play('GET', '/api/storage/demo/stats/append');
    const names = ['telemetry.track', 'telemetry.heartbeat', 'telemetry.stats', 'telemetry.stats'];
    expect(server.app.calls.slice(before).map(({ name }) => name)).toEqual(names);
  });
});

describe('aliases', () => {
  it('of storage serve the routes of the contract and no others', async () => {
    expect((await server.play('GET', '/api/storage/demo/queries/top')).status).toBe(200);
    expect(lastCall()?.name).toBe('queries.run');
    expect((await server.play('POST', '/api/storage/demo/feed/append', { a: 1 })).status).toBe(200);
    expect((await server.play('GET', '/v1/storage/demo/rate-limits')).status).toBe(200);
    expect(lastCall()?.name).toBe('values.rateLimits');
    for (const path of ['/api/storage/demo/players/p1/probe', '/api/storage/demo/players/p1/ledger', '/api/storage/demo/rate-limits']) {
      expect((await server.play('GET', path)).status).toBe(404);
    }
    expect((await server.play('GET', '/v1/storage/demo/players/p1')).status).toBe(404);
    expect((await server.play('GET', '/v3/storage/demo/queries/top/x')).status).toBe(404);
  });
});

describe('unknown paths and methods', () => {
  it.each([
    ['GET', '/v3/storage'],
    ['GET', '/v3/storage/'],
    ['DELETE', '/v3/storage/demo/players/'],
    ['GET', '/v3/storage/demo/'],
    ['PUT', '/v3/storage/demo/players/p1'],
    ['PATCH', '/v3/endpoints/demo/buy'],
    ['OPTIONS', '/v3/storage/demo/players/p1'],
    ['GET', '/v3/storage/demo/players/%E0%A4%A'],
    ['GET', '/v3/storage/__proto__/players/p1'],
    ['POST', '/v3/auth-sessions/demo/nothing'],
    ['GET', '/v3/auth-sessions/demo/create'],
    ['POST', '/v3/manage/demo/nothing'],
    ['POST', '/v3/manage/demo'],
    ['GET', '/pages/demo'],
    ['GET', '//'],
    ['POST', '/'],
  ])('%s %s is 404, never 405', async (method, path) => {
    const reply = await server.send(method, path);
    expect([reply.status, reply.json.ok, reply.json.error.code]).toEqual([404, false, 'NOT_FOUND']);
  });
});

describe('the game package', () => {
  it('is sent for the secret key, as JSON', async () => {
    await manage('POST', '/package-sync', { currentRevisionId: 5 });
    expect(lastCall()).toMatchObject({ name: 'gamePackage.sync', arguments: [{ currentRevisionId: 5 }] });
    expect((await server.play('POST', '/v3/manage/demo/package-sync', {})).status).toBe(401);
    expect((await manage('POST', '/package-sync')).json.error.code).toBe('INVALID_JSON');
  });

  it.each([
    ['the body', { revisionId: 4 }, { 'x-ns-revision-id': '3' }, 4],
    ['the header', { clientType: 'game' }, { 'x-ns-revision-id': '3' }, 3],
    ['neither', {}, { 'x-ns-revision-id': 'x' }, null],
    ['no body', undefined, {}, null],
  ])('is asked for with the public key; the revision comes from %s', async (_, body, headers, revision) => {
    expect((await server.play('POST', '/v3/manage/demo/revision-init', body, headers)).status).toBe(200);
    expect(lastCall()).toMatchObject({ name: 'gamePackage.init', arguments: [revision] });
  });
});

describe('the security configuration', () => {
  it('needs no key, and may be cached for a moment', async () => {
    const reply = await server.send('GET', '/v3/security-config/demo');
    expect([reply.status, reply.json]).toMatchObject([200, { ok: true, source: 'store', config: { projectId: 'demo' } }]);
    expect(reply.headers).toMatchObject({
      'cache-control': 'public, max-age=15, s-maxage=60',
      'x-security-config-cache': 'public',
      'x-security-config-source': 'store',
      'x-security-config-version': '0123456789abcdef',
    });
  });

  it.each([
    ['?refresh=1', {}],
    ['?cache=bypass', {}],
    ['', { 'Cache-Control': 'max-age=0, no-cache' }],
    ['', { Pragma: 'no-cache' }],
  ])('is made anew for %s %j', async (query, headers) => {
    const reply = await server.send('GET', `/v3/security-config/demo${query}`, { headers });
    expect(reply.headers).toMatchObject({ 'cache-control': 'no-store, max-age=0', 'x-security-config-cache': 'bypass' });
  });

  it('is 404 for an unknown project, and names it', async () => {
    const reply = await server.send('GET', '/v3/security-config/other');
    expect([reply.status, reply.json]).toMatchObject([
      404,
      { ok: false, error: { code: 'SECURITY_CONFIG_NOT_FOUND' }, projectId: 'other', source: 'missing' },
    ]);
  });
});

describe('endpoint calls', () => {
  it('take the body as input, without the members that address and secure the call', async () => {
    await server.play('POST', '/v1/endpoints/demo/buy', {
      item: 'sword',
      security: { a: 1 },
      _endpointSlug: 'buy',
      slug: 'x',
      endpoint: 'y',
    });
    const plain = { fromQuery: false, target: 'live', sealed: null, security: { a: 1 }, library: true, pressed: null };
    const input = { item: 'sword' };
    expect(lastCall()?.arguments).toEqual([{ ...plain, slug: 'buy', input, unproven: expect.any(Function) }]);
  });

  it.each([
    ['a body of no library', { a: 1 }, {}, { library: false, security: null }],
    ['its header alone', { a: 1 }, { 'x-ns-security-mode': 'legacy' }, { library: true, security: null }],
    ['a security block that is none', { a: 1, security: true }, {}, { library: false, security: null }],
  ])('say of %s whether a client library sent it', async (_, body, headers, said) => {
    await server.play('POST', '/v3/endpoints/demo/buy', body, headers);
    expect(lastCall()).toMatchObject({ arguments: [{ ...said, sealed: null, input: { a: 1 } }] });
  });

  it('pass an envelope on unchanged, and no input beside it', async () => {
    const envelope = { iv: 'x', encryptedPayload: 'y' };
    await server.play('POST', '/v3/endpoints/demo/buy', { security: { revisionId: 4 }, encrypted: true, envelope, gold: 9 });
    expect(lastCall()).toMatchObject({ arguments: [{ sealed: envelope, input: {}, security: { revisionId: 4 }, library: true }] });
  });

  it('take the object member `input`, or `args`, when there is one', async () => {
    await server.play('POST', '/v3/endpoints/demo/buy', { input: { a: 1, slug: 'gone' }, args: { b: 2 }, c: 3 });
    expect(lastCall()).toMatchObject({ arguments: [{ input: { a: 1 } }] });
    await server.play('POST', '/v3/endpoints/demo/buy', { input: 'text', args: { b: 2 } });
    expect(lastCall()).toMatchObject({ arguments: [{ input: { b: 2 } }] });
  });

  it('take the slug from the body if the path has none', async () => {
    await server.play('POST', '/v3/endpoints/demo', { endpoint: 'buy', item: 1 });
    expect(lastCall()).toMatchObject({ arguments: [{ slug: 'buy', input: { item: 1 } }] });
    await server.play('POST', '/v3/endpoints/demo', { slug: 'sell' });
    expect(lastCall()).toMatchObject({ arguments: [{ slug: 'sell' }] });
    // A published client sent all its calls so for some weeks.
    await server.play('POST', '/v3/endpoints/demo', { item: 1, _endpointSlug: 'dig' });
    expect(lastCall()).toMatchObject({ arguments: [{ slug: 'dig', input: { item: 1 } }] });
    expect((await server.play('POST', '/v3/endpoints/demo', { item: 1 })).json.error.code).toBe('INVALID_REQUEST');
    expect((await server.play('POST', '/v3/endpoints/demo/', { item: 1 })).json.error.code).toBe('INVALID_REQUEST');
  });

  it('make input of the query, without reserved names', async () => {
    await server.play(
      'GET',
      '/v3/endpoints/demo/top?amount=5&name=a%20b&secret-key=1&revisionTarget=next&includeStaged=true&v=17&PlatformId=9&ToKen=t',
    );
    expect(lastCall()?.arguments).toMatchObject([{ slug: 'top', input: { amount: '5', name: 'a b' }, fromQuery: true, target: 'next' }]);
  });

  it('without a body have an empty input; a body that is not a JSON object is refused', async () => {
    expect((await server.play('POST', '/v3/endpoints/demo/buy')).status).toBe(200);
    expect(lastCall()).toMatchObject({ arguments: [{ input: {} }] });
    const code = async (body: string) =>
      (await server.send('POST', '/v3/endpoints/demo/buy', { headers: { 'x-api-key': PUBLIC_KEY }, body })).json.error.code;
    expect(await code('{"a":')).toBe('INVALID_JSON');
    expect(await code('{"a":1} x')).toBe('INVALID_JSON');
    expect(await code('[1]')).toBe('INVALID_BODY');
    expect(await code('null')).toBe('INVALID_BODY');
  });

  it('answer with the body and status of the response, or with a status that can carry a body', async () => {
    server.app.endpoint = { status: 409, body: { ok: false, error: { code: 'TOO_POOR', message: 'no' } } };
    const refused = await server.play('POST', '/v3/endpoints/demo/buy', {});
    expect([refused.status, refused.json.error.code]).toEqual([409, 'TOO_POOR']);
    server.app.endpoint = { status: 204, body: { done: true } };
    const empty = await server.play('POST', '/v3/endpoints/demo/buy', {});
    expect([empty.status, empty.json]).toEqual([200, { done: true }]);
    server.app.endpoint = { status: 200, body: { ok: true } };
  });
});

describe('values and queries', () => {
  it('are served under both versions', async () => {
    expect((await server.play('GET', '/v1/values/demo')).status).toBe(200);
    expect(lastCall()?.name).toBe('values.read');
    await server.play('GET', '/v1/queries/demo/top?limit=3&offset=6&steamId=765&around=2&cache=bypass');
    expect(lastCall()?.arguments).toEqual([
      { id: 'top', target: 'live', fresh: true, limit: '3', offset: '6', player: '765', around: '2', abortSignal: expect.any(Function) },
    ]);
  });
});

describe('management', () => {
  it('upserts, patches and deletes definitions by id', async () => {
    for (const [path, kind] of [
      ['/collections', 'collection'],
      ['/endpoints', 'endpoint'],
      ['/workflows', 'workflow'],
    ] as const) {
      for (const method of ['PUT', 'POST']) {
        expect((await manage(method, path, [{ id: 'a' }])).headers['x-ns-position']).toBe('8');
        expect(lastCall()).toMatchObject({
          name: 'manage.upsertMany',
          arguments: [kind, [{ id: 'a' }], { target: 'live', replaceAll: false }],
        });
      }
      await manage('PATCH', path, { id: 'a' }, { 'x-ns-publish-target': 'next' });
      expect(lastCall()).toMatchObject({ name: 'manage.upsertOne', arguments: [kind, { id: 'a' }, 'next', false] });
      await manage('PATCH', `${path}?strict=true`, { id: 'a' });
      expect(lastCall()).toMatchObject({ arguments: [kind, { id: 'a' }, 'live', true] });
      expect((await manage('PATCH', `${path}?strict=yes`, { id: 'a' })).status).toBe(400);
      await manage('DELETE', `${path}/a%20b`);
      expect(lastCall()).toMatchObject({ name: 'manage.remove', arguments: [kind, 'a b', 'live'] });
      await manage('DELETE', `${path}/a?revisionTarget=next`);
      expect(lastCall()).toMatchObject({ name: 'manage.remove', arguments: [kind, 'a', 'next'] });
      await manage('GET', `${path}?includeStaged=true&revisionTarget=next&_syncToolTs=1`);
      expect(lastCall()).toMatchObject({ name: 'manage.list', arguments: [kind, { includeStaged: true, target: 'next' }] });
    }
    await manage('PUT', '/endpoints?replaceAll=true', []);
    expect(lastCall()).toMatchObject({ arguments: ['endpoint', [], { replaceAll: true }] });
    for (const path of ['/collections?replaceAll=true', '/endpoints?replaceAll=yes', '/endpoints?replaceAll']) {
      expect([path, (await manage('PUT', path, [])).status]).toEqual([path, 400]);
    }
  });

  it('has POST and DELETE of queries, but no PUT or PATCH', async () => {
    expect((await manage('POST', '/queries', [])).status).toBe(200);
    expect((await manage('DELETE', '/queries/top')).status).toBe(200);
    expect((await manage('PUT', '/queries', [])).status).toBe(404);
    expect((await manage('PATCH', '/queries', {})).status).toBe(404);
  });

  it('takes `strict` of a push in the query or the body, and only as true or false', async () => {
    for (const [path, body, strict] of [
      ['', {}, false],
      ['?strict=true', {}, true],
      ['', { strict: true }, true],
    ] as const) {
      await manage('PUT', `/sync${path}`, body);
      expect(lastCall()).toMatchObject({ name: 'manage.sync', arguments: [body, 'live', { strict }] });
      await manage('POST', `/sync/preflight${path}`, body);
      expect(lastCall()).toMatchObject({ name: 'manage.preflight', arguments: [body, 'live', { strict }] });
    }
    expect((await manage('PUT', '/sync', { strict: 'true' })).status).toBe(400);
    expect((await manage('PUT', '/sync?strict', {})).status).toBe(400);
  });

  it('puts, shows and removes the single documents', async () => {
    for (const [kind, list] of [
      ['game-values', 'manage.gameValues'],
      ['rate-limit-rules', 'manage.rateLimitRules'],
    ] as const) {
      for (const method of ['PUT', 'POST']) {
        await manage(method, `/${kind}`, { items: [] });
        expect(lastCall()).toMatchObject({ name: 'manage.putSingle', arguments: [kind, { items: [] }, 'live', false] });
      }
      await manage('DELETE', `/${kind}`, { ignored: true });
      expect(lastCall()).toMatchObject({ name: 'manage.removeSingle', arguments: [kind, 'live'] });
      await manage('GET', `/${kind}?revisionTarget=live`);
      expect(lastCall()).toMatchObject({ name: list, arguments: [{ includeStaged: false, target: 'live' }] });
    }
  });

  it('validates, promotes and shows the difference', async () => {
    await manage('GET', '/validate');
    expect(lastCall()).toMatchObject({ name: 'manage.validate', arguments: [PUBLIC_KEY] });
    await manage('POST', '/promote');
    expect(lastCall()).toMatchObject({ arguments: [{ dryRun: false, force: false }] });
    await manage('POST', '/promote', { dryRun: true });
    expect(lastCall()).toMatchObject({ arguments: [{ dryRun: true, force: false }] });
    await manage('POST', '/promote?dryRun=true', { force: true });
    expect(lastCall()).toMatchObject({ arguments: [{ dryRun: true, force: true }] });
    const calls = server.app.calls.length;
    expect((await manage('POST', '/promote', { dryRun: 'true' })).status).toBe(400);
    expect((await manage('POST', '/promote?dryRun=yes', {})).status).toBe(400);
    expect((await manage('POST', '/promote?dryRun', {})).status).toBe(400);
    expect((await manage('POST', '/promote', { dry_run: true })).status).toBe(400);
    for (const to of ['7', 1.5, -2, {}]) expect((await manage('POST', '/rollback', { to })).status).toBe(400);
    expect(server.app.calls.length).toBe(calls);
    await manage('POST', '/rollback', { to: 7 });
    expect(lastCall()).toMatchObject({ name: 'history.rollback', arguments: [{ dryRun: false, to: 7 }] });
    await manage('POST', '/discard', { kind: 'endpoint', id: 'buy', dryRun: true });
    expect(lastCall()).toMatchObject({
      name: 'manage.discard',
      arguments: [{ kind: 'endpoint', id: 'buy', dryRun: true }, { dryRun: true }],
    });
    expect((await manage('GET', '/diff')).status).toBe(200);
  });

  it('refuses a missing or broken body and names the kind of resource', async () => {
    const empty = await manage('PUT', '/collections');
    expect([empty.status, empty.json.error.code, empty.json.resourceKind]).toEqual([400, 'VALIDATION_FAILED', 'collection']);
    const broken = await server.send('PUT', '/v3/manage/demo/collections', { headers: { 'x-api-key': SECRET_KEY }, body: '[{"secret":' });
    expect([broken.status, broken.json.error.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(broken.text).not.toContain('secret');
    expect((await manage('DELETE', '/collections/%20')).json.error.code).toBe('VALIDATION_FAILED');
  });

  it('shows only to valid keys that a path is unknown, except for POST', async () => {
    expect((await manage('GET', '/nothing')).status).toBe(404);
    expect((await manage('DELETE', '/collections')).status).toBe(404);
    expect((await server.send('GET', '/v3/manage/demo/nothing')).status).toBe(401);
    expect((await server.send('POST', '/v3/manage/demo/nothing')).status).toBe(404);
  });
});

describe('the server itself', () => {
  it('answers the canary under every method without a key', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const reply = await server.send(method, '/v3/storage/deploy-canary/any/where/');
      expect([reply.status, reply.json.probe, reply.headers['cache-control']]).toEqual([200, 'deploy-canary', 'no-store']);
    }
    expect((await server.send('GET', '/v3/storage/deploy-canary')).status).toBe(200);
  });

  it('reports whether requests may be sent to it', async () => {
    expect((await server.send('GET', '/ready')).json).toEqual({ status: 'ready', version: 'test' });
    server.ready = { status: 'catching-up', version: 'test', behind: 2 };
    const waiting = await server.send('GET', '/ready');
    expect([waiting.status, waiting.headers['retry-after'], waiting.json]).toEqual([503, '2', server.ready]);
    server.ready = { status: 'ready', version: 'test' };
  });

  it('reports its health', async () => {
    expect((await server.send('GET', '/health')).json).toEqual({ status: 'ok', version: 'test', database: 'memory', databaseLatencyMs: 0 });
    server.health = { status: 'database-unavailable', away: ['log', 'database'], version: 'test', database: 'memory' };
    const down = await server.send('GET', '/health');
    expect([down.status, down.json.status, down.headers['retry-after']]).toEqual([503, 'database-unavailable', '30']);
    server.health = { status: 'ok', version: 'test', database: 'memory', databaseLatencyMs: 0 };
  });

  it('is alive whatever is away', async () => {
    expect((await server.send('GET', '/alive')).json).toMatchObject({ status: 'alive' });
  });

  it('reports its product and version', async () => {
    expect((await server.send('GET', '/v3/server-info')).json).toMatchObject({ kind: 'self-hosted', apiVersions: ['v3'] });
    expect((await server.send('GET', '/v3/server-info/')).status).toBe(404);
  });

  it('counts requests by pattern, never by path', async () => {
    await server.play('GET', '/v3/storage/demo/players/who-is-this');
    const { text, headers } = await server.send('GET', '/metrics');
    expect(headers['content-type']).toContain('text/plain');
    expect(text).toMatch(/savepoint_http_request_seconds_count\{route="GET \/v3\/storage\/:project\/:collection\/:key",status="404"\} \d/);
    expect(text).toMatch(/savepoint_http_request_seconds_bucket\{le="\+Inf",route="[^"]+",status="200"\} \d/);
    expect(text).toContain('# TYPE savepoint_http_request_seconds histogram');
    expect(text).toContain('savepoint_event_loop_delay_seconds');
    expect(text).not.toContain('who-is-this');
  });
});
