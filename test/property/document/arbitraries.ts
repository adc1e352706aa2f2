import fc from 'fast-check';
import type { Operation } from '../../../src/domain/events.ts';
import { type Json, type JsonObject, numberFromText } from '../../../src/kernel/json.ts';

/** Few names, so that paths meet; some that are easy to get wrong. */
const names = fc.constantFrom('a', 'b', 'c', 'gold', '$n', '$$n', 'constructor', 'toString', 'n', 'x.y', '');
const pathNames = fc.constantFrom('a', 'b', 'c', 'gold', '$n', 'toString');

/** Texts of JSON numbers of every kind: long, tiny, huge, with zeros at either end. */
export const numberTexts = fc.oneof(
  fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc
    .tuple(
      fc.constantFrom('', '-'),
      fc.bigInt({ min: 0n, max: 10n ** 30n }),
      fc.stringMatching(/^\d{1,25}$/),
      fc.integer({ min: -400, max: 400 }),
    )
    .map(([sign, whole, fraction, power]) => `${sign}${whole}.${fraction}e${power}`),
);

const numbers: fc.Arbitrary<Json> = fc.oneof(fc.integer({ min: -50, max: 50 }), numberTexts.map(numberFromText));

/** U+0000 and lone surrogates cannot come in. */
const texts = fc.string({ unit: 'grapheme', maxLength: 8 }).filter((text) => !text.includes('\0'));
const scalars: fc.Arbitrary<Json> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  numbers,
  texts,
  fc.constantFrom('$n":', '"$n"', '76561198000000001', '\\u0000'),
);

export const { value: values, object: objects } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalars, fc.array(tie('value'), { maxLength: 4 }), tie('object')),
  object: fc.uniqueArray(fc.tuple(fc.oneof(names, texts), tie('value')), { selector: ([name]) => name, maxLength: 5 }).map(objectOf),
}));

/** Assigned one after the other, so that names keep the order in which a parser would meet them. */
function objectOf(members: readonly (readonly [string, Json])[]): JsonObject {
  return Object.fromEntries(members.filter(([name]) => name !== '__proto__'));
}

const paths = fc.array(pathNames, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'));

/** Operations that are well formed more often than not. */
export const operations: fc.Arbitrary<readonly Operation[]> = fc.array(
  fc.oneof(
    fc.record({ op: fc.constantFrom('set', 'push', 'remove', 'delete', 'set_if_null'), path: paths, value: values }),
    fc.record({ op: fc.constant('inc'), path: paths, value: numbers }),
    fc.record({ op: fc.constant('merge'), path: paths, value: objects }),
    fc.record({ op: fc.constant('pull'), path: paths, match: objects }),
  ),
  { minLength: 1, maxLength: 6 },
);
