import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkDocument } from '../../../src/domain/document/check.ts';
import { decideWrite, type WriteBody } from '../../../src/domain/document/decide.ts';
import {
  applyChanges,
  applyOperations,
  OperationError,
  type OperationResult,
  parseOperations,
} from '../../../src/domain/document/operations.ts';
import { compileSchema, fillDefaults } from '../../../src/domain/document/schema.ts';
import type { DocumentWritten } from '../../../src/domain/events.ts';
import { normaliseRules } from '../../../src/domain/limit/rules.ts';
import { Refusal } from '../../../src/kernel/errors.ts';
import { decodeEvent, encodeEvent, jsonEquals, stringifyJson } from '../../../src/kernel/json.ts';
import { collection, folded, NOW, stored, write } from '../../domain/document/fixtures.ts';
import { objects, operations, values } from './arbitraries.ts';

/** `null` when they are refused, which random operations often are. */
function operated(...args: Parameters<typeof applyOperations>): OperationResult | null {
  try {
    return applyOperations(...args);
  } catch (error) {
    expect(error).toBeInstanceOf(OperationError);
    return null;
  }
}

test('replaying the changes of operations makes the same document, down to the order of names', () => {
  fc.assert(
    fc.property(objects, operations, (document, list) => {
      const before = stringifyJson(document);
      const result = operated(document, list);
      if (result === null) return;
      expect(stringifyJson(applyChanges(document, result.changes))).toBe(stringifyJson(result.document));
      expect(stringifyJson(document)).toBe(before);
    }),
    { numRuns: 400 },
  );
});

test('no path is changed twice, and none within another', () => {
  fc.assert(
    fc.property(objects, operations, (document, list) => {
      const paths = (operated(document, list)?.changes ?? []).map(([path]) => path);
      for (const path of paths) expect(paths.filter((other) => `${other}.`.startsWith(`${path}.`))).toEqual([path]);
    }),
  );
});

test('increases are positive', () => {
  fc.assert(
    fc.property(objects, operations, (document, list) => {
      for (const amount of operated(document, list)?.increases.values() ?? []) expect(amount).toBeGreaterThan(0);
    }),
  );
});

test('whatever comes as ops is accepted or refused, never a fault', () => {
  fc.assert(
    fc.property(
      objects,
      fc.oneof(values, fc.array(objects), fc.array(fc.record({ op: values, path: values, value: values }))),
      (document, ops) => {
        try {
          applyOperations(document, parseOperations(ops));
        } catch (error) {
          expect(error).toBeInstanceOf(OperationError);
        }
      },
    ),
  );
});

test('any schema compiles; filling defaults is done in one go and shares what was full', () => {
  fc.assert(
    fc.property(values, objects, (raw, document) => {
      const schema = compileSchema(raw);
      const filled = fillDefaults(schema, document);
      expect(fillDefaults(schema, filled)).toBe(filled);
      expect(typeof (checkDocument(schema, filled) ?? '')).toBe('string');
    }),
  );
});

const SCHEMA = {
  gold: { type: 'number', default: 10, _ledger: true },
  a: { type: 'object', default: { b: 1, gold: 5 }, properties: { c: { type: 'object', properties: { b: { default: 3 } } } } },
  b: { type: 'object', properties: { gold: { type: 'number', default: 2, _ledger: true }, a: { default: [1] } } },
};
const RULES = normaliseRules([
  { collection: '*', field: 'gold', window: 'perDay', limit: 20, action: 'clamp' },
  { collection: '*', field: 'b.gold', window: 'perDay', limit: 20, action: 'flag' },
]);

/** Accepted writes only: the event as it comes back from the log, and what was decided. */
function decide(document: Parameters<typeof stored>[0], list: Parameters<typeof applyOperations>[1]) {
  const current = document === null ? null : stored(document);
  const result = decideWrite(
    write({ collection: collection(SCHEMA), current, body: { kind: 'operations', ops: list }, rules: RULES, checkSchema: false }),
  );
  if (result instanceof Refusal) return null;
  const [event] = result.events;
  if (event?.type !== 'document.written') throw new Error('no document.written');
  const data = decodeEvent(encodeEvent(event.data)) as unknown as DocumentWritten;
  return { current, result, data };
}

test('folding the stored event gives the decided state and the stored text', () => {
  fc.assert(
    fc.property(fc.option(objects), operations, (document, list) => {
      const decided = decide(document, list);
      if (decided === null) return;
      const { current, result, data } = decided;
      const [event] = result.events;
      const state = folded(current, [{ type: 'document.written', data, ledger: event?.ledger }], NOW);
      expect(stringifyJson(state?.document ?? null)).toBe(result.text);
      expect(stringifyJson(result.state.document)).toBe(result.text);
      expect(result.state.text).toBe(result.text);
      expect({ ...state, document: null }).toEqual({ ...result.state, document: null, text: undefined });
    }),
    { numRuns: 200 },
  );
});

test('a reader sees what the operations made of what a reader saw', () => {
  fc.assert(
    fc.property(objects, operations, (document, list) => {
      const schema = compileSchema(SCHEMA);
      const seen = operated(fillDefaults(schema, document), list);
      const result = decideWrite(
        write({ collection: collection(SCHEMA), current: stored(document), body: { kind: 'operations', ops: list }, checkSchema: false }),
      );
      expect(result instanceof Refusal).toBe(seen === null);
      if (result instanceof Refusal || seen === null) return;
      expect(jsonEquals(fillDefaults(schema, result.state.document ?? {}), fillDefaults(schema, seen.document))).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('what a call has applied already is decided as if it were applied anew, of that document or of another', () => {
  fc.assert(
    fc.property(objects, objects, operations, fc.boolean(), (document, other, list, same) => {
      const to = same ? fillDefaults(compileSchema(SCHEMA), document) : other;
      const seen = operated(to, list);
      if (seen === null) return;
      const decided = (body: WriteBody) =>
        decideWrite(write({ collection: collection(SCHEMA), current: stored(document), body, rules: RULES }));
      const plain = decided({ kind: 'operations', ops: list });
      expect(decided({ kind: 'operations', ops: list, applied: { to, operated: seen } })).toEqual(plain);
    }),
    { numRuns: 200 },
  );
});

test('a clamped rule never lets more through than its limit', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 30 }),
      fc.array(fc.integer({ min: -20, max: 40 }), { minLength: 1, maxLength: 8 }),
      (used, steps) => {
        const counter = 'rl_all_gold/players/gold/perDay/p1';
        const windowOf = (asked: string) => (asked === counter ? { start: Date.UTC(2024, 4, 15), used, flagged: false } : null);
        const ops = steps.map((value) => ({ op: 'inc', path: 'gold', value }));
        const result = decideWrite(write({ current: stored({ gold: 0 }), body: { kind: 'operations', ops }, rules: RULES, windowOf }));
        if (result instanceof Refusal) throw result;
        expect(Number(result.state.document?.['gold'])).toBeLessThanOrEqual(Math.max(0, 20 - used));
      },
    ),
  );
});
