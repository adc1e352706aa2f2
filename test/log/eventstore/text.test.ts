import { randomUUID } from 'node:crypto';
import { binaryEvent, EventStoreDBClient } from '@eventstore/db-client';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_HASH, seal, verifyLink } from '../../../src/log/chain.ts';
import type { NewEvent } from '../../../src/log/port.ts';
import { opened } from '../../support/eventstore/opened.ts';

/** What is stored in the server, and that every text comes back to the byte: the real client over the wire, against the stand-in. */

const eventOf = (metadata: string, data = '{}'): NewEvent => ({ id: randomUUID(), type: 'thing.happened', data, metadata });

/** Metadata as the writer prints it, with any names of players and endpoints. */
const ours = fc
  .record({ commandId: fc.uuid(), cause: fc.constant('document.write'), player: fc.string({ unit: 'binary' }), recordedAt: fc.nat() })
  .map(({ commandId, cause, player, recordedAt }) =>
    JSON.stringify({ commandId, cause, actor: { kind: 'public', player }, schemaVersion: 1, recordedAt }),
  );

/** JSON of any kind and in any form: spaces, numbers beyond doubles, unusual escapes, names that occur twice. */
const anyJson = fc.oneof(
  fc.json(),
  fc.jsonValue().map((value) => JSON.stringify(value, null, 1)),
  fc.constantFrom(
    '{"a":1e400,"a":12345678901234567890}',
    '{"\\u0061":1.0}',
    '{"2":0,"1":0}',
    '{"__proto__":{"a":1}}',
    '""',
    '"{}"',
    '[1]',
    '{"é":"\\ud800"}',
  ),
);

test('texts of every kind come back to the byte; ours are JSON for plain clients', async () => {
  const { server, log } = await opened();
  const plain = EventStoreDBClient.connectionString(server.url);
  const stream = (n: number) => `texts-${n}`;
  let run = 0;
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(ours, { minLength: 1, maxLength: 5 }), fc.array(anyJson, { maxLength: 5 }), async (own, others) => {
        const name = stream(run++);
        const given = [...own.map((text) => eventOf(text, JSON.stringify({ of: text }))), ...others.map((text) => eventOf(text, text))];
        await log.append(name, 'none', given);
        const stored = await log.read(name, { limit: 100, direction: 'forwards' });
        expect(stored.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))).toEqual(given);
        const seen: unknown[] = [];
        const isParsed: boolean[] = [];
        for await (const { event } of plain.readStream(name)) {
          seen.push([event?.metadata, event?.data]);
          isParsed.push(event?.isJson ?? false);
        }
        expect(seen.slice(0, own.length)).toEqual(own.map((text): unknown => [JSON.parse(text), { of: text }]));
        // What a plain client parses, it prints again to the byte.
        expect(isParsed).toEqual(given.map(({ data }) => data.startsWith('{') && JSON.stringify(JSON.parse(data)) === data));
      }),
      { numRuns: 60 },
    );
  } finally {
    await plain.dispose();
  }
});

test('a chain that an earlier release began, with metadata in a string, is read, continued and verified', async () => {
  const { server, log } = await opened();
  const plain = EventStoreDBClient.connectionString(server.url);
  const first = seal(NO_HASH, eventOf('{"cause":"test","player":"ä\\n"}', '{"n":12345678901234567890}'));
  const second = seal(first.hash, eventOf('{"cause":"test"}', '{"n":2}'));
  const { id, type, data, metadata } = first.event;
  try {
    const before = binaryEvent({ id, type, data: Buffer.from(data), metadata: Buffer.from(JSON.stringify(metadata)) });
    await plain.appendToStream('project-old', [before]);
  } finally {
    await plain.dispose();
  }
  await log.append('project-old', 0, [second.event]);
  const [old, fresh] = await log.read('project-old', { limit: 10, direction: 'forwards' });
  expect([old, fresh]).toMatchObject([first.event, second.event]);
  expect(old && fresh && [verifyLink(NO_HASH, old), verifyLink(first.hash, fresh)]).toEqual([true, true]);
});
