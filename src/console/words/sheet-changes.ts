import {
  type CellEdit,
  type Cells,
  type Column,
  cellOf,
  cellProblem,
  ENTRY,
  FIRST,
  isAdded,
  isSame,
  type NamedPlace,
  type Row,
  rowName,
  type Sheet,
  twiceIn,
  withCells,
  withColumn,
  withoutColumn,
  withoutRows,
  withRowsBehind,
} from './sheet.ts';

/** How a sheet was changed, and the same changes made to another state of it. */

interface CellChange {
  readonly row: Row;
  readonly column: Column;
  readonly before: unknown;
  readonly after: unknown;
}

export interface SheetChanges {
  readonly cells: readonly CellChange[];
  readonly added: readonly Row[];
  readonly removed: readonly Row[];
  readonly addedColumns: readonly Column[];
  readonly removedColumns: readonly Column[];
}

const NO_CHANGES: SheetChanges = { cells: [], added: [], removed: [], addedColumns: [], removedColumns: [] };

/** How `now`, which was made of `base`, differs from it. */
export function changesBetween(base: Sheet, now: Sheet): SheetChanges {
  if (base === now) return NO_CHANGES;
  const before = new Map(base.rows.map((row) => [row.id, row]));
  const ids = new Set(now.rows.map(({ id }) => id));
  const columns = now.columns.filter((column) => base.columns.some(({ key }) => key === column.key));
  const cells = now.rows.flatMap((row) => {
    const old = before.get(row.id);
    return old === undefined || old === row ? [] : cellChanges(old, row, [...columns, ...addedIn(base, now)]);
  });
  return {
    cells,
    added: now.rows.filter(({ id }) => !before.has(id)),
    removed: base.rows.filter(({ id }) => !ids.has(id)),
    addedColumns: addedIn(base, now),
    removedColumns: addedIn(now, base),
  };
}

function addedIn(base: Sheet, now: Sheet): readonly Column[] {
  return now.columns.filter(({ key }) => !base.columns.some((column) => column.key === key));
}

function cellChanges(old: Row, row: Row, columns: readonly Column[]): readonly CellChange[] {
  return columns.flatMap((column) => {
    const [before, after] = [cellOf(old, column), cellOf(row, column)];
    return isSame(before, after) ? [] : [{ row, column, before, after }];
  });
}

export function countOf({ cells, added, removed, addedColumns, removedColumns }: SheetChanges): number {
  return cells.length + added.length + removed.length + addedColumns.length + removedColumns.length;
}

/** The first cell that changed, or else the first row that came, as an address names it. `now`: the sheet with the changes. */
export function firstChanged({ cells, added }: SheetChanges, now: Sheet): NamedPlace {
  const [cell, row] = [cells[0], cells[0]?.row ?? added[0]];
  if (row === undefined) return {};
  return { row: nameOf(now, row), ...(cell === undefined ? {} : { column: cell.column.key }) };
}

/** Cells that cannot be saved, among those that were changed. */
export function problemsIn(sheet: Sheet, { cells, added }: SheetChanges): readonly { row: Row; column: Column; why: string }[] {
  const isTwice = twiceIn(sheet);
  const changed = [
    ...cells.map(({ row, column }) => ({ row, column })),
    ...added.flatMap((row) => sheet.columns.map((column) => ({ row, column }))),
  ];
  return changed.flatMap(({ row, column }) => {
    const why = cellProblem(sheet, row, column, isTwice);
    return why === null ? [] : [{ row, column, why }];
  });
}

/** What is marked at a cell. */
export interface CellMarks {
  readonly isChanged: boolean;
  /** What the other target has, where that differs. */
  readonly differs: { readonly value: unknown } | null;
  readonly problem: string | null;
}

interface Marked {
  readonly base: Sheet;
  /** How it was changed, and what of that cannot be saved. */
  readonly changes: SheetChanges;
  readonly problems: ReturnType<typeof problemsIn>;
  /** What the other target has in cells of the base. */
  readonly differs: ReturnType<typeof differencesFrom>;
}

/** Finds the marks of the cells of a sheet that was changed. */
export function marksOf({ base, changes, problems, differs }: Marked): (row: Row, column: Column) => CellMarks {
  const changed = new Set(changes.cells.map(({ row, column }) => `${row.id} ${column.key}`));
  const added = new Set(changes.added.map(({ id }) => id));
  const wrong = new Map(problems.map(({ row, column, why }) => [`${row.id} ${column.key}`, why]));
  // Most rows of a large table are those of the base themselves: only once something was changed they are looked up.
  const bases = countOf(changes) === 0 ? null : new Map(base.rows.map((row) => [row.id, row]));
  return (row, column) => {
    const own = bases === null ? row : bases.get(row.id);
    return {
      isChanged: added.has(row.id) || changed.has(`${row.id} ${column.key}`),
      differs: own === undefined ? null : differs(own, column),
      problem: wrong.get(`${row.id} ${column.key}`) ?? null,
    };
  };
}

/** A change that meets another: what was changed here was changed there, too. */
export interface Clash {
  readonly what: string;
  readonly seen: string;
  readonly there: string;
  readonly own: string;
}

export interface Placed {
  readonly sheet: Sheet;
  readonly clashes: readonly Clash[];
}

/** What cells say in a sentence. */
type Say = (value: unknown) => string;

/**
 * The changes from `base` to `now` made to `there`, another state of the same sheet. What clashes is made where `own` says so, and left as
 * it is there otherwise.
 */
export function placedOn(there: Sheet, base: Sheet, now: Sheet, own: boolean, say: Say): Placed {
  const changes = changesBetween(base, now);
  const clashes: Clash[] = [];
  const find = finder(base, there);
  const edits: CellEdit[] = [];
  for (const change of changes.cells) {
    const found = find(change.row.id);
    const value = found === undefined ? undefined : cellOf(found, change.column);
    const isFree = found !== undefined && (isSame(value, change.before) || isSame(value, change.after));
    if (!isFree) clashes.push(clashOf(now, change, found, value, say));
    if (found !== undefined && (isFree || own)) edits.push({ row: found.id, column: change.column.key, value: change.after });
  }
  const removed = changes.removed.flatMap((row) => {
    const found = find(row.id);
    if (found === undefined) return [];
    const isFree = base.columns.every((column) => isSame(cellOf(row, column), cellOf(found, column)));
    if (!isFree) clashes.push({ what: nameOf(base, row), seen: 'as you saw it', there: 'changed', own: 'removed' });
    return isFree || own ? [found.id] : [];
  });
  const columns = changes.addedColumns.reduce((sheet, column) => (hasColumn(there, column) ? sheet : withColumn(sheet, column)), there);
  const kept = changes.removedColumns.reduce((sheet, { key }) => withoutColumn(sheet, key), columns);
  const edited = withoutRows(withCells(kept, edits), new Set(removed));
  return { sheet: withAdded(edited, now, changes.added, find), clashes };
}

function hasColumn({ columns }: Sheet, { key }: Column): boolean {
  return columns.some((column) => column.key === key);
}

function nameOf(sheet: Sheet, row: Row): string {
  return rowName(
    sheet,
    row,
    sheet.rows.findIndex(({ id }) => id === row.id),
  );
}

function clashOf(now: Sheet, { row, column, before, after }: CellChange, found: Row | undefined, value: unknown, say: Say): Clash {
  const what = now.kind === 'group' ? nameOf(now, row) : `${nameOf(now, row)} › ${column.key}`;
  return { what, seen: say(before), there: found === undefined ? 'the row is gone' : say(value), own: say(after) };
}

/** Added rows behind those that they were added behind. */
function withAdded(sheet: Sheet, now: Sheet, added: readonly Row[], find: (id: number) => Row | undefined): Sheet {
  const ids = new Set(added.map(({ id }) => id));
  const there = new Set(sheet.rows.map(({ id }) => id));
  const behind = new Map<number, Cells[]>();
  let last = FIRST;
  for (const row of now.rows) {
    if (ids.has(row.id)) behind.set(last, [...(behind.get(last) ?? []), row.cells]);
    else last = placeOf(find(row.id), there) ?? last;
  }
  return withRowsBehind(sheet, behind);
}

function placeOf(found: Row | undefined, there: ReadonlySet<number>): number | undefined {
  return found !== undefined && there.has(found.id) ? found.id : undefined;
}

/** Finds rows of `base` in `there`: by the column that names them, else by their place. */
function finder(base: Sheet, there: Sheet): (id: number) => Row | undefined {
  const key = keyOf(base, there);
  const places = new Map(base.rows.map((row, place) => [row.id, { row, place }]));
  const byKey = new Map(key === null ? [] : there.rows.map((row) => [row.cells[key], row]));
  return (id) => {
    const own = places.get(id);
    if (own === undefined) return undefined;
    return key === null ? there.rows[own.place] : byKey.get(own.row.cells[key]);
  };
}

/** The column that names the rows of both: the first whose texts or numbers are all there, and each once. */
export function keyOf(one: Sheet, other: Sheet): string | null {
  if (one.kind === 'group') return ENTRY.name;
  const found = one.columns.find(({ key, type }) => type !== 'boolean' && isKey(one, key) && isKey(other, key));
  return found?.key ?? null;
}

function isKey({ rows }: Sheet, key: string): boolean {
  const seen = new Set(rows.map(({ cells }) => cells[key]).filter((value) => typeof value === 'string' || typeof value === 'number'));
  return seen.size === rows.length;
}

/** What another state of the sheet has in each cell that differs: by the row's id and the column. */
export function differencesFrom(there: Sheet | null, sheet: Sheet): (row: Row, column: Column) => { readonly value: unknown } | null {
  if (there === null) return () => null;
  const find = finder(sheet, there);
  return (row, column) => {
    if (isAdded(row)) return null;
    const found = find(row.id);
    if (found === undefined) return { value: undefined };
    const value = cellOf(found, column);
    return isSame(value, cellOf(row, column)) ? null : { value };
  };
}
