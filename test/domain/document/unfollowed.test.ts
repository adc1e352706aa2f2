import { describe, expect, test } from 'vitest';
import { decideAppend } from '../../../src/domain/document/append.ts';
import { decideDelete, decideWrite, type WriteBody } from '../../../src/domain/document/decide.ts';
import { compileSchema } from '../../../src/domain/document/schema.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import type { Json, JsonObject } from '../../../src/kernel/json.ts';
import { collection, NOW, stored, write } from './fixtures.ts';

const counted = { type: 'number', _ledger: true };
const wallet = { type: 'object', additionalProperties: counted };
const towns = { type: 'object', additionalProperties: { type: 'object', properties: { tax: counted } } };
const named = { type: 'object', properties: { 'a.b': counted } };
const players = collection({ wallet, towns, named, plain: { type: 'object' } });

/** `null`: accepted. */
function fault(before: JsonObject | null, body: WriteBody, checkSchema = true): string | null {
  const current = before === null ? null : stored(before);
  const result = decideWrite(write({ collection: players, current, body, checkSchema }));
  return result instanceof Refusal ? `${result.code} ${result.message}` : null;
}

const save = (document: JsonObject): WriteBody => ({ kind: 'replace', document });
const operation = (op: string, path: string, value: Json): WriteBody => ({ kind: 'operations', ops: [{ op, path, value }] });

describe('a number that the ledger should follow and cannot', () => {
  const REFUSED = /^SCHEMA_VALIDATION_FAILED wallet: the ledger cannot follow a number under the name "[^"]*".*no dot/;

  test('is refused in a save and in operations, checked or not', () => {
    for (const name of ['a.b', '', 'x'.repeat(65)]) {
      expect(fault(null, save({ wallet: { [name]: 5 } }))).toMatch(REFUSED);
      expect(fault({ wallet: {} }, operation('set', 'wallet', { [name]: 5 }), false)).toMatch(REFUSED);
      expect(fault({ wallet: { [name]: 5 } }, operation('merge', 'wallet', { [name]: 6 }))).toMatch(REFUSED);
    }
    expect(fault(null, save({ towns: { 'north.1': { tax: 3 } } }))).toContain('towns: the ledger cannot follow');
    expect(fault(null, save({ named: { 'a.b': 3 } }))).toContain('named: the ledger cannot follow');
    const open = compileSchema({ type: 'object', properties: {}, additionalProperties: counted });
    expect(decideWrite(write({ collection: { ...players, schema: open }, body: save({ 'a.b': 1 }) }))).toMatchObject({
      code: 'SCHEMA_VALIDATION_FAILED',
      message: expect.stringMatching(/^the ledger cannot follow/),
    });
  });

  test('may stay where it was stored, and be taken away', () => {
    const before = { wallet: { 'a.b': 5, gold: 1 } };
    expect(fault(before, operation('set', 'wallet.gold', 2))).toBeNull();
    expect(fault(before, save({ wallet: { 'a.b': 5, gold: 7 } }))).toBeNull();
    expect(fault(before, save({ wallet: { gold: 7 } }))).toBeNull();
    expect(fault(before, operation('merge', 'wallet', { 'a.b': null }))).toBeNull();
    expect(decideDelete(write({ collection: players, current: stored(before) }))).not.toBeInstanceOf(Refusal);
  });

  test('is none where nothing is followed', () => {
    expect(fault(null, save({ plain: { 'a.b': 5, '': 1 }, wallet: { gold: 5 }, towns: { 'north.1': { people: 5 } } }))).toBeNull();
  });

  test('is refused in an append', () => {
    const feed = collection({ wallet }, { type: 'global' });
    const about = { collection: feed, space: 'live' as const, recordId: 'r', writerId: 'p', now: NOW, maxBytes: 65_536 };
    const command = { ...about, checkSchema: false, fillDefaults: true, windowOf: () => null };
    expect(decideAppend({ ...command, body: { wallet: { 'a.b': 1 } } })).toMatchObject({ code: 'SCHEMA_VALIDATION_FAILED' });
    expect(decideAppend({ ...command, body: { wallet: { gold: 1 } } })).not.toBeInstanceOf(Refusal);
  });
});
