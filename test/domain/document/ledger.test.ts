import { expect, test } from 'vitest';
import type { SchemaModel } from '../../../src/domain/definition/model.ts';
import { ledgerEntries, originFinder, storedBalances } from '../../../src/domain/document/ledger.ts';
import type { Origin } from '../../../src/domain/document/operations.ts';
import { ReadDocument } from '../../../src/domain/document/read-document.ts';
import { compileSchema, fillDefaults } from '../../../src/domain/document/schema.ts';
import { ExactNumber, type JsonObject } from '../../../src/kernel/json.ts';

const schema = compileSchema({
  gold: { type: 'number', _ledger: true, default: 100 },
  stats: { type: 'object', properties: { xp: { type: 'number', _ledger: true } } },
});
const nobody = () => undefined;

/** A plain save of a document whose ledger balances are its present values. */
function saved(
  schema: SchemaModel,
  before: JsonObject | null,
  after: JsonObject | null,
  originOf: (path: string) => Origin | undefined,
  source: string,
) {
  const from = before === null ? null : fillDefaults(schema, before);
  const balances = storedBalances(schema, from);
  const becomes = after === null ? null : new ReadDocument(schema, after);
  return ledgerEntries({ schema, balances, from, isNew: before === null, after: becomes, originOf, source }).entries;
}

test('one entry per changed field, missing and non-numbers count as 0', () => {
  const entries = saved(schema, { gold: 'text', stats: { xp: 5 } }, { gold: 7, stats: null }, nobody, 'direct');
  expect(entries).toEqual([
    { field: 'gold', before: 0, after: 7, delta: 7, source: 'direct' },
    { field: 'stats.xp', before: 5, after: 0, delta: -5, source: 'direct' },
  ]);
});

test('equal values make no entry', () => {
  expect(saved(schema, { gold: 5 }, { gold: 5, other: 1 }, nobody, 'direct')).toEqual([]);
  expect(saved(schema, null, { gold: -0 }, nobody, 'direct')).toEqual([]);
});

test('members that only documents name have a ledger, too; those that the server sets in a record have none', () => {
  const open = compileSchema({ type: 'object', properties: {}, additionalProperties: { type: 'number', _ledger: true } });
  const before = { _id: 'r', _timestamp: 1000, _writerId: 'p', gems: 5, gone: 1 };
  expect(saved(open, before, { _timestamp: 2000, gems: 7, new: 2 }, nobody, 'direct').map(({ field, delta }) => [field, delta])).toEqual([
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
  expect(saved(open, before, after, nobody, 'direct').map(({ field, delta }) => [field, delta])).toEqual([
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
  expect(saved(open, null, after, nobody, 'direct').map(({ field }) => field)).toEqual(['a'.repeat(64)]);
});

test('a delete reverses every balance', () => {
  expect(saved(schema, { gold: 5 }, null, nobody, 'direct')).toEqual([{ field: 'gold', before: 5, after: 0, delta: -5, source: 'direct' }]);
});

test('exact numbers stay exact', () => {
  const before = { gold: new ExactNumber('18446744073709551614') };
  const after = { gold: new ExactNumber('18446744073709551615') };
  expect(saved(schema, before, after, nobody, 'direct')).toEqual([
    { field: 'gold', before: before.gold, after: after.gold, delta: 1, source: 'direct' },
  ]);
});

test('source and reason come from the operation on the path, else on the object around it', () => {
  const originOf = originFinder(new Map([['stats', { source: 'quest', reason: 'dragon' }]]));
  expect(saved(schema, null, { stats: { xp: 1 }, gold: 1 }, originOf, 'buy-item')).toEqual([
    { field: 'gold', before: 0, after: 1, delta: 1, source: 'buy-item' },
    { field: 'stats.xp', before: 0, after: 1, delta: 1, source: 'quest', reason: 'dragon' },
  ]);
});
