import type { AppContext } from '../../../src/app/context.ts';
import { Evaluations } from '../../../src/app/live/evaluations.ts';
import { Expiries } from '../../../src/app/live/expiries.ts';
import { ProjectStreams } from '../../../src/app/live/project-streams.ts';
import type { Reading } from '../../../src/app/live/reading.ts';
import { Subscriber } from '../../../src/app/live/subscriber.ts';
import { ValueMemory } from '../../../src/app/live/value-memory.ts';
import { readTopic } from '../../../src/domain/live/topic.ts';
import { RoundRobin } from '../../../src/kernel/round-robin.ts';
import { Table } from '../support.ts';

const OBSERVER = { open() {}, values() {}, message() {}, resync() {}, refused() {} };

/** The streams of an open project, on a virtual clock. `characters`: of the values in memory. */
export async function streamsOf(characters: number, given: Partial<Pick<AppContext, 'roundRobin'>> = {}) {
  const table = new Table();
  const project = await table.open();
  const context = {
    scheduler: table.machine,
    roundRobin: new RoundRobin(table.machine),
    live: { observer: OBSERVER, names: 'neutral' },
    ...given,
  } as unknown as AppContext;
  const shared = {
    memory: new ValueMemory(characters, () => undefined),
    expiries: new Expiries(table.machine),
    evaluations: new Evaluations(table.machine),
  };
  return { table, project, memory: shared.memory, streams: new ProjectStreams(project, context, shared, { closed() {} }) };
}

/** `admitted`: what a look at the caller comes to, beside the reading. */
export function subscriberOf(
  streams: ProjectStreams,
  topics: readonly string[],
  readingOf: (name: string) => Reading,
  admitted: () => Promise<object> = async () => ({}),
): Subscriber {
  const admission = async (caller: object, { text }: { readonly text: string }) => ({
    caller: { ...caller, ...(await admitted()) },
    reading: readingOf(text),
  });
  const subscriber = new Subscriber(topics.map(readTopic), false, streams, {
    authenticate: () => ({ key: { kind: 'public' }, onBehalfOf: null, platformId: null }) as never,
    admission: admission as never,
    left: () => undefined,
  });
  streams.subscribers.add(subscriber);
  return subscriber;
}
