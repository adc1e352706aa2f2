import { describe, expect, test } from 'vitest';
import { queryModel } from '../../../src/domain/definition/model/models.ts';
import { aggregateAnswer, entryText, leaderboardText } from '../../../src/domain/query/answer.ts';
import { valueAt } from '../../../src/domain/query/board-metric.ts';
import type { Row } from '../../../src/domain/query/evaluate.ts';
import { queryPlan } from '../../../src/domain/query/plan.ts';
import { profileOf } from '../../../src/domain/query/profile.ts';
import { QueryRun } from '../../../src/domain/query/run.ts';
import { accepted } from '../../../src/kernel/errors.ts';
import { hashText } from '../../../src/kernel/hash.ts';
import { ExactNumber, type JsonObject, parseStored, stringifyJson } from '../../../src/kernel/json.ts';

type Documents = Readonly<Record<string, JsonObject>>;

const AROUND = { projectId: 'p', now: Date.UTC(2026, 0, 1), values: { rates: { bonus: 2 } } };

/** Given documents by source (joins after them), the query answers this. */
function answered(definition: JsonObject, ...sources: readonly Documents[]): Record<string, unknown> {
  return bounded(Number.MAX_SAFE_INTEGER, definition, ...sources);
}

/** The same, with a bound on the kept characters. */
function bounded(mostKept: number, definition: JsonObject, ...sources: readonly Documents[]): Record<string, unknown> {
  const query = queryModel(
    {
      id: 'q',
      value: { id: 'q', name: 'Q', sources: [{ collectionId: 'players' }], ...definition },
      hash: 'h',
      kind: 'query',
      updatedAt: 0,
      live: null,
      staged: null,
    },
    () => undefined,
  );
  const plan = queryPlan(query);
  if (typeof plan === 'string') return { failed: plan };
  const known = (row: Row) => profileOf(row, null);
  const run = new QueryRun(plan, AROUND, { read: (_, text) => parseStored(text), profileOf: known, mostKept });
  sources.forEach((documents, index) => {
    for (const [key, data] of Object.entries(documents).sort(([a], [b]) => (a < b ? -1 : 1)))
      accepted(run.add(index, { key, text: stringifyJson(data), reached: 0 }));
  });
  const finishing = run.finish();
  for (let step = finishing.next(); ; step = finishing.next()) {
    if (step.done !== true) continue;
    accepted(step.value);
    break;
  }
  const how = { query, plan, environment: AROUND, durationMs: 0, scanned: run.scanned, from: 'scan', errors: run.errors } as const;
  if (plan.type !== 'leaderboard') return { ...aggregateAnswer(how, run) };
  const entries = run.ranking
    .slice(0, plan.limit)
    .map(({ key, rank }, index) => entryText(how, { ...run.row(key, known), value: valueAt(rank, plan.order) }, index + 1));
  return { ...parseStored(leaderboardText(how, { entries, total: run.counted })), isWhole: run.isWhole };
}

const entries = (answer: Record<string, unknown>) =>
  (answer['entries'] as readonly { rank: number; key: string; value: number }[]).map((one) => [one.rank, one.key, one.value]);
const dataOf = (answer: Record<string, unknown>) => (answer['entries'] as readonly { data: JsonObject }[]).map(({ data }) => data);

const GOLD: Documents = {
  a: { gold: 5, name: 'Ada' },
  b: { gold: 9 },
  c: { gold: '7' },
  d: { gold: null },
  e: {},
  f: { gold: -2.5 },
  g: { gold: new ExactNumber('9') },
};

describe('aggregates', () => {
  test.each<[string, JsonObject, object]>([
    ['count', { type: 'count' }, { count: 7 }],
    ['a count without a condition counts all', { type: 'count', config: { field: 'gold' } }, { count: 7 }],
    ['sum', { type: 'sum', config: { field: 'gold' } }, { sum: 20.5, counted: 4, field: 'gold', fieldLabel: 'gold' }],
    ['average', { type: 'average', config: { field: 'gold', fieldLabel: 'Gold' } }, { average: 5.125, counted: 4, fieldLabel: 'Gold' }],
    ['average of nothing', { type: 'average', config: { field: 'none' } }, { average: 0, counted: 0 }],
    ['min', { type: 'min', config: { field: 'gold' } }, { value: -2.5, key: 'f', counted: 4 }],
    ['max takes the first of equals', { type: 'max', config: { field: 'gold' } }, { value: 9, key: 'b' }],
    ['an expression', { type: 'sum', config: { valueExpression: '{{gold}} * {{values.rates.bonus}}' } }, { counted: 5, sum: 55 }],
    ['a field with tokens', { type: 'max', config: { field: '{{gold|0}} + 1' } }, { value: 10 }],
    [
      'a field that is a definition',
      { type: 'sum', config: { field: { name: 'twice', expression: '{{gold}} * 2' } } },
      { field: 'twice', sum: 55 },
    ],
  ])('%s', (_, definition, expected) => {
    expect(answered(definition, GOLD)).toMatchObject({ ok: true, query: 'Q', queryId: 'q', ...expected });
  });

  test('min and max of no rows have no value', () => {
    expect(answered({ type: 'max', config: { field: 'none' } }, GOLD)).not.toHaveProperty('value');
  });

  test.each<[string, unknown, number]>([
    ['eq', '9', 2],
    ['eq', 9, 2],
    ['neq', '9', 5],
    ['gt', '5', 3],
    ['gte', 5, 4],
    ['lt', '5', 1],
    ['lte', '5', 2],
    ['exists', null, 5],
    ['not_exists', null, 2],
    ['like', 'x', 7],
  ])('a count with the condition %s %s', (condition, conditionValue, count) => {
    const config = { field: 'gold', condition, conditionValue: conditionValue as string };
    expect(answered({ type: 'count', config }, GOLD)).toMatchObject({ count });
  });

  test('an unknown type and a query without sources fail', () => {
    expect(answered({ type: 'median' }, GOLD)).toHaveProperty('failed');
    expect(answered({ type: 'count', sources: [] }, GOLD)).toHaveProperty('failed');
  });
});

describe('leaderboards', () => {
  test('rank by value, ties by key with ranks of their own; numeric text is no number', () => {
    expect(entries(answered({ config: { field: 'gold' } }, GOLD))).toEqual([
      [1, 'b', 9],
      [2, 'g', 9],
      [3, 'a', 5],
      [4, 'f', -2.5],
    ]);
    expect(entries(answered({ config: { field: 'gold', order: 'asc', limit: 2 } }, GOLD))).toEqual([
      [1, 'f', -2.5],
      [2, 'a', 5],
    ]);
    expect(answered({ config: { field: 'gold', order: 'up', limit: 0 } }, GOLD)).toMatchObject({ entries: [], count: 0, total: 4 });
  });

  test('keep the best of many rows', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`k${n}`, { n: (n * 7919) % 10_007 }]));
    const best = entries(answered({ config: { field: 'n', limit: 3 } }, many)).map(([, , value]) => value);
    expect(best).toEqual(
      Object.values(many)
        .map(({ n }) => n)
        .sort((x, y) => y - x)
        .slice(0, 3),
    );
  });

  test('columns are paths, expressions and templates; a missing value is left out of data, and null in outputValues', () => {
    const columns = [
      'name',
      { key: 'double', expression: '{{gold}} * 2', label: 'Twice' },
      { name: 'line', template: '{{_key}}: {{gold}}' },
      { path: 'a.b', outputPath: 'x.y' },
    ];
    const answer = answered(
      { config: { field: 'gold', limit: 1, order: 'asc', columns } },
      { a: { gold: 5, name: 'Ada', a: { b: 1 } }, b: { gold: 6 } },
    );
    expect(answer['outputFields']).toEqual(['name', 'double', 'line', 'a.b']);
    expect(answer['columns']).toEqual([
      { key: 'name', label: 'name', path: 'name', outputPath: 'name' },
      { key: 'double', label: 'Twice', expression: '{{gold}} * 2', outputPath: 'double' },
      { key: 'line', label: 'line', template: '{{_key}}: {{gold}}', outputPath: 'line' },
      { key: 'a.b', label: 'a.b', path: 'a.b', outputPath: 'x.y' },
    ]);
    expect(answer['entries']).toEqual([
      {
        rank: 1,
        key: 'a',
        value: 5,
        data: { name: 'Ada', double: 10, line: 'a: 5', x: { y: 1 } },
        outputValues: { name: 'Ada', double: 10, line: 'a: 5', 'a.b': 1 },
      },
    ]);
    const [row] = dataOf(answered({ config: { field: 'gold', columns: ['none'] } }, { a: { gold: 1 } }));
    expect(row).toEqual({});
  });

  test('a sum of decimals is exact, as a ledger is', () => {
    const tenths = Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`p${index}`, { gold: 0.1 }]));
    expect(answered({ type: 'sum', config: { field: 'gold' } }, tenths)).toMatchObject({ sum: 1, counted: 10 });
  });

  test('computed fields see earlier ones; errors are counted and give the default', () => {
    const computedFields = [
      { name: 'power', expression: '{{gold}} * 2' },
      { name: 'total', label: 'Total', expression: '{{power}} + 1', targetPath: 'sum.all' },
      { name: 'broken', expression: '{{name}} * 2', default: -1 },
    ];
    const answer = answered({ config: { field: 'sum.all', computedFields } }, { a: { gold: 5, name: 'Ada' } });
    expect(dataOf(answer)).toEqual([
      { gold: 5, name: 'Ada', power: 10, computed: { power: 10, total: 11, broken: -1 }, sum: { all: 11 }, broken: -1 },
    ]);
    expect(answer['performance']).toMatchObject({
      computedErrors: 1,
      computedFields: [{ name: 'power' }, { name: 'total', label: 'Total' }, { name: 'broken' }],
    });
    const map = answered({ config: { field: 'power', computations: { power: '{{gold}} * 3' } } }, { a: { gold: 5 } });
    expect(entries(map)).toEqual([[1, 'a', 15]]);
  });

  test('a profile field shows the player’s profile, with the name from the document', () => {
    const answer = answered(
      { config: { field: 'gold', fields: ['playerProfile.playerName', 'playerProfile.isOnline'] } },
      { a: { gold: 5, name: 'Ada' } },
    );
    expect(dataOf(answer)).toEqual([{ playerProfile: { playerName: 'Ada', isOnline: null } }]);
  });
});

describe('several sources', () => {
  const PLAYERS: Documents = { p1: { score: 3, clan: 'red' }, p2: { score: 5, clan: 7 }, p3: { score: 1 } };
  const STATS: Documents = { p1: { wins: 1 }, p3: { wins: 4 }, p9: { wins: 9 } };
  const CLANS: Documents = { red: { title: 'Red', id: 'red' }, seven: { title: 'Seven', id: 7 }, also: { title: 'Also', id: '7' } };
  const two = (second: JsonObject, config: JsonObject = {}) => ({
    sources: [{ collectionId: 'players', alias: 'player' }, second],
    config: { field: 'player.score', ...config },
  });

  test('are united by key, each under its alias', () => {
    const answer = answered({ ...two({ collectionId: 'stats', as: 'stat' }), type: 'count' }, PLAYERS, STATS);
    expect(answer).toMatchObject({ count: 4, performance: { keysScanned: 6, sources: [{ keysScanned: 3 }, { keysScanned: 3 }] } });
    expect(dataOf(answered(two({ collectionId: 'stats', as: 'stat' }), PLAYERS, STATS))).toEqual([
      { player: PLAYERS['p2'] },
      { player: PLAYERS['p1'], stat: { wins: 1 } },
      { player: PLAYERS['p3'], stat: { wins: 4 } },
    ]);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['of the source', { collectionId: 'clans', alias: 'clan', join: { left: 'clan', right: 'id' } }, {}],
    [
      'of config.joins, by alias',
      { collectionId: 'clans', alias: 'clan' },
      { joins: [{ alias: 'clan', on: { local: 'player.clan', foreign: 'id' } }] },
    ],
    [
      'of config.joins, by index',
      { collectionId: 'clans', alias: 'clan' },
      { joins: [{ index: 1, localField: 'clan', foreignField: 'id' }] },
    ],
  ])('a join %s attaches the first match; keys compare as text, null matches nothing', (_, second, config) => {
    expect(dataOf(answered(two(second, config), PLAYERS, CLANS)).map((row) => row['clan'])).toEqual([CLANS['also'], CLANS['red'], null]);
  });

  test('an inner join drops rows, a join of many nests a list', () => {
    const join = { left: 'clan', right: 'id' };
    const clans = (more: JsonObject) => two({ collectionId: 'clans', alias: 'clan', join: { ...join, ...more } });
    expect(entries(answered(clans({ type: 'inner' }), PLAYERS, CLANS))).toHaveLength(2);
    expect(entries(answered(clans({ required: true }), PLAYERS, CLANS))).toHaveLength(2);
    expect(dataOf(answered(clans({ cardinality: 'many' }), PLAYERS, CLANS)).map((row) => row['clan'])).toEqual([
      [CLANS['also'], CLANS['seven']],
      [CLANS['red']],
      [],
    ]);
  });

  test('config.joins adds other collections; a document without the foreign field is matched by its key', () => {
    const joins = [{ sourceCollectionId: 'clans', localKey: 'clan', foreignKey: 'slug', type: 'left' }];
    expect(dataOf(answered({ config: { field: 'score', joins } }, PLAYERS, CLANS))).toEqual([
      { ...PLAYERS['p2'], clans: null },
      { ...PLAYERS['p1'], clans: CLANS['red'] },
      { ...PLAYERS['p3'], clans: null },
    ]);
  });
});

test('only a leaderboard over one stored number is kept as a board', () => {
  const boardOf = (definition: JsonObject) => {
    const value = { sources: [{ collectionId: 'players' }], ...definition };
    const plan = queryPlan(
      queryModel(
        { id: 'q', value, hash: hashText(JSON.stringify(value)), kind: 'query', updatedAt: 0, live: null, staged: null },
        () => undefined,
      ),
    );
    return typeof plan === 'string' ? plan : plan.board;
  };
  expect(boardOf({ config: { field: 'stats.xp', order: 'asc' } })).toEqual({ collectionId: 'players', field: 'stats.xp', order: 'asc' });
  for (const config of [
    {},
    { field: '{{xp}}' },
    { field: { path: 'xp' } },
    { field: 'xp', valueExpression: '{{xp}}' },
    { field: 'xp', computedFields: [{ name: 'a', expression: '1' }] },
    { field: 'xp', joins: [{ sourceCollectionId: 'clans' }] },
    { field: 'playerProfile.totalSeconds' },
    { field: 'a..b' },
    { field: '__proto__.x' },
    { field: 'x'.repeat(2000) },
  ]) {
    expect(boardOf({ config })).toBe(null);
  }
  expect(boardOf({ type: 'max', config: { field: 'xp' } })).toBe(null);
});

describe('what a query may keep', () => {
  const many = (count: number, text = ''): Documents =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, { gold: (n * 7) % count, text }]));
  const top = { config: { field: 'gold', limit: 3, columns: ['gold'] } };

  test('a leaderboard over more documents keeps the rows that it shows, and counts all', () => {
    const whole = answered(top, many(200));
    const cut = bounded(4_000, top, many(200));
    expect([whole['isWhole'], cut['isWhole'], cut['total']]).toEqual([true, false, 200]);
    expect(entries(cut)).toEqual(entries(whole));
    for (const order of ['asc', 'desc']) {
      const ordered = { config: { ...top.config, order } };
      expect(entries(bounded(4_000, ordered, many(200)))).toEqual(entries(answered(ordered, many(200))));
    }
  });

  test('rows to show, and documents to join, that are too many are refused', () => {
    const refused = expect.objectContaining({ code: 'QUERY_FAILED' });
    expect(() => bounded(4_000, top, many(200, 'x'.repeat(2_000)))).toThrow(refused);
    const joined = { sources: [{ collectionId: 'a' }, { collectionId: 'b', join: { left: 'key' } }], ...top };
    expect(() => bounded(4_000, joined, many(20), many(20))).toThrow(refused);
    expect(answered(joined, many(20), many(20))).toMatchObject({ total: 0 });
  });

  test('an aggregate keeps nothing, however many documents it reads', () => {
    expect(bounded(1_000, { type: 'sum', config: { field: 'gold' } }, many(500, 'x'.repeat(100)))).toMatchObject({ counted: 500 });
  });
});
