import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addNumbers,
  canonicalJson,
  compareNumbers,
  decodeEvent,
  doubleDifference,
  ExactNumber,
  encodeEvent,
  type Json,
  JsonError,
  jsonEquals,
  jsonStart,
  NumberTooLong,
  numberFromText,
  parseJson,
  parseJsonBytes,
  stringifyJson,
  subtractNumbers,
} from '../../src/kernel/json.ts';

function kindOf(text: string, maxDepth?: number): string {
  try {
    parseJson(text, maxDepth === undefined ? {} : { maxDepth });
    return 'parsed';
  } catch (error) {
    return error instanceof JsonError ? error.kind : 'another error';
  }
}

/** A member that sends the whole text to the lossless parser. */
const BIG = '"big":18446744073709551615';

describe('numbers keep their value', () => {
  test.each([
    ['18446744073709551615', new ExactNumber('18446744073709551615')],
    ['76561198000000001', new ExactNumber('76561198000000001')],
    ['9007199254740991', 9007199254740991],
    ['0.1234567890123456789', new ExactNumber('0.1234567890123456789')],
    ['0.30000000000000004', 0.30000000000000004],
    ['1e400', new ExactNumber('1e400')],
    ['-1E-400', new ExactNumber('-1E-400')],
    ['1e3', 1000],
    ['1.10', 1.1],
    ['-0', -0],
    ['1234567890123456.000', 1234567890123456],
    ['1e21', 1e21],
    ['1000000000000000000000', 1e21],
    ['100000000000000000000000000000000000001', new ExactNumber('100000000000000000000000000000000000001')],
  ])('%s', (text, value) => {
    expect(parseJson(text)).toEqual(value);
    expect(parseJson(`{"a": [${text}]}`)).toEqual({ a: [value] });
  });

  test('numbers are exact wherever they are in a text, between others of any length', () => {
    for (let before = 0; before < 40; before += 1) {
      const other = Number('1234567890123'.slice(0, before % 14));
      const texts = [
        `${' '.repeat(before)}9007199254740993`,
        `[${other},9007199254740993]`,
        `[${other}, 90071992547409.93]`,
        `[${other},1e400]`,
      ];
      for (const text of texts) {
        expect(stringifyJson(parseJson(text)), text).toBe(text.replaceAll(' ', ''));
        expect(stringifyJson(parseJsonBytes(Buffer.from(text))), text).toBe(text.replaceAll(' ', ''));
      }
    }
  });

  test('the bytes of a body parse like its text, whatever its digits and exponents', () => {
    const digits = fc.stringMatching(/^(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?$/);
    const exponent = fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?0{0,2}\d{1,3}$/));
    fc.assert(
      fc.property(fc.constantFrom('', '-'), digits, exponent, (sign, mantissa, power) => {
        const text = `{"a":${sign}${mantissa}${power}}`;
        expect(parseJsonBytes(Buffer.from(text))).toEqual(parseJson(text));
      }),
      { numRuns: 2_000 },
    );
  });

  test('big numbers print as they were sent, also among texts that look like them', () => {
    const text = `{"id":76561198000000001,"text":"76561198000000001","list":[1e400,-18446744073709551615]}`;
    expect(stringifyJson(parseJson(text))).toBe(text);
  });

  test('values that JSON cannot represent print as in JSON.stringify', () => {
    expect(stringifyJson([Number.NaN, Number.POSITIVE_INFINITY, -0])).toBe('[null,null,0]');
  });

  test('a plain JSON.stringify gives the nearest double, never a marker', () => {
    stringifyJson(new ExactNumber('18446744073709551615'));
    expect(JSON.stringify([new ExactNumber('18446744073709551615')])).toBe('[18446744073709552000]');
  });
});

describe('both parsers give the same answers', () => {
  const texts: readonly [string, string][] = [
    ['{"a":1,"a":2,ANY}', 'parsed'],
    ['{"__proto__":{"x":1},ANY}', 'name'],
    ['{"\\u005f_proto__":1,ANY}', 'name'],
    ['{"a":{"b":[{"__proto__":1}]},ANY}', 'name'],
    ['{"a":"__proto__",ANY}', 'parsed'],
    ['{"a":"\\u0000",ANY}', 'text'],
    ['{"a\\u0000":1,ANY}', 'text'],
    ['{"a":"\\ud800",ANY}', 'text'],
    ['{"a":"\\ude00\\ud83d",ANY}', 'text'],
    ['{"a":"\ud800",ANY}', 'text'],
    ['{"a":"\\ud83d\\ude00",ANY}', 'parsed'],
    ['{"a":"\\\\u0000",ANY}', 'parsed'],
    ['{"a":"\0",ANY}', 'syntax'],
    ['{"a":01,ANY}', 'syntax'],
    ['{"a":.5,ANY}', 'syntax'],
    ['{"a":+5,ANY}', 'syntax'],
    ['{"a":1,,ANY}', 'syntax'],
    ['{ANY,}', 'syntax'],
    ["{'a':1,ANY}", 'syntax'],
    ['{"a":"\n",ANY}', 'syntax'],
    ['{"a":1,ANY} x', 'syntax'],
    ['\ufeff{ANY}', 'syntax'],
    ['\u00a0{ANY}', 'syntax'],
  ];

  test.each(texts)('%j is %s', (text, kind) => {
    expect(kindOf(text.replace('ANY', '"small":1'))).toBe(kind);
    expect(kindOf(text.replace('ANY', BIG))).toBe(kind);
  });

  test.each(['"small":1', BIG])('the last of duplicate names wins, at the position of the first (%s)', (any) => {
    const value = parseJson(`{"a":1,"b":2,"a":{"c":[1]},${any}}`);
    expect(stringifyJson(value)).toBe(`{"a":{"c":[1]},"b":2,${any}}`);
  });

  test('the start of a text is that of the whole, as long as is wanted', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(60), (sample, wanted) => {
        fc.pre(!sample.includes('__proto__'));
        const value = parseJson(`{"a":${sample},${BIG}}`);
        const [whole, start] = [stringifyJson(value), jsonStart(value, wanted)];
        expect(whole.startsWith(start)).toBe(true);
        expect(start === whole || start.length >= wanted).toBe(true);
      }),
    );
  });

  test.each(['1', '18446744073709551615'])('depth counts arrays and objects, quoted brackets do not (%s)', (leaf) => {
    const nested = (depth: number) => `${'[{"a":'.repeat(depth / 2)}${leaf}${'}]'.repeat(depth / 2)}`;
    expect(kindOf(nested(64))).toBe('parsed');
    expect(kindOf(nested(66))).toBe('depth');
    expect(kindOf(nested(4), 3)).toBe('depth');
    expect(kindOf(`["${'['.repeat(100)}\\"${'['.repeat(100)}\\\\", ${leaf}]`)).toBe('parsed');
    expect(kindOf(`${'['.repeat(200_000)}${leaf}`)).toBe('depth');
  });
});

test('bytes must be UTF-8, behind one byte order mark at most', () => {
  expect(parseJsonBytes(Buffer.from('{"a":"é😀"}'))).toEqual({ a: 'é😀' });
  expect(() => parseJsonBytes(Buffer.from([0x22, 0xff, 0x22]))).toThrow(expect.objectContaining({ kind: 'text' }));
  expect(parseJsonBytes(Buffer.from('\uFEFF{"a":1}'))).toEqual({ a: 1 });
  expect(() => parseJsonBytes(Buffer.from('\uFEFF\uFEFF1'))).toThrow(expect.objectContaining({ kind: 'syntax' }));
  expect(() => parseJsonBytes(Buffer.alloc(0))).toThrow(expect.objectContaining({ kind: 'syntax' }));
});

describe('the stored form of events', () => {
  test('an exact number is tagged', () => {
    expect(encodeEvent({ id: new ExactNumber('76561198000000001'), left: undefined })).toBe('{"id":{"$n":"76561198000000001"}}');
  });

  test.each<[string, Json, string]>([
    ['a forged tag', { a: { $n: '5' } }, '{"a":{"$$n":"5"}}'],
    ['an escaped name', { $$n: 1, n: 2, $: 3 }, '{"$$$n":1,"n":2,"$":3}'],
    ['both', [{ $n: '5' }, new ExactNumber('1e400')], '[{"$$n":"5"},{"$n":"1e400"}]'],
    ['a name that only ends so', { cash$n: 1 }, '{"cash$n":1}'],
    ['a text that looks so', 'x$n":', '"x$n\\":"'],
  ])('%s comes back as it was', (_name, value, text) => {
    expect(encodeEvent(value)).toBe(text);
    expect(decodeEvent(text)).toEqual(value);
  });
});

test.each(['[', '{"$n":'])('an event of too many %s is refused before anything recurses over it', (open) => {
  const close = open === '[' ? ']' : '}';
  const nested = (levels: number) => `${open.repeat(levels)}1${close.repeat(levels)}`;
  expect(() => decodeEvent(nested(300_000))).toThrow(JsonError);
  expect(() => decodeEvent(nested(257))).toThrow('deeper than 256 levels');
  expect(() => decodeEvent(nested(256))).not.toThrow();
});

describe('canonical JSON', () => {
  test('a test vector of the wire format', () => {
    const value = { b: 'q"\\/\n\u0001é+', a: [1, 2.5, null, true], A: { z: 1, y: '' } };
    expect(Buffer.from(canonicalJson(value)).toString('hex')).toBe(
      '7b2241223a7b2279223a22222c227a223a317d2c2261223a5b312c322e352c6e756c6c2c747275655d2c2262223a22715c225c5c2f5c6e5c7530303031c3a92b227d',
    );
  });

  test('exact numbers are their text', () => {
    expect(canonicalJson({ b: new ExactNumber('1e400'), a: -0 })).toBe('{"a":0,"b":1e400}');
  });
});

describe('equality', () => {
  test.each<[Json, Json, boolean]>([
    [{ a: 1, b: [1] }, { b: [1], a: 1 }, true],
    [{ a: 1 }, { a: 1, b: null }, false],
    [[], {}, false],
    [null, {}, false],
    ['1', 1, false],
    [new ExactNumber('1e400'), new ExactNumber('10e399'), true],
    [new ExactNumber('1e400'), {}, false],
    [new ExactNumber('18446744073709551615'), new ExactNumber('18446744073709551614'), false],
    [{ toString: 1 }, { other: 1 }, false],
  ])('%o and %o: %s', (a, b, equal) => {
    expect(jsonEquals(a, b)).toBe(equal);
    expect(jsonEquals(b, a)).toBe(equal);
  });
});

describe('arithmetic', () => {
  const exact = (text: string) => new ExactNumber(text);

  test('sums stay exact', () => {
    expect(addNumbers(exact('18446744073709551615'), 1)).toEqual(exact('18446744073709551616'));
    expect(addNumbers(exact('0.12345678901234567891'), exact('-0.02345678901234567891'))).toBe(0.1);
    expect(subtractNumbers(1, exact('18446744073709551615'))).toEqual(exact('-18446744073709551614'));
    expect(subtractNumbers(exact('-1e400'), exact('-1e400'))).toBe(0);
    expect(addNumbers(exact('1e400'), 0)).toEqual(exact(`1${'0'.repeat(400)}`));
  });

  test('order goes by decimal value', () => {
    expect(compareNumbers(exact('18446744073709551615'), exact('18446744073709551614'))).toBeGreaterThan(0);
    expect(compareNumbers(exact('-1e400'), 5)).toBeLessThan(0);
    expect(compareNumbers(exact('1e400'), exact('10e399'))).toBe(0);
    // The same double, and a difference too long to write out.
    const ordered = ['-3e99999', '-2e99999', '-1e-50000', '0e-1', '1e-99999', '12e-50000', '13e-50000', '124e-50000', '1e50000', '1e99999'];
    for (const [at, text] of ordered.entries()) {
      if (at > 0) expect(compareNumbers(exact(text), exact(ordered[at - 1] ?? ''))).toBeGreaterThan(0);
      if (at > 0) expect(compareNumbers(exact(ordered[at - 1] ?? ''), exact(text))).toBeLessThan(0);
    }
    expect(compareNumbers(exact(`1e-${'9'.repeat(2000)}`), exact('1e-99999'))).toBe(0);
  });

  test('numbers of excessive length are refused, not computed', () => {
    expect(() => addNumbers(exact('1e999999999999999999999'), 1)).toThrow(NumberTooLong);
    expect(() => addNumbers(exact('9'.repeat(20_000)), 1)).toThrow(NumberTooLong);
    // As a number, either exponent takes half a minute or more.
    const endless = '9'.repeat(16_000_000);
    expect(numberFromText(`1e-${endless}`)).toBeInstanceOf(ExactNumber);
    expect(() => addNumbers(exact(`1.5E${endless}`), 1)).toThrow(NumberTooLong);
    expect(jsonEquals(exact(`1e-${endless}`), exact(`2e-${endless}`))).toBe(false);
    expect(numberFromText(`1e-${'0'.repeat(2_000)}1`)).toBe(0.1);
    expect(doubleDifference(exact('1e999999999'), 1)).toBe(Number.MAX_VALUE);
    expect(numberFromText(`1${'0'.repeat(60_000)}1`)).toBeInstanceOf(ExactNumber);
  });
});
