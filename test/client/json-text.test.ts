import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { inexactNumbers, jsonText } from '../../src/client/json-text.ts';

const refusalOf = (value: unknown) => {
  const text = jsonText(value);
  return text.ok ? null : text.error.message;
};

const cyclic: { self?: unknown } = {};
cyclic.self = cyclic;

describe('what JSON would change or drop is refused, with its path', () => {
  test.each([
    [{ bag: { items: new Map([['axe', 1]]) } }, '`bag.items` cannot be sent: it is a Map'],
    [{ seen: new Set([1]) }, '`seen` cannot be sent: it is a Set'],
    [{ list: [{ at: new Date(0) }] }, '`list.0.at` cannot be sent: it is a Date'],
    [{ p: Promise.resolve() }, '`p` cannot be sent: it is a Promise'],
    [{ r: /x/ }, '`r` cannot be sent: it is a RegExp'],
    [{ e: new TypeError('x') }, '`e` cannot be sent: it is a Error'],
    [{ bytes: new Uint8Array(2) }, '`bytes` cannot be sent: it is a Uint8Array'],
    [{ f: () => 1 }, '`f` cannot be sent: it is of the type function'],
    [{ s: Symbol('x') }, '`s` cannot be sent: it is of the type symbol'],
    [{ list: [1, undefined] }, '`list.1` cannot be sent: it is of the type undefined'],
    // biome-ignore lint/suspicious/noSparseArray: a hole is what is tested
    [{ list: [1, , 2] }, '`list.1` cannot be sent: it is of the type undefined'],
    [{ n: [Number.NaN] }, '`n.0` cannot be sent: it is NaN'],
    [{ n: 1n }, '`n` cannot be sent: it is a bigint, which needs the option `json`'],
    [undefined, 'The value cannot be sent: it is of the type undefined'],
  ])('%o', (value, message) => {
    expect(refusalOf(value)).toBe(message);
  });

  test('and what holds itself', () => {
    expect(refusalOf(cyclic)).toContain('nested too deeply, or within itself');
  });
});

test('what JSON holds is sent as it always was: members that are undefined are left out, and toJSON counts', () => {
  class Vector {
    readonly x = 1;
    toJSON() {
      return [this.x, 2];
    }
  }
  const bare = Object.assign(Object.create(null), { n: 1 });
  expect(jsonText({ a: undefined, at: new Vector(), bare })).toEqual({ ok: true, value: '{"at":[1,2],"bare":{"n":1}}' });
});

test('numbers beyond doubles are found in a text, and only those', () => {
  const text =
    '{"id":9007199254740993,"same":[9007199254740993],"big":1e21,"f":0.30000000000000004,"t":"12345678901234567890","z":100000000000000000000,"p":3.14159265358979323846}';
  expect(inexactNumbers(text)).toEqual(
    new Map([
      [9007199254740992, '9007199254740993'],
      [Math.PI, '3.14159265358979323846'],
    ]),
  );
  fc.assert(fc.property(fc.json(), (json) => inexactNumbers(JSON.stringify(JSON.parse(json))) === undefined));
});

test('they keep their digits when they are sent again; where that is ambiguous, the path is refused', () => {
  const text = '{"id":9007199254740993,"mark":"9007199254740992"}';
  const read = JSON.parse(text);
  expect(jsonText({ ...read, gold: 5 }, undefined, inexactNumbers(text))).toEqual({
    ok: true,
    value: '{"id":9007199254740993,"mark":"9007199254740992","gold":5}',
  });
  const two = '{"a":9007199254740993,"b":{"c":9007199254740992.5}}';
  const refused = jsonText(JSON.parse(two), undefined, inexactNumbers(two));
  expect(refused).toMatchObject({ ok: false, error: { message: expect.stringContaining('`a` cannot be sent') } });
});
