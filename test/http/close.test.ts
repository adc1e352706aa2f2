import { connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { IncomingBodies } from '../../src/http/guards/incoming-bodies.ts';
import { PUBLIC_KEY } from './fake-app.ts';
import { startServer } from './harness.ts';

describe('closing', () => {
  it('lets a running request finish, closes its connection, and accepts no other', async () => {
    const server = await startServer();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const started = new Promise<void>((resolve) => {
      const { read } = server.app.values;
      server.app.values.read = async (caller, target) => {
        resolve();
        await gate;
        return read(caller, target);
      };
    });
    const running = server.play('GET', '/v3/values/demo');
    await started;
    const closed = server.server.close(10_000);
    await expect(server.play('GET', '/v3/values/demo')).rejects.toThrow();
    release();
    const reply = await running;
    expect([reply.status, reply.headers.connection]).toEqual([200, 'close']);
    await closed;
  });

  it('cuts requests that do not finish in time', async () => {
    const server = await startServer();
    const started = new Promise<void>((resolve) => {
      server.app.values.read = () => {
        resolve();
        return new Promise(() => undefined);
      };
    });
    const running = server.play('GET', '/v3/values/demo');
    const cut = expect(running).rejects.toThrow();
    await started;
    await server.server.close(10);
    await cut;
  });
});

it('a connection that never takes its answers is cut, which is no fault', async () => {
  const server = await startServer({ headersTimeoutMs: 1_000, requestTimeoutMs: 1_000 });
  const { read } = server.app.values;
  const large = { text: 'x'.repeat(8 * 1024 * 1024) };
  const asked = new Promise<void>((resolve) => {
    server.app.values.read = async (caller, target) => {
      resolve();
      const answer = await read(caller, target);
      return { ...answer, result: { ...Object(answer.result), ...large } };
    };
  });
  const socket = connect(server.port, '127.0.0.1').pause();
  socket.on('error', () => undefined);
  socket.write(`GET /v3/values/demo?apiKey=${PUBLIC_KEY} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(8));
  await asked;
  // It ends with its last connection. If that were not cut, it would take longer than a test may.
  await server.server.close(600_000);
  expect(server.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  socket.destroy();
});

describe('answers that are not taken', () => {
  const large = { text: 'x'.repeat(16 * 1024 * 1024) };

  /** A server with a large answer that waits to be taken. */
  async function withOneWaiting(unsentGraceMs: number) {
    const server = await startServer({ unsentBytes: 20 * 1024 * 1024, unsentGraceMs });
    const { read } = server.app.values;
    server.app.values.read = async (caller, target) => {
      const answer = await read(caller, target);
      return { ...answer, result: { ...Object(answer.result), ...large } };
    };
    const socket = connect(server.port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve));
    const begun = new Promise((resolve) => socket.once('readable', resolve));
    socket.write(`GET /v3/values/demo?apiKey=${PUBLIC_KEY} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await begun;
    return { server, socket, closed };
  }

  it('are bounded over all connections: the next large one is refused, a small one is not', async () => {
    const { server, socket, closed } = await withOneWaiting(60_000);
    const refused = await server.play('GET', '/v3/values/demo');
    expect([refused.status, refused.json.error.code, refused.headers['retry-after']]).toEqual([503, 'BUSY', '1']);
    expect((await server.play('GET', '/v3/server-info')).status).toBe(200);
    socket.resume();
    socket.destroy();
    await closed;
    await expect.poll(async () => (await server.play('GET', '/v3/values/demo')).status).toBe(200);
    await server.stop();
  });

  it('make room for the next after their grace time', async () => {
    const { server, socket, closed } = await withOneWaiting(0);
    expect((await server.play('GET', '/v3/values/demo')).status).toBe(200);
    socket.resume();
    await closed;
    await server.stop();
  });
});

describe('bodies that do not end', () => {
  const HALF = 100_000;

  it('are bounded over all connections: one is refused, another may still arrive, and other requests are served', async () => {
    const server = await startServer({ arrivingBytes: HALF * 1.5, arrivingGraceMs: 60_000 });
    const halves = [1, 2].map(() => {
      const socket = connect(server.port, '127.0.0.1');
      const answered = new Promise<string>((resolve) => socket.on('error', () => undefined).once('data', (data) => resolve(String(data))));
      const head = `POST /v3/storage/demo/c/k HTTP/1.1\r\nHost: x\r\nx-api-key: ${PUBLIC_KEY}\r\nContent-Length: ${2 * HALF}\r\n\r\n`;
      socket.write(head + '"'.padEnd(HALF, 'x'));
      return { socket, answered };
    });
    const [refused, left] = await Promise.race(
      halves.map(async (half) => [await half.answered, halves.find((one) => one !== half)] as const),
    );
    expect(refused).toMatch(/^HTTP\/1\.1 503 /);
    expect(refused).toContain('"BUSY"');
    expect((await server.play('POST', '/v3/storage/demo/c/k', { n: 1 })).status).toBe(200);
    left?.socket.write('"'.padStart(HALF, 'x'));
    expect(await left?.answered).toMatch(/^HTTP\/1\.1 200 /);
    for (const { socket } of halves) socket.destroy();
    await server.stop();
  });

  it('make room after their grace time, the oldest first; before that, the one that exceeds the bound is refused', () => {
    const refusedWith = (graceMs: number) => {
      const incoming = new IncomingBodies(250, graceMs);
      const refused: string[] = [];
      const [a, b, c] = ['a', 'b', 'c'].map((name) => incoming.begin(() => refused.push(name)));
      for (const body of [a, b, c]) if (body !== undefined) incoming.add(body, 100);
      return refused;
    };
    expect(refusedWith(0)).toEqual(['a']);
    expect(refusedWith(60_000)).toEqual(['c']);
  });

  it('are no longer counted when they have ended, and a single one never exceeds the bound', () => {
    const incoming = new IncomingBodies(250, 60_000);
    const refused: string[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      const body = incoming.begin(() => refused.push(name));
      incoming.add(body, 400);
      incoming.end(body);
    }
    expect(refused).toEqual([]);
  });
});
