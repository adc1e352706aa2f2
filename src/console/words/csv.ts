import { exactDigits, exactJson } from './exact.ts';

/** Tables as comma-separated values, for spreadsheets. */

/** A spreadsheet would run a text that begins so as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** One line, without its end. */
function csvLine(cells: readonly unknown[]): string {
  return cells.map(csvCell).join(',');
}

function csvCell(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  const digits = exactDigits(cell);
  if (digits !== null || typeof cell === 'number') return digits ?? String(cell);
  const text = typeof cell === 'string' ? (FORMULA.test(cell) ? `'${cell}` : cell) : exactJson(cell);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A whole table. */
export function csvOf(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  return [head, ...rows].map((cells) => `${csvLine(cells)}\r\n`).join('');
}

/** A name of a file that says what it is, and as of which revision. */
export function fileName(parts: readonly string[], revision: number, kind: 'csv' | 'ndjson'): string {
  const name = parts.map((part) => part.replace(/[^A-Za-z0-9_.-]+/g, '_')).join('-');
  return `${name}-r${revision}.${kind}`;
}
