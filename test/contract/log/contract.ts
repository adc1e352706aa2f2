import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NO_HASH, seal } from '../../../src/log/chain.ts';
import { redacted } from '../../../src/log/commitment.ts';
import { logSource } from '../../../src/log/copy/log-ends.ts';
import { isForeign, lastSealed } from '../../../src/log/foreign.ts';
import { AppendTooLarge, type FollowStep, type Log, LogUnavailable, type NewEvent, type RecordedEvent } from '../../../src/log/port.ts';

/** Promises that only some adapters make, and facts that the suite needs about this one. */
export interface LogTraits {
  /** Positions are 1, 2, 3, … over the whole log. An answer's position is that of its last event. */
  readonly densePositions: boolean;
  /** Bytes of one append that this log certainly refuses. */
  readonly tooLargeBytes: number;
  /** Opens a second log over the same storage, as another process would. Left out if the storage lives in the process. */
  readonly another?: () => Promise<Log>;
}

/** An event with a fresh id; `data` is a JSON text. */
export function anEvent(data = '{"n":1}', metadata = '{"m":true}'): NewEvent {
  return { id: randomUUID(), type: 'thing.happened', data, metadata };
}

export function events(count: number): NewEvent[] {
  return Array.from({ length: count }, (_, n) => anEvent(`{"n":${n}}`));
}

/** Follows until `enough` answers true, and gives all steps. */
export async function followUntil(
  log: Log,
  options: { readonly prefix: string; readonly after: bigint | null },
  enough: (events: readonly RecordedEvent[], step: FollowStep) => boolean,
): Promise<{ readonly events: RecordedEvent[]; readonly steps: FollowStep[] }> {
  const stop = new AbortController();
  const seen: RecordedEvent[] = [];
  const steps: FollowStep[] = [];
  for await (const step of log.follow({ ...options, signal: stop.signal })) {
    seen.push(...step.events);
    steps.push(step);
    if (enough(seen, step)) stop.abort();
  }
  return { events: seen, steps };
}

const idsOf = (list: readonly { readonly id: string }[]) => list.map((event) => event.id);

/**
 * The rules that every log must keep. One log serves all tests, as in production, so every test uses its own streams and none may assume
 * that it is alone.
 */
export function logContract(name: string, open: () => Promise<{ readonly log: Log; readonly traits: LogTraits }>): void {
  describe(`the log contract: ${name}`, () => {
    let log: Log;
    let traits: LogTraits;
    const stream = () => `test-${randomUUID()}`;

    beforeAll(async () => {
      ({ log, traits } = await open());
    });
    afterAll(() => log.close());

    const append = async (to: string, expected: number | 'none' | 'any', list: readonly NewEvent[]) => {
      const result = await log.append(to, expected, list);
      if (!result.ok) throw new Error(`unexpected conflict, actual ${result.actual}`);
      return result;
    };
    const readAll = (from: string) => log.read(from, { limit: 10_000, direction: 'forwards' });

    describe('append', () => {
      test('revisions are dense from 0, positions strictly increase', async () => {
        const to = stream();
        const first = await append(to, 'none', events(3));
        const second = await append(to, 2, events(2));
        const stored = await readAll(to);
        expect(first.revision).toBe(2);
        expect(second.revision).toBe(4);
        expect(second.position > first.position).toBe(true);
        expect(stored.map((event) => event.revision)).toEqual([0, 1, 2, 3, 4]);
        stored.reduce((before, event) => {
          expect(event.position > before).toBe(true);
          return event.position;
        }, -1n);
      });

      test('any appends wherever the stream ends', async () => {
        const to = stream();
        expect((await append(to, 'any', events(2))).revision).toBe(1);
        expect((await append(to, 'any', events(1))).revision).toBe(2);
      });

      test('a wrong expectation is a conflict that answers the actual revision and stores nothing', async () => {
        const to = stream();
        expect(await log.append(to, 0, events(1))).toEqual({ ok: false, actual: 'none' });
        await append(to, 'none', events(2));
        expect(await log.append(to, 'none', events(1))).toEqual({ ok: false, actual: 1 });
        expect(await log.append(to, 0, events(1))).toEqual({ ok: false, actual: 1 });
        expect(await log.append(to, 7, events(1))).toEqual({ ok: false, actual: 1 });
        expect(await readAll(to)).toHaveLength(2);
      });

      test('of 20 concurrent first appends exactly one wins', async () => {
        const to = stream();
        const results = await Promise.all(Array.from({ length: 20 }, () => log.append(to, 'none', events(3))));
        expect(results.filter((result) => result.ok)).toHaveLength(1);
        for (const result of results) if (!result.ok) expect(result.actual).toBe(2);
        expect(await readAll(to)).toHaveLength(3);
      });

      test('appends sent without waiting at successive revisions all succeed in order', async () => {
        const to = stream();
        const lists = Array.from({ length: 30 }, (_, n) => events((n % 3) + 1));
        let next = -1;
        const sent = lists.map((list) => {
          const expected = next === -1 ? 'none' : next;
          next += list.length;
          return log.append(to, expected, list);
        });
        expect((await Promise.all(sent)).every((result) => result.ok)).toBe(true);
        expect(idsOf(await readAll(to))).toEqual(idsOf(lists.flat()));
      });

      test('appends to many streams at once are each decided by themselves', async () => {
        const taken = stream();
        await append(taken, 'none', events(1));
        const names = Array.from({ length: 20 }, stream);
        const [conflict, ...results] = await Promise.all([
          log.append(taken, 'none', events(1)),
          ...names.map((to) => log.append(to, 'none', events(2))),
        ]);
        expect(conflict).toEqual({ ok: false, actual: 0 });
        expect(results.every((result) => result.ok && result.revision === 1)).toBe(true);
        for (const to of names) expect(await readAll(to)).toHaveLength(2);
      });

      test('an empty append succeeds, stores nothing and checks the revision', async () => {
        const to = stream();
        expect((await log.append(to, 'none', [])).ok).toBe(true);
        expect(await log.append(to, 0, [])).toEqual({ ok: false, actual: 'none' });
        await append(to, 'none', events(2));
        expect(await log.append(to, 1, [])).toMatchObject({ ok: true, revision: 1 });
        expect(await log.append(to, 0, [])).toEqual({ ok: false, actual: 1 });
        expect(await log.append(to, 'none', [])).toEqual({ ok: false, actual: 1 });
        expect(await readAll(to)).toHaveLength(2);
      });

      test('an append that is too large is refused before it is sent', async () => {
        const to = stream();
        const large = anEvent(JSON.stringify('x'.repeat(traits.tooLargeBytes)));
        await expect(log.append(to, 'none', [large])).rejects.toBeInstanceOf(AppendTooLarge);
        expect(await log.head(to)).toBeNull();
      });
    });

    describe('an append sent again', () => {
      test('at its exact revision or at none it gets its first answer, also after later appends', async () => {
        const to = stream();
        const [one, two] = [events(3), events(2)];
        const first = await append(to, 'none', one);
        expect(await log.append(to, 'none', one)).toMatchObject({ ok: true, revision: first.revision });
        const second = await append(to, 2, two);
        await append(to, 4, events(5));
        await append(stream(), 'none', events(5));
        const again = [await append(to, 'none', one), await append(to, 2, two)];
        expect(again.map((result) => result.revision)).toEqual([first.revision, second.revision]);
        if (traits.densePositions) expect(again.map((result) => result.position)).toEqual([first.position, second.position]);
        expect(await readAll(to)).toHaveLength(10);
      });

      test('only ids are compared: other data under the same ids keeps the old data', async () => {
        const to = stream();
        const list = events(2);
        await append(to, 'none', list);
        await append(
          to,
          'none',
          list.map((event) => ({ ...event, data: '"other"' })),
        );
        expect((await readAll(to)).map((event) => event.data)).toEqual(list.map((event) => event.data));
      });

      test('a prefix of what was stored succeeds; a prefix and a new event is a conflict', async () => {
        const to = stream();
        const list = events(4);
        await append(to, 'none', list);
        expect((await append(to, 'none', list.slice(0, 2))).revision).toBe(1);
        expect(await log.append(to, 'none', [...list.slice(0, 2), anEvent()])).toEqual({ ok: false, actual: 3 });
        expect(await log.append(to, 'none', [...list, anEvent()])).toEqual({ ok: false, actual: 3 });
        expect(await log.append(to, 'none', [list[1] ?? anEvent(), list[0] ?? anEvent()])).toEqual({ ok: false, actual: 3 });
      });

      test('at another revision it is another append', async () => {
        const to = stream();
        const list = events(2);
        await append(to, 'none', events(2));
        await append(to, 1, list);
        expect(await log.append(to, 0, list)).toEqual({ ok: false, actual: 3 });
      });

      test('twice at once it is stored once', async () => {
        const to = stream();
        const list = events(3);
        const results = await Promise.all([log.append(to, 'none', list), log.append(to, 'none', list), log.append(to, 'none', list)]);
        expect(results.map((result) => result.ok && result.revision)).toEqual([2, 2, 2]);
        expect(idsOf(await readAll(to))).toEqual(idsOf(list));
      });
    });

    describe('read', () => {
      test('forwards and backwards, from a revision inclusive, with a limit', async () => {
        const to = stream();
        await append(to, 'none', events(10));
        const revisions = async (range: Parameters<Log['read']>[1]) => (await log.read(to, range)).map((event) => event.revision);
        expect(await revisions({ direction: 'forwards', limit: 3 })).toEqual([0, 1, 2]);
        expect(await revisions({ direction: 'forwards', from: 7, limit: 100 })).toEqual([7, 8, 9]);
        expect(await revisions({ direction: 'backwards', limit: 3 })).toEqual([9, 8, 7]);
        expect(await revisions({ direction: 'backwards', from: 2, limit: 100 })).toEqual([2, 1, 0]);
        expect(await revisions({ direction: 'backwards', from: 5, limit: 2 })).toEqual([5, 4]);
      });

      test('from beyond the end it is empty, and so is a missing stream', async () => {
        const to = stream();
        await append(to, 'none', events(2));
        expect(await log.read(to, { direction: 'forwards', from: 2, limit: 10 })).toEqual([]);
        expect(await log.read(stream(), { direction: 'forwards', limit: 10 })).toEqual([]);
        expect(await log.read(stream(), { direction: 'backwards', limit: 10 })).toEqual([]);
      });

      test('what was acknowledged is read at once', async () => {
        const to = stream();
        for (let n = 0; n < 20; n++) {
          const list = events(1);
          await append(to, n === 0 ? 'none' : n - 1, list);
          expect(idsOf(await log.read(to, { direction: 'backwards', limit: 1 }))).toEqual(idsOf(list));
        }
      });

      test('data and metadata are kept as the very text that was sent', async () => {
        const to = stream();
        const texts = [
          '{"b":1,"a":2,"10":3,"2":4}',
          '{"id":18446744073709551615,"f":1.0,"e":1e2,"z":-0}',
          '{"text":"Zoë 🎲 日本 \\u0000 \\ud800 \\"quoted\\" \\\\ \\n"}',
          '{"a":1,"a":2}',
          '{ "spaced" : [ 1 , 2 ] }',
          '[]',
          'null',
          '"alone"',
        ];
        const list = texts.map((text) => anEvent(text, `{"zz":${text},"aa":1}`));
        await append(to, 'none', list);
        const read = await readAll(to);
        const followed = await followUntil(log, { prefix: to, after: null }, (seen) => seen.length >= texts.length);
        for (const copy of [read, followed.events]) {
          expect(copy.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }))).toEqual(list);
        }
      });

      test('what another program appended to the stream of a project keeps its revision, and is known by its missing seal', async () => {
        const stream = `project-${randomUUID()}`;
        const own = seal(NO_HASH, anEvent());
        const [first, foreign] = [own.event, anEvent('"theirs"', '{"theirs":true}')];
        await log.append(stream, 'none', [first]);
        await log.append(stream, 0, [foreign]);
        await log.append(stream, 1, [seal(own.hash, anEvent()).event]);
        const chain = await log.read(stream, { limit: 10, direction: 'forwards' });
        expect(chain.map(isForeign)).toEqual([false, true, false]);
        expect(await lastSealed(log, stream, 1)).toMatchObject({ id: first.id, revision: 0 });
      });

      test('the head is the last event; a stream without events has none', async () => {
        const to = stream();
        expect(await log.head(to)).toBeNull();
        await append(to, 'none', []);
        expect(await log.head(to)).toBeNull();
        await append(to, 'none', events(4));
        const last = (await readAll(to)).at(-1);
        expect(await log.head(to)).toEqual({ revision: 3, position: last?.position });
      });

      test('the end of the log is the position of its last event', async () => {
        const to = stream();
        await append(to, 'none', events(2));
        const end = await log.end();
        const head = await log.head(to);
        expect(end !== null && head !== null && end >= head.position).toBe(true);
      });
    });

    describe('follow', () => {
      test('from the start it gives everything of the prefix in order, then says caught up', async () => {
        const family = stream();
        const [one, two] = [`${family}-one`, `${family}-two`];
        await append(one, 'none', events(3));
        await append(stream(), 'none', events(3));
        await append(two, 'none', events(2));
        await append(one, 2, events(1));
        const { events: seen, steps } = await followUntil(log, { prefix: family, after: null }, (_, step) => step.caughtUp);
        expect(seen.map((event) => [event.stream, event.revision])).toEqual([
          [one, 0],
          [one, 1],
          [one, 2],
          [two, 0],
          [two, 1],
          [one, 3],
        ]);
        expect(steps.at(-1)?.caughtUp).toBe(true);
      });

      test('after a position it gives what lies behind it, and nothing else', async () => {
        const to = stream();
        await append(to, 'none', events(5));
        const stored = await readAll(to);
        const after = stored[2]?.position ?? 0n;
        const { events: seen } = await followUntil(log, { prefix: to, after }, (_, step) => step.caughtUp);
        expect(seen).toEqual(stored.slice(3));
      });

      test('what is appended while it follows arrives, once and in order', async () => {
        const to = stream();
        const lists = Array.from({ length: 40 }, () => events(5));
        const following = followUntil(log, { prefix: to, after: await log.end() }, (seen) => seen.length >= 200);
        let revision = -1;
        for (const list of lists) {
          await append(to, revision === -1 ? 'none' : revision, list);
          revision += list.length;
        }
        expect(idsOf((await following).events)).toEqual(idsOf(lists.flat()));
      });

      test('it can be resumed from the position of any step without loss or repetition', async () => {
        const to = stream();
        await append(to, 'none', events(30));
        const start = await log.end();
        const writing = (async () => {
          for (let n = 0; n < 30; n++) {
            await append(to, 29 + n, events(1));
            await append(stream(), 'none', events(1));
          }
        })();
        const seen: RecordedEvent[] = [];
        let after: bigint | null = start === null ? null : ((await readAll(to))[9]?.position ?? null);
        while (seen.length < 50) {
          const once = await followUntil(log, { prefix: to, after }, () => true);
          seen.push(...once.events);
          after = once.steps.at(-1)?.position ?? after;
        }
        await writing;
        expect(seen.map((event) => event.revision)).toEqual(Array.from({ length: 50 }, (_, n) => n + 10));
      });

      test('positions never run backwards, and cover every event given', async () => {
        const to = stream();
        await append(to, 'none', events(20));
        const { steps } = await followUntil(log, { prefix: to, after: null }, (_, step) => step.caughtUp);
        steps.reduce((before, step) => {
          expect(step.position >= before).toBe(true);
          for (const event of step.events) expect(event.position > before && event.position <= step.position).toBe(true);
          return step.position;
        }, -1n);
      });

      test('events of other streams move the position on', async () => {
        const prefix = stream();
        await append(stream(), 'none', events(10));
        const end = (await log.end()) ?? 0n;
        const { events: seen, steps } = await followUntil(log, { prefix, after: null }, (_, step) => step.caughtUp);
        expect(seen).toEqual([]);
        expect((steps.at(-1)?.position ?? -1n) >= end).toBe(true);
      });

      test('caught up covers what was acknowledged before following began', async () => {
        const to = stream();
        for (let n = 0; n < 10; n++) {
          const before = (await log.end()) ?? null;
          await append(to, n === 0 ? 'none' : n - 1, events(1));
          const { events: seen } = await followUntil(log, { prefix: to, after: before }, (_, step) => step.caughtUp);
          expect(seen.map((event) => event.revision)).toEqual([n]);
        }
      });

      test('an idle follower goes on saying that it is caught up', async () => {
        let heard = 0;
        const { events: seen } = await followUntil(log, { prefix: stream(), after: await log.end() }, (_, step) => {
          heard += step.caughtUp ? 1 : 0;
          return heard >= 3;
        });
        expect(seen).toEqual([]);
      });

      test('it ends when its signal aborts, at rest and before it began', async () => {
        const stop = new AbortController();
        const idle = log.follow({ prefix: stream(), after: await log.end(), signal: stop.signal })[Symbol.asyncIterator]();
        while (!(await idle.next()).value?.caughtUp);
        const waiting = idle.next();
        stop.abort();
        // A heartbeat may already have been on its way.
        expect((await waiting).done || (await idle.next()).done).toBe(true);
        const never = log.follow({ prefix: stream(), after: null, signal: AbortSignal.abort() })[Symbol.asyncIterator]();
        expect((await never.next()).done).toBe(true);
      });

      test('many followers see the same', async () => {
        const to = stream();
        const start = await log.end();
        const following = Array.from({ length: 10 }, () => followUntil(log, { prefix: to, after: start }, (seen) => seen.length >= 20));
        for (let n = 0; n < 20; n++) await append(to, n === 0 ? 'none' : n - 1, events(1));
        const stored = idsOf(await readAll(to));
        for (const one of await Promise.all(following)) expect(idsOf(one.events)).toEqual(stored);
      });
    });

    test('data that the reader has may be left out where they are long, and nothing else of the event is; what was redacted never is', async () => {
      const to = stream();
      const long = () => anEvent(JSON.stringify({ n: Array.from({ length: 500 }, () => randomUUID()) }));
      await append(to, 'none', [long(), anEvent(), long(), long()]);
      const [first, second, third, fourth] = await readAll(to);
      if (!first || !second || !third || !fourth) throw new Error('four events were stored');
      const known = [first, second, fourth].map(({ id }) => id);
      await log.redact?.(to, [3]);
      const [one, other, whole, last] = await log.read(to, { from: 0, limit: 10, direction: 'forwards', known });
      expect([first, { ...first, data: '' }]).toContainEqual(one);
      expect([other, whole]).toEqual([second, third]);
      expect(log.redact === undefined ? [fourth, { ...fourth, data: '' }] : [{ ...fourth, data: redacted(fourth.data) }]).toContainEqual(
        last,
      );
    });

    test('what is redacted is a commitment from then on, in its place, where the engine can change an event', async () => {
      if (log.redact === undefined) return;
      const to = stream();
      await append(to, 'none', [anEvent('{"name":"Ada"}'), anEvent('{"name":"Bo"}'), anEvent('{"name":"Cy"}')]);
      const before = await log.read(to, { limit: 3, direction: 'forwards' });
      await log.redact(to, [1, 7]);
      await log.redact(to, [1]);
      const after = await log.read(to, { limit: 3, direction: 'forwards' });
      expect(after).toEqual(before.map((event) => (event.revision === 1 ? { ...event, data: redacted(event.data) } : event)));
      expect(JSON.stringify(after.map(({ data }) => data))).not.toContain('Bo');
    });

    describe('truncate', () => {
      const revisionsOf = (list: readonly RecordedEvent[]) => list.map(({ revision }) => revision);
      const forwards = async (from: string, at?: number) =>
        revisionsOf(await log.read(from, { ...(at === undefined ? {} : { from: at }), limit: 3, direction: 'forwards' }));

      test('what lies below is read no more, both ways; a read from 0 begins at the first that is kept', async () => {
        const to = `telemetry-${randomUUID()}`;
        await append(to, 'none', events(10));
        await log.truncate(to, 6);
        expect([await forwards(to), await forwards(to, 0), await forwards(to, 3)]).toEqual([
          [6, 7, 8],
          [6, 7, 8],
          [6, 7, 8],
        ]);
        expect(revisionsOf(await log.read(to, { limit: 10, direction: 'backwards' }))).toEqual([9, 8, 7, 6]);
        expect(await log.read(to, { from: 4, limit: 10, direction: 'backwards' })).toEqual([]);
      });

      test('heads, revisions and positions stay, and appends go on', async () => {
        const to = `totals-${randomUUID()}`;
        await append(to, 'none', events(10));
        const [head, before] = [await log.head(to), await readAll(to)];
        await log.truncate(to, 7);
        expect(await log.head(to)).toEqual(head);
        expect(await readAll(to)).toEqual(before.slice(7));
        expect((await append(to, 9, events(2))).revision).toBe(11);
        expect(await log.append(to, 9, events(1))).toEqual({ ok: false, actual: 11 });
        expect(revisionsOf(await readAll(to))).toEqual([7, 8, 9, 10, 11]);
      });

      test('twice is harmless, less changes nothing, and the last event stays whatever is asked for', async () => {
        const to = `telemetry-${randomUUID()}`;
        await log.truncate(to, 5);
        expect(await readAll(to)).toEqual([]);
        await append(to, 'none', events(10));
        await log.truncate(to, 5);
        await log.truncate(to, 5);
        await log.truncate(to, 2);
        expect(revisionsOf(await readAll(to))).toEqual([5, 6, 7, 8, 9]);
        await log.truncate(to, 5_000);
        expect(revisionsOf(await readAll(to))).toEqual([9]);
        expect((await log.head(to))?.revision).toBe(9);
      });

      test('more events than are given up at once go, and no neighbour with them', async () => {
        const [to, beside] = [`telemetry-${randomUUID()}`, `telemetry-${randomUUID()}`];
        for (let n = 0; n < 3; n++) await append(to, n === 0 ? 'none' : n * 700 - 1, events(700));
        await append(beside, 'none', events(3));
        await log.truncate(to, 2050);
        expect(await readAll(to)).toHaveLength(50);
        expect(await readAll(beside)).toHaveLength(3);
      });

      test('streams from which something is decided are never truncated', async () => {
        for (const to of [`project-${randomUUID()}`, `people-${randomUUID()}`, stream()]) {
          await append(to, 'none', events(3));
          await expect(log.truncate(to, 2)).rejects.toThrow('is never truncated');
          expect(await readAll(to)).toHaveLength(3);
        }
      });

      test('who follows goes past what was given up, and misses nothing that is kept', async () => {
        const to = `telemetry-${randomUUID()}`;
        const start = await log.end();
        await append(to, 'none', events(10));
        await log.truncate(to, 8);
        const last = (await append(to, 9, events(1))).position;
        const { events: seen } = await followUntil(log, { prefix: to, after: start }, (_, step) => step.position >= last);
        // An engine may still answer what its disk holds.
        expect(revisionsOf(seen.filter(({ revision }) => revision >= 8))).toEqual([8, 9, 10]);
      });

      test('what was given up is in no copy of the log, even where the disk still has it', async () => {
        const to = `telemetry-${randomUUID()}`;
        const start = await log.end();
        await append(to, 'none', events(10));
        await log.truncate(to, 8);
        const copied: RecordedEvent[] = [];
        const source = logSource(log, { hasDensePositions: traits.densePositions });
        for await (const step of source.steps(start, new AbortController().signal)) {
          copied.push(...step.events.filter((event) => event.stream === to));
          if (step.caughtUp) break;
        }
        expect(revisionsOf(copied)).toEqual([8, 9]);
      });

      test('a follower at the end goes past events that another process stored and gave up', async ({ skip }) => {
        if (!traits.another) return skip();
        const to = `telemetry-${randomUUID()}`;
        const other = await traits.another();
        try {
          await append(to, 'none', events(1));
          const following = followUntil(log, { prefix: to, after: await log.end() }, (seen) =>
            seen.some(({ revision }) => revision === 30),
          );
          for (let n = 0; n < 30; n++) {
            await other.append(to, n, events(1));
            await other.truncate(to, n + 1);
          }
          expect((await following).events.at(-1)?.revision).toBe(30);
        } finally {
          await other.close();
        }
      });
    });

    describe('dense positions', () => {
      test('an answer carries the position of its last event, and the next event of the log has the next one', async ({ skip }) => {
        if (!traits.densePositions) return skip();
        const to = stream();
        const first = await append(to, 'none', events(3));
        await log.append(to, 'none', events(1));
        const second = await append(stream(), 'none', events(2));
        expect((await readAll(to)).map((event) => event.position)).toEqual([first.position - 2n, first.position - 1n, first.position]);
        expect(second.position).toBe(first.position + 2n);
        expect(await log.end()).toBe(second.position);
      });
    });

    describe('several processes', () => {
      test('each sees what the others append, in one order', async ({ skip }) => {
        if (!traits.another) return skip();
        const other = await traits.another();
        const family = stream();
        const start = await log.end();
        const following = [log, other].map((one) => followUntil(one, { prefix: family, after: start }, (seen) => seen.length >= 120));
        const write = async (one: Log, to: string) => {
          for (let n = 0; n < 20; n++) await one.append(to, n === 0 ? 'none' : 3 * n - 1, events(3));
        };
        await Promise.all([write(log, `${family}-a`), write(other, `${family}-b`)]);
        const [mine, theirs] = await Promise.all(following);
        await other.close();
        expect(mine?.events).toEqual(theirs?.events);
        expect(new Set(idsOf(mine?.events ?? [])).size).toBe(120);
      });

      test('of many that append at one revision exactly one wins, and it is the same for all', async ({ skip }) => {
        if (!traits.another) return skip();
        const others = await Promise.all([traits.another(), traits.another()]);
        const to = stream();
        for (let n = 0; n < 20; n++) {
          const results = await Promise.all([log, ...others].map((one) => one.append(to, n === 0 ? 'none' : n - 1, events(1))));
          expect(results.filter((result) => result.ok)).toHaveLength(1);
          for (const result of results) if (!result.ok) expect(result.actual).toBe(n);
        }
        await Promise.all(others.map((one) => one.close()));
      });
    });

    test('a closed log stores nothing more, and its followers end', async ({ skip }) => {
      if (!traits.another) return skip();
      const other = await traits.another();
      const following = followUntil(other, { prefix: stream(), after: null }, () => false);
      await other.close();
      await expect(other.append(stream(), 'none', events(1))).rejects.toBeInstanceOf(LogUnavailable);
      await following;
    });
  });
}
