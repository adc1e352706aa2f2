import { ExactNumber, type Json, stringifyJson } from './json.ts';

/** Comma-separated values (RFC 4180), for spreadsheets. */

/** A spreadsheet would run a text that begins so as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** A line with its end. Lists and objects stand in it as their JSON; a text that looks like a formula stands behind an apostrophe. */
export function csvLine(cells: readonly (Json | undefined)[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: Json | undefined): string {
  if (cell === undefined || cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  if (cell instanceof ExactNumber) return cell.text;
  const text = typeof cell === 'string' ? (FORMULA.test(cell) ? `'${cell}` : cell) : stringifyJson(cell);
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
