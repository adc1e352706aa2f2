import fc from 'fast-check';
import { parse as parseLossless } from 'lossless-json';
import { expect, test } from 'vitest';
import {
  addNumbers,
  canonicalJson,
  decodeEvent,
  ExactNumber,
  encodeEvent,
  type Json,
  JsonError,
  jsonEquals,
  numberFromText,
  parseJson,
  stringifyJson,
  subtractNumbers,
} from '../../../src/kernel/json.ts';
import { numberTexts, values } from './arbitraries.ts';

/** −0 prints as 0; nothing else may change. */
function printed(value: Json): string {
  return stringifyJson(value);
}

test('printing and parsing is identity, with big numbers and the order of names', () => {
  fc.assert(
    fc.property(values, (value) => {
      const text = printed(value);
      const back = parseJson(text, { maxDepth: 100 });
      expect(printed(back)).toBe(text);
      expect(jsonEquals(back, value)).toBe(true);
    }),
  );
});

test('storing an event and reading it is identity', () => {
  fc.assert(
    fc.property(values, (value) => {
      const back = decodeEvent(encodeEvent({ data: value }));
      expect(printed(back)).toBe(printed({ data: value }));
      expect(jsonEquals(back, { data: value })).toBe(true);
    }),
  );
});

test('an event holds only what JSON.parse reads without loss', () => {
  fc.assert(
    fc.property(values, (value) => {
      const text = encodeEvent({ data: value });
      expect(JSON.stringify(JSON.parse(text))).toBe(text);
    }),
  );
});

test('a number that is kept as a double prints with the same decimal value', () => {
  fc.assert(
    fc.property(numberTexts, (text) => {
      const value = numberFromText(text);
      const same = jsonEquals(new ExactNumber(text), new ExactNumber(printed(value)));
      expect(same).toBe(true);
      expect(value instanceof ExactNumber && jsonEquals(new ExactNumber(String(Number(text))), value)).toBe(false);
    }),
  );
});

test('a sum and its way back', () => {
  fc.assert(
    fc.property(numberTexts, numberTexts, (a, b) => {
      const [left, right] = [new ExactNumber(a), new ExactNumber(b)];
      const sum = addNumbers(left, right);
      const back = subtractNumbers(sum, right);
      if (sum instanceof ExactNumber) expect(jsonEquals(back, left)).toBe(true);
    }),
  );
});

test('the fast parser and the lossless one agree on every text', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    'a',
    '"a"',
    '"b":',
    '1',
    '-',
    '.5',
    'e5',
    '0',
    'null',
    'true',
    ' ',
    '\n',
    '\\',
    '\\u00e9',
  );
  const jsonLike = fc.oneof(
    fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
    values.map(printed),
    fc.string(),
  );
  fc.assert(
    fc.property(jsonLike, (text) => {
      const fast = outcome(() => JSON.parse(text));
      const lossless = outcome(() => parseLossless(text, null, { parseNumber: Number, onDuplicateKey: ({ newValue }) => newValue }));
      expect(lossless).toBe(fast);
    }),
    { numRuns: 300 },
  );
});

test('parsing throws nothing but its own error', () => {
  const units = fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.constantFrom(0, 0x22, 0x5c, 0xd800, 0xdc00));
  const texts = fc.oneof(
    fc.string({ maxLength: 40 }),
    fc.array(units, { maxLength: 20 }).map((codes) => `"${String.fromCharCode(...codes)}"`),
    values.map(printed),
  );
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 3 }), (text, cut) => {
      try {
        const value = parseJson(text.slice(cut), { maxDepth: 5 });
        printed(value);
        canonicalJson(value);
      } catch (error) {
        expect(error).toBeInstanceOf(JsonError);
      }
    }),
    { numRuns: 300 },
  );
});

test('canonical text does not depend on the order of names', () => {
  fc.assert(
    fc.property(values, (value) => {
      expect(canonicalJson(reversed(value))).toBe(canonicalJson(value));
    }),
  );
});

function reversed(value: Json): Json {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null || value instanceof ExactNumber) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, item]) => [name, reversed(item)]),
  );
}

function outcome(parse: () => unknown): string {
  try {
    return JSON.stringify(parse());
  } catch (error) {
    if (error instanceof SyntaxError) return 'syntax error';
    throw error;
  }
}
