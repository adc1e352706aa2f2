import { expect, test } from 'vitest';
import type { AppContext } from '../../../src/app/context.ts';
import { ProjectStreams } from '../../../src/app/live/project-streams.ts';
import type { Reading } from '../../../src/app/live/reading.ts';
import { type LiveEvent, Subscriber } from '../../../src/app/live/subscriber.ts';
import { ValueMemory } from '../../../src/app/live/value-memory.ts';
import { readTopic } from '../../../src/domain/live/topic.ts';
import { increment, numberOf, Table, THING } from '../support.ts';

const TOPICS = ['documents/things/busy', 'documents/things/quiet'];

test('a topic that changes all the time leaves the others of its stream their turn, where there is room for one at a time', async () => {
  const table = new Table();
  const project = await table.open();
  const quiet = { open() {}, message() {}, resync() {}, refused() {} };
  const context = { scheduler: table.machine, live: { observer: quiet, names: 'neutral' } } as unknown as AppContext;
  const streams = new ProjectStreams(project, context, new ValueMemory(1e6), { left() {}, closed() {} });
  const admission = async (caller: never, { text }: { readonly text: string }) => ({ caller, reading: readingOf(text) });
  const subscriber = new Subscriber(TOPICS.map(readTopic), false, streams, {
    authenticate: () => ({}) as never,
    admission: admission as never,
  });
  function readingOf(name: string): Reading {
    const subject = THING(name.split('/')[2] ?? '');
    const read = async () => {
      const text = String(numberOf((await project.read(subject)).state));
      return { text, same: text, revision: null, stale: false };
    };
    return { name, subjects: [subject], everyMs: 0, read };
  }
  let room = 1;
  const sent: LiveEvent[] = [];
  const send = (event: LiveEvent) => {
    room -= 1;
    return sent.push(event) > 0;
  };
  streams.subscribers.add(subscriber);
  await table.passing(subscriber.begin());
  subscriber.start({ hasRoomFor: () => room > 0, send, end: () => undefined });
  for (let n = 0; n < 6; n += 1) {
    await table.passing(project.execute(increment('busy')));
    await table.clock.run(table.clock.now + 50);
    room = 1;
    subscriber.room();
  }
  expect(sent.map(({ data }) => JSON.parse(data).topic)).toContain(TOPICS[1]);
  subscriber.close();
});
