import { expect, test } from 'vitest';
import { csvLine } from '../../src/kernel/csv.ts';
import { parseJson } from '../../src/kernel/json.ts';

test('a text that a spreadsheet would run stands behind an apostrophe; numbers keep their digits and signs', () => {
  expect(csvLine(['=1+1', '+1', '-1', '@x', '\tx', -1, parseJson('18446744073709551615'), 'a-b'])).toBe(
    `'=1+1,'+1,'-1,'@x,'\tx,-1,18446744073709551615,a-b\r\n`,
  );
});

test('nor does one run what stands behind a semicolon or on a new line, where those part cells, or signs of full width', () => {
  const texts = ['x;=1', 'x; +1', 'a\n=1', '\n=1', '＝1', { a: 'x;@y' }, 'a;b', 'a-b = c'];
  expect(csvLine(texts)).toBe(`x;'=1,x; '+1,"a\n'=1","'\n'=1",'＝1,"{""a"":""x;'@y""}",a;b,a-b = c\r\n`);
});

test('what would end a cell stands in quotes, and lists and objects as their JSON', () => {
  expect(csvLine(['a,b', 'say "hi"', 'two\nlines', null, undefined, true, [1, 'a'], { b: 2 }])).toBe(
    `"a,b","say ""hi""","two\nlines",,,true,"[1,""a""]","{""b"":2}"\r\n`,
  );
});
