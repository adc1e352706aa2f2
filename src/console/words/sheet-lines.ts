import { cellText, rowName, type Sheet } from './sheet.ts';
import type { SheetChanges } from './sheet-changes.ts';
import { cut } from './value.ts';

/** What becomes of a sheet, a line for each cell, row and column. */

interface Line {
  readonly key: string;
  readonly what: string;
  readonly from: string;
  readonly to: string;
}

/** `axe › price 7 → 9` */
export function lineSaid({ what, from, to }: Line): string {
  if (to === '') return `${what} removed`;
  return from === '' ? `${what} new` : `${what} ${from} → ${to}`;
}

/** `before`, `after`: the sheet without the changes and with them. */
export function linesOf(
  { cells, added, removed, addedColumns, removedColumns }: SheetChanges,
  before: Sheet,
  after: Sheet,
): readonly Line[] {
  const places = new Map(after.rows.map(({ id }, place) => [id, place]));
  const gone = new Map(before.rows.map(({ id }, place) => [id, place]));
  const said = (value: unknown) => cut(cellText(value)) || 'nothing';
  const dropped = new Set(removedColumns.map(({ key }) => key));
  return [
    ...addedColumns.map(({ key, type }) => ({ key: `+ ${key}`, what: `Column ${key}`, from: '', to: `new, ${type}` })),
    ...removedColumns.map(({ key }) => ({ key: `- ${key}`, what: `Column ${key}`, from: 'all of its cells', to: '' })),
    ...cells
      .filter(({ column }) => !dropped.has(column.key))
      .map(({ row, column, before: from, after: to }) => ({
        key: `${row.id} ${column.key}`,
        what: `${rowName(after, row, places.get(row.id) ?? 0)} › ${column.key}`,
        from: said(from),
        to: said(to),
      })),
    ...added.map((row) => ({
      key: `row ${row.id}`,
      what: rowName(after, row, places.get(row.id) ?? 0),
      from: '',
      to: `new: ${rowSaid(row.cells)}`,
    })),
    ...removed.map((row) => ({
      key: `row ${row.id}`,
      what: rowName(before, row, gone.get(row.id) ?? 0),
      from: rowSaid(row.cells),
      to: '',
    })),
  ];
}

function rowSaid(cells: Readonly<Record<string, unknown>>): string {
  return cut(
    Object.entries(cells)
      .map(([name, value]) => `${name} ${cellText(value)}`)
      .join(', '),
  );
}
