import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allotConnections, connectionsOf, demandOf } from '../../src/compose/pool.ts';
import type { Role } from '../../src/config/settings.ts';

test('all processes and jobs together leave some connections to others, each has enough, and none takes more than it can use', () => {
  const jobs = fc.constantFrom(0, 6);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 1, max: 64 }), jobs, (most, processes, taken) => {
      const demand = { processes, jobs: taken };
      const share = allotConnections(most, demand);
      if (share === null) return;
      expect(connectionsOf(demand, share)).toBeLessThan(most);
      expect(connectionsOf(demand, share)).toBeLessThanOrEqual(connectionsOf(demand));
      expect(share.pool).toBeGreaterThanOrEqual(4);
      expect(share.readers).toBeGreaterThanOrEqual(2);
    }),
  );
});

test.each<[number, readonly Role[], string | null, number]>([
  [1, ['api', 'projector'], null, 20],
  [1, ['api', 'projector', 'worker'], null, 26],
  [1, ['api', 'projector', 'worker'], 'redis://127.0.0.1', 20],
  [2, ['api', 'projector', 'worker'], null, 66],
])(
  '20 for each process, and 6 more with the role worker and no Redis: %j processes that serve, %j, %j',
  (workers, roles, redisUrl, most) => {
    expect(connectionsOf(demandOf({ workers, roles, redisUrl }))).toBe(most);
  },
);

test('the embedded database, which takes 66, is enough for five workers and jobs', () => {
  const shared = (processes: number) => allotConnections(66, { processes, jobs: 6 });
  expect(shared(1)).toEqual({ pool: 12, readers: 6 });
  expect(shared(6)).not.toBeNull();
  expect(shared(7)).toBeNull();
});
