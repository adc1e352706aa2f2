import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MAX_SUMMED } from '../../projections/models/ledger/read.ts';
import { createViewReader } from '../../projections/readers/view-reader.ts';
import type { LedgerEntry, Space } from '../../src/domain/events.ts';
import { hashText } from '../../src/kernel/hash.ts';
import { ExactNumber, type JsonObject, numberFromText, stringifyJson } from '../../src/kernel/json.ts';
import { createMemoryLog } from '../../src/log/memory/log.ts';
import { appended, changed, deleted, Feed, freshPool, project, rowsOf, topQuery, written } from './support.ts';

let pool: pg.Pool;
beforeAll(async () => {
  pool = await freshPool();
});
afterAll(() => pool.end());

test('a promotion reads live documents in pages by rows and bytes, a bounded count, and the fields of their ledgers', async () => {
  const log = createMemoryLog();
  const feed = new Feed(log, 'looked-at');
  const ledger = [{ field: 'xp', before: 0, after: 1, delta: 1, source: 'quest' }];
  await feed.commit(
    ...['a', 'b', 'c', 'd'].map((key) => written(key, { text: key.repeat(900) }, 1, { ledger })),
    written('e', { big: Array.from({ length: 4000 }, (_, index) => index * 7919) }),
    written('f', {}),
    written('g', {}, 1, { space: 'next1', fork: { document: null, version: 0 } }),
    deleted('b'),
  );
  await project(pool, log, feed);
  const views = createViewReader(pool, null);
  const keys = async (after: string, rows: number, bytes: number) =>
    (await views.documentsAfter('looked-at', 'saves', after, { rows, bytes })).map(({ key }) => key);
  expect(await keys('', 9, 1e6)).toEqual(['a', 'c', 'd', 'e', 'f']);
  expect(await keys('', 2, 1e6)).toEqual(['a', 'c']);
  expect(await keys('d', 9, 10)).toEqual(['e']);
  expect(await keys('e', 9, 10)).toEqual(['f']);
  expect(await keys('f', 9, 10)).toEqual([]);
  expect([await views.documentCount('looked-at', 'saves', 100), await views.documentCount('looked-at', 'saves', 3)]).toEqual([5, 3]);
  expect([await views.stagedDocumentCount('looked-at', 'next1', 100), await views.stagedDocumentCount('looked-at', 'next2', 100)]).toEqual([
    1, 0,
  ]);
  expect([await views.ledgerFields('looked-at', 'saves', 100), await views.ledgerFields('looked-at', 'other', 100)]).toEqual([['xp'], []]);
});

describe('ledger', () => {
  const entry = (field: string, before: number, after: number, source: string) => ({ field, before, after, delta: after - before, source });
  const wrote = (key: string, ...ledger: LedgerEntry[]) => written(key, {}, 1, { ledger });

  test('holds the entries of a player over all slots, oldest or newest first, in pages, with the sum over the whole selection', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'ledger');
    await feed.commit(
      wrote('p1', entry('xp', 0, 5, 'quest'), entry('gold', 10, 4, 'shop')),
      wrote('p1_slot2', entry('xp', 0, 1, 'quest')),
      wrote('p10', entry('xp', 0, 99, 'quest')),
      deleted('p1', 2, { ledger: [{ ...entry('xp', 5, 0, 'direct'), reason: 'gone' }] }),
    );
    await project(pool, log, feed);
    const views = createViewReader(pool, null);
    const filter = { space: 'live', collection: 'saves', platformId: 'p1' } as const;
    const first = await views.ledger('ledger', filter, { limit: 3, after: null });
    expect(first.entries.map(({ field, delta, at, reason }) => [field, delta, at, reason])).toEqual([
      ['xp', 5, 1_004, null],
      ['gold', -6, 1_004, null],
      ['xp', 1, 1_004, null],
    ]);
    expect(first.revision).toBe(4);
    expect(
      new Set(
        [...first.entries, ...(await views.ledger('ledger', filter, { limit: 9, after: first.cursor })).entries].map(
          ({ eventId }) => eventId,
        ),
      ).size,
    ).toBe(4);
    expect(first.summary).toEqual({
      totalIncrease: 6,
      totalDecrease: -11,
      netChange: -5,
      entryCount: 4,
      truncated: false,
      sources: [
        { source: 'direct', count: 1, total: -5 },
        { source: 'quest', count: 2, total: 6 },
        { source: 'shop', count: 1, total: -6 },
      ],
    });
    const second = await views.ledger('ledger', filter, { limit: 3, after: first.cursor });
    expect(second.entries).toMatchObject([{ field: 'xp', before: 5, after: 0, reason: 'gone' }]);
    expect(second.cursor).toBeNull();
    const newest = await views.ledger('ledger', filter, { limit: 3, after: null, order: 'desc' });
    expect([...newest.entries].reverse()).toEqual([...first.entries.slice(1), ...second.entries]);
    expect(newest.summary).toEqual(first.summary);
    const oldest = await views.ledger('ledger', filter, { limit: 3, after: newest.cursor, order: 'desc' });
    expect(oldest).toMatchObject({ entries: first.entries.slice(0, 1), cursor: null });
    const gold = await views.ledger('ledger', { ...filter, field: 'gold', from: 1_004, to: 1_005 }, { limit: 9, after: null });
    expect(gold.entries.length).toBe(1);
    expect((await views.ledger('ledger', { ...filter, from: 1_005, to: 1_005 }, { limit: 9, after: null })).entries).toEqual([]);
  });

  test('reads totals by player, document, field and source without reading entries', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'totals');
    await feed.commit(wrote('p1', entry('gold', 0, 5, 'shop'), entry('xp', 0, 2, 'quest')), wrote('p1', entry('gold', 5, 4, 'quest')));
    await project(pool, log, feed);
    await feed.commit(wrote('p1_a', entry('gold', 0, 7, 'shop')), wrote('p2', entry('gold', 0, 100, 'shop')));
    await project(pool, log, feed);
    const views = createViewReader(pool, null);
    const sums = async (more: object) => {
      const filter = { space: 'live', collection: 'saves', platformId: 'p1', ...more } as const;
      const { summary } = await views.ledger('totals', filter, { limit: 1, after: null });
      return [summary.totalIncrease, summary.totalDecrease, summary.netChange, summary.entryCount];
    };
    expect(await sums({})).toEqual([14, -1, 13, 4]);
    expect(await sums({ field: 'gold' })).toEqual([12, -1, 11, 3]);
    expect(await sums({ field: 'gold', key: 'p1' })).toEqual([5, -1, 4, 2]);
    expect(await sums({ field: 'gold', from: 0 })).toEqual([12, -1, 11, 3]);
    // Only a read that passes over the entries notices that they are gone.
    await pool.query(`DELETE FROM savepoint.ledger_v1 WHERE project = 'totals'`);
    expect(await sums({})).toEqual([14, -1, 13, 4]);
    expect(await sums({ from: 0 })).toEqual([0, 0, 0, 0]);
  });

  test('of a range sums a bounded number of entries and says when there are more', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'long');
    await feed.commit(wrote('p1', entry('gold', 0, 1, 'shop')));
    await project(pool, log, feed);
    await pool.query(
      `INSERT INTO savepoint.ledger_v1 SELECT project, space, collection, player, n + 1, 0, key, field, before, after, delta, amount, source, reason, n, event_id || n, true, actor
       FROM savepoint.ledger_v1, generate_series(1, $1::int) n WHERE project = 'long'`,
      [MAX_SUMMED + 10],
    );
    const views = createViewReader(pool, null);
    const range = async (from: number, to: number) => {
      const filter = { space: 'live', collection: 'saves', platformId: 'p1', from, to } as const;
      const { summary, entries } = await views.ledger('long', filter, { limit: 5, after: null });
      return [summary.entryCount, summary.netChange, summary.truncated, entries.length];
    };
    expect(await range(2, 1_000_000)).toEqual([MAX_SUMMED, MAX_SUMMED, true, 5]);
    expect(await range(20, 30)).toEqual([10, 10, false, 5]);
  });

  test('knows every player with a present or earlier document, and nobody else', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'known');
    await feed.commit(written('p1_a', {}), deleted('p1_a'), written('p22', {}));
    await project(pool, log, feed);
    const known = async (platformId: string) =>
      (await createViewReader(pool, null).ledger('known', { space: 'live', collection: 'saves', platformId }, { limit: 1, after: null }))
        .known;
    expect([await known('p1'), await known('p2'), await known('p22')]).toEqual([true, false, true]);
  });

  test('of one document holds no entries of a player whose id its key begins with', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'onekey');
    await feed.commit(
      wrote('rec_1', entry('n', 0, 1, 'a'), entry('m', 0, 1, 'a')),
      wrote('rec_2', entry('n', 0, 2, 'a')),
      wrote('_k', entry('n', 0, 3, 'a')),
    );
    await project(pool, log, feed);
    const of = (platformId: string, key: string) =>
      createViewReader(pool, null).ledger('onekey', { space: 'live', collection: 'saves', platformId, key }, { limit: 9, after: null });
    const { entries, known } = await of('rec', 'rec_1');
    expect([entries.map(({ field, after }) => [field, after]), known]).toEqual([
      [
        ['n', 1],
        ['m', 1],
      ],
      true,
    ]);
    expect(new Set(entries.map(({ eventId }) => eventId)).size).toBe(2);
    expect((await of('', '_k')).entries).toMatchObject([{ after: 3 }]);
    expect(await of('rec', 'rec')).toMatchObject({ entries: [], known: false });
  });

  test('exact numbers stay exact', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'exact');
    const big = new ExactNumber('9007199254740993');
    await feed.commit(written('p1', {}, 1, { ledger: [{ field: 'id', before: 0, after: big, delta: big, source: 'direct' }] }));
    await project(pool, log, feed);
    const page = await createViewReader(pool, null).ledger(
      'exact',
      { space: 'live', collection: 'saves', platformId: 'p1' },
      { limit: 9, after: null },
    );
    expect(page.entries[0]?.after).toEqual(big);
  });

  test('sums are exact for every number that a game may save', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'sums');
    const summaryOf = async (key: string, ...texts: string[]) => {
      const ledger = texts.map((text) => ({ field: 'id', before: 0, after: 0, delta: numberFromText(text), source: 'direct' }));
      await feed.commit(...ledger.map((entry, n) => written(key, {}, n + 1, { ledger: [entry] })));
      await project(pool, log, feed);
      const filter = { space: 'live', collection: 'saves', platformId: key } as const;
      const { summary } = await createViewReader(pool, null).ledger('sums', filter, { limit: 1, after: null });
      const { totalIncrease, totalDecrease, netChange, entryCount } = summary;
      expect(entryCount).toBe(texts.length);
      return stringifyJson([totalIncrease, totalDecrease, netChange]);
    };
    expect(await summaryOf('a', '0.1', '0.2', '-0.4')).toBe('[0.3,-0.4,-0.1]');
    expect(await summaryOf('b', '9007199254740993', '-9007199254740992')).toBe('[9007199254740993,-9007199254740992,1]');
    expect(await summaryOf('c', '1.5e308', '-1.5e308', '1.5e308')).toBe(`[3${'0'.repeat(308)},-1.5e+308,1.5e+308]`);
    expect(await summaryOf('d', '1e400', '-1e200000', '1e-20000', '2')).toBe('[2,0,2]');
    expect(await summaryOf('e', `0.${'5'.repeat(20_000)}`)).toContain('0.5555555');
    expect(await summaryOf('f')).toBe('[0,0,0]');
  });

  test('of a next space is the live history up to the fork, then its own', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'nextledger');
    await feed.commit(wrote('p1', entry('xp', 0, 5, 'a')));
    await feed.commit(written('p1', {}, 2, { space: 'next1', fork: { document: {}, version: 1 }, ledger: [entry('xp', 5, 6, 'b')] }));
    await feed.commit(wrote('p1', entry('xp', 5, 50, 'c')), wrote('p2', entry('xp', 0, 7, 'd')));
    await project(pool, log, feed);
    const sources = async (space: Space, platformId: string) => {
      const page = await createViewReader(pool, null).ledger(
        'nextledger',
        { space, collection: 'saves', platformId },
        { limit: 9, after: null },
      );
      return page.entries.map((one) => one.source);
    };
    expect(await sources('live', 'p1')).toEqual(['a', 'c']);
    expect(await sources('next1', 'p1')).toEqual(['a', 'b']);
    expect(await sources('next1', 'p2')).toEqual(['d']);
    // A promotion begins a space, and forks are searched from there on.
    await feed.commit(...Array.from({ length: 130 }, (_, i) => written('filler', {}, i + 1)));
    await feed.commit({ type: 'definitions.promoted', data: { changes: [], hash: 'promoted', generation: 2 } });
    await feed.commit(written('p1', {}, 4, { space: 'next2', fork: { document: {}, version: 3 }, ledger: [entry('xp', 50, 51, 'e')] }));
    await feed.commit(wrote('p1', entry('xp', 50, 99, 'f')));
    await project(pool, log, feed);
    expect(await sources('next2', 'p1')).toEqual(['a', 'c', 'e']);
    expect(await sources('next1', 'p1')).toEqual(['a', 'b']);
    expect(await sources('live', 'p1')).toEqual(['a', 'c', 'f']);
  });
});

describe('records', () => {
  const FEED: JsonObject = { id: 'feed', name: 'Feed', collectionType: 'global' };
  const list = async (
    projectId: string,
    before: { timestamp: number; sequence: number | null } | null = null,
    limit = 2,
    space: Space = 'live',
    bytes = 1_000_000,
  ) => {
    const page = await createViewReader(pool, null).records(projectId, space, 'feed', { limit, before, bytes });
    return { ids: page.records.map((text) => JSON.parse(text)._id ?? JSON.parse(text).id), last: page.last };
  };

  test('are listed newest first, ties in order of appending, and a page border inside a millisecond loses nothing', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'records');
    await feed.publish('live', [['collection', 'feed', FEED]]);
    await feed.commit(
      appended('a', 10),
      appended('b', 20),
      appended('c', 20),
      appended('d', 20),
      written('e', { id: 'e' }, 1, { collection: 'feed' }),
    );
    await project(pool, log, feed);
    const first = await list('records');
    expect(first).toMatchObject({ ids: ['d', 'c'], last: { timestamp: 20, ambiguous: true } });
    const second = await list('records', first.last);
    expect(second).toMatchObject({ ids: ['b', 'a'], last: { timestamp: 10, ambiguous: false } });
    expect(await list('records', second.last)).toEqual({ ids: ['e'], last: null });
    expect(await list('records', { timestamp: 20, sequence: null })).toMatchObject({ ids: ['a', 'e'] });
  });

  test('are paged by bytes with a cursor, and a single record is listed however large it is', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'bytes');
    const put = (id: string, size: number, at: number) =>
      written(id, { id, _timestamp: at, text: 'x'.repeat(size) }, 1, { collection: 'feed' });
    await feed.publish('live', [['collection', 'feed', FEED]]);
    await feed.commit(put('a', 10, 1), put('b', 5_000, 2), put('c', 500, 3), put('d', 300, 3));
    await project(pool, log, feed);
    const seen: string[][] = [];
    let before: Awaited<ReturnType<typeof list>>['last'] = null;
    do {
      const page = await list('bytes', before, 9, 'live', 600);
      seen.push(page.ids);
      before = page.last;
    } while (before !== null);
    expect(seen).toEqual([['d'], ['c'], ['b'], ['a']]);
    expect((await list('bytes', null, 9, 'live', 1_000)).ids).toEqual(['d', 'c']);
    expect(await list('bytes', null, 9, 'live')).toMatchObject({ ids: ['d', 'c', 'b', 'a'], last: null });
  });

  test('are ordered by text timestamps, too; an overwritten record keeps its place among equals, a deleted one vanishes', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'rewritten');
    const put = (key: string, stamp: JsonObject[string], version = 1) =>
      written(key, { id: key, _timestamp: stamp }, version, { collection: 'feed' });
    await feed.publish('live', [['collection', 'feed', FEED]]);
    await feed.commit(put('a', '1970-01-01T00:00:01Z'), put('b', 1000), put('c', 500));
    await project(pool, log, feed);
    await feed.commit(put('a', 1000, 2), deleted('c', 2, { collection: 'feed' }));
    await project(pool, log, feed);
    expect((await list('rewritten', null, 9)).ids).toEqual(['b', 'a']);
  });

  test('have exact numbers as timestamps read as doubles, however the list was filled', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'fractions');
    const put = (key: string, stamp: JsonObject[string]) => written(key, { id: key, _timestamp: stamp }, 1, { collection: 'feed' });
    const order = ['far', 'c', 'b', 'a', 'none'];
    await feed.publish('live', [['collection', 'feed', FEED]]);
    await feed.commit(put('b', new ExactNumber('1795337601470.123456')), put('a', 1795337601469), put('c', 1795337601471));
    await feed.commit(put('none', new ExactNumber('1e400')), put('far', new ExactNumber('1795337601472.00000000000000001')));
    await project(pool, log, feed);
    expect((await list('fractions', null, 9)).ids).toEqual(order);
    await feed.publish('live', [['collection', 'feed', { ...FEED, collectionType: 'per-platformid' }]]);
    await project(pool, log, feed);
    await feed.publish('live', [['collection', 'feed', FEED]]);
    await project(pool, log, feed);
    expect((await list('fractions', null, 9)).ids).toEqual(order);
  });

  test('are listed when a collection becomes global, and forgotten when it no longer is', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'becomes');
    await feed.commit(written('x', { id: 'x', _timestamp: 7 }, 1, { collection: 'feed' }));
    await project(pool, log, feed);
    expect((await list('becomes')).ids).toEqual([]);
    await feed.publish('live', [['collection', 'feed', FEED]]);
    await feed.commit(appended('y', 8));
    await project(pool, log, feed);
    expect((await list('becomes', null, 9)).ids).toEqual(['y', 'x']);
    await feed.publish('live', [['collection', 'feed', { ...FEED, collectionType: 'per-platformid' }]]);
    await project(pool, log, feed);
    expect(await rowsOf(pool, `SELECT FROM savepoint.records WHERE project = 'becomes'`)).toEqual([]);
  });

  test('of live show in a next space, except those that it has changed or deleted', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'nextrecords');
    await feed.publish('live', [['collection', 'feed', FEED]]);
    await feed.commit(appended('a', 10), appended('b', 20), appended('c', 30), appended('n', 15, {}, { space: 'next1' }));
    await feed.commit(deleted('b', 2, { collection: 'feed', space: 'next1', fork: { document: {}, version: 1 } }));
    await project(pool, log, feed);
    expect((await list('nextrecords', null, 9, 'next1')).ids).toEqual(['c', 'n', 'a']);
    expect((await list('nextrecords', null, 9)).ids).toEqual(['c', 'b', 'a']);
  });
});

describe('leaderboards', () => {
  const top = async (projectId: string, definition: JsonObject, options: { space?: Space; limit?: number; offset?: number } = {}) => {
    const { space = 'live', limit = 10, offset = 0 } = options;
    const query = { id: 'top', hash: hashText(JSON.stringify(definition)) };
    const page = await createViewReader(pool, null).leaderboard(projectId, space, query, { order: 'desc', limit, offset });
    return { rows: page.rows.map((row) => [row.key, row.value]), total: page.total };
  };

  test.each(['asc', 'desc'] as const)('are sorted %s by value, ties by who was there first, numbers only', async (order) => {
    const log = createMemoryLog();
    const projectId = `order-${order}`;
    const feed = new Feed(log, projectId);
    const query = topQuery(order);
    await feed.publish('live', [
      ['collection', 'saves', { id: 'saves', name: 'Saves' }],
      ['query', 'top', query],
    ]);
    const xp = (key: string, value: JsonObject[string]) => written(key, { stats: { xp: value } });
    await feed.commit(
      xp('c', 5),
      xp('a', 5),
      xp('b', 5),
      xp('low', -1.5),
      xp('high', 1e9),
      xp('text', '7'),
      xp('none', null),
      written('flat', { stats: 3 }),
    );
    await project(pool, log, feed);
    const ties = [
      ['c', 5],
      ['a', 5],
      ['b', 5],
    ];
    const rows = order === 'desc' ? [['high', 1e9], ...ties, ['low', -1.5]] : [['low', -1.5], ...ties, ['high', 1e9]];
    expect(await top(projectId, query)).toEqual({ rows, total: 5 });
    expect(await top(projectId, query, { limit: 2, offset: 2 })).toEqual({ rows: rows.slice(2, 4), total: 5 });
  });

  test('follow every change of a document, and their total counts documents with a value', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'follows');
    const query = topQuery('desc');
    await feed.publish('live', [
      ['collection', 'saves', { id: 'saves', name: 'Saves' }],
      ['query', 'top', query],
    ]);
    await feed.commit(written('a', { stats: { xp: 1 } }), written('b', { stats: { xp: 2 } }));
    await project(pool, log, feed);
    await feed.commit(changed('a', [['stats.xp', 3]]), changed('b', [['stats.xp', 'x']]), written('c', { stats: { xp: 0 } }), deleted('c'));
    await project(pool, log, feed);
    expect(await top('follows', query)).toEqual({ rows: [['a', 3]], total: 1 });
    await feed.commit(deleted('a', 3));
    await project(pool, log, feed);
    expect(await top('follows', query)).toEqual({ rows: [], total: 0 });
  });

  test('are filled from all documents when a query is published, those of the same batch included, and dropped with it', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'publish');
    await feed.publish('live', [['collection', 'saves', { id: 'saves', name: 'Saves' }]]);
    await feed.commit(
      written('a', { stats: { xp: 1 }, coins: 9, list: [7] }),
      written('n', { stats: { xp: 8 } }, 1, { space: 'next1', fork: { document: null, version: 0 } }),
    );
    await project(pool, log, feed);
    const [old, younger] = [topQuery('desc'), topQuery('desc', 'coins')];
    await feed.publish('live', [['query', 'top', old]]);
    await feed.commit(written('b', { stats: { xp: 2 }, coins: 1 }));
    await project(pool, log, feed);
    expect(await top('publish', old)).toEqual({
      rows: [
        ['b', 2],
        ['a', 1],
      ],
      total: 2,
    });
    await feed.publish('next', [['query', 'top', younger]]);
    await project(pool, log, feed);
    expect((await rowsOf(pool, `SELECT DISTINCT board FROM savepoint.leaderboards WHERE project = 'publish' ORDER BY 1`)).length).toBe(2);
    await feed.publish('live', [['query', 'top', topQuery('desc', 'list.0')]]);
    await project(pool, log, feed);
    expect(await top('publish', old)).toEqual({ rows: [], total: null });
    expect(await top('publish', topQuery('desc', 'list.0'))).toEqual({ rows: [], total: 0 });
  });

  test('of a next space show its own row, none for a document without a value, and else the live row', async () => {
    const log = createMemoryLog();
    const feed = new Feed(log, 'nextboard');
    const query = topQuery('desc');
    await feed.publish('live', [
      ['collection', 'saves', { id: 'saves', name: 'Saves' }],
      ['query', 'top', query],
    ]);
    const fork = { space: 'next1', fork: { document: {}, version: 1 } };
    await feed.commit(...['a', 'b', 'c', 'd'].map((key, index) => written(key, { stats: { xp: 10 + index } })));
    await feed.commit(
      written('a', { stats: { xp: 100 } }, 2, fork),
      deleted('b', 2, fork),
      written('c', {}, 2, fork),
      written('e', { stats: { xp: 1 } }, 1, { space: 'next1' }),
    );
    await project(pool, log, feed);
    expect(await top('nextboard', query, { space: 'next1' })).toEqual({
      rows: [
        ['a', 100],
        ['d', 13],
        ['e', 1],
      ],
      total: 3,
    });
    expect(await top('nextboard', query, { space: 'next1', limit: 1, offset: 1 })).toEqual({ rows: [['d', 13]], total: 3 });
    expect((await top('nextboard', query)).rows).toEqual([
      ['d', 13],
      ['c', 12],
      ['b', 11],
      ['a', 10],
    ]);
  });
});
