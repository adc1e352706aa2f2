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
import { type Decimal, type NumbersRead, numbersRead, type Unclear } from './thousands.ts';

/** Sheets and spreadsheets: what is copied, what is pasted, what a file says. */

export function copiedText(sheet: Sheet, selection: Selection): string {
  const { top, bottom, left, right } = rangeOf(selection);
  const columns = sheet.columns.slice(left, right + 1);
  const rows = sheet.rows.slice(top, bottom + 1).map((row) => columns.map((column) => cellText(cellOf(row, column))));
  return separatedText(rows, '\t').replace(/\n$/, '');
}

export interface Pasted {
  /** A number that can be read in two ways: nothing is to be done before it is said which. */
  readonly unclear: Unclear | null;
  readonly edits: readonly CellEdit[];
  /** Rows for what was pasted beyond the last. */
  readonly added: readonly Cells[];
  /** Where it was put. */
  readonly selection: Selection;
  /** Columns for which there was no room, or of which there is none. */
  readonly cut: number;
  /** Whether its first row named the columns, and so is none of the sheet. */
  readonly isHeaded: boolean;
}

/** What is known of the numbers of a text: their decimals stand behind this sign, or they are as this console wrote them. */
export type Writing = Decimal | 'own';

/** Most cells that are pasted or read at once: what a whole document of game values can hold. */
const MAX_CELLS = 400_000;

/** What a paste does; `null`: there is too much of it, or nothing. A first row that names columns says where the others go. */
export function pasted(sheet: Sheet, selection: Selection, text: string, writing?: Writing): Pasted | null {
  const lines = separatedCells(text, '\t');
  const width = lines.reduce((most, line) => Math.max(most, line.length), 0);
  if (width === 0 || lines.length * width > MAX_CELLS) return null;
  const { top, left } = rangeOf(selection);
  const [names = [], ...others] = lines;
  const [only] = names;
  if (others.length === 0 && width === 1 && only !== undefined) return filled(sheet, selection, only, writing);
  const named = others.length === 0 ? null : columnsNamed(sheet, names);
  const columns = named ?? sheet.columns.slice(left, left + width);
  const placed = (named === null ? lines : others).map((texts, place): Placed => ({ row: sheet.rows[top + place], texts }));
  const places = named === null ? [left, left + columns.length - 1] : placesOf(sheet, named);
  const wanted = named === null ? width : names.filter((name) => name.trim() !== '').length;
  return {
    ...valuesOf(placed, columns, writing),
    selection: {
      anchor: { row: top, column: Math.min(...places) },
      active: { row: top + placed.length - 1, column: Math.max(...places) },
    },
    cut: wanted - columns.filter((column) => column !== undefined).length,
    isHeaded: named !== null,
  };
}

/** What a paste did. */
export function pasteSaid({ edits, added, cut: without, isHeaded }: Pasted): string {
  const counted = (count: number, what: string) => (count === 1 ? `1 ${what} was` : `${count} ${what}s were`);
  const rows = added.length === 0 ? '' : ` ${counted(added.length, 'row')} added.`;
  const head = isHeaded ? ' The first row named the columns.' : '';
  const columns =
    without === 0 ? '' : ` ${counted(without, 'column')} left out: the table has ${isHeaded ? 'none of that name' : 'no more'}.`;
  const cells = added.reduce((count, row) => count + Object.keys(row).length, edits.length);
  return `${counted(cells, 'cell')} pasted.${rows}${head}${columns}`;
}

/** One cell that is pasted fills all that are selected. */
function filled(sheet: Sheet, selection: Selection, text: string, writing?: Writing): Pasted {
  const { top, bottom, left, right } = rangeOf(selection);
  const columns = sheet.columns.slice(left, right + 1);
  const placed = sheet.rows.slice(top, bottom + 1).map((row): Placed => ({ row, texts: columns.map(() => text) }));
  return { ...valuesOf(placed, columns, writing), selection, cut: 0, isHeaded: false };
}

type ColumnOrNone = Column | undefined;

/** The columns that a row names; `null`: it is data. Two names that are most of them are enough: a spreadsheet has columns of its own. */
function columnsNamed({ columns }: Sheet, names: readonly string[]): readonly ColumnOrNone[] | null {
  const alike = (name: string) => columns.filter(({ key }) => key.toLowerCase() === name.toLowerCase());
  const found = names.map((name) => {
    const known = alike(name.trim());
    return known.find(({ key }) => key === name.trim()) ?? (known.length === 1 ? known[0] : undefined);
  });
  const count = new Set(found.filter((column) => column !== undefined)).size;
  const said = names.filter((name) => name.trim() !== '').length;
  const isEachOnce = count === found.filter((column) => column !== undefined).length;
  return isEachOnce && count > 0 && (count === said || (count > 1 && 2 * count > said)) ? found : null;
}

function placesOf({ columns }: Sheet, named: readonly ColumnOrNone[]): readonly number[] {
  return named.flatMap((column) => (column === undefined ? [] : [columns.indexOf(column)]));
}

/** A line of a paste. `row`: where it goes; `undefined`: it becomes a new one. */
interface Placed {
  readonly row: Row | undefined;
  readonly texts: readonly string[];
}

function valuesOf(placed: readonly Placed[], columns: readonly ColumnOrNone[], writing?: Writing) {
  const cells = placed.map(({ row, texts }) => ({ row, cells: inColumns(texts, columns) }));
  const beforeIn = (row: Row | undefined, column: Column) => (row === undefined ? undefined : cellOf(row, column));
  const holdsNumber = (row: Row | undefined, column: Column) => mayBeNumber(column, beforeIn(row, column));
  const numbers = cells.flatMap(({ row, cells: own }) => own.flatMap(([column, text]) => (holdsNumber(row, column) ? [text] : [])));
  const { read, unclear } = writing === 'own' ? AS_WRITTEN : numbersRead(numbers, writing);
  const typed = (row: Row | undefined, [column, text]: readonly [Column, string]) =>
    typedCell(holdsNumber(row, column) ? read(text) : text, column, beforeIn(row, column));
  const edits = cells.flatMap(({ row, cells: own }) =>
    row === undefined ? [] : own.map((cell): CellEdit => ({ row: row.id, column: cell[0].key, value: typed(row, cell) })),
  );
  const added = cells.flatMap(({ row, cells: own }) =>
    row === undefined ? [cellsOf(own.map((cell) => [cell[0].key, typed(row, cell)]))] : [],
  );
  return { edits, added, unclear };
}

const AS_WRITTEN: NumbersRead = { read: (text) => text, unclear: null };

function inColumns(texts: readonly string[], columns: readonly ColumnOrNone[]): readonly (readonly [Column, string])[] {
  return texts.flatMap((text, place) => {
    const column = columns[place];
    return column === undefined ? [] : [[column, text] as const];
  });
}

/** Whether a text is read as a number here, where it is one. */
function mayBeNumber({ type }: Column, before: unknown): boolean {
  return type === 'number' || (type === 'any' && (typeof before !== 'string' || exactDigits(before) !== null));
}

function cellsOf(cells: readonly (readonly [string, unknown])[]): Cells {
  return Object.fromEntries(cells.filter(([, value]) => value !== undefined));
}

/** A spreadsheet would run a text that begins so. What stands behind apostrophes already gets one more, since one is taken off again. */
const FORMULA = /^'*[=+\-@＝＋－＠\t\r\n]/;
const HELD_BACK = /^'(?='*[=+\-@＝＋－＠\t\r\n])/;

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
  /** A number that can be read in two ways: the file is read once it is said which. */
  readonly unclear: Unclear | null;
}

/** The sheet as a file has it. Columns that the file leaves out stay; rows that it leaves out go. `decimal`: what its numbers have. */
export function fromCsv(sheet: Sheet, text: string, decimal?: Decimal): ReadFile {
  const separator = separatorOf(text);
  const [names = [], ...lines] = separatedCells(text, separator).map((cells) => cells.map((cell) => cell.replace(HELD_BACK, '')));
  const headers = names.map((name) => name.trim());
  const unknown = headers.flatMap((name) => (sheet.columns.some(({ key }) => key === name) ? [] : [unknownColumn(name)]));
  const refused = (problems: readonly FileProblem[]) => ({ sheet, problems, unclear: null });
  if (headers.length === 0) return refused([{ row: 1, column: '', why: 'The file is empty.' }]);
  if (unknown.length > 0) return refused(unknown);
  if (lines.length * headers.length > MAX_CELLS)
    return refused([{ row: MAX_CELLS, column: '', why: `More than ${MAX_CELLS} cells are too many.` }]);
  const columns = headers.flatMap((name) => sheet.columns.filter(({ key }) => key === name));
  const filled = lines.filter((line) => line.some((cell) => cell !== '')).map((line) => inColumns(line, columns));
  // Where commas part the cells, as in what this page saves, a point stands before the decimals, and a text with commas stays one.
  const isOwn = separator === ',';
  const holdsNumber = (column: Column) => (isOwn ? column.type === 'number' : mayBeNumber(column, undefined));
  const numbers = filled.flatMap((line) => line.flatMap(([column, cell]) => (holdsNumber(column) ? [cell] : [])));
  const { read, unclear } = numbersRead(numbers, isOwn ? '.' : decimal);
  if (unclear !== null) return { sheet, problems: [], unclear };
  const typed = (column: Column, cell: string) => typedCell(holdsNumber(column) ? read(cell) : cell, column);
  const rows = filled.map((line) => cellsOf(line.map(([column, cell]) => [column.key, typed(column, cell)])));
  const merged = mergedRows(sheet, rows, columns);
  return { sheet: merged, problems: problemsOf(merged, rows, columns), unclear: null };
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
