import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { headerSpellings, memberSpellings } from '../../src/domain/wire-names.ts';
import { DISABLED_KEY, PUBLIC_KEY, SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
beforeEach(() => {
  server.app.presented.length = 0;
});
afterAll(() => server.stop());

const presented = async (method: string, path: string, headers: Record<string, string> = {}) => {
  await server.send(method, path, { headers });
  return server.app.presented.at(-1);
};

/** The published spelling of a name. */
const spelling = (spellings: readonly string[]): string => spellings[1] ?? '';

const DOCUMENT = '/v3/storage/demo/c/k';
const ENDPOINT = '/v3/endpoints/demo/buy';
const QUERY = '/v3/queries/demo/top';
const MANAGE = '/v3/manage/demo/validate';

describe('the key of a request', () => {
  it.each([
    ['a header beats the public key of the query', DOCUMENT, '?apiKey=pub', { 'x-api-key': 'head' }, 'head'],
    ['a secret header beats the public key on every runtime family', DOCUMENT, '?apiKey=pub', { 'x-secret-key': 'sec' }, 'sec'],
    ['the query beats the public header', DOCUMENT, '?apiKey=pub', { 'x-public-key': 'pub2' }, 'pub'],
    ['the public header alone will do', DOCUMENT, '', { 'x-public-key': 'pub2' }, 'pub2'],
    ['an empty carrier is absent', DOCUMENT, '?apiKey=', { 'x-api-key': '', 'x-public-key': 'pub2' }, 'pub2'],
    ['an escaped query is understood', DOCUMENT, '?a=%20&apiKey=p%2Bb', {}, 'p+b'],
    ['an escaped query is read to its end', DOCUMENT, `?%61=1&${'a&'.repeat(1500)}apiKey=pub`, {}, 'pub'],
    ['a name that only ends alike is another', DOCUMENT, '?xapiKey=no&apiKeys=no&apiKey=pub', {}, 'pub'],
    ['endpoints: the secret headers come first', ENDPOINT, '?apiKey=pub', { 'x-storage-secret-key': 'sec', 'x-public-key': 'pub' }, 'sec'],
    ['endpoints: so does a secret in the query', ENDPOINT, '?apiKey=pub&secretKey=sec', {}, 'sec'],
    ['endpoints: the marker is no key', ENDPOINT, '?secret-key=1&apiKey=pub', {}, 'pub'],
    ['management: the secret header', MANAGE, '', { 'x-secret-key': 'sec', 'x-public-key': 'pub' }, 'sec'],
    ['management: the query', MANAGE, '?apiKey=sec', { 'x-public-key': 'pub' }, 'sec'],
  ])('%s', async (_, path, query, headers, expected) => {
    expect((await presented('GET', path + query, headers as Record<string, string>))?.key).toBe(expected);
  });

  it('is found after any number of headers', async () => {
    const head = `GET ${DOCUMENT} HTTP/1.1\r\nHost: x\r\n${'a:\r\n'.repeat(2500)}x-public-key: ${PUBLIC_KEY}\r\nConnection: close\r\n\r\n`;
    await server.raw(head);
    expect(server.app.presented.at(-1)?.key).toBe(PUBLIC_KEY);
  });

  it('is missing on management routes if only the public key was sent', async () => {
    expect((await presented('GET', MANAGE, { 'x-public-key': 'pub' }))?.key).toBeNull();
  });

  it('in a query may have a secret key beside it', async () => {
    const both = await presented('GET', `${QUERY}?apiKey=pub&secret-key=1`, { 'x-secret-key': 'sec' });
    expect([both?.key, both?.extraSecret]).toEqual(['pub', 'sec']);
    const header = await presented('GET', `${QUERY}?apiKey=pub&secret-key=1`, { 'x-api-key': 'sec' });
    expect([header?.key, header?.extraSecret]).toEqual(['sec', null]);
  });

  it('is answered as its family does when it is disabled', async () => {
    const code = async (path: string) => (await server.send('GET', path, { headers: { 'x-api-key': DISABLED_KEY } })).json.error.code;
    expect(await code(DOCUMENT)).toBe('KEY_DISABLED');
    expect(await code(ENDPOINT)).toBe('KEY_DISABLED');
    expect(await code('/v3/values/demo')).toBe('UNAUTHORIZED');
    expect(await code(MANAGE)).toBe('UNAUTHORIZED');
  });

  it('is checked before any byte of the body is read', async () => {
    const head =
      'POST /v3/storage/demo/c/k HTTP/1.1\r\nHost: x\r\nx-api-key: wrong\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n';
    const answer = await server.raw(`${head}0\r\n\r\n`);
    expect(answer).toContain('401');
    const broken = await server.send('POST', DOCUMENT, { headers: { 'x-api-key': 'wrong' }, body: '{' });
    expect(broken.json.error.code).toBe('UNAUTHORIZED');
  });

  it('must be a secret key with the permission that the refusal names', async () => {
    const orHistory = { scopes: ['history'], level: 'r' };
    expect((await presented('GET', DOCUMENT))?.needs).toEqual({ scopes: ['collections'], level: 'x', or: orHistory });
    expect((await presented('POST', DOCUMENT))?.needs).toEqual({ scopes: ['collections'], level: 'x' });
    expect((await presented('PUT', '/v3/manage/demo/game-values'))?.needs).toEqual({ scopes: ['game_values'], level: 'rw' });
    expect((await presented('GET', '/v3/storage/demo/c/list'))?.needs).toBeNull();
    const several = [
      ...['package-sync', 'suggest-tests', 'source-upgrade', 'run-tests', 'auto-test', 'test-endpoint'],
      'promote',
      'discard',
      'rollback',
    ];
    for (const path of several) expect((await presented('POST', `/v3/manage/demo/${path}`))?.needs?.scopes).toContain('queries');
    expect((await presented('GET', '/v3/manage/demo/game-package'))?.needs).toMatchObject({ level: 'r' });
  });
});

describe('the player a request claims', () => {
  it.each([
    [{ 'x-platform-id': '1', 'x-platform-player-id': '2' }, '?platformId=3', '1'],
    [{ 'x-platform-player-id': '2' }, '?platformId=3', '2'],
    [{ [spelling(headerSpellings('x-platform-id'))]: '4' }, '', '4'],
    [{}, '?platformId=3&platformid=5', '3'],
    [{}, `?${spelling(memberSpellings('platformId'))}=6`, '6'],
    [{ 'x-platform-id': '' }, '', null],
  ])('%j %s', async (headers, query, expected) => {
    expect((await presented('GET', DOCUMENT + query, headers as Record<string, string>))?.platformId).toBe(expected);
  });

  it('is read from the body of endpoint calls only, with exact digits', async () => {
    const caller = async (body: string, headers = {}) => {
      await server.send('POST', ENDPOINT, { headers: { 'x-api-key': PUBLIC_KEY, ...headers }, body });
      return server.app.calls.at(-1)?.caller.platformId;
    };
    expect(await caller('{"platformId":76561198000000001}')).toBe('76561198000000001');
    expect(await caller(`{"${spelling(memberSpellings('platformId'))}":"7656"}`)).toBe('7656');
    expect(await caller('{"platformId":"other"}', { 'x-platform-id': '1' })).toBe('1');
    await server.send('POST', DOCUMENT, { headers: { 'x-api-key': SECRET_KEY }, body: '{"platformId":"9"}' });
    expect(server.app.calls.at(-1)?.caller.platformId).toBeNull();
  });

  it('may be another one, named by x-on-behalf-of', async () => {
    expect((await presented('GET', DOCUMENT, { 'x-on-behalf-of': '7001' }))?.onBehalfOf).toBe('7001');
  });

  it('may send the position that the answer must reflect', async () => {
    expect((await presented('GET', DOCUMENT, { 'x-ns-position': '42' }))?.position).toBe(42);
    for (const text of ['-1', '1.5', 'x', '99999999999999999999']) {
      expect((await presented('GET', DOCUMENT, { 'x-ns-position': text }))?.position).toBeNull();
    }
  });
});
