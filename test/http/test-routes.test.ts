import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

const headers = { 'x-api-key': SECRET_KEY };
const ran = {
  ok: true,
  dryRun: true,
  id: 'a',
  name: 'a',
  endpoint: 'a',
  passed: true,
  reason: null,
  warnings: [],
  result: { ok: true, status: 200, body: { platformId: 'of the author' }, timing: { total: 1 } },
} as const;
const report = { ...ran, platformId: '7' };
const counts = { total: 1, passed: 1, failed: 0 };

describe.each([
  ['neutral', 'platformId'],
  ['published', 'steamId'],
] as const)('reports of test runs under %s names', (wireNames, name) => {
  let server: Harness;
  beforeAll(async () => {
    server = await startServer({ wireNames });
    const at = { position: 1, stale: false };
    server.app.tests.testEndpoint = async () => ({ ...at, result: report });
    server.app.tests.runTests = async () => ({ ...at, result: { ok: true, dryRun: true, ...counts, results: [report], summary: counts } });
  });
  afterAll(() => server.stop());

  const shown = { ...ran, [name]: '7' };

  it("spell the player's name so, and leave an endpoint's answer as it is", async () => {
    const one = await server.send('POST', '/v3/manage/demo/test-endpoint', { headers, body: '{"slug":"a"}' });
    expect(one.json).toEqual(shown);
    const all = await server.send('POST', '/v3/manage/demo/run-tests', { headers, body: '{}' });
    expect(all.json).toMatchObject({ ok: true, results: [shown] });
  });
});

describe('the routes of tests', () => {
  let server: Harness;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.stop());

  it.each([
    ['auto-test', '{"slgu":"a"}', 'The body has no member `slgu`, only slug'],
    ['suggest-tests', '{"endpoint":"a"}', 'The body has no member `endpoint`, only slug'],
    ['auto-test', '{"slug":5}', '`slug` must be the slug of an endpoint; without it all endpoints are meant'],
    ['auto-test', '{"slug":" "}', '`slug` must be the slug of an endpoint; without it all endpoints are meant'],
    ['run-tests', '{"slug":"a"}', 'The body has no member `slug`'],
    ['run-tests', '[]', 'The body must be a JSON object'],
    ['test-endpoint', '[]', 'The body must be a JSON object'],
  ])('%s refuses %s, instead of running what nobody asked for', async (path, body, message) => {
    const { status, json } = await server.send('POST', `/v3/manage/demo/${path}`, { headers, body });
    expect([status, json.error]).toEqual([400, expect.objectContaining({ code: 'VALIDATION_FAILED', message })]);
    expect(server.app.calls).toEqual([]);
  });

  it('pass on the body and the publish target, from header or query', async () => {
    await server.send('POST', '/v3/manage/demo/auto-test?revisionTarget=NEXT', { headers, body: '{"slug":"a"}' });
    await server.send('POST', '/v3/manage/demo/suggest-tests', { headers: { ...headers, 'x-ns-publish-target': ' next ' } });
    await server.send('PUT', '/v3/manage/demo/tests', { headers, body: '[]' });
    expect(server.app.calls.map(({ name, arguments: given }) => [name, ...given])).toEqual([
      ['tests.autoTest', 'a', 'next'],
      ['tests.suggestTests', null, 'next'],
      ['tests.replace', [], false],
    ]);
  });

  it('refuse a body that is not JSON with 400 VALIDATION_FAILED, and a public key with 401', async () => {
    const broken = await server.send('POST', '/v3/manage/demo/run-tests', { headers, body: '{' });
    expect([broken.status, broken.json.error.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(broken.json.message).toMatch(/^Invalid JSON: .* position 1/);
    // A parser quotes what it fails on. The answer must hold no secret, and no 404, which an editor would take for a missing route.
    const quoting = await server.send('POST', '/v3/manage/demo/run-tests', { headers, body: '{"password": hunter404}' });
    expect(quoting.json.message).toBe('Invalid JSON');
    expect((await server.play('POST', '/v3/manage/demo/test-endpoint', {})).status).toBe(401);
  });

  it('never send a request id with the digits that an editor takes for a missing route', async () => {
    for (let turn = 0; turn < 40; turn += 1) {
      const { json } = await server.send('POST', '/v3/manage/demo/nowhere', { headers, body: '{}' });
      expect(json.error.requestId).toMatch(/^req_[0-9a-f]{32}$/);
      expect(json.error.requestId).not.toContain('404');
    }
  });
});
