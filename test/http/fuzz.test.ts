import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_KEY, SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer({ bodyTimeoutMs: 1000 });
});
afterAll(() => server.stop());

const segment = fc.oneof(
  fc.constantFrom(
    'demo',
    'players',
    'append',
    'list',
    'records',
    'probe',
    'ledger',
    'validate',
    'collections',
    'package-sync',
    'revision-init',
    '%2e%2e',
    '%',
    '',
    '__proto__',
    '..',
  ),
  fc.string({ maxLength: 12, unit: 'grapheme' }).map(encodeURIComponent),
);
const path = fc
  .tuple(
    fc.constantFrom(
      '/v3/storage',
      '/v1/storage',
      '/api/storage',
      '/v3/endpoints',
      '/v3/queries',
      '/V3/VALUES',
      '/v3/manage',
      '/v3/security-config',
      '/v3/x',
      '/health',
      '',
    ),
    fc.array(segment, { maxLength: 6 }),
    fc.constantFrom('', '?', '?apiKey=%zz', '?apiKey[]=1&apiKey=2', '?a=b&=&&%', '?revisionTarget=next&limit=-1'),
  )
  .map(([prefix, segments, query]) => `${[prefix, ...segments].join('/')}${query}` || '/');
const headers = fc.dictionary(
  fc.constantFrom(
    'X-Api-Key',
    'X-Public-Key',
    'X-PLATFORM-ID',
    'If-Match',
    'x-ns-position',
    'Content-Encoding',
    'Idempotency-Key',
    'x-ns-revision-id',
    'x-ns-security-mode',
    'Origin',
    'Expect',
  ),
  fc.oneof(fc.constantFrom(PUBLIC_KEY, SECRET_KEY, '0', 'gzip', ''), fc.stringMatching(/^[ -~]{0,40}$/)),
);
const body = fc.option(
  fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.string(),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom(
      '{"ops":[]}',
      '{"_saveVersion":{}}',
      '{"__proto__":1}',
      '{"endpoint":7}',
      '{"encrypted":true}',
      '{"revisionId":{}}',
      '{"envelope":{"ciphertext":1},"security":[]}',
      '{"input":{"a":1e999}}',
      '[[[[',
    ),
  ),
  { nil: undefined },
);
const method = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND');

describe('any request', () => {
  it('is answered with a JSON object, and never with a fault of the transport', async () => {
    const property = fc.asyncProperty(method, path, headers, body, async (verb, target, sentHeaders, sentBody) => {
      const reply = await server.send(verb, target, { headers: sentHeaders, ...(sentBody === undefined ? {} : { body: sentBody }) });
      expect(reply.status).toBeLessThan(500);
      expect(reply.headers['x-correlation-id']).toBeTruthy();
      // A document is served as it was stored, whatever JSON value that was.
      expect(reply.json).not.toBeUndefined();
      if (reply.status < 400) return;
      expect(reply.json).toMatchObject({ ok: false, error: { code: expect.any(String), message: expect.any(String) } });
      expect(reply.text).not.toMatch(/node_modules|\.ts:\d/);
    });
    await fc.assert(property, { numRuns: 400 });
  });
});
