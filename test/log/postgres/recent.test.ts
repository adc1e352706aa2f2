import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordedEvent } from '../../../src/log/port.ts';
import { Recent } from '../../../src/log/postgres/recent.ts';

const at = (position: number): RecordedEvent => ({
  id: '',
  type: 't',
  stream: 's',
  data: 'x'.repeat(position % 50),
  metadata: '',
  revision: 0,
  position: BigInt(position),
});

test('recent events are kept without a gap, and events that are not kept are known to be missing', () => {
  fc.assert(
    fc.property(fc.nat(20), fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 400, max: 300_000 }), (start, count, maxBytes) => {
      const recent = new Recent(start, maxBytes);
      for (let n = 1; n <= count; n++) recent.push(at(start + n));
      expect(recent.top).toBe(start + count);
      expect(recent.after(recent.base, 10_000)?.map((event) => Number(event.position))).toEqual(
        Array.from({ length: recent.top - recent.base }, (_, n) => recent.base + n + 1),
      );
      expect(recent.after(recent.top, 10)).toEqual([]);
      expect(recent.after(recent.base - 1, 10)).toBeNull();
      expect(recent.after(recent.top + 1, 10)).toBeNull();
    }),
    { numRuns: 50 },
  );
});

test('recent events are bounded in bytes', () => {
  const recent = new Recent(0, 10_000);
  for (let n = 1; n <= 1000; n++) recent.push(at(n));
  expect((recent.top - recent.base) * 300).toBeLessThanOrEqual(10_000);
  expect(recent.top - recent.base).toBeGreaterThan(10);
});

test('an event that is not the next is ignored', () => {
  const recent = new Recent(5, 10_000);
  recent.push(at(7));
  recent.push(at(5));
  expect(recent.top).toBe(5);
});
