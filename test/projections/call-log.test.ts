import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCallTable } from '../../projections/call-log.ts';
import type { CallGroup, CallTable, NewCall, RequestFilter, ServedRequest, StoredRequest } from '../../src/app/app.ts';
import { sweep } from '../../src/http/call-log/retention.ts';
import { passes } from '../../src/http/call-log/shown.ts';
import { StoredCallLog } from '../../src/http/call-log/stored.ts';
import { groupsOf } from '../../src/http/call-log/summary.ts';
import { ADVISORY_LOCKS } from '../../src/kernel/advisory-locks.ts';
import { freshPool } from './support.ts';

let pool: pg.Pool;
let table: CallTable;
beforeAll(async () => {
  pool = await freshPool(6);
  table = createCallTable(pool, (_project, read) => read());
});
afterAll(() => pool.end());

const EVERYTHING: RequestFilter = {
  ...{ slug: null, platformId: null, errors: false, status: null },
  ...{ code: null, requestId: null, from: null, to: null },
};
const PAGE = { limit: 50, cursor: null, after: null };

function served(more: Partial<ServedRequest> = {}): ServedRequest {
  return {
    ...{
      at: 1_000,
      slug: 'buy',
      method: 'POST',
      path: '/v3/endpoints/p/buy',
      route: 'POST /',
      status: 200,
      code: null,
      message: null,
      step: null,
    },
    ...{ ms: 1.5, platformId: '7', target: 'live', requestId: 'r', revision: 3 },
    ...more,
  };
}

const call = (project: string, request: ServedRequest, isProven = true): NewCall => ({
  project,
  request,
  missed: 0,
  at: request.at,
  isProven,
});
/** One project, read up to a number. */
const behind = (project: string, seq: number) => new Map([[project, { failed: seq, succeeded: seq }]]);
const without = ({ seq: _, ...request }: StoredRequest): ServedRequest => request;

/** All pages of a filter, newest first. */
async function pagesOf(project: string, filter: RequestFilter, limit: number): Promise<readonly StoredRequest[]> {
  const found: StoredRequest[] = [];
  for (;;) {
    const last = found.at(-1);
    const page = await table.page(project, filter, { limit, before: last === undefined ? null : last });
    found.push(...page);
    if (page.length < limit) return found;
  }
}

test('pages of every filter hold each request that passes once, newest first, as it was noted', async () => {
  const requests = Array.from({ length: 90 }, (_, n) =>
    served({
      at: 1_000 + (n % 40),
      slug: n % 4 === 0 ? null : `slug${n % 3}`,
      platformId: n % 5 === 0 ? null : String(n % 2),
      ...(n % 3 === 0 ? { status: n % 2 === 0 ? 404 : 429, code: n % 2 === 0 ? 'NOT_FOUND' : 'RATE_LIMIT', message: 'no' } : {}),
      requestId: `r${n % 7}`,
      target: n % 8 === 0 ? 'next' : 'live',
      revision: n % 6 === 0 ? null : n,
    }),
  );
  await table.append(requests.map((request) => call('pages', request)));
  await table.append([call('other', served())]);
  const filters: readonly Partial<RequestFilter>[] = [
    ...[{}, { errors: true }, { slug: 'slug1' }, { platformId: '1' }, { requestId: 'r3' }, { status: 404 }, { status: 200 }],
    ...[{ code: 'RATE_LIMIT' }, { from: 1_010, to: 1_020 }, { platformId: '0', errors: true, from: 1_005 }, { slug: 'none' }],
  ];
  for (const some of filters) {
    const filter = { ...EVERYTHING, ...some };
    const found = await pagesOf('pages', filter, 7);
    const expected = requests.filter((request) => passes(filter, request));
    const times = found.map(({ at }) => at);
    expect(times).toEqual(expected.map(({ at }) => at).sort((a, b) => b - a));
    const texts = (of: readonly ServedRequest[]) => of.map((request) => JSON.stringify(Object.entries(request).sort())).sort();
    expect(texts(found.map(without)), JSON.stringify(some)).toEqual(texts(expected));
  }
});

test('pages are exact whatever nodes stored it in whatever order, with rows that overlap in time, and a filter that few calls pass', async () => {
  const requests: ServedRequest[] = [];
  for (let group = 0; group < 60; group += 1) {
    // Groups lie up to a minute apart, back and forth, and some hold calls of a minute.
    const calls = Array.from({ length: 1 + (group % 7) }, (_, n) =>
      served({
        at: 1_000_000 + ((group * 7_919) % 60_000) + (group % 5 === 0 ? n * 9_000 : n),
        ...(group % 9 === 0 && n === 0 ? { status: 404, code: 'NOT_FOUND' } : {}),
        platformId: group % 10 === 3 ? 'rare' : String(n % 3),
        requestId: `${group}.${n}`,
        slug: `s${n % 2}`,
      }),
    );
    requests.push(...calls);
    await table.append(calls.map((request) => call('overlap', request)));
  }
  const filters: readonly Partial<RequestFilter>[] = [
    ...[{}, { platformId: 'rare' }, { platformId: 'rare', slug: 's1' }, { requestId: '58.1' }, { status: 200, to: 1_030_000 }],
    ...[{ from: 1_010_000, to: 1_012_000 }, { from: 1_050_000 }, { slug: 's1', to: 1_005_000 }],
  ];
  for (const some of filters) {
    const filter = { ...EVERYTHING, ...some };
    const expected = requests.filter((request) => passes(filter, request)).sort((a, b) => b.at - a.at);
    for (const limit of [2, 9, 200]) {
      const found = await pagesOf('overlap', filter, limit);
      expect(
        found.map(({ at }) => at),
        JSON.stringify(some),
      ).toEqual(expected.map(({ at }) => at));
      expect(new Set(found.map(({ requestId }) => requestId)).size).toBe(expected.length);
    }
    const since = await table.since('overlap', filter, 0, { limit: 200, most: 500 });
    expect(since.all).toBe(expected.length);
  }
  const all: number[] = [];
  for (;;) {
    const rows = await table.after(behind('overlap', all.at(-1) ?? 0), 11);
    all.push(...rows.map(({ seq }) => seq));
    if (rows.length < 11) break;
  }
  expect(all.length).toBe(requests.length);
  expect(all).toEqual([...new Set(all)].sort((a, b) => a - b));
});

test('requests are stored while a verification or anything else of the product holds its lock', async () => {
  const { callLog: _, ...others } = ADVISORY_LOCKS;
  const holder = await pool.connect();
  try {
    for (const lock of Object.values(others)) await holder.query('SELECT pg_advisory_lock($1)', [lock]);
    await pool.query(`SET lock_timeout = '5s'`);
    await table.append([call('beside', served())]);
    expect(await pagesOf('beside', EVERYTHING, 5)).toHaveLength(1);
  } finally {
    await holder.query('SELECT pg_advisory_unlock_all()');
    holder.release();
  }
});

test('no filter passes over the whole table, nor does the look for what is too old', async () => {
  await pool.query(`INSERT INTO savepoint.call_log (project, seq, at, missed, status, ms, next, slug, code, player, request_id, method, path, route)
    SELECT 'plans', n, n, 0, 404, 1, false, 's' || n % 100, 'C' || n % 9, 'p' || n % 1000, 'r' || n, 'POST', '/', '/' FROM generate_series(1, 20000) n`);
  await pool.query(`INSERT INTO savepoint.call_log_calls
    SELECT CASE WHEN n % 10 = 0 THEN 'plans' ELSE 'planned' END, n * 1024, 1, n, n, '{1}', '{0}', '{10}', '{-1}', ARRAY['p' || n % 1000], ARRAY['r' || n], '{1}',
      ARRAY['s' || n % 100], '{200}', '{0}', '{POST}', '{/}', '{/}', '{""}' FROM generate_series(1, 20000) n`);
  await pool.query(`INSERT INTO savepoint.call_log_counts VALUES ('plans', false, 2000), ('plans', true, 20000)`);
  await pool.query('ANALYZE savepoint.call_log, savepoint.call_log_calls');
  const plans: string[] = [];
  const explaining = createCallTable(
    new Proxy(pool, {
      get: (of, name) =>
        name === 'query'
          ? async ({ text, values }: { text: string; values: unknown[] }) => {
              const { rows } = await of.query({ text: `EXPLAIN ${text}`, values });
              plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
              return { rows: [] };
            }
          : Reflect.get(of, name),
    }),
    (_project, read) => read(),
  );
  const filters: readonly Partial<RequestFilter>[] = [
    ...[{}, { errors: true }, { slug: 's1' }, { platformId: 'p1' }, { requestId: 'r1' }, { status: 404 }, { code: 'C1' }],
    ...[
      { from: 100, to: 200 },
      { platformId: 'p1', from: 100 },
    ],
  ];
  for (const some of filters) await explaining.page('plans', { ...EVERYTHING, ...some }, { limit: 50, before: { at: 15_000, seq: 1e9 } });
  await explaining.missed('plans', 0, 1e12);
  await explaining.ends('plans');
  await explaining.after(behind('plans', 5), 100);
  await explaining.since('plans', EVERYTHING, 5, { limit: 100, most: 1_000 });
  await explaining.remove({ project: 'plans', failed: false, requests: 5, since: 0 }, 500);
  await explaining.remove({ project: 'plans', failed: true, requests: 0, since: 9 }, 500);
  // What can only have failed is one statement.
  expect(plans.length).toBe(2 * filters.length - 3 + 6);
  expect(plans.filter((plan) => plan.includes('Seq Scan'))).toEqual([]);
  await explaining.surplus({ requests: 100_000, since: 0 });
  const indexes = [...(plans.at(-1) ?? '').matchAll(/Scan using (\w+) on call_log\w* l/g)].map(([, index]) => index);
  expect(indexes).toEqual(['call_log_times', 'call_log_calls_times']);
});

test('whoever follows misses nothing of what several nodes store at once, and gets nothing twice', async () => {
  const nodes = Array.from({ length: 4 }, (_, node) =>
    (async () => {
      for (let n = 0; n < 25; n += 1) await table.append([call('tail', served({ requestId: `${node}.${n}` }))]);
    })(),
  );
  const seen: string[] = [];
  let at = 0;
  let isDone = false;
  const all = Promise.all(nodes).then(() => {
    isDone = true;
  });
  for (;;) {
    const wasDone = isDone;
    const rows = await table.after(behind('tail', at), 10);
    for (const { seq, request } of rows) {
      seen.push(request?.requestId ?? '');
      at = seq;
    }
    if (wasDone && rows.length === 0) break;
  }
  await all;
  expect(seen.sort()).toEqual([0, 1, 2, 3].flatMap((node) => Array.from({ length: 25 }, (_, n) => `${node}.${n}`)).sort());
});

test('what names a project without a valid key is stored only if there is the project', async () => {
  await pool.query(
    `INSERT INTO savepoint.projects_v1 (project, name, created_at, deleted, settings, revision) VALUES ('real', 'r', 0, false, '{}', 0)`,
  );
  await table.append([call('real', served(), false), call('made-up', served(), false)]);
  expect(await pagesOf('real', EVERYTHING, 50)).toHaveLength(1);
  expect(await pagesOf('made-up', EVERYTHING, 50)).toEqual([]);
});

test('of each project and kind the newest are kept, nothing is older than its days, and a deleted project keeps nothing', async () => {
  const now = Date.now();
  const old = now - 3 * 86_400_000;
  const many = Array.from({ length: 30 }, (_, n) => call('kept', served({ at: now + n })));
  const refused = Array.from({ length: 8 }, (_, n) => call('kept', served({ at: now + n, status: 403, code: 'FORBIDDEN' })));
  await table.append([
    ...many,
    ...refused,
    call('aged', served({ at: old })),
    call('aged', served({ at: now })),
    call('gone', served({ at: now })),
  ]);
  await pool.query(
    `INSERT INTO savepoint.projects_v1 (project, name, created_at, deleted, settings, revision) VALUES ('gone', 'g', 0, true, '{}', 0)`,
  );
  await sweep(table, { days: 2, requests: 10 });
  expect((await pagesOf('kept', EVERYTHING, 50)).map(({ at, code }) => [at - now, code])).toEqual([
    ...Array.from({ length: 10 }, (_, n) => 29 - n).map((n) => [n, null]),
    ...Array.from({ length: 8 }, (_, n) => [7 - n, 'FORBIDDEN']),
  ]);
  expect((await pagesOf('aged', EVERYTHING, 50)).map(({ at }) => at)).toEqual([now]);
  expect(await pagesOf('gone', EVERYTHING, 50)).toEqual([]);
  expect(await table.surplus({ requests: 10, since: now - 2 * 86_400_000 })).toEqual([]);
});

test('what is stored holds no secret, nothing that Postgres refuses, and no text without a bound', async () => {
  const log = new StoredCallLog(table, {
    stored: () => undefined,
    lost: () => undefined,
    failed: (error) => {
      throw error;
    },
  });
  const secret = 'ns_sess_abc.def';
  log.note(
    'masked',
    served({ path: `/x/${secret}`, slug: 'sk_abc', message: `with ${secret}\0`, platformId: 'ns_guest_a-b', requestId: 'sp_sk_abc' }),
    true,
  );
  const { requests } = await log.read('masked', EVERYTHING, PAGE);
  expect(requests).toMatchObject([
    { path: '/x/ns_sess_***', slug: 'sk_***', message: 'with ns_sess_***\ufffd', platformId: 'ns_guest_***', requestId: 'sp_sk_***' },
  ]);
  const { rows } = await pool.query("SELECT c::text AS row FROM savepoint.call_log_calls c WHERE project = 'masked'");
  expect(rows[0].row).not.toMatch(/abc|a-b/);
  await log.close();
});

test('what comes while a group is being stored is stored, too, at any pace', async () => {
  let stored = 0;
  const count = (requests: number) => {
    stored += requests;
  };
  const log = new StoredCallLog(table, { stored: count, lost: () => undefined, failed: () => undefined });
  for (let round = 0; round < 30; round += 1) {
    for (let n = 0; n < 20; n += 1) log.note('pace', served(), true);
    await sleep(15 * (round % 3) + (round % 7));
    if (round % 4 === 0) void log.read('pace', EVERYTHING, PAGE);
  }
  await expect.poll(() => stored).toBe(600);
  expect(log.waiting).toBe(0);
  await log.close();
});

test('while the table is away requests go on; what did not fit is counted, and told in its place', async () => {
  const lost: [number, string][] = [];
  const log = new StoredCallLog(table, { stored: () => undefined, lost: (...what) => lost.push(what), failed: () => undefined });
  log.note('away', served({ requestId: 'before' }), true);
  expect(await log.read('away', EVERYTHING, PAGE)).toMatchObject({ requests: [{ requestId: 'before' }], missed: 0, isPartial: false });
  await pool.query('ALTER TABLE savepoint.call_log RENAME TO call_log_away');
  for (let n = 0; n < 5_000; n += 1) log.note('away', served({ requestId: `away${n}` }), true);
  expect(lost).toEqual(Array(1_000).fill([1, 'full']));
  const own = await log.read('away', EVERYTHING, PAGE);
  expect(own).toMatchObject({ missed: null, isPartial: true });
  expect(own.requests.at(-1)).toMatchObject({ requestId: 'away4999' });
  await pool.query('ALTER TABLE savepoint.call_log_away RENAME TO call_log');
  await expect.poll(() => log.waiting, { timeout: 30_000 }).toBe(0);
  const told = await log.read('away', EVERYTHING, { ...PAGE, limit: 200 });
  const failed = lost.filter(([, why]) => why === 'failed').reduce((sum, [count]) => sum + count, 0);
  expect(failed).toBeGreaterThan(0);
  expect((await pagesOf('away', EVERYTHING, 200)).length).toBe(1 + 5_000 - 1_000 - failed);
  expect(await table.missed('away', 0, Number.MAX_SAFE_INTEGER)).toBe(1_000 + failed);
  expect(told.isPartial).toBe(false);
  await log.close();
}, 60_000);

test('calls that succeeded are read only while somebody follows them, from then on, and refusals come once to everybody', async () => {
  let read = 0;
  const counting: CallTable = {
    ...table,
    async after(from, most) {
      const rows = await table.after(from, most);
      read += rows.filter(({ request }) => request?.code === null).length;
      return rows;
    },
  };
  const log = new StoredCallLog(counting, { stored: () => undefined, lost: () => undefined, failed: () => undefined });
  const begin = async (filter: RequestFilter) => {
    const told: string[] = [];
    const following = await log.follow('kinds', filter, { ...PAGE, limit: 0 });
    const receive = (requests: readonly { readonly requestId: string }[]) => {
      told.push(...requests.map(({ requestId }) => requestId));
      return true;
    };
    return { told, stop: following.start({ receive, miss: () => true }) };
  };
  const note = (requestId: string, code: string | null = null) =>
    log.note('kinds', served({ requestId, code, status: code === null ? 200 : 403 }), true);
  const refusals = await begin({ ...EVERYTHING, errors: true });
  for (let n = 0; n < 20; n += 1) note(`early ${n}`);
  note('first', 'FORBIDDEN');
  await expect.poll(() => refusals.told).toEqual(['first']);
  expect(read).toBe(0);
  const everything = await begin(EVERYTHING);
  note('late');
  note('second', 'FORBIDDEN');
  await expect.poll(() => everything.told).toEqual(['late', 'second']);
  await expect.poll(() => refusals.told).toEqual(['first', 'second']);
  expect(read).toBe(1);
  everything.stop();
  note('unseen');
  note('third', 'FORBIDDEN');
  await expect.poll(() => refusals.told).toEqual(['first', 'second', 'third']);
  expect(read).toBe(1);
  refusals.stop();
  await log.close();
});

test('following goes on exactly behind what was read first, over all nodes, and again behind the last event', async () => {
  const quiet = { stored: () => undefined, lost: () => undefined, failed: () => undefined };
  const [here, there] = [new StoredCallLog(table, quiet), new StoredCallLog(table, quiet)];
  there.note('follow', served({ requestId: 'first' }), true);
  await there.read('follow', EVERYTHING, PAGE);
  const following = await here.follow('follow', EVERYTHING, PAGE);
  expect(following.requests.map(({ requestId }) => requestId)).toEqual(['first']);
  there.note('follow', served({ requestId: 'second' }), true);
  here.note('follow', served({ requestId: 'third' }), true);
  const told: (string | number)[] = [];
  const ids: string[] = [];
  const stop = following.start({
    receive(requests) {
      for (const { id, requestId } of requests) {
        told.push(requestId);
        ids.push(id);
      }
      return true;
    },
    miss: (missed) => told.push(missed) > 0,
  });
  await expect.poll(() => told.length).toBe(2);
  expect([...told].sort()).toEqual(['second', 'third']);
  there.miss('follow', 4);
  await expect.poll(() => told.at(-1)).toBe(4);
  stop();
  const [after = ''] = ids;
  const resumed = await there.follow('follow', EVERYTHING, { ...PAGE, after });
  expect(resumed).toMatchObject({ missed: 0, requests: [{ id: ids[1] }] });
  resumed.cancel();
  expect(await there.follow('follow', EVERYTHING, { ...PAGE, after: '8f2c01.7x' })).toMatchObject({ missed: null });
  await Promise.all([here.close(), there.close()]);
});

test('whoever follows beside somebody else is told nothing that it was shown already', async () => {
  const quiet = { stored: () => undefined, lost: () => undefined, failed: () => undefined };
  const [here, there] = [new StoredCallLog(table, quiet), new StoredCallLog(table, quiet)];
  const stored = async (requestId: string) => {
    there.note('beside', served({ requestId }), true);
    await there.read('beside', EVERYTHING, PAGE);
  };
  await stored('first');
  const other = await here.follow('beside', EVERYTHING, PAGE);
  other.start({ receive: () => true, miss: () => true });
  // The node has not asked the table for this one yet.
  await stored('second');
  const following = await here.follow('beside', EVERYTHING, PAGE);
  const told = following.requests.map(({ requestId }) => requestId);
  following.start({ receive: (requests) => told.push(...requests.map(({ requestId }) => requestId)) > 0, miss: () => true });
  await stored('third');
  await expect.poll(() => told).toContain('third');
  expect(told).toEqual(['first', 'second', 'third']);
  await Promise.all([here.close(), there.close()]);
});

test('that the table cannot be read is reported', async () => {
  const failures: unknown[] = [];
  const log = new StoredCallLog(table, { stored: () => undefined, lost: () => undefined, failed: (error) => failures.push(error) });
  await pool.query('ALTER TABLE savepoint.call_log RENAME TO call_log_away');
  const { isPartial } = await log.read('unread', EVERYTHING, PAGE);
  await pool.query('ALTER TABLE savepoint.call_log_away RENAME TO call_log');
  expect([isPartial, failures.length]).toEqual([true, 1]);
  await log.close();
});

test('a window is grouped by endpoint and outcome as its requests say, the newest of each kind where there are too many', async () => {
  const requests = Array.from({ length: 60 }, (_, n) =>
    served({
      at: 10_000 + n,
      slug: n % 5 === 0 ? null : `slug${n % 3}`,
      ...(n % 2 === 0 ? { path: '/a', route: 'POST /a' } : { path: '/b', route: 'POST /b' }),
      ms: ((n * 7) % 31) + 0.5,
      target: n % 8 === 0 ? 'next' : 'live',
      ...(n % 3 === 0 ? { status: n % 2 === 0 ? 404 : 500, code: n % 2 === 0 ? 'TOO_POOR' : 'FAULT', message: 'no', step: 'enough' } : {}),
    }),
  );
  for (let n = 0; n < 60; n += 5) await table.append(requests.slice(n, n + 5).map((request) => call('grouped', request)));
  await table.append([{ project: 'grouped', request: null, missed: 3, at: 10_001, isProven: true }]);
  const sorted = (groups: readonly CallGroup[]) => groups.map((group) => JSON.stringify(Object.entries(group).sort())).sort();
  const window = { from: 10_010, to: 10_050 };
  const whole = await table.groups('grouped', window, 1_000);
  expect(sorted(whole.groups)).toEqual(sorted(groupsOf(requests.filter(({ at }) => at >= window.from && at < window.to))));
  expect(whole.since).toEqual({ failed: null, succeeded: null });
  const some = await table.groups('grouped', window, 10);
  const [failed, succeeded] = [some.since.failed ?? 0, some.since.succeeded ?? 0];
  expect([failed > window.from, succeeded > window.from]).toEqual([true, true]);
  const reached = requests.filter(({ at, code }) => at < window.to && at >= (code === null ? succeeded : failed));
  expect(sorted(some.groups)).toEqual(sorted(groupsOf(reached)));
  expect(reached.filter(({ code }) => code === null).length).toBeGreaterThan(4);
  expect(await table.groups('nobody', window, 4)).toEqual({ groups: [], since: { failed: null, succeeded: null } });
});

test('whoever joins while the table is being read for others is told of every call that succeeds from then on', async () => {
  let hold: Promise<void> | null = null;
  let onRead = () => {};
  const slow: CallTable = {
    ...table,
    async after(from, most) {
      const [asked, held] = [new Map(from), hold];
      if (held !== null) onRead();
      await held;
      return table.after(asked, most);
    },
  };
  const log = new StoredCallLog(slow, { stored: () => undefined, lost: () => undefined, failed: () => undefined });
  const told: string[] = [];
  const receive = (requests: readonly { readonly requestId: string }[]) => {
    told.push(...requests.map(({ requestId }) => requestId));
    return true;
  };
  const begin = async (filter: RequestFilter, listener: Parameters<Awaited<ReturnType<typeof log.follow>>['start']>[0]) =>
    (await log.follow('joining', filter, { ...PAGE, limit: 0 })).start(listener);
  const stopFirst = await begin({ ...EVERYTHING, errors: true }, { receive: () => true, miss: () => true });
  let release = () => {};
  const reading = new Promise<void>((resolve) => {
    onRead = resolve;
  });
  hold = new Promise<void>((resolve) => {
    release = resolve;
  });
  await reading;
  const stop = await begin(EVERYTHING, { receive, miss: () => true });
  log.note('joining', served({ requestId: 'succeeded' }), true);
  log.note('joining', served({ requestId: 'refused', code: 'FORBIDDEN', status: 403 }), true);
  await log.read('joining', EVERYTHING, PAGE);
  hold = null;
  release();
  await expect.poll(() => [...told].sort()).toEqual(['refused', 'succeeded']);
  stop();
  stopFirst();
  await log.close();
});
