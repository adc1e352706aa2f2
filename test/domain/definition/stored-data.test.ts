import { describe, expect, it } from 'vitest';
import { decideRemove } from '../../../src/domain/definition/push/decide-kind.ts';
import {
  type ChangedCollection,
  changedCollections,
  collectionFindings,
  EMPTY_SCAN,
  UniqueScan,
  vanishingFields,
  withDocument,
} from '../../../src/domain/definition/release/stored-data.ts';
import { compileSchema } from '../../../src/domain/document/schema.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { accepted, EMPTY, fold, push } from './given.ts';

const heroes = (schema: Json, more: object = {}) => [{ id: 'heroes', schema, ...more }];
const live = push(EMPTY, 'collection', [
  ...heroes({
    gold: { type: 'number', _ledger: true },
    wallet: { type: 'object', additionalProperties: { type: 'number', _ledger: true } },
  }),
  { id: 'other', schema: { a: 'string' } },
]);
const staged = (schema: Json): ChangedCollection => {
  const [changed] = changedCollections(push(live, 'collection', heroes(schema), 'next'));
  if (changed === undefined) throw new Error('nothing changed');
  return changed;
};

describe('what a promotion means for stored data', () => {
  it('concerns collections whose schema changes, or which are removed, and no others', () => {
    const ids = (state: typeof live) => changedCollections(state).map(({ id, next }) => [id, next !== null]);
    expect(ids(live)).toEqual([]);
    expect(
      ids(
        push(
          live,
          'collection',
          [
            { id: 'other', schema: { a: 'string' }, maxRecords: 2 },
            { id: 'new', schema: {} },
          ],
          'next',
        ),
      ),
    ).toEqual([]);
    expect(ids(push(live, 'collection', heroes({ gold: 'number' }), 'next'))).toEqual([['heroes', true]]);
    expect(ids(fold(live, accepted(decideRemove(live, 'collection', 'other', 'next')).events))).toEqual([['other', false]]);
  });

  it('names documents that hold the same value in a field that becomes unique, defaults included', () => {
    const changed = staged({ tag: { type: 'string', _unique: 'caseless', default: 'none' } });
    const { next } = changed;
    if (next === null) throw new Error('removed');
    const documents: readonly [string, JsonObject][] = [
      ['a', { tag: 'X' }],
      ['b', {}],
      ['c', { tag: 'x' }],
      ['d', {}],
      ['e', { tag: 'y' }],
    ];
    const found = (fills: boolean) => {
      const unique = new UniqueScan(next.schema, fills);
      for (const [key, document] of documents) unique.add(key, document);
      return collectionFindings(changed, EMPTY_SCAN, [], unique);
    };
    const samples = [
      { field: 'tag', keys: ['a', 'c'] },
      { field: 'tag', keys: ['b', 'd'] },
    ];
    expect(found(true)).toMatchObject([{ code: 'VALUES_NOT_UNIQUE', kind: 'collection', id: 'heroes', clashes: 2, samples }]);
    expect(found(false)).toMatchObject([{ clashes: 1, samples: [{ keys: ['a', 'c'] }] }]);
  });

  it('counts documents with numbers that the staged ledger could not follow', () => {
    const schema = compileSchema({ wallet: { type: 'object', additionalProperties: { type: 'number', _ledger: true } } });
    const seen = withDocument(withDocument(EMPTY_SCAN, schema, 'a', { wallet: { gold: 1 } }), schema, 'b', { wallet: { 'a.b': 1 } });
    expect(seen).toMatchObject({ documents: 2, refused: 1, samples: [{ key: 'b', fault: expect.stringContaining('cannot follow') }] });
  });

  it('counts the documents that the staged schema would refuse, shows five, and estimates the rest', () => {
    const changed = staged({ gold: { type: 'number', max: 10 } });
    if (changed.next === null) throw new Error('removed');
    let seen = EMPTY_SCAN;
    for (let index = 0; index < 20; index += 1)
      seen = withDocument(seen, changed.next.schema, `p${index}`, { gold: index % 2 === 0 ? 5 : 50 });
    expect(collectionFindings(changed, seen, [])).toEqual([
      {
        code: 'DOCUMENTS_REFUSED',
        kind: 'collection',
        id: 'heroes',
        message: "10 documents of 'heroes' do not fit the staged schema, such as p1: gold: more than 10.",
        refused: 10,
        documents: 20,
        complete: true,
        estimate: 10,
        samples: [1, 3, 5, 7, 9].map((index) => ({ key: `p${index}`, fault: 'gold: more than 10' })),
      },
    ]);
    expect(collectionFindings(changed, { ...seen, total: 1000 }, [])).toMatchObject([
      { complete: false, estimate: 500, message: expect.stringContaining('About 500 documents') },
    ]);
    const one = withDocument(EMPTY_SCAN, changed.next.schema, 'p1', { gold: 50 });
    expect(collectionFindings(changed, one, [])).toMatchObject([
      { message: expect.stringContaining("1 document of 'heroes' does not fit") },
    ]);
    expect(collectionFindings(changed, { ...EMPTY_SCAN, documents: 3 }, [])).toEqual([]);
  });

  it('names the fields that would lose their ledger', () => {
    const told = ['gold', 'wallet.gems', 'old'];
    expect(vanishingFields(staged({ gold: { type: 'number', _ledger: true } }), told)).toEqual(['wallet.gems']);
    expect(vanishingFields(staged({ gold: 'number', wallet: { type: 'object' } }), told)).toEqual(['gold', 'wallet.gems']);
    expect(vanishingFields(staged({ gold: { type: 'string', _ledger: true }, wallet: 'any' }), told)).toEqual(['gold', 'wallet.gems']);
    const widened = {
      gold: { type: 'integer', _ledger: true },
      wallet: { type: 'object', properties: { gems: { type: 'number', _ledger: true } } },
    };
    expect(vanishingFields(staged(widened), told)).toEqual([]);
    expect(collectionFindings(staged({ gold: 'number' }), EMPTY_SCAN, ['gold'])).toMatchObject([
      { code: 'LEDGER_FIELDS_VANISH', id: 'heroes', fields: ['gold'] },
    ]);
  });

  it('says how many documents a removed collection holds', () => {
    const [gone] = changedCollections(fold(live, accepted(decideRemove(live, 'collection', 'heroes', 'next')).events));
    if (gone === undefined) throw new Error('nothing changed');
    expect(collectionFindings(gone, { ...EMPTY_SCAN, total: 7 }, vanishingFields(gone, ['gold']))).toMatchObject([
      { code: 'COLLECTION_HOLDS_DOCUMENTS', documents: 7 },
      { code: 'LEDGER_FIELDS_VANISH', fields: ['gold'] },
    ]);
    expect(collectionFindings(gone, { ...EMPTY_SCAN, total: 0 }, [])).toEqual([]);
  });
});
