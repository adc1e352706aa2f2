import { ExactNumber, type Json, stringifyJson } from './json.ts';

/** Comma-separated values (RFC 4180), for spreadsheets. */

/**
 * Where a spreadsheet would begin to run a text as a formula: at its beginning, and, in countries where a semicolon parts cells, behind one
 * or on a new line, since quotes within such a cell are none.
 */
const FORMULA = /^(?=[\t\r\n])|(?=[=+\-@＝＋－＠])(?<=^|[;\t\r\n][\s"]{0,8})/g;

/** A line with its end. Lists and objects stand in it as their JSON; a text that looks like a formula stands behind an apostrophe. */
export function csvLine(cells: readonly (Json | undefined)[]): string {
  return `${cells.map(cellText).join(',')}\r\n`;
}

function cellText(cell: Json | undefined): string {
  if (cell === undefined || cell === null) return '';
  if (typeof cell === 'number' || typeof cell === 'boolean') return String(cell);
  if (cell instanceof ExactNumber) return cell.text;
  const text = (typeof cell === 'string' ? cell : stringifyJson(cell)).replace(FORMULA, "'");
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
