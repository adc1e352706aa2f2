/** Cells as text between separators: what spreadsheets copy (tabs) and store (CSV, RFC 4180). */

export type Separator = '\t' | ',' | ';';

/** The cells of a text, row by row. A cell in quotes may hold separators, line ends and doubled quotes. */
export function separatedCells(text: string, separator: Separator): readonly (readonly string[])[] {
  const rows: string[][] = [];
  const whole = text.startsWith('\uFEFF') ? text.slice(1) : text;
  let row: string[] = [];
  for (let at = 0; at < whole.length; ) {
    const { cell, end } = whole[at] === '"' ? quotedAt(whole, at) : plainAt(whole, at, separator);
    row.push(cell);
    const ends = whole.startsWith('\r\n', end) ? 2 : 1;
    at = end + ends;
    if (whole[end] === separator && at < whole.length) continue;
    if (whole[end] === separator) row.push('');
    rows.push(row);
    row = [];
  }
  return rows;
}

function plainAt(text: string, start: number, separator: Separator): { readonly cell: string; readonly end: number } {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return { cell: text.slice(start, end), end };
}

function quotedAt(text: string, start: number): { readonly cell: string; readonly end: number } {
  let [cell, at] = ['', start + 1];
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return { cell: cell + text.slice(at), end: text.length };
    cell += text.slice(at, quote);
    if (text[quote + 1] !== '"') return { cell, end: quote + 1 };
    cell += '"';
    at = quote + 2;
  }
}

/** The separator of a file: the one that its first line has most of. */
export function separatorOf(text: string): Separator {
  const [line = ''] = text.split(/\r?\n/, 1);
  const countOf = (separator: Separator) => line.split(separator).length;
  const separators: readonly Separator[] = [',', ';', '\t'];
  return separators.reduce((best, each) => (countOf(each) > countOf(best) ? each : best));
}

/** Rows of cells as text. A cell that would be read otherwise stands in quotes. */
export function separatedText(rows: readonly (readonly string[])[], separator: Separator): string {
  const end = separator === '\t' ? '\n' : '\r\n';
  return rows.map((row) => `${row.map((cell) => quoted(cell, separator)).join(separator)}${end}`).join('');
}

function quoted(cell: string, separator: Separator): string {
  return cell.includes(separator) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
