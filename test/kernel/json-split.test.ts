import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BrokenJson, JsonSplitter } from '../../src/kernel/json-split.ts';

const enters = (path: readonly string[]) => path.length < 2;

/** Cut into chunks of that size, with each text parsed. */
function split(text: string, size = text.length, goesInto: (path: readonly string[]) => boolean = enters, longest = 1e6) {
  const splitter = new JsonSplitter(goesInto, longest);
  const found: [string, unknown][] = [];
  const take = (pieces: Iterable<{ readonly path: readonly string[]; readonly text: string }>) => {
    for (const piece of pieces) found.push([piece.path.join('/'), JSON.parse(piece.text)]);
  };
  for (let at = 0; at < text.length; at += size) take(splitter.feed(text.slice(at, at + size)));
  take(splitter.end());
  return found;
}

describe('a JSON text too large for memory', () => {
  it('is split as it arrives, whatever the chunks', () => {
    const text = ' {"a": 1, "t\\"x":"a\\\\\\"]}", "rows":[ {"k":"}"}, [1,{"x":[]}] , null,-1.5e3 ], "none":[], "o":{}, "last":true } ';
    const expected = [
      ['a', 1],
      ['t"x', 'a\\"]}'],
      ['rows/*', { k: '}' }],
      ['rows/*', [1, { x: [] }]],
      ['rows/*', null],
      ['rows/*', -1500],
      ['last', true],
    ];
    for (const size of [1, 2, 3, 7, 1000]) expect(split(text, size)).toEqual(expected);
  });

  it('yields every member of any object, in order', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(3),
        (value, size, indent) => {
          const plain: Record<string, unknown> = JSON.parse(JSON.stringify(value));
          const found = split(JSON.stringify(plain, null, indent), size, (path) => path.length < 1);
          expect(found).toEqual(Object.entries(plain));
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([
    '',
    '{',
    '{"a":1',
    '{"a" 1}',
    '{a:1}',
    '{"a":1,}',
    '[1 2]',
    '{"a":1}}',
    '{"a":1} 2',
    '{"rows":[1,]}',
    '{"a":}',
    '{,}',
    '{"a":"x',
  ])('is refused where it is none: %s', (text) => {
    for (const size of [1, 100]) expect(() => split(text, size)).toThrow(BrokenJson);
  });

  it('is refused if one value is too long', () => {
    expect(() => split(`{"a":"${'x'.repeat(50)}"}`, 3, enters, 20)).toThrow(/longer than 20/);
  });

  it('never hangs and never fails in another way', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', ' ', '1', 'a'), { maxLength: 20 }), (parts) => {
        try {
          split(parts.join(''), 2, () => true);
        } catch (error) {
          if (!(error instanceof BrokenJson || error instanceof SyntaxError)) throw error;
        }
      }),
      { numRuns: 1000 },
    );
  });
});
