import { afterAll, beforeAll, expect, it } from 'vitest';
import { SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

/** No parameter that asks for something is silently ignored. */

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const ask = async (path: string, method = 'GET') => {
  const { status, json } = await server.send(method, path, {
    headers: { 'x-api-key': SECRET_KEY },
    ...(method === 'GET' ? {} : { body: '{}' }),
  });
  return status < 400 ? status : `${status} ${json.error.code}`;
};

const PAST = ['storage/demo/heroes/p1', 'storage/demo/heroes/p1/ledger', 'values/demo', 'manage/demo/collections', 'manage/demo/settings'];

it('?at= asks for another time, and is served or refused, never answered with now', async () => {
  for (const path of PAST) expect([path, await ask(`/v3/${path}?at=2024-01-01`)]).toEqual([path, 200]);
  expect(await ask('/v3/storage/demo/heroes/p1?view=stored')).toBe(200);
  for (const path of ['queries/demo/top', 'manage/demo/publishes', 'storage/demo/heroes/list']) {
    expect([path, await ask(`/v3/${path}?at=5`)]).toEqual([path, '400 UNKNOWN_PARAMETER']);
  }
  for (const query of ['at=', 'at=5&at=6']) expect(await ask(`/v3/storage/demo/heroes/p1?${query}`)).toBe('400 INVALID_AT');
});

it.each(['apiKey=x&asOf=5', 'revision=7', 'AT=1', 'at=5&asOf=6'])(
  '?%s asks for another time, and is refused instead of answered with now',
  async (query) => {
    for (const path of ['/v3/storage/demo/heroes/p1', '/v3/queries/demo/top', '/v3/values/demo', '/v3/manage/demo/collections']) {
      expect([path, await ask(`${path}?${query}`)]).toEqual([path, '400 UNKNOWN_PARAMETER']);
    }
    expect(await ask(`/v3/endpoints/demo/buy?${query}`)).toBe(200);
  },
);

it.each(['dryRun=true', 'apiKey=x&dryRun', 'dry_run=1', 'dryrun=true'])(
  '?%s asks for a mere look, and is never answered by doing it',
  async (query) => {
    for (const [method, path] of [
      ['PUT', 'manage/demo/endpoints'],
      ['PUT', 'manage/demo/sync'],
      ['DELETE', 'manage/demo/endpoints/buy'],
      ['POST', 'storage/demo/heroes/p1'],
    ] as const)
      expect([path, await ask(`/v3/${path}?${query}`, method)]).toEqual([path, '400 UNKNOWN_PARAMETER']);
    expect(await ask(`/v3/manage/demo/rollback?${query}`, 'POST')).toBe(
      { 'dryRun=true': 200, 'apiKey=x&dryRun': '400 INVALID_BODY' }[query] ?? '400 UNKNOWN_PARAMETER',
    );
    expect(await ask(`/v3/manage/demo/run-tests?${query}`, 'POST')).toBe(200);
  },
);

it('a publish target that is neither live nor next is refused, and does not count as live', async () => {
  for (const [method, path] of [
    ['PUT', 'manage/demo/sync'],
    ['POST', 'storage/demo/heroes/p1'],
    ['POST', 'endpoints/demo/buy'],
  ] as const) {
    expect([path, await ask(`/v3/${path}?revisionTarget=nxet`, method)]).toEqual([path, '400 UNKNOWN_PARAMETER']);
    const headers = { 'x-api-key': SECRET_KEY, 'x-ns-publish-target': 'staging' };
    const { json } = await server.send(method, `/v3/${path}`, { headers, body: '{}' });
    expect([path, json.error.code]).toEqual([path, 'UNKNOWN_PARAMETER']);
    for (const target of ['live', '%20NEXT', ''])
      expect([target, await ask(`/v3/${path}?revisionTarget=${target}`, method)]).toEqual([target, 200]);
  }
});

it('parameters of clients and tools are accepted, and unknown ones ignored', async () => {
  for (const query of [
    'revisionTarget=next&includeStaged=true&apiKey=x',
    'secret-key=1',
    '_syncToolTs=1700000000000',
    'utm=1',
    'format=at',
  ]) {
    expect([query, await ask(`/v3/manage/demo/collections?${query}`)]).toEqual([query, 200]);
  }
});

it('with strict=true, a parameter that no route serves is refused, with the name that was probably meant', async () => {
  const told = await server.send('GET', '/v3/queries/demo/top?ofset=3&strict=true', { headers: { 'x-api-key': SECRET_KEY } });
  expect([told.status, told.json.error.message]).toEqual([400, "The parameter 'ofset' is not served. Did you mean 'offset'?"]);
  expect(await ask('/v3/queries/demo/top?offset=3&strict=true&apiKey=x&_t=1')).toBe(200);
  for (const name of ['fresh', 'live', 'noCache']) expect(await ask(`/v3/queries/demo/top?${name}=1&strict=true`)).toBe(200);
  expect(await ask('/v3/storage/demo/heroes/p1/ledger?order=desc&strict=true')).toBe(200);
  expect(await ask('/v3/manage/demo/sync?strict=true&revisionTarget=next', 'PUT')).toBe(200);
});

it('asked for strictly, a number that cannot be read or is out of its range is refused', async () => {
  for (const [path, refused] of [
    ['/v3/storage/demo/heroes/p1/ledger', '`limit` must be a whole number from 1 to 500'],
    ['/v3/manage/demo/publishes', '`limit` must be a whole number from 1 to 200'],
    ['/v3/queries/demo/top', '`limit` must be a whole number from 1'],
  ] as const) {
    for (const limit of ['zz', '0', '1.5', '-3']) {
      const { status, json } = await server.send('GET', `${path}?limit=${limit}&strict=true`, { headers: { 'x-api-key': SECRET_KEY } });
      expect([path, limit, status, json.error?.message]).toEqual([path, limit, 400, refused]);
    }
    expect([path, await ask(`${path}?limit=7&strict=true`)]).toEqual([path, 200]);
  }
});
