import { describe, expect, test } from 'vitest';
import { NO_HASH, seal } from '../../src/log/chain.ts';
import { redacted } from '../../src/log/commitment.ts';
import { readLargeOnce, readStored } from '../../src/log/large-events.ts';
import type { ReadRange, RecordedEvent } from '../../src/log/port.ts';

const METADATA = JSON.stringify({ commandId: 'c', cause: 'test', actor: { kind: 'operator' }, schemaVersion: 1, recordedAt: 5 });

function recorded(id: string, size: number, type = 'document.written'): RecordedEvent {
  const data = JSON.stringify({ document: { text: id.padEnd(size, 'x') } });
  return { ...seal(NO_HASH, { id, type, data, metadata: METADATA }).event, stream: 'project-p', revision: 4, position: 9n };
}

/** Whether reading it anew gives the very object that was read before. */
function isKept(event: RecordedEvent): boolean {
  const first = readLargeOnce(event);
  return readLargeOnce(event) === first;
}

test('a large event is decoded once, a small one whenever it is read', () => {
  expect([isKept(recorded('large', 100_000)), isKept(recorded('small', 1_000))]).toEqual([true, false]);
});

test('what was redacted since says nothing any more, and another event of the same id is another event', () => {
  const event = recorded('forgotten', 100_000);
  expect(readLargeOnce(event).type).toBe('document.written');
  expect(readLargeOnce({ ...event, data: redacted(event.data) })).toMatchObject({ type: 'log.redacted', data: {} });
  const other = { ...recorded('other', 100_000), id: event.id };
  expect(readLargeOnce(other).data).toMatchObject({ document: { text: expect.stringMatching(/^other/) } });
});

test('no more than eight million characters of them are kept, and those that were read last', () => {
  const events = Array.from({ length: 6 }, (_, index) => recorded(`e${index}`, 2_000_000));
  const first = events.map(readLargeOnce);
  const again = events.toReversed().map(readLargeOnce).toReversed();
  const isSame = events.map((_, index) => first[index] === again[index]);
  expect([isSame.lastIndexOf(false), isSame.filter((same) => same).length]).toEqual([1, 4]);
});

describe('events that come from the log', () => {
  /** An engine that leaves out the data of all events that the reader has, and what it was asked for. */
  const logOf = (...events: readonly RecordedEvent[]) => {
    const asked: ReadRange[] = [];
    const read = async (_: string, range: ReadRange) => {
      asked.push(range);
      return events.map((event) => (range.known?.includes(event.id) ? { ...event, data: '' } : event));
    };
    return { asked, read };
  };
  const readAll = async (log: ReturnType<typeof logOf>) => (await readStored(log, 'project-p', 4, 9)).map((event) => event.read());

  test('come without the data of large ones that are kept', async () => {
    const log = logOf(recorded('known', 100_000), recorded('short', 10));
    const first = await readAll(log);
    const again = await readStored(log, 'project-p', 4, 9);
    expect(log.asked[1]?.known).toEqual(expect.arrayContaining(['known']));
    expect(log.asked[1]?.known).not.toContain('short');
    expect(again.map(({ size }) => size)).toEqual([expect.any(Number), expect.any(Number)]);
    expect(again[0]?.size).toBeGreaterThan(100_000);
    expect(again[0]?.read()).toBe(first[0]);
    expect(again[1]?.read()).toEqual(first[1]);
  });

  test('come whole where the one of that id is another, and none is asked for of another stream', async () => {
    await readAll(logOf(recorded('twin', 100_000)));
    const other = logOf({ ...recorded('other', 100_000), id: 'twin' });
    expect((await readAll(other))[0]?.data).toMatchObject({ document: { text: expect.stringMatching(/^other/) } });
    const elsewhere = logOf(recorded('known', 100_000));
    await readStored(elsewhere, 'project-q', 4, 9);
    expect(elsewhere.asked.map(({ known }) => known)).toEqual([[]]);
  });
});
