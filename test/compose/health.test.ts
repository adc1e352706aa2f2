import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../infra/harness/port.ts';
import { probesOf } from '../../src/compose/health.ts';
import { createEventStoreLog } from '../../src/log/eventstore/log.ts';
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

test('health and readiness name the part that is away', async () => {
  const nobody = await freePort();
  const away = new pg.Pool({ host: '127.0.0.1', port: nobody });
  const log = createEventStoreLog({ url: `esdb://127.0.0.1:${nobody}?tls=false`, timeoutMs: 1_000 });
  const named = async (database: pg.Pool, separateLog: typeof log | null) => {
    const { health, ready } = probesOf(database, separateLog, { behind: 0 });
    const [report, readiness] = await Promise.all([health(), ready()]);
    expect(readiness).toMatchObject({ status: report.status, ...('away' in report ? { away: report.away } : {}) });
    return 'away' in report ? [report.status, ...report.away] : [report.status];
  };
  expect(await named(pool, log)).toEqual(['log-unavailable', 'log']);
  expect(await named(away, null)).toEqual(['database-unavailable', 'log', 'database']);
  expect(await named(away, log)).toEqual(['database-unavailable', 'log', 'database']);
  await Promise.all([log.close(), away.end()]);
});
