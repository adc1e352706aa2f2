import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PUBLIC_KEY, SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
beforeEach(() => {
  server.app.calls.length = 0;
});
afterAll(() => server.stop());

const PLAYER = '76561198000000001';
const CORRECTION = `corrections/saves/${PLAYER}`;
const OP = { op: 'inc', path: 'gold', value: 1 };
const ONE_OF = 'an object with one of `ops`, `document` and `deleted`, and a `reason`';
const manage = (method: string, path: string, body?: unknown) =>
  server.send(method, `/v3/manage/demo/${path}`, {
    headers: { 'x-api-key': SECRET_KEY },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const guest = (path: string, body: string) =>
  server.send('POST', `/v3/guests/demo/${path}`, { headers: { 'x-api-key': PUBLIC_KEY, 'x-platform-token': 'x' }, body });

describe('a request that does not fit its route', () => {
  it.each([
    ['POST', 'promote', { dry_run: true }, 'INVALID_BODY', 'The body has no member `dry_run`, only dryRun, force, breakGlass'],
    ['POST', 'promote', { force: 'true' }, 'INVALID_BODY', '`force` must be true or false'],
    ['POST', 'promote?dryRun=yes', {}, 'INVALID_BODY', '`dryRun` must be true or false'],
    ['POST', 'promote?dryRun=true&dryRun=false', {}, 'INVALID_BODY', '`dryRun` must be true or false'],
    ['POST', 'promote', [], 'INVALID_BODY', 'The body must be a JSON object'],
    ['POST', 'rollback', { to: 1.5 }, 'INVALID_BODY', '`to` must be the revision of a publish'],
    ['POST', 'rollback?to=first', {}, 'INVALID_BODY', '`to` must be the revision of a publish'],
    ['POST', 'discard', { kind: 'endpoint', slug: 'buy' }, 'INVALID_BODY', 'The body has no member `slug`, only kind, id, dryRun'],
    ['POST', 'discard', { kind: null }, 'INVALID_BODY', '`kind` must be a text'],
    ['POST', 'discard', { kind: 'endpoint', id: 5 }, 'INVALID_BODY', '`id` must be a text'],
    ['POST', 'purge', { colection: 'saves' }, 'VALIDATION_FAILED', 'The body has no member `colection`, only collection, dryRun'],
    ['POST', 'purge', { collection: 'a b' }, 'VALIDATION_FAILED', '`collection` must be the id of a collection'],
    ['POST', 'purge', undefined, 'VALIDATION_FAILED', 'Request body is empty.'],
    ['POST', CORRECTION, { ops: [OP], version: 1.5, reason: 'x' }, 'VALIDATION_FAILED', '`version` must be a whole number from 0'],
    ['POST', CORRECTION, { ops: 'gold', reason: 'x' }, 'VALIDATION_FAILED', '`ops` must be a list'],
    ['POST', CORRECTION, { reason: 'x' }, 'VALIDATION_FAILED', `The body must be ${ONE_OF}`],
    ['POST', CORRECTION, { opz: [OP], reason: 'x' }, 'VALIDATION_FAILED', `The body must be ${ONE_OF}`],
    ['DELETE', 'keys', { publicKey: 5 }, 'VALIDATION_FAILED', '`publicKey` must be a text'],
    ['DELETE', 'keys', { key: 'a' }, 'VALIDATION_FAILED', 'The body has no member `key`, only publicKey'],
    ['PUT', 'settings', { strict: 'true' }, 'VALIDATION_FAILED', '`strict` must be true or false'],
    ['PUT', 'sync?strict', {}, 'VALIDATION_FAILED', '`strict` must be true or false'],
    ['PUT', 'collections?replaceAll=true', [], 'VALIDATION_FAILED', /^`replaceAll` must be false: .*endpoints only/],
    ['POST', 'guests/g/revoke', { device: '' }, 'INVALID_BODY', '`device` must be the id of a device, as the list of devices shows it'],
    ['GET', 'publishes?limit=0', undefined, 'INVALID_REQUEST', '`limit` must be a whole number from 1'],
    ['GET', 'players?name=Ada&limit=many', undefined, 'INVALID_REQUEST', '`limit` must be a whole number from 1'],
  ])('%s %s %j is refused with what was expected, and where', async (method, path, body, code, message) => {
    const { status, json } = await manage(method, path, body);
    expect([status, json.error.code, json.message]).toEqual([
      400,
      code,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ]);
    expect(server.app.calls).toEqual([]);
  });

  it('is told how long a list may be that is too long', async () => {
    const { text } = await manage('POST', CORRECTION, { ops: Array(101).fill(OP), reason: 'x' });
    expect(text).toContain('`ops` must be a list of at most 100');
  });

  it.each([
    ['link', '{"account":{"platformId":"1","tokn":"t"}}', '`account` has no member `tokn`, only platformId, token'],
    ['link', '{"account":{"platformId":"1"}}', '`account.token` must be a text'],
    ['link', '{"account":{"platformId":true,"token":"t"}}', '`account.platformId` must be the id of a player'],
    ['link', '{"acount":{}}', 'The body has no member `acount`, only account'],
    ['join', '{"kode":"a"}', /^The body must be `\{code\}`, a recovery code, or /],
    ['pass', '{"host":""}', '`host` must be the id of a player'],
    ['revoke', '{"device":5}', '`device` must be the id of a device, as the list of devices shows it'],
    ['revoke', 'null', 'The body must be a JSON object'],
  ])('of a guest to %s with %s, too', async (path, body, message) => {
    const { status, json } = await guest(path, body);
    expect([status, json.error.code]).toEqual([400, 'INVALID_BODY']);
    expect(json.message).toEqual(typeof message === 'string' ? message : expect.stringMatching(message));
    expect(server.app.calls).toEqual([]);
  });
});

describe('a request that fits', () => {
  const asked = () => server.app.calls.at(-1)?.arguments;

  it('has a flag wherever it was sent, and the largest page for a larger one', async () => {
    await manage('POST', 'purge?dryRun=true', { collection: 'saves' });
    expect(asked()).toEqual(['saves', { dryRun: true }]);
    await manage('PUT', 'settings', { strict: true, name: 'Demo' });
    expect(asked()).toEqual([{ strict: true, name: 'Demo' }, true]);
    await manage('POST', 'rollback?to=7');
    expect(asked()).toEqual([{ dryRun: false, to: 7, breakGlass: false }]);
    await manage('GET', `players?name=Ada&limit=${'9'.repeat(400)}`);
    expect(asked()).toEqual([{ name: 'Ada', ids: null, limit: 200 }]);
  });

  it('may spell names in either way, with the exact digits of an id', async () => {
    await guest('link', `{"account":{"steamId":${PLAYER},"token":"t"}}`);
    expect(asked()).toEqual([{ platformId: PLAYER, token: 't' }]);
    await guest('pass', '{"host":5}');
    expect(asked()).toEqual(['5']);
    await manage('GET', `flags?steamId=${PLAYER}`);
    expect(asked()).toEqual(['live', { player: PLAYER, limit: 50, before: null }]);
  });

  it('leaves what authors wrote as it was sent', async () => {
    const test = { slug: 'buy', input: { steamId: '1', strict: 'x' } };
    await manage('POST', 'test-endpoint', test);
    expect(asked()).toEqual([test, 'live', false]);
  });
});
