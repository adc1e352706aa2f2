import { expect, test } from 'vitest';
import { NO_HASH, seal } from '../../src/log/chain.ts';
import { redacted } from '../../src/log/commitment.ts';
import { readLargeOnce } from '../../src/log/large-events.ts';
import type { RecordedEvent } from '../../src/log/port.ts';

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
