import { expect, test } from 'vitest';
import { BATCH_EVENTS, batchLength } from '../../projections/projector/batch-slicing.ts';
import type { RecordedEvent } from '../../src/log/port.ts';

function recorded(revision: number, type: string, data = '{}'): RecordedEvent {
  return { position: BigInt(revision), stream: 'project-one', revision, id: `e${revision}`, type, data, metadata: '{}' };
}

test('a posting comes with another event and does not count, so that a batch holds as many commits with money as without', () => {
  const written = Array.from({ length: BATCH_EVENTS + 1 }, (_, at) => recorded(at, 'document.written'));
  expect(batchLength(written)).toBe(BATCH_EVENTS);
  const paid = written.flatMap((_, at) => [recorded(2 * at, 'document.written'), recorded(2 * at + 1, 'ledger.posted')]);
  expect(batchLength(paid)).toBe(2 * BATCH_EVENTS);
});

test('however many postings there are, a batch has twice as many events at most', () => {
  const posted = Array.from({ length: 3 * BATCH_EVENTS }, (_, at) => recorded(at, 'ledger.posted'));
  expect(batchLength(posted)).toBe(2 * BATCH_EVENTS);
});

test('a batch ends at a gap, and before more characters than it may hold, but has one event at least', () => {
  expect(batchLength([recorded(4, 'document.written'), recorded(5, 'document.written'), recorded(7, 'document.written')])).toBe(2);
  const large = 'x'.repeat(5 * 1024 * 1024);
  expect(batchLength([recorded(0, 'document.written', large), recorded(1, 'document.written')])).toBe(1);
  expect(batchLength([recorded(0, 'document.written'), recorded(1, 'document.written', large)])).toBe(1);
});
