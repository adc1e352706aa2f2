import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { here } from '../node/support/command-line.ts';

/** A node that is away for a moment, as while its database starts: the first request of each test meets that. */

let isAway = true;
const server = createServer((request, response) => {
  request.resume();
  const body = isAway
    ? { ok: false, error: { code: 'STORAGE_UNAVAILABLE', message: 'The log cannot be reached' } }
    : { ok: true, data: { gold: 7 } };
  response.writeHead(isAway ? 503 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  isAway = false;
});

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('a command that asks again says why, and when; its output is only the answer', async () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { SAVEPOINT_URL: url, SAVEPOINT_PROJECT: 'p', SAVEPOINT_SECRET_KEY: 'ns_sec_x' };
  const { code, stdout, stderr } = await here(['doc', 'get', 'players', '42', '--json'], { env });
  expect(stderr).toMatch(/^503 STORAGE_UNAVAILABLE: The log cannot be reached\.? Trying again in 0\.\d s\.\n$/);
  expect([code, stdout]).toEqual([0, expect.stringContaining('"gold":7')]);
});

test('what tells of a personal value is asked again with the reason that the command gives, and not without one', async () => {
  const reasons: unknown[] = [];
  const masking = createServer((request, response) => {
    request.resume();
    const reason = request.method === 'GET' ? 'a read' : request.headers['x-ns-reveal'];
    reasons.push(reason);
    const body =
      reason === undefined
        ? { ok: false, error: { code: 'REVEAL_NEEDED', message: 'it takes a reason' } }
        : { ok: true, version: 3, data: [] };
    response.writeHead(reason === undefined ? 403 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => masking.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(masking.address() as AddressInfo).port}`;
  const env = { SAVEPOINT_URL: url, SAVEPOINT_PROJECT: 'p', SAVEPOINT_SECRET_KEY: 'ns_sec_x' };
  const set = (...more: readonly string[]) => here(['doc', 'set', 'players', '42', 'email=x', ...more], { env });
  const refused = await set();
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('it takes a reason')]);
  reasons.length = 0;
  expect(await set('--reason', 'mistyped, T-7')).toMatchObject({ code: 0 });
  expect(reasons.slice(-2)).toEqual([undefined, 'mistyped%2C%20T-7']);
  masking.closeAllConnections();
  masking.close();
});
