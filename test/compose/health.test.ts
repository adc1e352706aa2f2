import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { probesOf } from '../../src/compose/health.ts';
import { freshPool } from '../projections/support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
});
afterAll(() => pool.end());

test('concurrent health probes take one connection', async () => {
  let taken = 0;
  pool.on('acquire', () => {
    taken += 1;
  });
  const { health, ready } = probesOf(pool, null, { behind: 0 });
  const answers = await Promise.all([...Array.from({ length: 50 }, health), ready()]);
  expect([new Set(answers.map(({ status }) => status)), taken]).toEqual([new Set(['ok', 'ready']), 1]);
  expect([(await health()).status, taken]).toEqual(['ok', 2]);
});
