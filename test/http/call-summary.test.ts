import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { CallGroup } from '../../src/app/app.ts';
import { summaryOf } from '../../src/http/call-log/summary.ts';
import { SECRET_KEY } from './fake-app.ts';
import { type Harness, startServer } from './harness.ts';

const SUMMARY = '/v3/manage/demo/logs/summary';

let server: Harness;
beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.stop());

const summary = async (query = '') => server.send('GET', `${SUMMARY}${query}`, { headers: { 'x-api-key': SECRET_KEY } });
const call = (slug: string) => server.play('POST', `/v3/endpoints/demo/${slug}`, {});

it('tells calls by endpoint and outcome, the most frequent first', async () => {
  await call('look');
  await call('look');
  server.app.endpoint = { status: 409, body: { ok: false, error: { code: 'TOO_POOR', message: 'No gold' } } };
  await call('buy');
  server.app.endpoint = { status: 500, body: { ok: false, error: { code: 'FAULT' } } };
  await call('look');
  // A call is noted when its answer is on its way.
  const { json } = await vi.waitFor(async () => {
    const told = await summary();
    expect(told.json.endpoints).toMatchObject([{ requests: 3 }, { requests: 1 }]);
    return told;
  }, 60_000);
  expect(json.endpoints).toMatchObject([
    {
      slug: 'look',
      requests: 3,
      refused: 0,
      failed: 1,
      codes: [
        { code: null, status: 200, requests: 2 },
        { code: 'FAULT', status: 500, requests: 1 },
      ],
    },
    { slug: 'buy', requests: 1, refused: 1, failed: 0, p50: null, codes: [{ code: 'TOO_POOR', status: 409 }] },
  ]);
  expect(json).toMatchObject({ counted: { succeeded: { requests: 2 }, failed: { requests: 2 } }, more: 0, missed: 0 });
  expect((await summary('?target=next')).json.endpoints).toEqual([]);
});

it('refuses a window that is none', async () => {
  for (const query of ['?from=yesterday', '?target=other'])
    expect((await summary(query)).json.error).toMatchObject({ code: 'VALIDATION_FAILED' });
  expect((await summary('?from=2026-03-02&to=2026-03-01')).json).toMatchObject({ ok: true, endpoints: [] });
});

it('takes rates of the time that is counted, which may be shorter for one kind', () => {
  const group = (more: Partial<CallGroup>): CallGroup => ({
    ...{ slug: 'buy', route: null, status: 200, code: null, target: 'live', requests: 120, p50: 1.04, p95: 7, last: 3_600_000 },
    ...more,
  });
  const groups = [group({}), group({ status: 409, code: 'TOO_POOR', requests: 60 })];
  const told = summaryOf({ groups, since: { succeeded: 3_480_000, failed: null } }, { from: 0, to: 3_600_000 }, 'live');
  expect(told.endpoints).toMatchObject([{ perMinute: 61, p50: 1, codes: [{ perMinute: 60 }, { perMinute: 1 }] }]);
  expect(told.counted.succeeded).toEqual({ requests: 120, from: '1970-01-01T00:58:00.000Z' });
});

it('tells two hundred endpoints, and how many it leaves out: anybody can make up names', () => {
  const groups = Array.from(
    { length: 203 },
    (_, number): CallGroup => ({
      ...{ slug: `made-up-${number}`, route: null, status: 404, code: 'ENDPOINT_NOT_FOUND', target: 'live' },
      ...{ requests: number, p50: 1, p95: 1, last: 1 },
    }),
  );
  const told = summaryOf({ groups, since: { succeeded: null, failed: null } }, { from: 0, to: 60_000 }, 'live');
  expect([told.endpoints.length, told.more, told.endpoints[0]?.slug]).toEqual([200, 3, 'made-up-202']);
});
