import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CONNECTIONS_PER_PROCESS, shareConnections } from '../../src/compose/pool.ts';

/** Appends use two more. */
const APPENDING = 2;

test('all processes together leave some connections to others, each has enough to work, and none takes more than it can use', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 64 }), (most, processes) => {
      const share = shareConnections(most, processes);
      if (share === null) return;
      const each = share.pool + share.readers + APPENDING;
      expect(each * processes).toBeLessThan(most);
      expect(each).toBeLessThanOrEqual(CONNECTIONS_PER_PROCESS);
      expect(share.pool).toBeGreaterThanOrEqual(4);
      expect(share.readers).toBeGreaterThanOrEqual(2);
    }),
  );
});

test('the embedded database, which takes 60, is enough for four workers', () => {
  expect(shareConnections(60, 1)).toEqual({ pool: 12, readers: 6 });
  expect(shareConnections(60, 5)).not.toBeNull();
  expect(shareConnections(60, 9)).toBeNull();
});
