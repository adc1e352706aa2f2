import { expect, it } from 'vitest';
import { lineOf } from '../../src/contract/values.ts';

it.each(['', '   ', 'two\nlines', 'a\u0000b', '\u202eevil', '\ud800', 'x'.repeat(257), `${'x'.repeat(500_000)}\n`])(
  'a line of text is one line that says something, not %#',
  (text) => {
    expect(lineOf(256).safeParse(text).success).toBe(false);
  },
);

it.each(['x', ' lost by a crash ', 'naïve 🙂', 'x'.repeat(256)])('a line of text is taken without blanks around it: %#', (text) => {
  expect(lineOf(256).parse(text)).toBe(text.trim());
});
