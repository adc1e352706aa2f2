import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differences } from '../../../src/domain/correction/differences.ts';
import { type DocumentChange, type Policy, undoDocument } from '../../../src/domain/correction/three-way.ts';
import { ledgerEntries } from '../../../src/domain/document/ledger.ts';
import { ReadDocument } from '../../../src/domain/document/read-document.ts';
import { compileSchema } from '../../../src/domain/document/schema.ts';
import type { Operation } from '../../../src/domain/events.ts';
import type { JsonObject } from '../../../src/kernel/json.ts';

const schema = compileSchema({
  gold: { type: 'number', _ledger: true },
  debt: { type: 'number', _ledger: true, min: -50 },
  xp: 'number',
  name: 'string',
});

/** What a commit that turned `before` into `after` says of it. */
function change(before: JsonObject | null, after: JsonObject | null, ops: readonly Operation[] | null = null): DocumentChange {
  const read = (document: JsonObject | null) => (document === null ? null : new ReadDocument(schema, document));
  const write = { schema, balances: {}, from: before, isNew: before === null, after: read(after), source: 'quest' };
  return { before, after, ops, entries: ledgerEntries({ ...write, balances: amounts(before) }).entries };
}

function amounts(document: JsonObject | null): JsonObject {
  const { gold = 0, debt = 0 } = document ?? {};
  return Object.fromEntries(Object.entries({ gold, debt }).filter(([, value]) => value !== 0));
}

function undo(made: DocumentChange, present: JsonObject | null, policy: Policy = 'reverse') {
  return undoDocument(made, present, { schema, reads: schema, policy });
}

const inc = (path: string, value: number): Operation => ({ op: 'inc', path, value });

describe('undoing what a commit did to a document', () => {
  it('gives back what a payment took, whatever was earned and spent since', () => {
    const paid = change({ gold: 100 }, { gold: 30 });
    expect(undo(paid, { gold: 45 })).toEqual({ document: { gold: 115 }, left: [], shortfalls: [] });
  });

  it('takes a wrong grant back, and what the balance no longer covers is a shortfall', () => {
    const granted = change({ gold: 0 }, { gold: 1000 });
    expect(undo(granted, { gold: 1500 })).toMatchObject({ document: { gold: 500 }, shortfalls: [] });
    expect(undo(granted, { gold: 400 })).toEqual({
      document: { gold: 0 },
      left: [],
      shortfalls: [{ field: 'gold', asked: -1000, moved: -400, short: 600 }],
    });
  });

  it('goes down to the least that the schema allows', () => {
    expect(undo(change({ debt: 0 }, { debt: 80 }), { debt: 10 })).toMatchObject({ document: { debt: -50 }, shortfalls: [{ short: 20 }] });
  });

  it('takes from nobody by the policy give', () => {
    const granted = change({ gold: 0 }, { gold: 10 });
    expect(undo(granted, { gold: 10 }, 'give')).toMatchObject({ document: { gold: 10 }, shortfalls: [{ moved: 0, short: 10 }] });
    expect(undo(change({ gold: 10 }, { gold: 0 }), { gold: 0 }, 'give')).toMatchObject({ document: { gold: 10 }, shortfalls: [] });
  });

  it('undoes an increment without a ledger by the opposite one', () => {
    const made = change({ xp: 1 }, { xp: 6 }, [inc('xp', 2), inc('xp', 3)]);
    expect(undo(made, { xp: 10 })).toMatchObject({ document: { xp: 5 }, left: [] });
  });

  it('treats a number that was also set as any other value', () => {
    const made = change({ xp: 1 }, { xp: 6 }, [{ op: 'set', path: 'xp', value: 4 }, inc('xp', 2)]);
    expect(undo(made, { xp: 10 })).toEqual({ document: { xp: 10 }, left: [{ path: 'xp', before: 1, made: 6, now: 10 }], shortfalls: [] });
    expect(undo(made, { xp: 6 })).toMatchObject({ document: { xp: 1 }, left: [] });
  });

  it('brings back what nobody touched since, and lists the rest', () => {
    const made = change({ name: 'Ada', hat: 'red', pet: { kind: 'cat' } }, { name: 'Bob', hat: 'blue', pet: { kind: 'cat', age: 3 } });
    expect(undo(made, { name: 'Eve', hat: 'blue', pet: { kind: 'dog', age: 3 }, new: 1 })).toEqual({
      document: { name: 'Eve', hat: 'red', pet: { kind: 'dog' }, new: 1 },
      left: [{ path: 'name', before: 'Ada', made: 'Bob', now: 'Eve' }],
      shortfalls: [],
    });
  });

  it('takes items out of a list that changed since, and puts others back', () => {
    const made = change({ bag: ['rope'] }, { bag: ['sword', 'sword'] }, [
      { op: 'remove', path: 'bag', value: 'rope' },
      { op: 'push', path: 'bag', value: 'sword' },
      { op: 'push', path: 'bag', value: 'sword' },
    ]);
    expect(undo(made, { bag: ['sword', 'apple'] })).toEqual({
      document: { bag: ['apple', 'rope'] },
      left: [{ path: 'bag', made: 'sword' }],
      shortfalls: [],
    });
  });

  it('removes a document that it made, unless somebody added to it', () => {
    const made = change(null, { gold: 5, name: 'Ada' });
    expect(undo(made, { gold: 5, name: 'Ada' }).document).toBeNull();
    expect(undo(made, { gold: 7, name: 'Ada' }).document).toEqual({ gold: 2 });
  });

  it('brings back a document that it deleted, also beside what was made since', () => {
    const made = change({ gold: 5, name: 'Ada' }, null);
    expect(undo(made, null)).toMatchObject({ document: { gold: 5, name: 'Ada' }, shortfalls: [] });
    expect(undo(made, { gold: 2 })).toMatchObject({ document: { gold: 7, name: 'Ada' } });
  });

  it('finds nothing to take in a document that was deleted since', () => {
    expect(undo(change({ gold: 1 }, { gold: 9 }), null)).toMatchObject({
      document: null,
      left: [{ path: '' }],
      shortfalls: [{ field: 'gold', asked: -8, moved: 0, short: 8 }],
    });
    expect(undo(change(null, { gold: 9 }), null)).toMatchObject({ document: null, left: [], shortfalls: [{ short: 9 }] });
  });

  it('goes back exactly while nothing happened, and again forward', () => {
    fc.assert(
      fc.property(documents, documents, (before, after) => {
        const back = undo(change(before, after), after);
        expect(back).toEqual({ document: before, left: [], shortfalls: [] });
        expect(undo(change(after, before), before).document).toEqual(after);
      }),
    );
  });

  it('leaves alone what others changed: it is the same to undo before and after them', () => {
    fc.assert(
      fc.property(documents, documents, fc.nat(500), fc.string(), (before, after, earned, word) => {
        const later = (document: JsonObject | null) => ({ ...document, gold: Number(document?.['gold'] ?? 0) + earned, word });
        const { document, left } = undo(change(before, after), later(after));
        expect(left).toEqual([]);
        expect(differences(document, later(before))).toEqual([]);
      }),
    );
  });
});

const documents = fc.record({
  gold: fc.nat(100),
  name: fc.constantFrom('Ada', 'Bob', null),
  bag: fc.array(fc.constantFrom('rope', 'sword'), { maxLength: 3 }),
  pets: fc.dictionary(fc.constantFrom('a', 'b'), fc.record({ age: fc.nat(3) })),
}) satisfies fc.Arbitrary<JsonObject>;
