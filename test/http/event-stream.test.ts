import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type EventStream, frameOf } from '../../src/http/event-stream.ts';
import { EventStreams } from '../../src/http/event-streams.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const counts = { held: 0, cut: 0 };

function newStreams(all = 1e9, ofProject = 1e9): EventStreams {
  Object.assign(counts, { held: 0, cut: 0 });
  const observer = { waiting: () => undefined, held: () => counts.held++, cut: () => counts.cut++ };
  return new EventStreams({ all, ofProject, graceMs: 0 }, observer);
}

/** A client of a stream with room for so many characters, and the server's end of it. */
async function connected(
  streams: EventStreams,
  maxWaiting: number,
  { project = 'game', onRoom = () => {} } = {},
): Promise<{ stream: EventStream; reply: IncomingMessage; closed: Promise<void> }> {
  let made: ((stream: EventStream) => void) | undefined;
  let gone = () => {};
  const opened = new Promise<EventStream>((resolve) => {
    made = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    gone = resolve;
  });
  const server = createServer((_request, response) => {
    const stream = streams.open({ project, response, maxWaiting, onRoom, onClose: gone });
    pipeline(stream.body, response, () => undefined);
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
  it('sends each event with its id and its name, and says when to reconnect', async () => {
    const { stream, reply } = await connected(newStreams(), 1000);
    stream.send(frameOf({ id: '7', event: 'call', data: '{"a":1}' }));
    stream.send(frameOf({ data: '{}' }));
    stream.end();
    expect(await textOf(reply)).toBe('retry: 2000\n\nid: 7\nevent: call\ndata: {"a":1}\n\ndata: {}\n\n');
  });

  it('buffers no more than its bound for a client that reads nothing', async () => {
    const { stream, reply } = await connected(newStreams(), 100_000);
    reply.pause();
    const frame = frameOf({ data: 'x'.repeat(10_000) });
    let taken = 0;
    // What the system itself holds for a connection is megabytes at most.
    while (taken < 10_000 && stream.send(frame)) {
      taken += 1;
      if (taken % 100 === 0) await new Promise(setImmediate);
    }
    expect(taken).toBeLessThan(10_000);
    expect([20_000, 100_001].map((characters) => stream.roomFor(characters))).toEqual(['later', 'never']);
  });

  it('reports room once its client has taken everything, however little it was', async () => {
    let rooms = 0;
    const { stream, reply } = await connected(newStreams(), 100_000, { onRoom: () => rooms++ });
    reply.pause();
    const frame = frameOf({ data: 'x'.repeat(10_000) });
    while (stream.roomFor(frame.length) === 'now') {
      stream.send(frame);
      await new Promise(setImmediate);
    }
    const before = rooms;
    reply.resume();
    await vi.waitUntil(() => rooms > before);
    expect(stream.roomFor(frame.length)).toBe('now');
  });

  it('reports to its server that the client has disconnected', async () => {
    const { stream, reply, closed } = await connected(newStreams(), 1000);
    reply.destroy();
    await closed;
    expect(stream.send('x')).toBe(false);
  });

  it('accepts no frame once it was ended', async () => {
    const { stream, reply } = await connected(newStreams(), 1000);
    stream.end();
    expect(stream.send('x')).toBe(false);
    expect(await textOf(reply)).toBe('retry: 2000\n\n');
  });

  it('ends with its server, also if it is opened later', async () => {
    const streams = newStreams();
    const first = await connected(streams, 1000);
    streams.close();
    expect(await textOf(first.reply)).toBe('retry: 2000\n\n');
    const second = await connected(streams, 1000);
    expect(await textOf(second.reply)).toBe('retry: 2000\n\n');
  });
});

describe('the bytes that wait for all clients together', () => {
  const BIG = frameOf({ data: 'x'.repeat(900_000) });

  /** Has a client that reads nothing hold its connection full. */
  async function stuck(streams: EventStreams, project?: string) {
    const client = await connected(streams, 1_000_000, project === undefined ? {} : { project });
    client.reply.pause();
    // What the system itself holds for a connection is megabytes at most.
    for (let sent = 0; sent < 100 && client.stream.waiting < BIG.length; sent++) {
      if (client.stream.roomFor(BIG.length) === 'now') client.stream.send(BIG);
      await new Promise(setImmediate);
    }
    return client;
  }

  it('are bounded: from half of the bound on slow clients are sent nothing more, and fast ones still get everything', async () => {
    const streams = newStreams(3_000_000);
    const slow = await stuck(streams);
    expect(slow.stream.roomFor(800_000)).toBe('later');
    const { stream } = await connected(streams, 1_000_000);
    expect(stream.roomFor(800_000)).toBe('now');
  });

  it('are reduced by cutting clients that take nothing, and the waiting clients are called', async () => {
    const streams = newStreams(1_000_000);
    const slow = await stuck(streams);
    let rooms = 0;
    const { stream } = await connected(streams, 1_000_000, { onRoom: () => rooms++ });
    await vi.waitUntil(() => rooms > 0);
    rooms = 0;
    expect(stream.roomFor(800_000)).toBe('later');
    await slow.closed;
    await vi.waitUntil(() => rooms > 0);
    expect(stream.roomFor(800_000)).toBe('now');
    expect(counts.cut).toBe(1);
  });

  it('of one project take no room from another', async () => {
    const streams = newStreams(1e9, 1_000_000);
    await stuck(streams, 'one');
    const [one, other] = await Promise.all(['one', 'other'].map((project) => connected(streams, 1_000_000, { project })));
    expect(one?.stream.roomFor(800_000)).toBe('later');
    expect(other?.stream.roomFor(800_000)).toBe('now');
  });
});
