import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { PUBLIC_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer({ headersTimeoutMs: 200, requestTimeoutMs: 400, checkingMs: 50 });
});
afterAll(() => server.stop());

const VALUES = `GET /v3/values/demo?apiKey=${PUBLIC_KEY}`;

it.each([
  ['names no host', 'HTTP/1.1', '', '400'],
  ['names two', 'HTTP/1.1', 'Host: a\r\nHOST: b\r\n', '400'],
  ['names one', 'HTTP/1.1', 'Host: a\r\n', '200'],
  ['is of HTTP/1.0 and names none, as proxies send it', 'HTTP/1.0', '', '200'],
])('a request that %s (RFC 9112 3.2)', async (_, version, hosts, status) => {
  const received = await server.raw(`${VALUES} ${version}\r\n${hosts}Connection: close\r\n\r\n`);
  expect(received).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  if (status === '400') expect(received).toContain('"code":"INVALID_REQUEST"');
});

it.each([
  ['headers', `${VALUES} HTTP/1.1\r\nHost: a\r\nX-Drip: `],
  ['a request line', 'GET /v3/values/'],
])('%s that drip are answered 408, and the connection is closed though its sender goes on', async (_, beginning) => {
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.setEncoding('utf8').on('error', () => undefined);
  socket.write(beginning);
  let received = '';
  socket.on('data', (text) => {
    received += text;
  });
  const drip = setInterval(() => socket.write('x'), 20);
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(drip);
  expect(received).toMatch(/^HTTP\/1.1 408 [\s\S]*"REQUEST_TIMEOUT"/);
});
