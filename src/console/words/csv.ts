import { exactDigits, exactJson } from './exact.ts';
import { separatedText } from './separated.ts';

/** Tables as comma-separated values, for spreadsheets. */

/** Where a spreadsheet would begin to run a text as a formula, also where a semicolon parts its cells; as in the server's files. */
const FORMULA = /^(?=[\t\r\n])|(?=[=+\-@＝＋－＠])(?<=^|[;\t\r\n][\s"]{0,8})/g;

function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const digits = exactDigits(cell);
  if (digits !== null || typeof cell === 'number') return digits ?? String(cell);
  return (typeof cell === 'string' ? cell : exactJson(cell)).replace(FORMULA, "'");
}

/** A whole table. */
export function csvOf(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return separatedText(
    [head, ...rows].map((cells) => cells.map(textOf)),
    ',',
  );
}

/** A name of a file that says what it is, and as of which revision. */
export function fileName(parts: readonly string[], revision: number, kind: 'csv' | 'ndjson'): string {
  const named = parts.map((part) => part.replace(/[^\p{L}\p{M}\p{N}_.-]+/gu, '_')).filter((part) => part !== '');
  const name = named.join('-');
  return `${name}-r${revision}.${kind}`;
}

/** Letters of a game's name that stand in a file's. */
const MOST_OF_TITLE = 40;

/** What a game is called, as a file's name may begin on any system: without signs at its ends, and short. */
export function titleInFiles(title: string): string {
  const letters = [...title.normalize('NFC').replace(/[^\p{L}\p{M}\p{N}]+/gu, '_')].slice(0, MOST_OF_TITLE).join('');
  return letters.replace(/^_+|_+$/g, '');
}
