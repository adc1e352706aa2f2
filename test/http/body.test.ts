import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { IncomingBodies } from '../../src/http/guards/incoming-bodies.ts';
import { PUBLIC_KEY, SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const LIMIT = 262_144;
const HEAD = `Host: x\r\nx-api-key: ${PUBLIC_KEY}\r\n`;
const documentOf = (bytes: number): string => `{"a":"${'x'.repeat(bytes - 8)}"}`;
const post = (body: string | Buffer, headers: Record<string, string> = {}) =>
  server.send('POST', '/v3/storage/demo/c/k', { headers: { 'x-api-key': PUBLIC_KEY, ...headers }, body });
const chunked = (body: string): string => `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
const statuses = (received: string): string[] => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => match[1] ?? '');

describe('the size of a body', () => {
  it('may be exactly the limit', async () => {
    expect((await post(documentOf(LIMIT))).status).toBe(200);
  });

  it('above it is 413, and the answer arrives', async () => {
    const reply = await post(documentOf(LIMIT + 1));
    expect([reply.status, reply.json.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  it('is also checked by its declared length', async () => {
    const body = documentOf(LIMIT + 1);
    const answer = await server.raw(
      `POST /v3/storage/demo/c/k HTTP/1.1\r\n${HEAD}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    expect(statuses(answer)).toEqual(['413']);
  });

  it('may be larger for management', async () => {
    const valuesOf = (bytes: number) => `{"items":[],"a":"${'x'.repeat(bytes - 19)}"}`;
    const send = (bytes: number) =>
      server.send('PUT', '/v3/manage/demo/game-values', { headers: { 'x-api-key': SECRET_KEY }, body: valuesOf(bytes) });
    expect((await send(8_388_608)).status).toBe(200);
    expect((await send(8_388_609)).status).toBe(413);
  });

  it('that is refused leaves the connection usable for the next request', async () => {
    const next = `GET /v3/storage/demo/c/none HTTP/1.1\r\n${HEAD}Connection: close\r\n\r\n`;
    const answer = await server.raw(`POST /v3/storage/demo/c/k HTTP/1.1\r\n${HEAD}${chunked(documentOf(LIMIT + 5))}${next}`);
    expect(statuses(answer)).toEqual(['413', '404']);
  });

  it('that never ends is refused, and the connection is then cut', async () => {
    const answer = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect(server.port, '127.0.0.1');
      socket.setEncoding('utf8').on('data', (text) => {
        received += text;
      });
      socket.on('error', () => undefined).on('close', () => resolve(received));
      socket.write(`POST /v3/storage/demo/c/k HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
      const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
      const more = (): void => {
        if (socket.writable) socket.write(chunk, () => setImmediate(more));
      };
      more();
    });
    expect(statuses(answer)).toEqual(['413']);
    expect(answer).toContain('Connection: close');
  });
});

describe('a body', () => {
  it('that stalls is 408', async () => {
    const impatient = await startServer({ bodyTimeoutMs: 300 });
    const answer = await impatient.raw(`POST /v3/storage/demo/c/k HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":`);
    await impatient.stop();
    expect(statuses(answer)).toEqual(['408']);
    expect(answer).toContain('"REQUEST_TIMEOUT"');
  });

  it('may arrive in many small chunks', async () => {
    const chunks = [...'{"name":"\\u65e5"}'].map((character) => `1\r\n${character}\r\n`).join('');
    const answer = await server.raw(
      `POST /v3/storage/demo/c/k HTTP/1.1\r\n${HEAD}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
    );
    expect(statuses(answer)).toEqual(['200']);
  });

  it('in a transfer coding other than chunked is refused, because the server does not decode it', async () => {
    const body = chunked('{}').replace('chunked', 'gzip, chunked').replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n');
    const answer = await server.raw(`POST /v3/storage/demo/c/k HTTP/1.1\r\n${HEAD}${body}`);
    expect(statuses(answer)).toEqual(['415']);
    expect(answer).toContain('"UNSUPPORTED_ENCODING"');
  });

  it('must be JSON, in valid UTF-8, not too deep, and not compressed', async () => {
    const code = async (body: string | Buffer, headers = {}) => {
      const reply = await post(body, headers);
      return `${reply.status} ${reply.json.error?.code}`;
    };
    expect(await code('{"a":1,}')).toBe('400 INVALID_BODY');
    expect(await code('')).toBe('400 INVALID_BODY');
    expect(await code(Buffer.from([0x22, 0xff, 0x22]))).toBe('400 INVALID_BODY');
    expect(await code('{"a":"\\u0000"}')).toBe('400 INVALID_BODY');
    expect(await code(`${'['.repeat(65)}${']'.repeat(65)}`)).toBe('400 INVALID_BODY');
    expect(await code(gzipSync('{}'), { 'Content-Encoding': 'gzip' })).toBe('415 UNSUPPORTED_ENCODING');
    expect((await post(`${'['.repeat(64)}${']'.repeat(64)}`)).status).toBe(200);
    expect((await post('{}', { 'Content-Encoding': 'identity' })).status).toBe(200);
  });

  it('may begin with one byte order mark', async () => {
    expect((await post('\uFEFF{"a":12345678901234567890}')).status).toBe(200);
    expect((await post('\uFEFF\uFEFF{}')).status).toBe(400);
    expect((await post('\uFEFF')).status).toBe(400);
  });

  it('that is cut off is no fault of the server', async () => {
    const socket = connect(server.port, '127.0.0.1');
    await new Promise((resolve) => socket.write(`POST /v3/storage/demo/c/k HTTP/1.1\r\n${HEAD}Content-Length: 100\r\n\r\n{"a"`, resolve));
    socket.destroy();
    expect((await post('{}')).status).toBe(200);
    expect(server.log.filter((line) => Number(line['status']) >= 500)).toEqual([]);
  });

  it('that is not HTTP gets an error envelope', async () => {
    const answer = await server.raw('NONSENSE\r\n\r\n');
    expect(statuses(answer)).toEqual(['400']);
    expect(answer).toContain('"ok":false');
    const chunk = await server.raw(`POST /v3/storage/demo/c/k HTTP/1.1\r\n${HEAD}Transfer-Encoding: chunked\r\n\r\nzz\r\n`);
    expect(statuses(chunk)).toEqual(['400']);
  });

  it('on a GET is ignored', async () => {
    const answer = await server.raw(`GET /v3/values/demo HTTP/1.1\r\n${HEAD}Connection: close\r\n${chunked('garbage')}`);
    expect(statuses(answer)).toEqual(['200']);
  });
});

describe('a small body that arrives with its headers', () => {
  it.each([
    ['a document', '/v3/storage/demo/c/k'],
    ['an endpoint call', '/v3/endpoints/demo/shop'],
    ['a record', '/v3/storage/demo/c/append'],
  ])('is there by the time it is read, and is not waited for: %s', async (_, path) => {
    const begin = vi.spyOn(IncomingBodies.prototype, 'begin');
    try {
      const key = path.endsWith('append') ? SECRET_KEY : PUBLIC_KEY;
      const body = '{"a":1}';
      const head = `POST ${path} HTTP/1.1\r\nHost: x\r\nx-api-key: ${key}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`;
      expect(statuses(await server.raw(head + body))).toEqual(['200']);
      expect(begin).not.toHaveBeenCalled();
    } finally {
      begin.mockRestore();
    }
  });
});
