import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type AppendResult,
  type ExpectedRevision,
  type Log,
  type NewEvent,
  OutcomeUnknown,
  type RecordedEvent,
} from '../../../src/log/port.ts';
import { anEvent, events, followUntil } from './contract.ts';

/** Fate of one append: its answer arrives, its answer is lost after it was stored, or it never reached the log. */
type Fate = 'answered' | 'lostAfter' | 'lostBefore';

/** A log whose answers are lost as planned. Unplanned ones arrive. */
function lossy(log: Log, fates: Fate[]): Pick<Log, 'append'> {
  return {
    async append(stream, expected, list) {
      const fate = fates.shift() ?? 'answered';
      if (fate === 'lostBefore') throw new OutcomeUnknown('planned');
      const result = await log.append(stream, expected, list);
      if (fate === 'lostAfter') throw new OutcomeUnknown('planned');
      return result;
    },
  };
}

/** A writer at an unknown outcome: it sends the identical append until the answer is known. */
async function appendUntilKnown(
  log: Pick<Log, 'append'>,
  stream: string,
  expected: ExpectedRevision,
  list: readonly NewEvent[],
): Promise<AppendResult> {
  for (;;) {
    try {
      return await log.append(stream, expected, list);
    } catch (error) {
      if (!(error instanceof OutcomeUnknown)) throw error;
    }
  }
}

/** The rules of append in a few lines: ids per stream. Answers what the port promises, without positions. */
class Model {
  readonly streams = new Map<string, string[]>();

  append(stream: string, expected: ExpectedRevision, list: readonly NewEvent[]): object {
    const stored = this.streams.get(stream) ?? [];
    const ids = list.map((event) => event.id);
    const start = expected === 'any' ? stored.length : expected === 'none' ? 0 : expected + 1;
    if (start === stored.length) {
      if (ids.length > 0) this.streams.set(stream, [...stored, ...ids]);
      return { ok: true, revision: stored.length + ids.length - 1 };
    }
    const same = ids.length > 0 && ids.every((id, index) => stored[start + index] === id);
    if (same) return { ok: true, revision: start + ids.length - 1 };
    return { ok: false, actual: stored.length === 0 ? 'none' : stored.length - 1 };
  }
}

const expectation = fc.oneof(
  { weight: 5, arbitrary: fc.constant('right' as const) },
  { weight: 1, arbitrary: fc.constantFrom('none' as const, 'any' as const, 'behind' as const, 'ahead' as const) },
);
type Expectation = typeof expectation extends fc.Arbitrary<infer T> ? T : never;

function expectedOf(kind: Expectation, last: number): ExpectedRevision {
  if (kind === 'none' || kind === 'any') return kind;
  const revision = kind === 'right' ? last : kind === 'behind' ? last - 1 : last + 2;
  return revision < 0 ? 'none' : revision;
}

const fresh = fc.record({
  kind: fc.constant('fresh' as const),
  stream: fc.nat(2),
  size: fc.nat(4),
  expectation,
  fates: fc.array(fc.constantFrom<Fate>('answered', 'lostAfter', 'lostBefore'), { maxLength: 3 }),
});
/** An earlier append again: whole, only its beginning, or its beginning with something new. */
const again = fc.record({ kind: fc.constant('again' as const), which: fc.nat(), keep: fc.nat(4), grow: fc.boolean() });

type Fresh = typeof fresh extends fc.Arbitrary<infer T> ? T : never;

interface Sent {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
  readonly result: AppendResult;
}

/** Random histories against any log. `runs`: number of histories. */
export function logProperties(name: string, open: () => Promise<Log>, { runs }: { readonly runs: number }): void {
  describe(`properties of the log: ${name}`, () => {
    let log: Log;
    beforeAll(async () => {
      log = await open();
    });
    afterAll(() => log.close());

    test('one after the other, every append answers what the model answers', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.oneof({ weight: 3, arbitrary: fresh }, { weight: 2, arbitrary: again }), { maxLength: 40 }),
          async (commands) => {
            const model = new Model();
            const family = randomUUID();
            const sent: { stream: string; expected: ExpectedRevision; events: readonly NewEvent[] }[] = [];
            for (const command of commands) {
              const earlier = command.kind === 'again' ? sent[command.which % Math.max(1, sent.length)] : undefined;
              if (command.kind === 'again' && !earlier) continue;
              // Sending "any" again may store twice, so nobody does.
              if (earlier?.expected === 'any') continue;
              const stream = command.kind === 'fresh' ? `${family}-${command.stream}` : (earlier?.stream ?? '');
              const last = (model.streams.get(stream)?.length ?? 0) - 1;
              const append =
                command.kind === 'fresh'
                  ? { stream, expected: expectedOf(command.expectation, last), events: events(command.size) }
                  : {
                      stream,
                      expected: earlier?.expected ?? 'none',
                      events: [...(earlier?.events ?? []).slice(0, command.keep), ...(command.grow ? [anEvent()] : [])],
                    };
              const fates = command.kind === 'fresh' && append.expected !== 'any' ? [...command.fates] : [];
              const result = await appendUntilKnown(lossy(log, fates), append.stream, append.expected, append.events);
              expect(result).toMatchObject(model.append(append.stream, append.expected, append.events));
              sent.push(append);
            }
            for (const [stream, ids] of model.streams) {
              expect((await log.read(stream, { limit: 1000, direction: 'forwards' })).map((event) => event.id)).toEqual(ids);
            }
          },
        ),
        { numRuns: runs },
      );
    });

    test('side by side, with answers lost and followers throughout: no gap, no disorder, no duplicate, no lost conflict', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.array(fresh, { maxLength: 12 }), { minLength: 2, maxLength: 5 }), async (writers) => {
          const family = randomUUID();
          const start = await log.end();
          // The last event of all: a follower that has seen it has seen everything.
          const sentinel = anEvent();
          const done = (seen: readonly RecordedEvent[]) => seen.at(-1)?.id === sentinel.id;
          const following = [
            followUntil(log, { prefix: family, after: start }, done),
            followUntil(log, { prefix: `${family}-1`, after: start }, done),
            restlessly(log, family, start, done),
          ];
          const sent = (await Promise.all(writers.map((commands) => write(log, family, commands)))).flat();
          sent.push(await send(log, { stream: `${family}-1`, expected: 'any', events: [sentinel] }, []));
          const [all, one, restless] = await Promise.all(following);

          const streams = await Promise.all([0, 1, 2].map((n) => log.read(`${family}-${n}`, { limit: 10_000, direction: 'forwards' })));
          const inOrder = streams.flat().toSorted((a, b) => (a.position < b.position ? -1 : 1));
          for (const stored of streams) expect(stored.map((event) => event.revision)).toEqual(stored.map((_, index) => index));
          expect(new Set(inOrder.map((event) => event.id)).size).toBe(inOrder.length);
          expect(new Set(inOrder.map((event) => event.position)).size).toBe(inOrder.length);
          explained(sent, inOrder);
          expect(all?.events).toEqual(inOrder);
          expect(restless?.events).toEqual(inOrder);
          expect(one?.events).toEqual(streams[1]);
        }),
        { numRuns: runs },
      );
    });
  });
}

async function send(log: Log, append: Omit<Sent, 'result'>, fates: readonly Fate[]): Promise<Sent> {
  return { ...append, result: await appendUntilKnown(lossy(log, [...fates]), append.stream, append.expected, append.events) };
}

/** Runs one writer's commands. It reads the head before each, as a writer without memory would. */
async function write(log: Log, family: string, commands: readonly Fresh[]): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (const command of commands) {
    const stream = `${family}-${command.stream}`;
    const expected = expectedOf(command.expectation, (await log.head(stream))?.revision ?? -1);
    sent.push(await send(log, { stream, expected, events: events(command.size) }, expected === 'any' ? [] : command.fates));
  }
  return sent;
}

/** A follower that leaves after a few events, or when there are none, and comes back to the same revision. */
async function restlessly(
  log: Log,
  prefix: string,
  start: bigint | null,
  done: (seen: readonly RecordedEvent[]) => boolean,
): Promise<{ readonly events: RecordedEvent[] }> {
  const seen: RecordedEvent[] = [];
  let after = start;
  while (!done(seen)) {
    const { events: more, steps } = await followUntil(log, { prefix, after }, (list, step) => step.caughtUp || list.length > 3);
    seen.push(...more);
    after = steps.at(-1)?.position ?? after;
  }
  return { events: seen };
}

/** Every acknowledged append lies whole where its answer says and where it was expected. No other event is in the log. */
function explained(sent: readonly Sent[], stored: readonly RecordedEvent[]): void {
  const byId = new Map(stored.map((event) => [event.id, event]));
  let acknowledged = 0;
  for (const { stream, expected, events: list, result } of sent) {
    if (!result.ok) {
      expect(result.actual).not.toBe(expected);
      for (const event of list) expect(byId.has(event.id)).toBe(false);
      continue;
    }
    acknowledged += list.length;
    const first = result.revision - list.length + 1;
    if (expected !== 'any') expect(first).toBe(expected === 'none' ? 0 : expected + 1);
    list.forEach((event, index) => {
      expect(byId.get(event.id)).toMatchObject({ ...event, stream, revision: first + index });
    });
  }
  expect(stored).toHaveLength(acknowledged);
}
