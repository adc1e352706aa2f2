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
