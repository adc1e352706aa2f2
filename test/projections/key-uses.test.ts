import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createKeyUseTable } from '../../projections/key-uses.ts';
import { KeyUses } from '../../src/app/security/key-uses.ts';
import type { AccessKey } from '../../src/domain/states.ts';
import { migratedDatabase } from '../support/postgres.ts';

/** When keys were used last: in memory until somebody writes it, once a minute. */

let pool: pg.Pool;
let now = 1_000;
const clock = { now: () => now };

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await migratedDatabase(), max: 2 });
});
afterAll(() => pool.end());

const keyOf = (keyId: string, kind: AccessKey['kind'] = 'secret'): AccessKey => ({
  keyId,
  kind,
  label: `of ${keyId}`,
  hash: '',
  display: '',
  enabled: true,
  permissions: null,
  createdAt: 0,
});
const usedAt = async (uses: KeyUses, project: string) =>
  Object.fromEntries([...(await uses.of(project)).uses].map(([keyId, use]) => [keyId, use.usedAt]));

it('a use shows at once where it was, elsewhere when it is written; of two nodes the later one counts', async () => {
  const [one, other] = [new KeyUses(createKeyUseTable(pool), clock), new KeyUses(createKeyUseTable(pool), clock)];
  const key = keyOf('k1');
  one.note('p1', key);
  now = 2_000;
  one.note('p1', key);
  other.note('p1', keyOf('k1'));
  other.note('p2', keyOf('k2'));
  expect([await usedAt(one, 'p1'), await usedAt(one, 'p2')]).toEqual([{ k1: 1_000 }, {}]);
  await other.write();
  await one.write();
  expect([await usedAt(one, 'p1'), await usedAt(one, 'p2')]).toEqual([{ k1: 2_000 }, { k2: 2_000 }]);
  now = 70_000;
  one.note('p1', key);
  await Promise.all([one.write(), other.write()]);
  expect(await usedAt(other, 'p1')).toEqual({ k1: 70_000 });
  expect((await other.of('p1')).uses.get('k1')?.label).toBe('of k1');
  expect((await other.of('p1')).since).toBeGreaterThan(Date.now() - 86_400_000);
});

it('people are no keys, and what could not be written is written the next time', async () => {
  let isAway = true;
  const table = createKeyUseTable(pool);
  const uses = new KeyUses({ ...table, note: (noted) => (isAway ? Promise.reject(new Error('away')) : table.note(noted)) }, clock);
  now = 100_000;
  uses.note('p3', keyOf('per_1', 'person'));
  const key = keyOf('k3');
  uses.note('p3', key);
  await expect(uses.write()).rejects.toThrow('away');
  now = 160_000;
  uses.note('p3', key);
  isAway = false;
  await uses.write();
  expect(await usedAt(new KeyUses(table, clock), 'p3')).toEqual({ k3: 100_000 });
});
