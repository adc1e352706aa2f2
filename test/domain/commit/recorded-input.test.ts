import fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordedInput } from '../../../src/domain/commit/recorded-input.ts';
import { type JsonObject, stringifyJson } from '../../../src/kernel/json.ts';

/** What the log keeps of the input of a call. */

const SECRET = `sk_${'k'.repeat(48)}`;

test('an input that has room and no secrets is kept as it is', () => {
  const input = { item: 'axe', count: 3, deep: { list: [1, null, 'x'] } };
  expect(recordedInput(input)).toEqual({ input });
});

test('a member without room is left out whole, and those behind it are kept', () => {
  expect(recordedInput({ first: 1, long: 'x'.repeat(4_096), last: 2 })).toEqual({ input: { first: 1, last: 2 }, left: 1 });
});

const withSecret = fc.constantFrom(SECRET, `before ${SECRET}`, 'ns_guest_abc', 'plain');
const value = fc.oneof(
  withSecret,
  fc.string({ maxLength: 3_000 }),
  fc.array(withSecret, { maxLength: 40 }),
  fc.dictionary(withSecret, withSecret),
);

test('whatever was sent, it has at most 4 KB and no secret, and no member is lost silently', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.oneof(fc.string({ maxLength: 20 }), fc.constantFrom(SECRET, `sk_${'j'.repeat(48)}`)), value, { maxKeys: 30 }),
      (sent) => {
        const { input, left = 0 } = recordedInput(sent as JsonObject);
        const text = stringifyJson(input);
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_096);
        expect(text).not.toContain('kkkk');
        expect(text).not.toContain('ns_guest_abc');
        expect(Object.keys(input).length + left).toBe(Object.keys(sent).length);
      },
    ),
  );
});
