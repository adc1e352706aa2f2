import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { type EventStream, EventStreams, frameOf } from '../../src/http/event-stream.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A client of a stream with room for so many characters, and the server's end of it. */
async function connected(
  streams: EventStreams,
  mostWaiting: number,
): Promise<{ stream: EventStream; reply: IncomingMessage; closed: Promise<void> }> {
  let made: ((stream: EventStream) => void) | undefined;
  let gone = () => {};
  const opened = new Promise<EventStream>((resolve) => {
    made = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const server = createServer(({ socket }, res) => {
    const stream = streams.open({ socket, mostWaiting, onClose: gone });
    pipeline(stream.body, res, () => undefined);
    made?.(stream);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const reply = await new Promise<IncomingMessage>((resolve) => get({ port, host: '127.0.0.1', agent: false }, resolve));
  return { stream: await opened, reply, closed };
}

async function textOf(reply: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of reply) text += chunk;
  return text;
}

describe('a stream of events', () => {
  it('sends each event with its id and its name, and says when to come back', async () => {
    const { stream, reply } = await connected(new EventStreams(), 1000);
    stream.send(frameOf({ id: '7', event: 'call', data: '{"a":1}' }));
    stream.send(frameOf({ data: '{}' }));
    stream.end();
    expect(await textOf(reply)).toBe('retry: 2000\n\nid: 7\nevent: call\ndata: {"a":1}\n\ndata: {}\n\n');
  });

  it('takes no more than its bound for a client that reads nothing', async () => {
    const { stream, reply } = await connected(new EventStreams(), 100_000);
    reply.pause();
    const frame = frameOf({ data: 'x'.repeat(10_000) });
    let taken = 0;
    // What the system itself holds for a connection is megabytes at most.
    while (taken < 10_000 && stream.send(frame)) {
      taken += 1;
      if (taken % 100 === 0) await new Promise(setImmediate);
    }
    expect(taken).toBeLessThan(10_000);
    expect(stream.body.readableLength).toBeLessThanOrEqual(100_000);
  });

  it('tells its server when the client has gone', async () => {
    const { stream, reply, closed } = await connected(new EventStreams(), 1000);
    reply.destroy();
    await closed;
    expect(stream.send('x')).toBe(false);
  });

  it('takes nothing more once it was ended', async () => {
    const { stream, reply } = await connected(new EventStreams(), 1000);
    stream.end();
    expect(stream.send('x')).toBe(false);
    expect(await textOf(reply)).toBe('retry: 2000\n\n');
  });

  it('ends with its server, also one that is opened later', async () => {
    const streams = new EventStreams();
    const first = await connected(streams, 1000);
    streams.close();
    expect(await textOf(first.reply)).toBe('retry: 2000\n\n');
    const second = await connected(streams, 1000);
    expect(await textOf(second.reply)).toBe('retry: 2000\n\n');
  });
});
