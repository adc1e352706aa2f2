import { exactDigits } from './exact.ts';
import { rangeOf, type Selection } from './grid-keys.ts';
import { separatedCells, separatedText, separatorOf } from './separated.ts';
import {
  type CellEdit,
  type Cells,
  type Column,
  cellOf,
  cellProblem,
  cellText,
  FIRST,
  type Row,
  type Sheet,
  twiceIn,
  typedCell,
  withCells,
  withoutRows,
  withRowsBehind,
} from './sheet.ts';
import { keyOf } from './sheet-changes.ts';

/** Sheets and spreadsheets: what is copied, what is pasted, what a file says. */

export function copiedText(sheet: Sheet, selection: Selection): string {
  const { top, bottom, left, right } = rangeOf(selection);
  const columns = sheet.columns.slice(left, right + 1);
  const rows = sheet.rows.slice(top, bottom + 1).map((row) => columns.map((column) => cellText(cellOf(row, column))));
  return separatedText(rows, '\t').replace(/\n$/, '');
}

export interface Pasted {
  readonly edits: readonly CellEdit[];
  /** Rows for what was pasted beyond the last. */
  readonly added: readonly Cells[];
  /** Where it was put. */
  readonly selection: Selection;
  /** Columns for which there was no room. */
  readonly cut: number;
}

/** Most cells that are pasted or read at once: what a whole document of game values can hold. */
const MAX_CELLS = 400_000;

/** What a paste does; `null`: there is too much of it, or nothing. */
export function pasted(sheet: Sheet, selection: Selection, text: string, mayAdd: boolean): Pasted | null {
  const cells = separatedCells(text, '\t');
  const width = cells.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0 || cells.length * width > MAX_CELLS) return null;
  const [[only] = []] = cells;
  if (cells.length === 1 && width === 1 && only !== undefined) return filled(sheet, selection, only);
  const { top, left } = rangeOf(selection);
  const columns = sheet.columns.slice(left, left + width);
  const within = cells.slice(0, sheet.rows.length - top);
  const edits = within.flatMap((row, place) => editsOf(sheet.rows[top + place], row, columns));
  const beyond = mayAdd ? cells.slice(within.length) : [];
  const added = beyond.map((row) => cellsOf(row, columns));
  const bottom = top + within.length + added.length - 1;
  const active = { row: bottom, column: left + columns.length - 1 };
  return { edits, added, selection: { anchor: { row: top, column: left }, active }, cut: width - columns.length };
}

/** One cell that is pasted fills all that are selected. */
function filled(sheet: Sheet, selection: Selection, text: string): Pasted {
  const { top, bottom, left, right } = rangeOf(selection);
  const columns = sheet.columns.slice(left, right + 1);
  const edits = sheet.rows.slice(top, bottom + 1).flatMap((row) => editsOf(row, Array(columns.length).fill(text), columns));
  return { edits, added: [], selection, cut: 0 };
}

function editsOf(row: Row | undefined, texts: readonly string[], columns: readonly Column[]): readonly CellEdit[] {
  if (row === undefined) return [];
  return columns
    .slice(0, texts.length)
    .map((column, place) => ({ row: row.id, column: column.key, value: typedCell(texts[place] ?? '', column, cellOf(row, column)) }));
}

function cellsOf(texts: readonly string[], columns: readonly Column[]): Cells {
  const cells = columns.slice(0, texts.length).map((column, place) => [column.key, typedCell(texts[place] ?? '', column)] as const);
  return Object.fromEntries(cells.filter(([, value]) => value !== undefined));
}

/** A spreadsheet would run a text that begins so. What stands behind apostrophes already gets one more, since one is taken off again. */
const FORMULA = /^'*[=+\-@\t\r]/;
const HELD_BACK = /^'(?='*[=+\-@\t\r])/;

/** The sheet as a file. A text that a spreadsheet would run stands behind an apostrophe. */
export function csvOf({ columns, rows }: Sheet): string {
  const cells = rows.map((row) => columns.map((column) => fileCell(cellOf(row, column))));
  return separatedText([columns.map(({ key }) => heldBack(key)), ...cells], ',');
}

function fileCell(value: unknown): string {
  const isText = typeof value === 'string' && exactDigits(value) === null;
  return isText ? heldBack(value) : cellText(value);
}

function heldBack(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
}

interface FileProblem {
  /** The line of the file as spreadsheets number it: 1 is that of the names. */
  readonly row: number;
  readonly column: string;
  readonly why: string;
}

export interface ReadFile {
  readonly sheet: Sheet;
  readonly problems: readonly FileProblem[];
}

/** The sheet as a file has it. Columns that the file leaves out stay; rows that it leaves out go. */
export function fromCsv(sheet: Sheet, text: string): ReadFile {
  const [names = [], ...lines] = separatedCells(text, separatorOf(text)).map((cells) => cells.map((cell) => cell.replace(HELD_BACK, '')));
  const headers = names.map((name) => name.trim());
  const unknown = headers.flatMap((name) => (sheet.columns.some(({ key }) => key === name) ? [] : [unknownColumn(name)]));
  if (headers.length === 0) return { sheet, problems: [{ row: 1, column: '', why: 'The file is empty.' }] };
  if (unknown.length > 0) return { sheet, problems: unknown };
  if (lines.length * headers.length > MAX_CELLS)
    return { sheet, problems: [{ row: MAX_CELLS, column: '', why: `More than ${MAX_CELLS} cells are too many.` }] };
  const columns = headers.flatMap((name) => sheet.columns.filter(({ key }) => key === name));
  const filled = lines.filter((line) => line.some((cell) => cell !== ''));
  const rows = filled.map((line) => cellsOf(line, columns));
  const merged = mergedRows(sheet, rows, columns);
  return { sheet: merged, problems: problemsOf(merged, rows, columns) };
}

function unknownColumn(name: string): FileProblem {
  return { row: 1, column: name, why: `There is no column “${name}”. Add it first, or take it out of the file.` };
}

function mergedRows(sheet: Sheet, lines: readonly Cells[], columns: readonly Column[]): Sheet {
  const find = rowFinder(sheet, lines, columns);
  const matched = lines.map((cells, place) => find(cells, place));
  const kept = new Set(matched.flatMap((row) => (row === undefined ? [] : [row.id])));
  const edits = lines.flatMap((cells, place): CellEdit[] => {
    const row = matched[place];
    return row === undefined ? [] : columns.map(({ key }) => ({ row: row.id, column: key, value: cells[key] }));
  });
  const behind = new Map<number, Cells[]>();
  let last = FIRST;
  for (const [place, cells] of lines.entries()) {
    const row = matched[place];
    if (row === undefined) behind.set(last, [...(behind.get(last) ?? []), cells]);
    else last = row.id;
  }
  const gone = new Set(sheet.rows.map(({ id }) => id).filter((id) => !kept.has(id)));
  return withRowsBehind(withoutRows(withCells(sheet, edits), gone), behind);
}

/** Finds the row that a line of the file means: by the column that names rows in both, else by its place. */
function rowFinder(sheet: Sheet, lines: readonly Cells[], columns: readonly Column[]): (cells: Cells, place: number) => Row | undefined {
  const file = { ...sheet, columns, rows: lines.map((cells, id) => ({ id, cells })) };
  const key = keyOf({ ...sheet, columns }, file);
  if (key === null) return (_, place) => sheet.rows[place];
  const byKey = new Map(sheet.rows.map((row) => [row.cells[key], row]));
  return (cells) => byKey.get(cells[key]);
}

/** Most problems that are told of one file. */
const MAX_PROBLEMS = 100;

function problemsOf(sheet: Sheet, rows: readonly Cells[], columns: readonly Column[]): readonly FileProblem[] {
  const isTwice = twiceIn(sheet);
  const problems: FileProblem[] = [];
  for (const [place, cells] of rows.entries()) {
    for (const column of columns) {
      const why = cellProblem(sheet, { id: place, cells }, column, isTwice);
      if (why !== null) problems.push({ row: place + 2, column: column.key, why });
    }
    if (problems.length >= MAX_PROBLEMS) break;
  }
  return problems;
}
