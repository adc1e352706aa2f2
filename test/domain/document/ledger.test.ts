import { expect, test } from 'vitest';
import { type LedgerBalances, NO_BALANCES, withEntries } from '../../../src/domain/document/balances.ts';
import { ledgerEntries } from '../../../src/domain/document/ledger.ts';
import { applyOperations } from '../../../src/domain/document/operations.ts';
import { ReadDocument } from '../../../src/domain/document/read-document.ts';
import { compileSchema, fillDefaults, WITHOUT_DEFAULTS } from '../../../src/domain/document/schema.ts';
import type { Operation } from '../../../src/domain/events.ts';
import type { SchemaModel } from '../../../src/domain/model.ts';
import { ExactNumber, type JsonObject } from '../../../src/kernel/json.ts';

const schema = compileSchema({
  gold: { type: 'number', _ledger: true, default: 100 },
  stats: { type: 'object', properties: { xp: { type: 'number', _ledger: true } } },
});

/** The balances of a document whose ledger says of every number what is stored. */
function storedBalances(schema: SchemaModel, document: JsonObject | null): LedgerBalances {
  if (document === null) return NO_BALANCES;
  const after = new ReadDocument(WITHOUT_DEFAULTS, document);
  return withEntries(NO_BALANCES, ledgerEntries({ schema, balances: NO_BALANCES, from: null, isNew: true, after, source: '' }).entries);
}

/** A plain save of a document whose ledger balances are its present values. */
function saved(schema: SchemaModel, before: JsonObject | null, after: JsonObject | null, source: string) {
  const from = before === null ? null : fillDefaults(schema, before);
  const balances = storedBalances(schema, from);
  const becomes = after === null ? null : new ReadDocument(schema, after);
  return ledgerEntries({ schema, balances, from, isNew: before === null, after: becomes, source }).entries;
}

test('one entry per changed field, missing and non-numbers count as 0', () => {
  const entries = saved(schema, { gold: 'text', stats: { xp: 5 } }, { gold: 7, stats: null }, 'direct');
  expect(entries).toEqual([
    { field: 'gold', before: 0, after: 7, delta: 7, source: 'direct' },
    { field: 'stats.xp', before: 5, after: 0, delta: -5, source: 'direct' },
  ]);
});

test('equal values make no entry', () => {
  expect(saved(schema, { gold: 5 }, { gold: 5, other: 1 }, 'direct')).toEqual([]);
  expect(saved(schema, null, { gold: -0 }, 'direct')).toEqual([]);
});

test('members that only documents name have a ledger, too; those that the server sets in a record have none', () => {
  const open = compileSchema({ type: 'object', properties: {}, additionalProperties: { type: 'number', _ledger: true } });
  const before = { _id: 'r', _timestamp: 1000, _writerId: 'p', gems: 5, gone: 1 };
  expect(saved(open, before, { _timestamp: 2000, gems: 7, new: 2 }, 'direct').map(({ field, delta }) => [field, delta])).toEqual([
    ['gems', 2],
    ['gone', -1],
    ['new', 2],
  ]);
});

test('members under additionalProperties come after those that the schema names, at any depth of objects', () => {
  const counted = { type: 'number', _ledger: true };
  const towns = { type: 'object', additionalProperties: { type: 'object', properties: { tax: counted } } };
  const wallet = { type: 'object', properties: { gems: counted, name: 'string' }, additionalProperties: counted };
  const open = compileSchema({ gold: counted, wallet, towns, plain: { type: 'object', additionalProperties: 'number' } });
  const before = { wallet: { iron: 1, 'a.b': 1, name: 5 }, towns: { north: { tax: 1, n: 2 }, none: 7 }, other: { iron: 1 } };
  const after = { gold: 1, wallet: { toString: 1, gems: 2 }, towns: { south: { tax: 3 } }, plain: { a: 1 } };
  expect(saved(open, before, after, 'direct').map(({ field, delta }) => [field, delta])).toEqual([
    ['gold', 1],
    ['wallet.gems', 2],
    ['wallet.iron', -1],
    ['wallet.toString', 1],
    ['towns.north.tax', -1],
    ['towns.south.tax', 3],
  ]);
});

test('names that are longer than a schema allows have no ledger', () => {
  const open = compileSchema({ type: 'object', properties: {}, additionalProperties: { type: 'number', _ledger: true } });
  const after = { ['a'.repeat(64)]: 1, ['b'.repeat(65)]: 1 };
  expect(saved(open, null, after, 'direct').map(({ field }) => field)).toEqual(['a'.repeat(64)]);
});

test('a delete reverses every balance', () => {
  expect(saved(schema, { gold: 5 }, null, 'direct')).toEqual([{ field: 'gold', before: 5, after: 0, delta: -5, source: 'direct' }]);
});

test('exact numbers stay exact', () => {
  const before = { gold: new ExactNumber('18446744073709551614') };
  const after = { gold: new ExactNumber('18446744073709551615') };
  expect(saved(schema, before, after, 'direct')).toEqual([
    { field: 'gold', before: before.gold, after: after.gold, delta: 1, source: 'direct' },
  ]);
});

/** What operations put into the ledger, as `[field, delta, source]`. */
function operated(before: JsonObject, ops: readonly Operation[], now?: JsonObject) {
  const { document, moves } = applyOperations(before, ops);
  const after = new ReadDocument(schema, now ?? document);
  const balances = storedBalances(schema, before);
  const { entries } = ledgerEntries({ schema, balances, from: before, isNew: false, after, moves, source: 'direct' });
  return entries.map(({ field, delta, source }) => [field, delta, source]);
}

const inc = (value: number, source?: string, path = 'gold'): Operation => ({
  op: 'inc',
  path,
  value,
  ...(source === undefined ? {} : { source }),
});

test.each<[string, readonly Operation[], JsonObject | undefined, readonly (readonly [string, number, string])[]]>([
  [
    'two operations on one field',
    [inc(5, 'quest'), inc(7, 'shop')],
    undefined,
    [
      ['gold', 5, 'quest'],
      ['gold', 7, 'shop'],
    ],
  ],
  [
    'two that cancel out',
    [inc(5), inc(-5)],
    undefined,
    [
      ['gold', 5, 'direct'],
      ['gold', -5, 'direct'],
    ],
  ],
  [
    'of several fields in the order asked for',
    [inc(1, 'a', 'stats.xp'), inc(2, 'b'), inc(3, 'c', 'stats.xp')],
    undefined,
    [
      ['stats.xp', 1, 'a'],
      ['gold', 2, 'b'],
      ['stats.xp', 3, 'c'],
    ],
  ],
  [
    'one on the object around it',
    [
      inc(3, 'a', 'stats.xp'),
      { op: 'merge', path: 'stats', value: { xp: 1 }, source: 'b' },
      { op: 'set', path: 'stats', value: null, source: 'c' },
    ],
    undefined,
    [
      ['stats.xp', 3, 'a'],
      ['stats.xp', -7, 'b'],
      ['stats.xp', -1, 'c'],
    ],
  ],
  ['one that changes nothing', [inc(5, 'a'), inc(0, 'b')], undefined, [['gold', 5, 'a']]],
  [
    'what a limit took back is missing from the last',
    [inc(5, 'a'), inc(5, 'b')],
    { gold: 17, stats: { xp: 5 } },
    [
      ['gold', 5, 'a'],
      ['gold', 2, 'b'],
    ],
  ],
  [
    'and from the ones before it',
    [inc(5, 'a'), inc(5, 'b'), inc(-1, 'c')],
    { gold: 12, stats: { xp: 5 } },
    [
      ['gold', 3, 'a'],
      ['gold', -1, 'c'],
    ],
  ],
])('an entry of each operation: %s', (_name, ops, now, entries) => {
  expect(operated({ gold: 10, stats: { xp: 5 } }, ops, now)).toEqual(entries);
});
