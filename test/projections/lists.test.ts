import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { walkDocuments } from '../../projections/models/documents/list.ts';
import { readDocumentRows } from '../../projections/models/documents/rows.ts';
import { readEconomyEntries } from '../../projections/models/economy/entries.ts';
import type { DocumentWalk } from '../../src/app/ports/documents.ts';
import type { EconomyEntries } from '../../src/app/ports/economy.ts';
import { freshPool } from './support.ts';

/** Lists that people page through: what they read, however much there is. */

const PROJECT = 'large';
const ROWS = 10_000;
/** Documents that were deleted. */
const GONE = 2_500;
const DAY = 20_000;
const PLACES = `SELECT '${PROJECT}', 'live', ${DAY}, 's' || n, 'gold', 'purses', 'gold', 's' || n, CASE n WHEN 1 THEN 'sell' ELSE '' END, false,
  1, 1, 1, 0, 1, 0 FROM generate_series(0, 4) n`;

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
  await pool.query(`INSERT INTO savepoint.economy_days_v1
    (project, space, day, part, currency, collection, field, source, endpoint, correction, entries, players, inflow, outflow, faucet, sink) ${PLACES}`);
  // Of the source s1, each tenth is of another endpoint.
  await pool.query(`INSERT INTO savepoint.ledger_v1
    (project, space, collection, player, revision, ordinal, key, field, before, after, delta, amount, source, reason, at, event_id, summed, actor)
    SELECT '${PROJECT}', 'live', 'purses', 'p' || n % 100, n, 0, 'p' || n % 100, 'gold', '0', '1', '1', 1, 's' || n % 5, NULL,
      ${DAY}::bigint * 86400000 + n, 'e' || n, true,
      json_build_object('kind', 'secret', 'keyId', 'k', 'endpoint', CASE WHEN n % 5 = 1 AND n % 10 <> 1 THEN 'sell' END)
    FROM generate_series(1, ${ROWS}) n`);
  await pool.query(`INSERT INTO savepoint.documents_v1
    (project, space, collection, key, document, version, created_at, updated_at, created_revision, revision)
    SELECT '${PROJECT}', 'live', 'saves', 'k' || lpad(n::text, 5, '0'),
      CASE WHEN n <= ${GONE} THEN NULL ELSE json_build_object('gold', n % 100) END, 1, n, n, n, n FROM generate_series(1, ${ROWS}) n`);
  await pool.query(`INSERT INTO savepoint.leaderboard_queries_v1 VALUES ('${PROJECT}', 'richest', 'h', 'b', 'saves', true)`);
  await pool.query(`INSERT INTO savepoint.leaderboards_v1 (project, board, space, key, value, rank, reached)
    SELECT '${PROJECT}', 'b', 'live', 'k' || lpad(n::text, 5, '0'), n % 100, -(n % 100), n FROM generate_series(${GONE + 1}, ${ROWS}) n`);
  await pool.query('ANALYZE');
});
afterAll(() => pool.end());

const ASKED: EconomyEntries = {
  ...{ space: 'live', from: DAY, to: DAY, currency: 'gold', collection: null, field: null, source: null, endpoint: null },
  ...{ player: null, direction: null, class: null, within: null, before: null, limit: 50 },
};

/** The plans of what a read asks the database. */
async function plansOf(read: (pool: pg.Pool) => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  const explaining = (client: pg.PoolClient) =>
    new Proxy(client, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name);
        if (name !== 'query') return typeof value === 'function' ? value.bind(of) : value;
        return async (query: string | { readonly text: string; readonly values?: unknown[] }) => {
          const text = typeof query === 'string' ? query : query.text;
          if (/^\s*(?:SELECT|WITH)/.test(text)) {
            const values = typeof query === 'string' ? [] : (query.values ?? []);
            const { rows } = await of.query<{ 'QUERY PLAN': string }>({ text: `EXPLAIN ${text}`, values });
            plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
          }
          return of.query(query as string);
        };
      },
    });
  await read(
    new Proxy(pool, {
      get: (of, name) => {
        if (name === 'connect') return async () => explaining(await of.connect());
        if (name === 'query') return Reflect.get(explaining(of as unknown as pg.PoolClient), 'query');
        return Reflect.get(of, name);
      },
    }),
  );
  return plans.join('\n');
}

/** All entries of a filter, page by page. */
async function paged(asked: Partial<EconomyEntries>): Promise<{ readonly revisions: readonly number[]; readonly pages: number }> {
  const revisions: number[] = [];
  let before: EconomyEntries['before'] = null;
  for (let pages = 1; ; pages += 1) {
    const page = await readEconomyEntries(pool, PROJECT, { ...ASKED, limit: 200, ...asked, before });
    revisions.push(...page.entries.map(({ revision }) => revision));
    before = page.next;
    if (before === null) return { revisions, pages };
  }
}

test('entries of a day follow each other without a gap, the newest first, also where few of a source are of the endpoint', async () => {
  const all = (fits: (n: number) => boolean) => Array.from({ length: ROWS }, (_, place) => ROWS - place).filter(fits);
  expect((await paged({ source: 's2' })).revisions).toEqual(all((n) => n % 5 === 2));
  expect((await paged({ endpoint: 'sell' })).revisions).toEqual(all((n) => n % 5 === 1 && n % 10 !== 1));
  expect((await paged({ player: 'p7' })).revisions).toEqual(all((n) => n % 100 === 7));
  expect((await readEconomyEntries(pool, PROJECT, ASKED)).entries.map(({ revision }) => revision)).toEqual(
    all((n) => n % 5 !== 1 || n % 10 !== 1).slice(0, 50),
  );
});

test('of a part of a day only the entries of its times are told, up to the revision that counted', async () => {
  const from = DAY * 86_400_000 + 4_000;
  const within = { from, to: from + 100, through: 4_049 };
  expect((await paged({ within })).revisions).toEqual(Array.from({ length: 50 }, (_, place) => 4_049 - place).filter((n) => n % 10 !== 1));
  expect((await paged({ within, player: 'p7' })).revisions).toEqual([4_007]);
});

const WITHIN = { from: DAY * 86_400_000, to: DAY * 86_400_000 + 5_000, through: 4_000 };

test.each([{}, { source: 's3' }, { endpoint: 'sell' }, { player: 'p7' }, { within: WITHIN }])(
  'entries are found by an index: %o',
  async (filter) => {
    const plan = await plansOf((of) => readEconomyEntries(of, PROJECT, { ...ASKED, ...filter }));
    expect(plan).toMatch(/Index/);
    expect(plan.match(/Seq Scan on (?:ledger|documents)\w*/g)).toBeNull();
  },
);

const WALK: DocumentWalk = {
  ...{ space: 'live', collection: 'saves', by: { kind: 'key' }, order: 'asc', from: null, until: null },
  ...{ limit: 50, bytes: 1_000_000 },
};
const NUMBER = { by: { kind: 'number', query: { id: 'richest', hash: 'h' } } } as const;
const NEXT = { space: 'next-1' } as const;
const keyOf = (n: number) => `k${String(n).padStart(5, '0')}`;

/** All keys of a walk, and how many pages it has. */
async function walked(asked: Partial<DocumentWalk>): Promise<{ readonly keys: readonly string[]; readonly pages: number }> {
  const keys: string[] = [];
  let from = asked.from ?? null;
  for (let pages = 1; ; pages += 1) {
    const page = await walkDocuments(pool, PROJECT, { ...WALK, ...asked, from });
    keys.push(...page.documents.map(({ key }) => key));
    if (page.next === null) return { keys, pages };
    from = { place: page.next, isIncluded: false };
  }
}

test('documents follow each other without a gap; a page passes a bounded part of what was deleted, and ends where it is asked to', async () => {
  const there = Array.from({ length: ROWS - GONE }, (_, place) => keyOf(GONE + 1 + place));
  const forwards = await walked({});
  expect(forwards.keys).toEqual(there);
  const [first, second] = [await walkDocuments(pool, PROJECT, WALK), await walkDocuments(pool, PROJECT, { ...WALK, order: 'desc' })];
  expect([first.documents, first.next]).toEqual([[], [keyOf(1_000)]]);
  expect(second.documents[0]?.key).toBe(keyOf(ROWS));
  expect((await walked({ order: 'desc', until: keyOf(9_901) })).keys).toEqual(there.slice(-100).reverse());
  const rich = await walked({ ...NUMBER, from: { place: [-99, -1, ''], isIncluded: true }, until: -98 });
  const withNumber = (number: number) => Array.from({ length: ROWS }, (_, at) => at + 1).filter((n) => n > GONE && n % 100 === number);
  expect(rich.keys).toEqual([...withNumber(99), ...withNumber(98)].map(keyOf));
  expect((await walked({ ...NEXT, until: keyOf(GONE + 60) })).keys).toEqual(there.slice(0, 60));
});

test.each([
  {},
  { order: 'desc' },
  { from: { place: [keyOf(5_000)], isIncluded: false } },
  NUMBER,
  { ...NUMBER, order: 'desc', from: { place: [-40, 5_000, 'k'], isIncluded: false } },
  { ...NUMBER, ...NEXT },
  NEXT,
] as const)('documents are found by an index, and none is sorted that is not near: %o', async (walk) => {
  const plan = await plansOf((of) => walkDocuments(of, PROJECT, { ...WALK, ...walk }));
  expect(plan).toMatch(/Index (?:Only )?Scan(?: Backward)? using (?:documents|leaderboards)/);
  expect(plan.match(/(?:Seq Scan|Bitmap Heap Scan) on (?:documents|leaderboards)_v1/g)).toBeNull();
});

test.each(['live', 'next-1'] as const)('rows of an export in %s are found by an index', async (space) => {
  const plan = await plansOf((of) =>
    readDocumentRows(of, PROJECT, space, 'saves', { key: keyOf(5_000), isIncluded: false, rows: 500, bytes: 10_000 }),
  );
  expect(plan).toMatch(/Index Scan using documents/);
  expect(plan.match(/(?:Seq Scan|Bitmap Heap Scan) on documents_v1/g)).toBeNull();
});
