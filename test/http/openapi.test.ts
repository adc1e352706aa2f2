import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

interface Parameter {
  readonly name?: string;
  readonly schema?: { readonly enum?: readonly string[] };
}
type PathItem = Record<string, unknown> & { readonly parameters?: readonly Parameter[] };
const { paths }: { paths: Record<string, PathItem> } = parse(readFileSync(new URL('../../docs/openapi.yaml', import.meta.url), 'utf8'));

/** The paths that a pattern stands for: parameters with listed values take each of them, others a name. */
function concrete(pattern: string, parameters: readonly Parameter[]): string[] {
  const listed = parameters.find(({ name, schema }) => schema?.enum && pattern.includes(`{${name}}`));
  const values = listed?.schema?.enum ?? ['any'];
  return values.map((value) =>
    pattern
      .replace(`{${listed?.name}}`, value)
      .replace('{project}', 'demo')
      .replace('{collection}', 'c')
      .replace('{key}', 'k')
      .replace(/\{\w+\}/g, 'any'),
  );
}

const operations = Object.entries(paths).flatMap(([pattern, item]) =>
  ['get', 'put', 'post', 'patch', 'delete']
    .filter((method) => method in item)
    .flatMap((method) => concrete(pattern, item.parameters ?? []).map((path) => [method.toUpperCase(), path] as const)),
);

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

describe('the description of the API', () => {
  it('names every path once: tools take two that differ in the names of their parameters alone for one', () => {
    const shapes = Object.keys(paths).map((path) => path.replace(/\{\w+\}/g, '{}'));
    expect(shapes).toEqual([...new Set(shapes)]);
  });

  it('says where an Idempotency-Key makes a request happen once: everywhere but where nothing is changed, or a secret is told', () => {
    const asks = ['sync/preflight', 'source-upgrade', 'test-endpoint', 'run-tests', 'auto-test', 'suggest-tests', 'revision-init'];
    const reports = ['analytics/events', 'stats/heartbeat', 'save-failure', 'auth-sessions', 'deploy-canary'];
    const without = Object.entries(paths).flatMap(([path, item]) =>
      ['put', 'post', 'patch', 'delete']
        .filter((method) => method in item && !JSON.stringify(item[method]).includes('idempotencyKey'))
        .map(() => path),
    );
    expect(without.filter((path) => ![...asks, ...reports].some((part) => path.includes(part)))).toEqual([]);
    expect(JSON.stringify(paths['/v3/endpoints/{project}/{slug}']?.['get'])).toContain('idempotencyKey');
  });

  it.each(operations)('%s %s is served', async (method, path) => {
    const headers = { 'x-api-key': SECRET_KEY };
    await server.send('POST', '/v3/storage/demo/c/k', { headers, body: '{}' });
    const body = path.startsWith('/v3/endpoints') ? '{"endpoint":"buy"}' : '{}';
    const reply = await server.send(method, path, { headers, ...(method === 'GET' ? {} : { body }) });
    expect(reply.json?.error?.code).not.toBe('NOT_FOUND');
    expect(reply.status).not.toBe(400);
  });
});
