import { styleText } from 'node:util';
import { describe, expect, it } from 'vitest';
import { table } from '../../src/cli/context.ts';
import { printable, printableLine } from '../../src/cli/terminal.ts';

const OWN_STYLES = ['bold', 'cyan', 'gray', 'green', 'magenta', 'red', 'yellow'] as const;

describe('what commands print', () => {
  it.each([
    ['\u001b[2J', '\\u001b[2J'],
    ['\u001b]52;c;aGk=\u0007', '\\u001b]52;c;aGk=\\u0007'],
    ['\u009b31m', '\\u009b31m'],
    ['a\rb', 'a\\u000db'],
    ['\u001b[8mhidden', '\\u001b[8mhidden'],
    ['pay \u202e001 dlog', 'pay \\u202e001 dlog'],
  ])('never obeys what a definition or a server holds: %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
    // With --json the value stays the same.
    expect(JSON.parse(printable(JSON.stringify(text)))).toBe(text);
  });

  it('keeps line ends, tabs, letters of every script and its own colours', () => {
    const coloured = OWN_STYLES.map((style) => styleText(style, style, { validateStream: false }));
    const text = `ä 漢 🜁 עברית\n\t${coloured.join(' ')}`;
    expect(coloured[0]).toContain('\u001b[');
    expect(printable(text)).toBe(text);
  });

  it('is one line for each row of a table', () => {
    expect(table(['ID', 'NAME'], [['a\nb', 'c']])).toBe('ID        NAME\na\\u000ab  c');
    expect(printableLine('a\tb')).toBe('a\\u0009b');
  });
});
