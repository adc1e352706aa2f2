import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { openApi } from '../../src/contract/openapi.ts';
import { SECRET_KEY } from '../http/fake-app.ts';
import { type Harness, startServer } from '../http/harness.ts';

const document = openApi('0.1.0');
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
);

// biome-ignore lint/suspicious/noExplicitAny: a part of the document, looked into by its expectations
function resolved(node: any): any {
  const found =
    node?.$ref === undefined ? undefined : Reflect.get(document.components.responses, node.$ref.replace('#/components/responses/', ''));
  return found ?? node;
}

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('the description of the API', () => {
  it('is valid OpenAPI 3.1 by the schema of the standard', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    expect([valid, errors]).toEqual([true, undefined]);
  });

  it('is valid by a linter that goes by rules of its own, examples included', async () => {
    const rules = {
      'no-invalid-media-type-examples': 'error',
      'no-invalid-parameter-examples': 'error',
      'no-invalid-schema-examples': 'error',
      'operation-operationId': 'error',
      'operation-operationId-unique': 'error',
      'operation-operationId-url-safe': 'error',
      'operation-description': 'off',
      'operation-summary': 'error',
      'operation-2xx-response': 'error',
      'operation-tag-defined': 'error',
      'no-unused-components': 'error',
      'security-defined': 'error',
      'tag-description': 'error',
      'path-not-include-query': 'error',
    } as const;
    const config = await createConfig({ extends: ['spec'], rules });
    const problems = await lintFromString({ source: stringify(document, { aliasDuplicateObjects: false }), config });
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([]);
  });

  it('names every path once: tools take two that differ in the names of their parameters alone for one', () => {
    const shapes = Object.keys(document.paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
    expect(shapes).toEqual([...new Set(shapes)]);
  });

  it('says where an Idempotency-Key makes a request happen once: everywhere but where nothing is changed, or a secret is told', () => {
    const asks = ['preflight', 'upgradeSource', 'testEndpoint', 'runTests', 'autoTest', 'suggestTests', 'initRevision'];
    const reports = [
      'trackEvent',
      'sendHeartbeat',
      'reportSaveFailure',
      'createSession',
      'refreshSession',
      'reauthSession',
      'revokeSession',
    ];
    // Twice is as once.
    const guests = ['registerGuest', 'joinGuest', 'linkGuest', 'unlinkGuest', 'issueGuestCode', 'passGuest', 'revokeGuestDevice'];
    const support = ['issueGuestCodeForSupport', 'unlinkGuestForSupport', 'revokeGuestDeviceForSupport'];
    const without = operations
      .filter(({ method, operation }) => method !== 'GET' && !JSON.stringify(operation).includes('Idempotency-Key'))
      .map(({ operation }) => operation.operationId);
    expect(without.sort()).toEqual([...asks, ...reports, ...guests, ...support].sort());
    expect(JSON.stringify(document.paths['/v3/endpoints/{project}/{slug}']?.['get'])).toContain('Idempotency-Key');
  });

  it('says of refusals, too, which headers they carry, and leaves the answers of an author free', () => {
    const refusals = (path: string, method: string) =>
      Object.entries(Object(document.paths[path]?.[method]?.['responses']))
        .filter(([status]) => Number(status) >= 400)
        .map(([, response]) => resolved(response));
    const saving = refusals('/v3/storage/{project}/{collection}/{key}', 'post');
    expect(saving.filter(({ headers }) => !('x-ns-player-proof' in headers && 'idempotent-replay' in headers))).toEqual([]);
    const calling = refusals('/v3/endpoints/{project}/{slug}', 'post');
    expect(calling.filter(({ headers }) => !('x-ns-publish' in headers))).toEqual([]);
    const free = calling.map(({ content }) => content['application/json'].schema.anyOf?.some((one: object) => !('allOf' in one)));
    expect([...new Set(free)]).toEqual([true]);
    const { 200: values } = Object(document.paths['/v3/values/{project}']?.['get']?.['responses']);
    expect(Object.keys(values.headers)).toContain('x-ns-player-proof');
  });

  it('knows what every route with names in its path, and every one with a key, is refused with', () => {
    const codes = (node: unknown) => JSON.stringify(resolved(node));
    for (const { path, operation } of operations.filter(({ path }) => path.includes('{project}'))) {
      const { 404: missing, 400: wrong } = Object(operation['responses']);
      expect([path, codes(missing)]).toEqual([path, expect.stringContaining('NOT_FOUND')]);
      if (JSON.stringify(operation['security']) !== '[]')
        expect([path, codes(wrong)]).toEqual([path, expect.stringContaining('INVALID_PLATFORMID')]);
    }
  });

  it.each(operations.map(({ method, path, operation }) => [method, path, operation]))(
    '%s %s is served',
    async (method, path, operation) => {
      const concrete = path
        .replace('{project}', 'demo')
        .replace('{collection}', 'c')
        .replace('{key}', 'k')
        .replace('{kind}', 'collection')
        .replace('{file}', 'collection.json')
        .replace('/manual/{page}', '/manual/security')
        .replace(/\{\w+\}/g, 'any');
      const headers = { 'x-api-key': SECRET_KEY };
      await server.send('POST', '/v3/storage/demo/c/k', { headers, body: '{}' });
      // What lets a device in, or is linked, is made while a game runs, so these routes have no example.
      const account = { platformId: '76561198000000001', token: 'any' };
      const made = { joinGuest: { code: 'any' }, linkGuest: { account }, unlinkGuest: { account } };
      const { example = Object(made)[operation.operationId] ?? {} } = Object(operation)['requestBody']?.content['application/json'] ?? {};
      const reply = await server.send(method, concrete, { headers, ...(method === 'GET' ? {} : { body: JSON.stringify(example) }) });
      expect(reply.json?.error?.code).not.toBe('NOT_FOUND');
      expect(reply.status).not.toBe(400);
    },
  );
});
