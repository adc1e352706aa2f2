/** Where the keys of a spreadsheet lead in a grid. */

interface Place {
  readonly row: number;
  readonly column: number;
}

/** A range of cells: from where it was begun to where the next key counts from. */
export interface Selection {
  readonly anchor: Place;
  readonly active: Place;
}

export interface Size {
  readonly rows: number;
  readonly columns: number;
}

export interface Key {
  readonly key: string;
  readonly isControl: boolean;
  readonly isShift: boolean;
}

export function selectionAt(row: number, column: number): Selection {
  return { anchor: { row, column }, active: { row, column } };
}

/** The cells of a selection: first and last row and column. */
export function rangeOf({ anchor, active }: Selection) {
  return {
    top: Math.min(anchor.row, active.row),
    bottom: Math.max(anchor.row, active.row),
    left: Math.min(anchor.column, active.column),
    right: Math.max(anchor.column, active.column),
  };
}

export function isWithin(selection: Selection, row: number, column: number): boolean {
  const { top, bottom, left, right } = rangeOf(selection);
  return row >= top && row <= bottom && column >= left && column <= right;
}

/** The selection within a grid that became smaller. */
export function clamped({ anchor, active }: Selection, size: Size): Selection {
  return { anchor: inside(anchor, size), active: inside(active, size) };
}

function inside({ row, column }: Place, { rows, columns }: Size): Place {
  return { row: between(row, rows), column: between(column, columns) };
}

function between(place: number, count: number): number {
  return Math.max(0, Math.min(place, count - 1));
}

type IsFilled = (row: number, column: number) => boolean;

const ARROWS: Readonly<Record<string, Place>> = {
  ArrowUp: { row: -1, column: 0 },
  ArrowDown: { row: 1, column: 0 },
  ArrowLeft: { row: 0, column: -1 },
  ArrowRight: { row: 0, column: 1 },
};

/** Where a key leads; `null`: it leads nowhere. `page`: rows that are in sight. */
export function movedBy(selection: Selection, key: Key, size: Size, page: number, isFilled: IsFilled): Selection | null {
  const whole = wholeOf(selection, key, size);
  if (whole !== null) return whole;
  const next = placeAfter(selection.active, key, size, page, isFilled);
  if (next === null) return null;
  const active = inside(next, size);
  return key.isShift ? { anchor: selection.anchor, active } : { anchor: active, active };
}

/** Selections of whole rows, columns, or everything. */
function wholeOf({ anchor, active }: Selection, { key, isControl, isShift }: Key, { rows, columns }: Size): Selection | null {
  if (isControl && key.toLowerCase() === 'a') return { anchor: { row: 0, column: 0 }, active: { row: rows - 1, column: columns - 1 } };
  if (key !== ' ' || isControl === isShift) return null;
  return isShift
    ? { anchor: { ...anchor, column: 0 }, active: { ...active, column: columns - 1 } }
    : { anchor: { ...anchor, row: 0 }, active: { ...active, row: rows - 1 } };
}

function placeAfter(from: Place, { key, isControl }: Key, { rows, columns }: Size, page: number, isFilled: IsFilled): Place | null {
  const arrow = Object.hasOwn(ARROWS, key) ? ARROWS[key] : undefined;
  if (arrow !== undefined) return isControl ? edgeFrom(from, arrow, { rows, columns }, isFilled) : step(from, arrow);
  if (key === 'Home') return { row: isControl ? 0 : from.row, column: 0 };
  if (key === 'End') return { row: isControl ? rows - 1 : from.row, column: columns - 1 };
  if (key === 'PageUp') return { ...from, row: from.row - page };
  if (key === 'PageDown') return { ...from, row: from.row + page };
  return null;
}

function step({ row, column }: Place, by: Place): Place {
  return { row: row + by.row, column: column + by.column };
}

/** The end of what is filled in a direction, or where the next begins. */
function edgeFrom(from: Place, by: Place, { rows, columns }: Size, isFilled: IsFilled): Place {
  const isThere = ({ row, column }: Place) => row >= 0 && column >= 0 && row < rows && column < columns;
  const next = step(from, by);
  if (!isThere(next)) return from;
  const goes = isFilled(from.row, from.column) && isFilled(next.row, next.column);
  let at = next;
  for (let after = step(at, by); isThere(after); after = step(at, by)) {
    const stops = goes ? !isFilled(after.row, after.column) : isFilled(at.row, at.column);
    if (stops) break;
    at = after;
  }
  return at;
}

/** The cell behind (or before) the active one, row after row; `null`: there is none. */
export function besideActive({ active }: Selection, by: 1 | -1, { rows, columns }: Size): Selection | null {
  const place = active.row * columns + active.column + by;
  return place < 0 || place >= rows * columns ? null : selectionAt(Math.floor(place / columns), place % columns);
}

/** Where an editor of a cell is left to. */
export type Beside = 'down' | 'up' | 'right' | 'left';

/** Where the keys go on after an edit: at the edge in the same cell; `null`: no cell follows. */
export function besideEdited(selection: Selection, by: Beside, size: Size): Selection | null {
  if (by === 'right') return besideActive(selection, 1, size);
  if (by === 'left') return besideActive(selection, -1, size);
  const { row, column } = selection.active;
  const next = row + (by === 'down' ? 1 : -1);
  return next < 0 || next >= size.rows ? selectionAt(row, column) : selectionAt(next, column);
}
