import { expect, test } from 'vitest';
import type { Reading } from '../../../src/app/live/reading.ts';
import type { LiveEvent } from '../../../src/app/live/subscriber.ts';
import { increment, numberOf, THING } from '../support.ts';
import { streamsOf, subscriberOf } from './support.ts';

const TOPICS = ['documents/things/busy', 'documents/things/quiet'];

test('a topic that changes all the time leaves room for the other topics of its stream', async () => {
  const { table, project, streams } = await streamsOf(1e6);
  const subscriber = subscriberOf(streams, TOPICS, readingOf);
  function readingOf(name: string): Reading {
    const subject = THING(name.split('/')[2] ?? '');
    const read = async () => {
      const text = String(numberOf((await project.read(subject)).state));
      return { text, comparable: text, revision: null, stale: false };
    };
    return { name, subjects: [subject], everyMs: 0, read };
  }
  let room = 1;
  const sent: LiveEvent[] = [];
  const send = (event: LiveEvent) => {
    room -= 1;
    sent.push(event);
  };
  await table.passing(subscriber.begin());
  subscriber.start({ roomFor: () => (room > 0 ? 'now' : 'later'), send, end: () => undefined });
  for (let n = 0; n < 6; n += 1) {
    await table.passing(project.execute(increment('busy')));
    await table.clock.run(table.clock.now + 50);
    room = 1;
    subscriber.room();
  }
  expect(sent.map(({ data }) => JSON.parse(data).topic)).toContain(TOPICS[1]);
  subscriber.close();
});

test.each([
  ['values that are too many for the memory', 600],
  ['one value above the whole bound', 5000],
])('%s are read again at a pace, while clients take nothing', async (_, characters) => {
  const { table, streams } = await streamsOf(1000);
  const reads: number[] = [];
  const text = JSON.stringify('x'.repeat(characters));
  const read = async () => {
    reads.push(table.clock.now);
    // Reads without end would leave the clock no turn, so the test would hang where it must fail.
    if (reads.length > 100) await new Promise(() => undefined);
    return { text, comparable: text, revision: null, stale: false };
  };
  const readingOf = (name: string): Reading => ({ name, subjects: [THING(name)], everyMs: 0, read });
  const subscribers = [TOPICS, TOPICS.toReversed()].map((topics) => subscriberOf(streams, topics, readingOf));
  for (const subscriber of subscribers) {
    await table.passing(subscriber.begin());
    subscriber.start({ roomFor: () => 'later', send: () => undefined, end: () => undefined });
  }
  await table.clock.run(table.clock.now + 10_000);
  expect(reads.length).toBeLessThanOrEqual(2 * 12);
  for (const subscriber of subscribers) subscriber.close();
});
