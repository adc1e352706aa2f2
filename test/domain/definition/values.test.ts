import { describe, expect, it } from 'vitest';
import { effectiveDefinitions } from '../../../src/domain/definition/model/effective.ts';
import { gameValues } from '../../../src/domain/definition/model/values.ts';
import { decidePutSingle } from '../../../src/domain/definition/push/decide-kind.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, push, put } from './given.ts';

function values(collections: Json[], document?: Json) {
  const pushed = push(EMPTY, 'collection', collections);
  return effectiveDefinitions(document === undefined ? pushed : put(pushed, 'game-values', document), 'live').values;
}

const shop = (extra: JsonObject) => ({ id: 'shop', visibility: 'public', ...extra });

describe('game values', () => {
  it('group entries come out as values, a table as stored, and constants mirror the groups', () => {
    const { full, shared } = values([], {
      items: [
        { id: 'costs', type: 'group', name: 'Costs', description: 'd', entries: { heal: 5 } },
        { id: 'axes', type: 'table', name: 'Axes', columns: [{ key: 'id', type: 'string' }], rows: [{ id: 'stone' }], note: 1 },
      ],
    });
    expect(full).toMatchObject({
      groups: { costs: { name: 'Costs', description: 'd', values: { heal: 5 } } },
      tables: {
        axes: { id: 'axes', type: 'table', name: 'Axes', columns: [{ key: 'id', type: 'string' }], rows: [{ id: 'stone' }], note: 1 },
      },
      constants: { costs: { heal: 5 } },
      updatedAt: '1970-01-01T00:00:01.000Z',
    });
    expect(full['version']).toMatch(/^[0-9a-f]{16}$/);
    expect(shared).toEqual(full);
  });

  it('of many columns by many rows are read row by row: no cell is asked for that is not there', () => {
    let reads = 0;
    const row = (cells: JsonObject): JsonObject =>
      new Proxy(cells, {
        getOwnPropertyDescriptor(target, name) {
          reads += 1;
          return Reflect.getOwnPropertyDescriptor(target, name);
        },
      });
    const columns = Array.from({ length: 300 }, (_, index) => `c${index}`);
    const rows = Array.from({ length: 300 }, (_, index) => row({ [`c${index}`]: index, c0: index % 2 === 0 ? 1 : 'one', c1: true }));
    const { full } = gameValues([], { items: [{ id: 't', type: 'table', columns, rows }] }, { version: null, updatedAt: null });
    expect(Object(full['tables']).t.columns.slice(0, 3)).toEqual([
      { key: 'c0', type: 'string' },
      { key: 'c1', type: 'boolean' },
      { key: 'c2', type: 'number' },
    ]);
    expect(reads).toBeLessThan(10 * (columns.length + rows.length));
  });

  it('without any values, version and time are null', () => {
    expect(values([]).full).toEqual({ version: null, updatedAt: null, groups: {}, tables: {}, constants: {} });
  });

  it('templates see one map: group id to entries, table id to rows', () => {
    const document = {
      items: [
        { id: 'costs', entries: { heal: 5 } },
        { id: 'axes', type: 'table', rows: [{ id: 'stone' }] },
      ],
    };
    expect(values([], document).values).toEqual({ costs: { heal: 5 }, axes: [{ id: 'stone' }] });
  });

  it.each<[string, Json]>([
    ['a list of {id, entries}', [{ id: 'economy', name: 'E', entries: { tax: 1 } }]],
    ['a list of {group, values}', [{ group: 'economy', values: { tax: 1 } }]],
    ['a list of {id, entries: [{key, value}]}', [{ id: 'economy', entries: [{ key: 'tax', value: 1 }] }]],
    ['a map of maps', { economy: { tax: 1 } }],
    ['a map of groups', { economy: { name: 'E', entries: { tax: 1 } } }],
  ])('constants as %s', (_, constants) => {
    const model = values([shop({ constants })]);
    expect(model.values).toEqual({ economy: { tax: 1 } });
    expect(model.full).toMatchObject({ groups: { economy: { values: { tax: 1 }, _collection: 'shop' } } });
  });

  it.each<[string, Json]>([
    [
      'a list with rows as objects',
      [
        {
          id: 'up',
          columns: [
            { key: 'id', type: 'string' },
            { key: 'price', type: 'number' },
          ],
          rows: [{ id: 'axe', price: 5 }],
        },
      ],
    ],
    ['a list with rows as lists', [{ name: 'up', columns: ['id', 'price'], rows: [['axe', 5, 'beyond the columns']] }]],
    ['a map with rows as lists', { up: { columns: ['id', 'price'], rows: [['axe', 5]] } }],
  ])('tables as %s', (_, tables) => {
    const model = values([shop({ tables })]);
    expect(model.values).toEqual({ up: [{ id: 'axe', price: 5 }] });
    expect(model.full).toMatchObject({
      tables: {
        up: {
          columns: [
            { key: 'id', type: 'string' },
            { key: 'price', type: 'number' },
          ],
          rows: [{ id: 'axe', price: 5 }],
          _collection: 'shop',
        },
      },
    });
  });

  it('collections come before the document, and the first with an id wins', () => {
    const model = values(
      [shop({ constants: { a: { x: 1 } } }), { id: 'other', visibility: 'public', constants: { a: { x: 2 }, b: { y: 1 } } }],
      {
        items: [{ id: 'b', entries: { y: 2 } }, { id: 'c', entries: { z: 3 } }, { entries: { noId: 1 } }],
      },
    );
    expect(model.values).toEqual({ a: { x: 1 }, b: { y: 1 }, c: { z: 3 } });
    expect(model.full['constants']).toEqual(model.values);
  });

  it('the legacy form {groups, tables} is read when items is missing', () => {
    expect(values([], { groups: [{ id: 'g', entries: { a: 1 } }], tables: [{ id: 't', rows: [{ b: 2 }] }] }).values).toEqual({
      g: { a: 1 },
      t: [{ b: 2 }],
    });
  });

  it('values of a private collection, items with their ids, and items that name the collection are left out of the shared answer only', () => {
    const model = values(
      [
        { id: 'secret', name: 'Secret Shop', constants: { a: { x: 1 } }, tables: { t: { rows: [{ y: 1 }] } } },
        shop({ constants: { open: { z: 1 } } }),
      ],
      {
        items: [
          { id: 'a', entries: { x: 'of the document' } },
          { id: 'mine', _collection: 'Secret Shop', entries: { k: 1 } },
          { id: 'yours', collectionId: 'secret', entries: { k: 1 } },
          { id: 'free', entries: { k: 1 } },
        ],
      },
    );
    expect(Object.keys(model.shared['constants'] ?? {})).toEqual(['open', 'free']);
    expect(model.shared['tables']).toEqual({});
    expect(Object.keys(model.full['constants'] ?? {})).toEqual(['a', 'open', 'mine', 'yours', 'free']);
    expect(Object.keys(model.values)).toEqual(['a', 't', 'open', 'mine', 'yours', 'free']);
    expect(model.values['a']).toEqual({ x: 1 });
  });
});

describe('a push of game values', () => {
  const decided = (body: Json) => decidePutSingle(EMPTY, 'game-values', body, 'live', 0);
  const groups = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `g${index}` }));

  it.each<[string, Json]>([
    ['as items', { items: groups(20_001) }],
    ['as a list', groups(20_001)],
    ['as maps', { groups: Object.fromEntries(groups(20_000).map(({ id }) => [id, {}])), tables: { t: [] } }],
  ])('with more groups and tables than a project may have is refused, with what to do: %s', (_, body) => {
    expect(decided(body)).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      message: expect.stringContaining('these are 20001: put rows'),
    });
  });

  it('may have as many rows and entries as fit', () => {
    const rows = Array.from({ length: 20_001 }, () => ({ a: 1 }));
    expect(accepted(decided({ items: [{ id: 't', type: 'table', columns: ['a'], rows }] })).answer['ok']).toBe(true);
  });
});
