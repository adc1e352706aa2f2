import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PUBLIC_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

let server: Harness;
beforeAll(async () => {
  server = await startServer();
  // The client's side must have ended before the answer is there.
  const { write, read } = server.app.documents;
  Object.assign(server.app.documents, {
    write: (...asked: Parameters<typeof write>) => sleep(100).then(() => write(...asked)),
    read: (...asked: Parameters<typeof read>) => sleep(100).then(() => read(...asked)),
  });
});
afterAll(() => server.stop());

const HEAD = `Host: x\r\nX-Public-Key: ${PUBLIC_KEY}\r\n`;
const GET = `GET /v3/storage/demo/players/half HTTP/1.1\r\n${HEAD}\r\n`;
const POST = `POST /v3/storage/demo/players/half HTTP/1.1\r\n${HEAD}Content-Length: 11\r\n\r\n{"gold":77}`;

/** Sends it, ends its own side at once, and gives all that comes until the server ends its side. */
function sentAndEnded(port: number, request: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true }, () => socket.end(request));
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => {
      received += text;
    });
    socket.on('error', reject);
    socket.on('end', () => resolve(received));
  });
}

const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);

describe('a client that ends its side after its request', () => {
  it('gets its answer, and those to all earlier requests', async () => {
    expect(statuses(await sentAndEnded(server.port, POST))).toEqual(['200']);
    const received = await sentAndEnded(server.port, POST + GET + GET);
    expect(statuses(received)).toEqual(['200', '200', '200']);
    expect(received).toContain('{"gold":77}');
  });

  it('gets its answer also if another process accepted the connection', async () => {
    const front = createServer({ pauseOnConnect: true }, (socket: Socket) => {
      socket.resume();
      server.server.accept(socket, Buffer.alloc(0));
    });
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
    const address = front.address();
    const received = await sentAndEnded(typeof address === 'object' && address ? address.port : 0, GET);
    front.close();
    expect(statuses(received)).toEqual(['200']);
  });

  it('gets an error if its request was cut', async () => {
    expect(statuses(await sentAndEnded(server.port, POST.slice(0, -4)))).not.toContain('200');
    expect(statuses(await sentAndEnded(server.port, GET.slice(0, 20)))).toEqual(['400']);
  });
});

describe('requests that a client sends without waiting for the answers', () => {
  const piped = (request: string) => request.replaceAll('/half', '/piped');

  it('are served one after the other: a read sees the write before it', async () => {
    const received = await sentAndEnded(server.port, piped(POST) + piped(GET));
    expect(statuses(received)).toEqual(['200', '200']);
    expect(received.endsWith('{"gold":77}')).toBe(true);
  });

  it('are in order however many they are: no later one overtakes', async () => {
    const quick = await startServer();
    const pair = (i: number) => {
      const body = `{"n":${i}}`;
      return piped(`POST /v3/storage/demo/players/half HTTP/1.1\r\n${HEAD}Content-Length: ${body.length}\r\n\r\n${body}${GET}`);
    };
    const received = await sentAndEnded(quick.port, Array.from({ length: 300 }, (_, i) => pair(i)).join(''));
    await quick.stop();
    expect([...received.matchAll(/\{"n":(\d+)\}/g)].map(([, n]) => Number(n))).toEqual(Array.from({ length: 300 }, (_, i) => i));
  });

  it('are all answered, in order, however many they are and however long the first ones take', async () => {
    const short = (i: number) => `GET /${i === 6000 ? 'v3/server-info' : 'health'} HTTP/1.1\r\nHost:\r\n\r\n`;
    const asked = Array.from({ length: 12_000 }, (_, i) => (i < 4 ? GET : short(i)));
    const answers = (await sentAndEnded(server.port, asked.join(''))).split('HTTP/1.1 ').slice(1);
    expect(answers.map((answer) => answer.includes('apiVersions')).indexOf(true)).toBe(6000);
    expect(answers).toHaveLength(12_000);
  });
});
