import { exactDigits, exactJson } from './exact.ts';
import { separatedText } from './separated.ts';

/** Tables as comma-separated values, for spreadsheets. */

/** A spreadsheet would run a text that begins so as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const digits = exactDigits(cell);
  if (digits !== null || typeof cell === 'number') return digits ?? String(cell);
  if (typeof cell !== 'string') return exactJson(cell);
  return FORMULA.test(cell) ? `'${cell}` : cell;
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
  const name = parts.map((part) => part.replace(/[^A-Za-z0-9_.-]+/g, '_')).join('-');
  return `${name}-r${revision}.${kind}`;
}
