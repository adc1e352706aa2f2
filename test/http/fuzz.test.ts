import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { BASES } from '../../src/contract/families.ts';
import { PATH_PARAMETERS } from '../../src/contract/parameters.ts';
import type { Described, Route } from '../../src/contract/route.ts';
import { routes } from '../../src/contract/routes/index.ts';
import { broken, fitting } from '../support/arbitrary.ts';
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

/** A request to a route: it fits its contract, perhaps except for one place in its body. */
function requestTo(route: Route, bodies: typeof fitting): fc.Arbitrary<Request> {
  const { method, family, path: pattern, params = {}, query = {}, headers: described = {}, body: sent, anyQuery } = route;
  const segments = [...pattern.matchAll(/:(\w+)/g)].map(([, name = '']): [string, fc.Arbitrary<unknown>] => {
    if (name === 'project') return [name, fc.constant('demo')];
    return [name, fitting(params[name] ?? PATH_PARAMETERS[name] ?? z.string()).filter((text) => String(text).trim() !== '')];
  });
  return fc.record({
    method: fc.constant(method),
    path: fc
      .record(Object.fromEntries(segments))
      .map((values) => (BASES[family] + pattern).replace(/:(\w+)/g, (_, name) => encodeURIComponent(String(values[name])))),
    query: fc
      .tuple(some(ending(query)), anyQuery === undefined ? fc.constant({}) : fitting(anyQuery))
      .map(([known, any]) => ({ ...known, ...Object(any) })),
    headers: some(described),
    body:
      sent === undefined
        ? fc.constant(undefined)
        : sent.required
          ? bodies(sent.schema)
          : fc.option(bodies(sent.schema), { nil: undefined }),
  });
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** The parameters without the one that makes an answer go on until its client leaves, and without the second name of another. */
function ending({ follow: _, player: __, ...others }: Described): Described {
  return others;
}

/** Some of the described parameters, each with a valid value. */
function some(described: Described): fc.Arbitrary<Record<string, unknown>> {
  return fc.record(Object.fromEntries(Object.entries(described).map(([name, schema]) => [name, fitting(schema)])), { requiredKeys: [] });
}

/** With a secret key. A header holds printable ASCII only. */
function sendTo({ method: verb, path: target, query, headers: more, body: sent }: Request) {
  const asked = new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, String(value)])).toString();
  const plain = Object.entries(more).map(([name, value]) => [
    name,
    String(value)
      .replace(/[^ -~]/g, '')
      .trim(),
  ]);
  return server.send(verb, asked === '' ? target : `${target}?${asked}`, {
    headers: { ...Object.fromEntries(plain), 'x-api-key': SECRET_KEY },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
  });
}

const called = routes
  .filter(({ answers, family }) => Object.keys(answers).length > 0 && family !== 'canary')
  .map((route): [string, Route] => [route.id, route]);

describe.each(called)('a request to %s', (_, route) => {
  // The harness checks every answer against the contract.
  it('that fits the contract is served', async () => {
    const [served] = Object.keys(route.answers).map(Number);
    const property = fc.asyncProperty(requestTo(route, fitting), async (request) => {
      const { status, text } = await sendTo(request);
      expect([status, text]).toEqual([status === 404 ? 404 : served, text]);
    });
    await fc.assert(property, { numRuns: 12 });
  });

  it.runIf(route.body !== undefined)('whose body is broken gets an answer of the contract', async () => {
    await fc.assert(
      fc.asyncProperty(requestTo(route, broken), async (request) => {
        expect((await sendTo(request)).status).toBeLessThan(500);
      }),
      {
        numRuns: 12,
      },
    );
  });
});

describe('any request', () => {
  it('gets a JSON object, and never a fault of the transport', async () => {
    const property = fc.asyncProperty(method, path, headers, body, async (verb, target, sentHeaders, sentBody) => {
      const reply = await server.send(verb, target, { headers: sentHeaders, ...(sentBody === undefined ? {} : { body: sentBody }) });
      expect(reply.status).toBeLessThan(500);
      expect(reply.headers['x-correlation-id']).toBeTruthy();
      // A document is served as it was stored, whatever JSON value it is.
      expect(reply.json).not.toBeUndefined();
      if (reply.status < 400) return;
      expect(reply.json).toMatchObject({ ok: false, error: { code: expect.any(String), message: expect.any(String) } });
      expect(reply.text).not.toMatch(/node_modules|\.ts:\d/);
    });
    await fc.assert(property, { numRuns: 400 });
  });
});
